"""What the files app keeps: folders and documents, earlier versions of these, and who may do what with them."""

from collections import Counter
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


def _names_differ(folder_or_owner: str, files: Table) -> str | None:
    """Names in one place, but for what is in the trash: in a folder, and on the top level of a person."""
    on_top = [row for row in files.with_cell("folder_id", None) if row["owner"] == folder_or_owner]
    rows = on_top or files.with_cell("folder_id", folder_or_owner)
    names = Counter(row["name"].casefold() for row in rows if row["trashed_at"] is None)
    twice = next((name for name, number in names.items() if number > 1), None)
    return f"two have the name {twice!r} in one place" if twice is not None else None


def _is_a_tree(file_id: str, files: Table) -> str | None:
    """Everything is on the top level, or in a folder that is not too deep itself; asked of what is in a folder, too."""
    parent, kind = (files.schema.positions[name] for name in ("folder_id", "kind"))
    places = [files.keys[file_id]] if file_id in files.keys else []
    above = [files.rows[place][parent] for place in places]
    while above and above[-1] in files.keys and len(above) <= DEEPEST + 1:
        above.append(files.rows[files.keys[above[-1]]][parent])
    depth, is_right = len(above), not above or above[-1] is None
    holders = {files.rows[files.keys[each]][kind] for each in above if each in files.keys}
    while places := [inner for place in places for inner in files.groups("folder_id").get(files.rows[place][0], ())]:
        depth += 1
        holders |= {files.rows[files.keys[files.rows[place][parent]]][kind] for place in places}
        if depth > DEEPEST + 1:
            break
    if is_right and depth <= DEEPEST + 1 and holders <= {"folder"}:
        return None
    return f"{file_id} is not in a folder, or in itself, or below more than {DEEPEST} folders"


def _has_text_of_its_size(row: dict[str, Any]) -> str | None:
    text = row["content"]
    if (row["kind"] in WRITTEN) != (text is not None) or (text is not None and row["size"] != len(text.encode())):
        return f"{row['file_id']} has a text of its size if and only if it is of kind {' or '.join(WRITTEN)}"
    return None


def _came_before(file_id: str, versions: Table, files: Table) -> str | None:
    newest = (files.get(file_id) or {"version": 0})["version"]
    wrong = next((row for row in versions.with_cell("file_id", file_id) if row["version"] >= newest), None)
    return f"version {wrong['version']} of {file_id} is not an earlier one" if wrong else None


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
    rules=[TableRule(_is_a_tree, per=("file_id",)), TableRule(_names_differ, per=("folder_id", "owner"))],
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
    rules=[TableRule(_came_before, others=("files.files",), per=("file_id",))],
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
