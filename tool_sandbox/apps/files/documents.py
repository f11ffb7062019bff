"""Tools for documents and their text."""

from typing import Any, Literal

from tool_sandbox.apps import NOT_GIVEN, NotGiven, add, change, checked_text, get, now, rows_with, tool
from tool_sandbox.apps.files.access import LONGEST_NAME, ME, Files, Row, check_name, find, find_folder, need_space
from tool_sandbox.apps.files.tables import FILES, VERSIONS, WRITTEN

LONGEST_TEXT = 6_000
LONGEST_COMMENT = 100
MOST_VERSIONS = 15


def add_file(name: str, kind: str, folder_id: str | None, **cells: Any) -> str:
    """Adds a document or folder of the user."""
    find_folder(folder_id)
    row = {"file_id": "", "name": name, "kind": kind, "folder_id": folder_id, "owner": ME}
    check_name(row)
    need_space(row, cells["size"])
    del row["file_id"]
    return add(FILES, **row, **cells, version=1, created_at=now(), changed_at=now(), changed_by=ME)


def save(document: Row, content: str, comment: str | None) -> int:
    """Keeps the text of a document as an earlier version and puts another one in its place."""
    checked_text(content, "content", LONGEST_TEXT)
    checked_text(comment, "comment", LONGEST_COMMENT)
    if content == document["content"]:
        raise ValueError("the document has exactly this text already")
    size = len(content.encode())
    need_space(document, size - document["size"])
    add(VERSIONS, file_id=document["file_id"], **newest(document))
    cells = {"content": content, "size": size, "comment": comment, "version": document["version"] + 1}
    change(FILES, document["file_id"], **cells, changed_at=now(), changed_by=ME)
    return int(cells["version"])


def written(file_id: str) -> Row:
    """A document that consists of text, which the user may change."""
    document = find(file_id, "editor")
    if document["kind"] not in WRITTEN:
        raise ValueError(f"{document['name']!r} is a {document['kind']}, it has no text that could be changed")
    return document


def newest(document: Row) -> Row:
    """The newest version of a document, as earlier ones are kept."""
    cells = {name: document[name] for name in ("version", "content", "size", "comment")}
    return cells | {"saved_at": document["changed_at"], "saved_by": document["changed_by"]}


def about_version(row: Row) -> Row:
    """A version without its text."""
    return {name: row.get(name) for name in ("version_id", "version", "size", "comment", "saved_at", "saved_by")}


@tool
def create_document(
    name: str,
    content: str,
    folder_id: str | None = None,
    kind: Literal["text", "table"] = "text",
    confidential: bool = False,
) -> str:
    """Write a new document in the files. It belongs to the user, even in a folder of somebody else.

    Args:
        name: Name, which nothing else in the folder has.
        content: Text of the document, at most 6000 characters; rows of a table are lines with ; between the cells.
        folder_id: Identifier of the folder; the top level if left out.
        kind: Whether it is a text or a table.
        confidential: Whether it must not be shared without an end, nor by links.

    Returns:
        Identifier of the new document.

    Raises:
        ValueError: The name is taken, a text is blank or too long, the folder is a document or in
            the trash, or the storage is full.
        NoDataError: No folder has this identifier.
        PermissionError: The user may not write into this folder.
    """
    checked_text(content, "content", LONGEST_TEXT)
    size = len(content.encode())
    return add_file(name, kind, folder_id, content=content, confidential=confidential, size=size)


@tool
def get_document(file_id: str, version_id: str | None = None) -> dict[str, Any]:
    """Read a document of the files, or one of its earlier versions. Where it is, and whose, tells get_file_details.

    Args:
        file_id: Identifier of the document.
        version_id: Identifier of an earlier version of it; the newest if left out.

    Returns:
        name, kind, content (None for scans, photos and videos), and the version that it is with size in bytes, comment,
        and when and by whom it was saved; then earlier_versions without their texts, the latest 15 before this one.

    Raises:
        ValueError: It is a folder or in the trash, or the version is one of another document.
        NoDataError: No document or no version has this identifier.
    """
    document = find(file_id)
    if document["kind"] == "folder":
        raise ValueError(f"{document['name']!r} is a folder; search_files lists what is in it")
    row = newest(document) if version_id is None else get(VERSIONS, version_id)
    if version_id is not None and row["file_id"] != file_id:
        raise ValueError(f"{version_id} is a version of another document, of {row['file_id']}")
    versions = sorted(rows_with(VERSIONS, "file_id", file_id), key=lambda each: -int(each["version"]))
    earlier = [about_version(each) for each in versions if each["version"] < row["version"]]
    head = {"file_id": file_id, "name": document["name"], "kind": document["kind"], "content": row["content"]}
    return head | about_version(row) | {"earlier_versions": earlier[:MOST_VERSIONS]}


@tool
def save_document_text(file_id: str, content: str, comment: str | None = None) -> int:
    """Replace the whole text of a document; the text before is kept as an earlier version.

    Args:
        file_id: Identifier of the document.
        content: The new text, at most 6000 characters.
        comment: What was changed, in a few words, for the list of versions.

    Returns:
        Number of the new version.

    Raises:
        ValueError: The text is blank, too long or the same as before, or the document has no text or is in
            the trash, or the storage is full.
        NoDataError: No document has this identifier.
        PermissionError: The user may only read it.
    """
    return save(written(file_id), content, comment)


@tool
def copy_document(file_id: str, name: str | None = None, folder_id: str | NotGiven | None = NOT_GIVEN) -> str:
    """Make a copy of a document, which belongs to the user. Earlier versions, shares and links are not copied.

    Args:
        file_id: Identifier of the document.
        name: Name of the copy; "Copy of" and the old name if left out.
        folder_id: Identifier of the folder of the copy, None for the top level; that of the document if left out.

    Returns:
        Identifier of the copy, which is confidential if the document is.

    Raises:
        ValueError: The name is taken, blank or too long, it is a folder, something is in the trash, or the storage
            is full.
        NoDataError: No document or no folder has this identifier.
        PermissionError: The user may not write into this folder.
    """
    document = find(file_id)
    if document["kind"] == "folder":
        raise ValueError(f"{document['name']!r} is a folder; copy the documents in it one by one")
    place = document["folder_id"] if isinstance(folder_id, NotGiven) else folder_id
    cells = {each: document[each] for each in ("kind", "content", "size")}
    confidential = Files().is_confidential(document)
    name = f"Copy of {document['name']}"[:LONGEST_NAME] if name is None else name
    return add_file(name, folder_id=place, confidential=confidential, **cells)


@tool
def restore_document_version(version_id: str) -> int:
    """Bring back the text of an earlier version of a document, as a new version; nothing is lost by it.

    Args:
        version_id: Identifier of the earlier version.

    Returns:
        Number of the new version.

    Raises:
        ValueError: Its text is the same as now, the document is in the trash, or the storage is full.
        NoDataError: No version has this identifier.
        PermissionError: The user may only read the document.
    """
    version = get(VERSIONS, version_id)
    return save(written(version["file_id"]), version["content"], f"version {version['version']} restored")
