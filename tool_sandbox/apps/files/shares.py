"""Tools for the rights of other people."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    checked_text,
    equals,
    found_in,
    get,
    now,
    paged,
    remove,
    rows_with,
    tool,
)
from tool_sandbox.apps.files.access import (
    ANYONE,
    ME,
    RANK,
    Files,
    Role,
    Row,
    checked_end,
    checked_person,
    find,
    is_over,
)
from tool_sandbox.apps.files.tables import FILES, SHARES

MOST_PEOPLE = 50
MOST_SHOWN = 50
LONGEST_CONFIDENTIAL = 30
LONGEST_EDIT_LINK = 14


def put_share(row: Row, person: str, role: str, end: str | None, passcode: str | None = None) -> str:
    """Gives a person a role, in the place of an earlier one."""
    cells = {"role": role, "passcode": passcode, "shared_at": now(), "expires_at": end}
    shares = rows_with(SHARES, "file_id", row["file_id"])
    known = next((share for share in shares if share["person"] == person), None)
    if known is not None:
        change(SHARES, known["share_id"], **cells)
        return str(known["share_id"])
    if len(shares) >= MOST_PEOPLE:
        raise ValueError(f"{row['name']!r} is shared with {MOST_PEOPLE} people, no more are possible")
    return add(SHARES, file_id=row["file_id"], person=person, **cells)


@tool
def share_file(file_id: str, person: str, role: Role, expires_at: str | None = None) -> str:
    """Share a document, or a folder with all that is in it, with somebody; or change what was shared before.

    Viewers read, editors also change, managers also share. The strongest role counts where somebody has several, by
    the document and by the folders above it.

    Args:
        file_id: Identifier of the document or folder.
        person: E-mail address of the person.
        role: What the person may do. Only the owner makes managers.
        expires_at: When the right ends, for example 2025-05-14T10:24; never if left out. What is confidential needs
            one, at most 30 days from now.

    Returns:
        Identifier of the share.

    Raises:
        ValueError: The address or the time cannot be accepted, it is the owner's address, it is confidential and
            expires_at is missing or too late, too many people have it, or it is in the trash.
        NoDataError: No document or folder has this identifier.
        PermissionError: The user does not manage it, or would make a manager without being its owner.
    """
    row = find(file_id, "manager")
    address = checked_person(person)
    if address == row["owner"]:
        raise ValueError(f"{address} is the owner of {row['name']!r}")
    if role == "manager" and row["owner"] != ME:
        raise PermissionError(f"only the owner {row['owner']} makes managers")
    longest = LONGEST_CONFIDENTIAL if Files().is_confidential(row) else None
    end = checked_end(expires_at, longest=longest, why=f"{row['name']!r} is confidential")
    return put_share(row, address, role, end)


@tool
def create_file_link(
    file_id: str, role: Literal["viewer", "editor"], passcode: str | None = None, expires_at: str | None = None
) -> dict[str, str]:
    """Make the link with which anyone who has it gets at a document or folder, or change its conditions.

    Args:
        file_id: Identifier of the document or folder.
        role: What people may do who use it. A link for editors needs a passcode and an end within 14 days.
        passcode: What people must enter, from 6 to 30 characters; nothing if left out.
        expires_at: When it stops working, for example 2025-05-14T10:24; never if left out.

    Returns:
        share_id, with which remove_file_share ends it, and url, the address to send.

    Raises:
        ValueError: The passcode or the time cannot be accepted, or is missing for editors, or it is in the trash.
        NoDataError: No document or folder has this identifier.
        PermissionError: The user does not manage it, or it is confidential.
    """
    row = find(file_id, "manager")
    if Files().is_confidential(row):
        raise PermissionError(f"{row['name']!r} is confidential: no links, share_file shares it with each person")
    checked_text(passcode, "passcode", 30)
    if len(passcode or "") < 6 and (passcode is not None or role == "editor"):
        raise ValueError("passcode must have at least 6 characters, and a link for editors needs one")
    end = checked_end(expires_at, longest=LONGEST_EDIT_LINK if role == "editor" else None, why="a link for editors")
    share_id = put_share(row, ANYONE, role, end, passcode)
    return {"share_id": share_id, "url": f"https://files.example.com/{share_id}"}


@tool
def get_file_details(file_id: str) -> dict[str, Any]:
    """Tell where a document or folder is, how large, and who can get at it now, by itself or by a folder above it.

    Args:
        file_id: Identifier of the document or folder.

    Returns:
        kind, path, folder_id of the folder that it is in, owner, your_role, size in bytes (of a folder with all that is
        in it), confidential, created_at, people (at most 50, each with the strongest role in force, what gives it, and
        until when; "anyone" is whoever has a link) and number_of_people.

    Raises:
        ValueError: It is in the trash.
        NoDataError: No document or folder has this identifier.
    """
    row, files = find(file_id), Files()
    best: dict[str, dict[str, Any]] = {}
    for person, role, source, share in files.rights(row):
        if RANK[role] > RANK[best.get(person, {"role": ""})["role"]]:
            best[person] = {"person": person, "role": role, "by": source["name"]}
            best[person]["expires_at"] = share and share["expires_at"]
    return {
        "file_id": file_id,
        "kind": row["kind"],
        "path": files.path(row),
        "folder_id": row["folder_id"],
        "owner": row["owner"],
        "your_role": files.role(row),
        "size": files.size(row),
        "confidential": files.is_confidential(row),
        "created_at": row["created_at"],
        "people": list(best.values())[:MOST_SHOWN],
        "number_of_people": len(best),
    }


@tool
def search_file_shares(
    person: str | NotGiven = NOT_GIVEN,
    role: Role | NotGiven = NOT_GIVEN,
    file_id: str | NotGiven = NOT_GIVEN,
    in_force: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find shares of documents and folders that the user manages, and those with the user.

    Rights that come from a folder stand at the folder; get_file_details tells all rights for one document.

    Args:
        person: E-mail address of who has the right; "me" for what others share with the user, "anyone" for links.
        role: What the person may do.
        file_id: Identifier of the document or folder that is itself shared.
        in_force: False for those whose time is over, True for the others.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (share_id, file_id, path, owner, person, role, passcode of a link, shared_at, expires_at, in_force),
        total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def rows(read: Read) -> list[dict[str, Any]]:
        files, table, found = Files(read), read(SHARES), list[dict[str, Any]]()
        for place in found_in(table, equals("person", person), equals("role", role), equals("file_id", file_id)):
            share = SHARES.as_dict(table.rows[place])
            (row,) = read(FILES).with_cell("file_id", share["file_id"])
            is_live, manages = not is_over(share["expires_at"]), RANK[files.role(row)] >= RANK["manager"]
            if files.is_live(row) and (manages or share["person"] == ME) and in_force in (NOT_GIVEN, is_live):
                found.append(share | {"path": files.path(row), "owner": row["owner"], "in_force": is_live})
        return found

    return paged(("shares", person, role, file_id, in_force), rows, limit, cursor)


@tool
def remove_file_share(share_id: str) -> None:
    """Take away a right that somebody was given, or a link; or give up a right that the user has.

    Args:
        share_id: Identifier of the share. A right that comes from a folder ends with the share of the folder.

    Returns:
        Nothing.

    Raises:
        NoDataError: No share has this identifier.
        PermissionError: The user does not manage what is shared.
    """
    share = get(SHARES, share_id)
    if share["person"] != ME:
        find(share["file_id"], "manager", in_trash=True)
    remove(SHARES, share_id)
