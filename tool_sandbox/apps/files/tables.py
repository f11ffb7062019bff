"""What the files app keeps: folders and documents, earlier versions of these, and who may do what with them."""

from typing import Any

from tool_sandbox.apps import TableRule, choice, flag, key, moment, only_one, reference, table, text, whole
from tool_sandbox.world.table import Table

DEEPEST = 10
"""Folders that stand in one another at most."""

WRITTEN = ("text", "table")
"""Kinds of documents that consist of text; the others are only kept."""


def place_of(row: dict[str, Any]) -> tuple[str | None, str]:
    """Where names must differ: in a folder, and on the top level of each person."""
    return row["folder_id"], row["owner"] if row["folder_id"] is None else ""


def _names_differ(files: Table) -> str | None:
    """Names in one place, but for what is in the trash."""
    seen = set[tuple[str | None, str, str]]()
    columns = map(files.column, ("folder_id", "owner", "name", "trashed_at"))
    for folder_id, owner, name, trashed_at in zip(*columns, strict=True):
        at = folder_id, "" if folder_id else owner, name.casefold()
        if trashed_at is None and at in seen:
            return f"two have the name {name!r} in one place"
        if trashed_at is None:
            seen.add(at)
    return None


def _is_a_tree(files: Table) -> str | None:
    """Everything is on the top level, or in a folder that is not too deep itself."""
    parents = dict(zip(files.column("file_id"), files.column("folder_id"), strict=True))
    folders = {files.rows[place][0] for place in files.groups("kind").get("folder", ())} | {None}
    depths: dict[str | None, int] = {None: 0}
    for file_id, parent in parents.items():
        path = [] if parent in depths else [parent]
        while path and parents.get(path[-1]) not in depths and len(path) <= DEEPEST:
            path.append(parents[path[-1]])
        for each in reversed(path):
            depths[each] = depths.get(parents.get(each), DEEPEST) + 1
        if parent not in folders or depths[parent] > DEEPEST:
            return f"{file_id} is not in a folder, or in itself, or below more than {DEEPEST} folders"
    return None


def _has_text_of_its_size(row: dict[str, Any]) -> str | None:
    text = row["content"]
    if (row["kind"] in WRITTEN) != (text is not None) or (text is not None and row["size"] != len(text.encode())):
        return f"{row['file_id']} has a text of its size if and only if it is of kind {' or '.join(WRITTEN)}"
    return None


def _came_before(versions: Table, files: Table) -> str | None:
    newest = dict(zip(files.column("file_id"), files.column("version"), strict=True))
    wrong = next((row for row in versions if row["version"] >= newest.get(row["file_id"], 0)), None)
    return f"version {wrong['version']} of {wrong['file_id']} is not an earlier one" if wrong else None


ACCOUNTS = table("files.accounts", key("account_id"), text("email"), whole("quota", 0), unique=[only_one()])
"""Whose files they are, and how many bytes these may have; one row at most."""

FILES = table(
    "files.files",
    key("file_id"),
    text("name"),
    choice("kind", "folder", *WRITTEN, "scan", "photo", "video"),
    reference("folder_id", "files.files", optional=True),
    text("owner"),
    flag("confidential"),
    text("content", optional=True),
    whole("size", 0),
    whole("version", 1),
    text("comment", optional=True),
    moment("created_at"),
    moment("changed_at"),
    text("changed_by"),
    moment("trashed_at", optional=True),
    row_rules=[_has_text_of_its_size],
    rules=[TableRule(_is_a_tree), TableRule(_names_differ)],
)
"""Folders, and documents with their newest version; without a folder they are on the top level of their owner.

People are ``me`` or an e-mail address.
"""

VERSIONS = table(
    "files.versions",
    key("version_id"),
    reference("file_id", "files.files"),
    whole("version", 1),
    text("content"),
    whole("size", 0),
    text("comment", optional=True),
    moment("saved_at"),
    text("saved_by"),
    unique=[only_one("file_id", "version", words="there are two versions {version} of a document")],
    rules=[TableRule(_came_before, others=("files.files",))],
)
"""Versions of documents before the newest."""

SHARES = table(
    "files.shares",
    key("share_id"),
    reference("file_id", "files.files"),
    text("person"),
    choice("role", "viewer", "editor", "manager"),
    text("passcode", optional=True),
    moment("shared_at"),
    moment("expires_at", optional=True),
    unique=[only_one("file_id", "person", words="{person!r} has a right to this already")],
)
"""Rights of people beside the owner, which hold for all that is in a folder; ``anyone`` is whoever has its link."""
