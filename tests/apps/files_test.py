"""What somebody who keeps files relies on."""

from collections.abc import Iterator

import pytest
from polars.exceptions import NoDataError

from tests.apps.conftest import make_context
from tool_sandbox.apps import Draw, add, change, rows_of
from tool_sandbox.apps.files.content import file_row, share_row
from tool_sandbox.apps.files.documents import (
    copy_document,
    create_document,
    get_document,
    restore_document_version,
    save_document_text,
)
from tool_sandbox.apps.files.places import create_folder, get_storage_usage, modify_file, move_file, search_files
from tool_sandbox.apps.files.shares import (
    create_file_link,
    get_file_details,
    remove_file_share,
    search_file_shares,
    share_file,
)
from tool_sandbox.apps.files.tables import ACCOUNTS, FILES, SHARES
from tool_sandbox.apps.files.trash import empty_file_trash, restore_file, trash_file
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context

DIEGO, IMANI = "diego.okafor@example.com", "imani.mbeki@example.com"


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """A world with the files app, still empty."""
    with new_context(make_context("files")) as context:
        yield context


def people(file_id: str) -> dict[str, tuple[str, str]]:
    return {each["person"]: (each["role"], each["by"]) for each in get_file_details(file_id)["people"]}


def foreign(role: str, name: str = "Theirs") -> str:
    """A document of Diego that the user has a role for."""
    draw = Draw(name)
    row = file_row(draw, name, "text", None, draw.moment(-5, 9), owner=DIEGO, content="First.")
    add(FILES, **row)
    add(SHARES, **share_row(draw, row, "me", role, draw.moment(-4, 9)))
    return str(row["file_id"])


def test_every_version_is_kept_and_comes_back() -> None:
    file_id = create_document("Plan", "one")
    assert (save_document_text(file_id, "one\ntwo", "two added"), save_document_text(file_id, "three")) == (2, 3)
    document = get_document(file_id)
    second, first = document["earlier_versions"]
    assert (document["content"], second["comment"], first["version"]) == ("three", "two added", 1)
    assert get_document(file_id, version_id=second["version_id"])["content"] == "one\ntwo"
    assert restore_document_version(first["version_id"]) == 4
    assert [get_document(file_id)[name] for name in ("content", "comment")] == ["one", "version 1 restored"]
    with pytest.raises(ValueError, match="exactly this text"):
        save_document_text(file_id, "one")


def test_a_folder_hands_down_its_rights_and_the_strongest_counts() -> None:
    top = create_folder("Top")
    file_id = create_document("Plan", "one", create_folder("Middle", top))
    share_file(top, DIEGO, "viewer")
    share_file(top, IMANI, "editor")
    own = share_file(file_id, DIEGO, "editor", expires_at="2025-05-20T10:00")
    share_file(file_id, IMANI, "viewer")
    assert people(file_id) == {"me": ("owner", "Plan"), DIEGO: ("editor", "Plan"), IMANI: ("editor", "Top")}
    remove_file_share(own)
    assert people(file_id)[DIEGO] == ("viewer", "Top")
    assert move_file(file_id, None) == {"gained_access": [], "lost_access": [DIEGO]}
    assert people(file_id) == {"me": ("owner", "Plan"), IMANI: ("viewer", "Plan")}


def test_a_right_ends_by_itself() -> None:
    file_id = create_document("Plan", "one")
    share_id = share_file(file_id, DIEGO, "viewer", expires_at="2025-05-20T10:00")
    change(SHARES, share_id, expires_at="2025-05-14T10:00:00-07:00")
    assert DIEGO not in people(file_id)
    assert [row["person"] for row in search_file_shares(in_force=False)["results"]] == [DIEGO]
    assert share_file(file_id, DIEGO, "editor") == share_id
    assert people(file_id)[DIEGO] == ("editor", "Plan")


def test_what_is_confidential_is_shared_for_a_time_and_with_nobody_by_chance() -> None:
    open_folder, secret = create_folder("Open"), create_folder("Secret", confidential=True)
    share_file(open_folder, DIEGO, "viewer")
    file_id = create_document("Salary", "100", secret)
    with pytest.raises(ValueError, match="confidential: give expires_at, at most 30 days"):
        share_file(file_id, IMANI, "viewer")
    share_file(file_id, IMANI, "viewer", expires_at="2025-06-01T12:00")
    with pytest.raises(PermissionError, match="no links"):
        create_file_link(file_id, "viewer")
    with pytest.raises(ValueError, match=f"1 more people could read it there, such as {DIEGO}"):
        move_file(file_id, open_folder)
    assert get_file_details(copy_document(file_id, folder_id=open_folder))["confidential"]
    plan = create_document("Plan", "one")
    create_file_link(plan, "viewer")
    assert "anyone" in people(plan)
    modify_file(plan, confidential=True)
    assert "anyone" not in people(plan)


