"""Tools for folders, and for where documents and folders are."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Ordered,
    Read,
    at_least,
    at_most,
    change,
    checked_moment,
    contains,
    equals,
    found_in,
    newest_first,
    paged,
    rows_with,
    tool,
)
from tool_sandbox.apps.files.access import ME, Files, Row, check_name, find, find_folder, quota, trash_ends, used_bytes
from tool_sandbox.apps.files.documents import add_file
from tool_sandbox.apps.files.tables import DEEPEST, FILES

Kind = Literal["folder", "text", "table", "scan", "photo", "video"]


@tool
def create_folder(name: str, folder_id: str | None = None, confidential: bool = False) -> str:
    """Make a folder in the files.

    Args:
        name: Name, which nothing else in the same place has.
        folder_id: Identifier of the folder that it is in; the top level if left out. Folders stand at most 10 deep.
        confidential: Whether what is in it must not be shared without an end, nor by links.

    Returns:
        Identifier of the new folder.

    Raises:
        ValueError: The name is taken, blank or too long, or the folder above is a document, in the trash or too deep.
        NoDataError: No folder has the identifier folder_id.
        PermissionError: The user may not write into the folder above.
    """
    return add_file(name, "folder", folder_id, confidential=confidential, size=0)


@tool
def search_files(
    words: str | NotGiven = NOT_GIVEN,
    kind: Kind | NotGiven = NOT_GIVEN,
    folder_id: str | NotGiven | None = NOT_GIVEN,
    subfolders: bool = True,
    in_trash: bool = False,
    owner: str | NotGiven = NOT_GIVEN,
    changed_from: str | NotGiven = NOT_GIVEN,
    changed_until: str | NotGiven = NOT_GIVEN,
    size_from: int | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find documents and folders, those changed last first. Without conditions it lists all outside the trash.

    Args:
        words: Words that all occur in the name or in the newest text.
        kind: What they are.
        folder_id: Identifier of a folder that they are in; None for the top level of the user's own files.
        subfolders: Whether folders in the folder are looked through, too; False lists only what is directly in it.
        in_trash: True for what the user has put into the trash; what is in a folder there is not listed by itself.
        owner: Whose they are: "me", or the e-mail address of somebody who shares them with the user.
        changed_from: Earliest time of the last change, for example 2025-05-14T10:24, in the zone of the device.
        changed_until: Latest time of the last change.
        size_from: Smallest number of bytes; folders have none of their own.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (file_id, kind, path, owner, your_role, size in bytes, changed_at, and deleted_at, at which
        the trash gives it up), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    conditions = (
        contains(("name", "content"), words),
        equals("kind", kind),
        equals("owner", owner),
        at_least("changed_at", checked_moment(changed_from, "changed_from")),
        at_most("changed_at", checked_moment(changed_until, "changed_until")),
        at_least("size", size_from),
    )

    def rows(read: Read) -> Ordered:
        files, table = Files(read), read(FILES)
        is_meant = files.is_in_trash if in_trash else files.is_live
        rows = ((place, FILES.as_dict(table.rows[place])) for place in found_in(table, *conditions))
        kept = [place for place, row in rows if is_meant(row) and _is_in(row, files, folder_id, subfolders)]
        return newest_first(table, kept, "changed_at")

    return paged(("files", conditions, folder_id, subfolders, in_trash), rows, limit, cursor, _listed)


def _listed(place: int, read: Read) -> dict[str, Any]:
    row, files = FILES.as_dict(read(FILES).rows[place]), Files(read)
    shown = {name: row[name] for name in ("file_id", "kind", "owner", "size", "changed_at")}
    deleted_at = row["trashed_at"] and trash_ends(row["trashed_at"])
    return shown | {"path": files.path(row), "your_role": files.role(row), "deleted_at": deleted_at}


def _is_in(row: Row, files: Files, folder_id: str | NotGiven | None, subfolders: bool) -> bool:
    if isinstance(folder_id, NotGiven):
        return True
    above = files.line(row)[1:]
    if folder_id is None:
        return files.line(row)[-1]["owner"] == ME and (subfolders or not above)
    return folder_id in [each["file_id"] for each in (above if subfolders else above[:1])]


@tool
def modify_file(
    file_id: str,
    name: str | NotGiven = NOT_GIVEN,
    confidential: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Rename a document or folder, or mark it. What is left out stays as it is.

    Args:
        file_id: Identifier of the document or folder.
        name: New name, which nothing else in the same place has.
        confidential: Whether it must not be shared without an end, nor by links; only who manages it may say so.

    Returns:
        Nothing.

    Raises:
        ValueError: The name is taken, blank or too long, nothing to change was given, or it is in the trash.
        NoDataError: No document or folder has this identifier.
        PermissionError: The user may only read it, or does not manage it.
    """
    row = find(file_id, "editor" if confidential is NOT_GIVEN else "manager")
    if name is not NOT_GIVEN:
        check_name(row | {"name": name})
    change(FILES, file_id, name=name, confidential=confidential)


@tool
def move_file(file_id: str, folder_id: str | None) -> dict[str, list[str]]:
    """Move a document, or a folder with all that is in it, into another folder.

    Rights that came from the old folder end, those of the new folder begin; its own shares and links go along.

    Args:
        file_id: Identifier of the document or folder.
        folder_id: Identifier of the folder that it goes to; None for the top level of its owner.

    Returns:
        gained_access and lost_access, the people who can read it now and could not before, and the other way round.

    Raises:
        ValueError: It is there already, its name is taken there, a folder would stand in itself or more than 10 deep,
            it is confidential and people would gain access, or something is in the trash.
        NoDataError: No document or folder has this identifier.
        PermissionError: The user may only read one of them.
    """
    row = find(file_id, "editor")
    find_folder(folder_id)
    if row["folder_id"] == folder_id:
        raise ValueError(f"{row['name']!r} is there already")
    files, moved = Files(), row | {"folder_id": folder_id}
    above = files.line(moved)[1:]
    if file_id in [each["file_id"] for each in above]:
        raise ValueError("a folder cannot be moved into itself or into a folder in it")
    if len(above) + _height(file_id) > DEEPEST + 1:
        raise ValueError(f"folders stand in one another at most {DEEPEST} deep")
    check_name(moved)
    before, after = files.readers(row), files.readers(moved)
    gained, lost = sorted(after - before), sorted(before - after)
    if gained and files.is_confidential(row):
        raise ValueError(
            f"{row['name']!r} is confidential, and {len(gained)} more people could read it there, such as "
            f"{gained[0]}; remove their shares of that folder first, or choose another one"
        )
    if not files.role(moved):
        raise ValueError(f"the user could not read {row['name']!r} any more if it was moved there")
    change(FILES, file_id, folder_id=folder_id)
    return {"gained_access": gained, "lost_access": lost}


def _height(file_id: str) -> int:
    return 1 + max((_height(row["file_id"]) for row in rows_with(FILES, "folder_id", file_id)), default=0)


@tool
def get_storage_usage() -> dict[str, int]:
    """Tell how much of the storage the user's own documents take. Documents of others count for those.

    Returns:
        Bytes: quota, free, and what documents and the trash take; earlier versions are free.
    """
    live, trash = used_bytes(Files())
    return {"quota": quota(), "free": max(quota() - live - trash, 0), "documents": live, "trash": trash}
