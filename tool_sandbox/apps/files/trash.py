"""Tools for the trash, which keeps things for 30 days."""

from tool_sandbox.apps import change, now, remove, remove_with, rows_of, tool
from tool_sandbox.apps.files.access import ME, Files, Row, check_name, find, trash_ends
from tool_sandbox.apps.files.tables import FILES, SHARES, VERSIONS


def _in_trash(file_id: str) -> Row:
    row = find(file_id, "owner", in_trash=True)
    if row["trashed_at"] is None:
        above = next((each for each in Files().line(row) if each["trashed_at"]), None)
        if above is not None:
            raise ValueError(f"it is in the trash with the folder {above['name']!r} ({above['file_id']})")
        raise ValueError(f"{row['name']!r} is not in the trash; trash_file puts it there")
    return row


@tool
def trash_file(file_id: str) -> str:
    """Put a document, or a folder with all that is in it, into the trash. Links to it stop working while it is there.

    Args:
        file_id: Identifier of the document or folder.

    Returns:
        The time at which it is deleted for good, 30 days from now.

    Raises:
        ValueError: It is in the trash already.
        NoDataError: No document or folder has this identifier.
        PermissionError: It belongs to somebody else.
    """
    find(file_id, "owner")
    change(FILES, file_id, trashed_at=now())
    return trash_ends(now())


@tool
def restore_file(file_id: str, name: str | None = None) -> str:
    """Bring a document or folder back from the trash, to where it was; to the top level if that folder is gone.

    Args:
        file_id: Identifier of the document or folder, which was itself put into the trash.
        name: Another name, where the old one is taken by now.

    Returns:
        The path at which it is now.

    Raises:
        ValueError: It is not in the trash by itself, or the name is taken, blank or too long.
        NoDataError: No document or folder has this identifier, or it was deleted for good after 30 days.
        PermissionError: It belongs to somebody else.
    """
    row = _in_trash(file_id) | {"trashed_at": None}
    if Files().trashed_at(row) is not None:
        row["folder_id"] = None
    row["name"] = row["name"] if name is None else name
    check_name(row)
    change(FILES, file_id, **{each: row[each] for each in ("name", "folder_id", "trashed_at")})
    return Files().path(row)


@tool
def empty_file_trash(expected: int) -> int:
    """Delete everything that the user has in the trash for good. It cannot be brought back.

    Args:
        expected: Number of documents and folders that search_files with in_trash lists, as a confirmation.

    Returns:
        Number of documents that were deleted.

    Raises:
        ValueError: The trash is empty, it lists another number, or documents of others are in one of the folders.
    """
    files = Files()
    rows = [row for row in rows_of(FILES) if files.is_in_trash(row)]
    if not rows:
        raise ValueError("the trash is empty")
    if len(rows) != expected:
        raise ValueError(f"the trash has {len(rows)} entries (search_files with in_trash), not {str(expected)[:20]}")
    # What stands in a folder that was deleted before is not there any more.
    return sum(_delete(row) for row in rows if rows_of(FILES).get(row["file_id"]))


def _delete(row: Row) -> int:
    inside = Files().inside(row)
    if others := [each for each in inside if each["owner"] != ME]:
        raise ValueError(
            f"{others[0]['name']!r} in the folder belongs to {others[0]['owner']}; restore the folder and move it out"
        )
    for each in (*reversed(inside), row):
        remove_with(SHARES, "file_id", each["file_id"])
        remove_with(VERSIONS, "file_id", each["file_id"])
        remove(FILES, each["file_id"])
    return sum(each["kind"] != "folder" for each in (*inside, row))