def test_a_link_for_editors_needs_a_passcode_and_an_end() -> None:
    file_id = create_document("Plan", "one")
    with pytest.raises(ValueError, match="a link for editors needs one"):
        create_file_link(file_id, "editor")
    with pytest.raises(ValueError, match="at most 14 days"):
        create_file_link(file_id, "editor", passcode="swordfish")
    link = create_file_link(file_id, "editor", passcode="swordfish", expires_at="2025-05-20T10:00")
    assert create_file_link(file_id, "viewer")["share_id"] == link["share_id"]
    assert people(file_id)["anyone"] == ("viewer", "Plan")


def test_the_trash_gives_back_for_thirty_days() -> None:
    folder = create_folder("Drafts")
    file_id = create_document("Plan", "one", folder)
    assert trash_file(folder) == "2025-06-13T10:24:00-07:00"
    with pytest.raises(ValueError, match="'Plan' is in the trash"):
        get_document(file_id)
    with pytest.raises(ValueError, match=f"in the trash with the folder 'Drafts' \\({folder}\\)"):
        restore_file(file_id)
    create_folder("Drafts")
    with pytest.raises(ValueError, match="choose another name"):
        restore_file(folder)
    assert restore_file(folder, name="Old drafts") == "Old drafts"
    trash_file(file_id)
    trash_file(folder)
    assert restore_file(file_id) == "Plan"
    change(FILES, folder, trashed_at="2025-04-13T10:00:00-07:00")
    with pytest.raises(NoDataError):
        restore_file(folder)
    assert search_files(in_trash=True)["total"] == 0


def test_emptying_the_trash_takes_a_look_first_and_spares_what_is_of_others() -> None:
    folder = create_folder("Old")
    create_document("Plan", "one", folder)
    trash_file(folder)
    trash_file(create_document("Note", "two"))
    with pytest.raises(ValueError, match="the trash has 2 entries"):
        empty_file_trash(expected=3)
    theirs = foreign("editor")
    change(FILES, theirs, folder_id=folder)
    with pytest.raises(ValueError, match=f"belongs to {DIEGO}"):
        empty_file_trash(expected=2)
    change(FILES, theirs, folder_id=None)
    assert empty_file_trash(expected=2) == 2
    assert [row["file_id"] for row in rows_of(FILES)] == [theirs]


def test_a_full_storage_takes_no_more() -> None:
    add(ACCOUNTS, email="nora.lindqvist@example.com", quota=10)
    file_id = create_document("Plan", "123456")
    with pytest.raises(ValueError, match="storage is full: 5 bytes are needed, 4 are left"):
        save_document_text(file_id, "12345678901")
    trash_file(file_id)
    assert get_storage_usage() == {"quota": 10, "free": 4, "documents": 0, "trash": 6}
    empty_file_trash(expected=1)
    create_document("Plan", "1234567890")
    with pytest.raises(ValueError, match="your own address"):
        share_file(create_folder("Empty"), "Nora.Lindqvist@example.com", "viewer")


def test_others_decide_what_the_user_may_do() -> None:
    reader, editor, manager = foreign("viewer"), foreign("editor", "Two"), foreign("manager", "Three")
    with pytest.raises(PermissionError, match=f"viewer, this takes the role editor; only its owner {DIEGO}"):
        save_document_text(reader, "Mine.")
    save_document_text(editor, "Mine.")
    with pytest.raises(PermissionError, match="takes the role manager"):
        share_file(editor, IMANI, "viewer")
    with pytest.raises(PermissionError, match="makes managers"):
        share_file(manager, IMANI, "manager")
    share_file(manager, IMANI, "editor")
    assert get_storage_usage()["documents"] == 0
    (own,) = search_file_shares(person="me", file_id=reader)["results"]
    remove_file_share(own["share_id"])
    with pytest.raises(NoDataError):
        get_document(reader)


def test_folders_stay_a_tree() -> None:
    top = create_folder("Top")
    below = create_folder("Below", top)
    with pytest.raises(ValueError, match="into itself"):
        move_file(top, below)
    deepest = below
    for number in range(8):
        deepest = create_folder(f"Level {number}", deepest)
    last = create_folder("Last", deepest)
    with pytest.raises(ValueError, match="at most 10 deep"):
        create_document("Plan", "one", last)
    other = create_folder("Other")
    create_document("Plan", "one", other)
    with pytest.raises(ValueError, match="at most 10 deep"):
        move_file(other, deepest)


def test_files_are_found_by_place_words_and_size() -> None:
    folder = create_folder("Work")
    inner = create_folder("Inner", folder)
    file_id = create_document("Budget", "Venue;100.00 USD", inner, kind="table")
    create_document("Letter", "Dear budget", None)
    assert search_files(words="budget")["total"] == 2
    assert [row["path"] for row in search_files(words="venue")["results"]] == ["Work / Inner / Budget"]
    assert [row["file_id"] for row in search_files(folder_id=folder, subfolders=False)["results"]] == [inner]
    assert {row["file_id"] for row in search_files(folder_id=folder)["results"]} == {inner, file_id}
    assert search_files(size_from=12, kind="table")["total"] == 1
    assert search_files(folder_id=None, subfolders=False)["total"] == 2
    assert get_file_details(folder)["size"] == 16
