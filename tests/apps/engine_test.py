"""The laws of the engine hold for tables of apps: snapshots, forks, atomic tools, invariants, round trips, views."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.exceptions import NoDataError

from tests.apps.conftest import make_context
from tool_sandbox.analysis.world_changes import world_changes
from tool_sandbox.apps import (
    App,
    Draw,
    TableRule,
    add,
    change,
    choice,
    flag,
    get,
    key,
    moment,
    number,
    only_one,
    reference,
    references,
    remove,
    rows_of,
    table,
    text,
    texts,
    tool,
    whole,
)
from tool_sandbox.apps.registry import find_app
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
    new_context,
)
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.rules import BrokenRuleError
from tool_sandbox.world.schema import SCHEMAS
from tool_sandbox.world.stored import rows_of_state
from tool_sandbox.world.table import Table, difference

SHELVES = table("books.shelves", key("shelf_id"), text("room"), unique=[only_one("room")])
BOOKS = table(
    "books.books",
    key("book_id"),
    text("title"),
    reference("shelf_id", "books.shelves", optional=True),
    references("sequel_ids", "books.books"),
    whole("pages", 1, 5000),
    number("weight", 0.0, optional=True),
    flag("favourite"),
    choice("state", "here", "lent"),
    moment("lent_at", optional=True),
    texts("tags"),
    unique=[only_one(favourite=True, words="only one book can be the favourite")],
    row_rules=[lambda row: None if (row["state"] == "lent") == (row["lent_at"] is not None) else "lent without a time"],
    rules=[
        TableRule(
            lambda books, shelves: "too many books" if len(books) > 9 * len(shelves) else None, ("books.shelves",)
        )
    ],
)


@tool
def write_book_cell(book_id: str, column: str, value: Any) -> None:
    """Write whatever is given."""
    change(BOOKS, book_id, **{column: value})


@tool
def add_book_rows(rows: list[Any]) -> None:
    """Add whatever is given."""
    for row in rows:
        add(BOOKS, **row)


@tool
def drop_row(kind: str, key: str) -> None:
    """Remove a row."""
    remove(SHELVES if kind == "shelf" else BOOKS, key)


def book(book_id: str, **cells: Any) -> dict[str, Any]:
    plain = {"sequel_ids": [], "pages": 100, "favourite": False, "state": "here", "tags": ["a", "b"]}
    return {"book_id": book_id, "title": book_id.upper(), **plain, **cells}


@pytest.fixture
def world() -> ExecutionContext:
    context = ExecutionContext(profile=Profile.STRICT, id_seed="test")
    context.add_tables([SHELVES, BOOKS])
    context.add_to_database(SHELVES.name, [{"shelf_id": "s1", "room": "hall"}, {"shelf_id": "s2", "room": "attic"}])
    rows = [book("b1", shelf_id="s1"), book("b2", shelf_id="s1", sequel_ids=["b1"], favourite=True), book("b3")]
    context.add_to_database(BOOKS.name, rows)
    say(context)
    return context


def say(context: ExecutionContext) -> None:
    row = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    context.add_to_database(DatabaseNamespace.SANDBOX, [row])


# Invariants ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("pages", 0, "column 'pages' takes at least 1 and at most 5000, got 0"),
        ("pages", True, "column 'pages' takes int, got bool: True"),
        ("pages", 2**70, "column 'pages': the number is too large"),
        ("weight", -1, "column 'weight' takes at least 0, got -1.0"),
        ("title", None, "column 'title' must not be empty"),
        ("state", "sold", "column 'state' takes one of ['here', 'lent'], got 'sold'"),
        ("lent_at", "tomorrow", "column 'lent_at' takes a moment in ISO 8601, got 'tomorrow'"),
        ("tags", [None], "column 'tags' takes str, got NoneType: None"),
        ("book_id", "b2", "books.books: two rows have the book_id 'b2'"),
        ("shelf_id", "s9", "books.books: shelf_id 's9' is no key of books.shelves"),
        ("sequel_ids", ["b1", "b9"], "books.books: sequel_ids 'b9' is no key of books.books"),
        ("favourite", True, "books.books: only one book can be the favourite"),
        ("state", "lent", "books.books: lent without a time"),
    ],
)
def test_a_call_that_breaks_a_declaration_fails_and_leaves_nothing(
    world: ExecutionContext, column: str, value: Any, told: str
) -> None:
    before = world.get_table(BOOKS.name)
    with new_context(world), pytest.raises((ValueError, TypeError)) as caught:
        write_book_cell("b3" if column != "book_id" else "b1", column, value)
    assert str(caught.value) == told
    assert world.get_table(BOOKS.name) is before


@pytest.mark.parametrize(
    ("kind", "row_id", "told"),
    [
        ("shelf", "s1", "books.shelves: 's1' is still the shelf_id of a row of books.books"),
        ("book", "b1", "books.books: 'b1' is still the sequel_ids of a row of books.books"),
    ],
)
def test_what_is_referred_to_cannot_go(world: ExecutionContext, kind: str, row_id: str, told: str) -> None:
    with new_context(world):
        with pytest.raises(BrokenRuleError) as caught:
            drop_row(kind, row_id)
        assert str(caught.value) == told
        write_book_cell("b2", "sequel_ids", [])
        drop_row("book", "b1")
        assert rows_of(BOOKS).column("book_id") == ["b2", "b3"]


def test_a_rule_about_several_tables_is_asked_when_any_has_changed(world: ExecutionContext) -> None:
    with new_context(world):
        add_book_rows([book(f"n{number}") for number in range(9)])
        with pytest.raises(BrokenRuleError, match="too many books"):
            drop_row("shelf", "s2")
        with pytest.raises(BrokenRuleError, match="too many books"):
            add_book_rows([book(f"m{number}") for number in range(9)])


cells = st.sampled_from(
    [
        *(("favourite", value) for value in (True, False)),
        *(("shelf_id", value) for value in (None, "s1", "s2", "s9")),
        *(("sequel_ids", value) for value in ([], ["b1"], ["b2", "b3"], ["b9"])),
        *(("book_id", value) for value in ("b1", "b2", "b3", "b4")),
        ("state", "lent"),
        ("lent_at", "2025-05-14T10:24:00-07:00"),
    ]
)
calls = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(["b1", "b2", "b3", "b4"]), cells),
        st.tuples(st.just("drop"), st.sampled_from(["book", "shelf"]), st.sampled_from(["b1", "b2", "b4", "s1", "s2"])),
        st.tuples(st.just("add"), st.sampled_from(["b1", "b4", "b5"]), cells),
    ),
    max_size=12,
)


@given(calls=calls)
def test_whatever_is_called_looking_at_what_changed_is_enough(calls: list[Any]) -> None:
    """The verdict of looking at changed rows alone is that of looking at all of them."""
    context = ExecutionContext(profile=Profile.STRICT)
    context.add_tables([SHELVES, BOOKS])
    context.add_to_database(SHELVES.name, [{"shelf_id": "s1", "room": "hall"}, {"shelf_id": "s2", "room": "attic"}])
    context.add_to_database(BOOKS.name, [book("b1"), book("b2", shelf_id="s1"), book("b3", sequel_ids=["b1"])])
    with new_context(context):
        for kind, first, second in calls:
            before = context.savepoint()
            try:
                if kind == "write":
                    write_book_cell(first, *second)
                elif kind == "drop":
                    drop_row(first, second)
                else:
                    add_book_rows([book(first) | dict([second])])
            except BrokenRuleError:
                assert all(context.get_table(name) is before.table(name) for name in (SHELVES.name, BOOKS.name))
            except NoDataError:
                assert context.get_table(BOOKS.name) is before.table(BOOKS.name)
            context.check_rules()


# Snapshots, forks, round trips ---------------------------------------------------------------


def test_snapshots_forks_and_savepoints(world: ExecutionContext) -> None:
    with new_context(world):
        write_book_cell("b1", "title", "one")
        say(world)
        twin = world.fork()
        write_book_cell("b1", "title", "two")
        savepoint = world.savepoint()
        write_book_cell("b1", "title", "three")
        world.restore(savepoint)
    titles = [world.get_table(BOOKS.name, index).column("title")[0] for index in (0, 1, 2)]
    assert titles == ["B1", "one", "two"]
    assert world.get_table(BOOKS.name).column("title")[0] == "two"
    assert twin.get_table(BOOKS.name).column("title")[0] == "one"
    assert twin.get_table(SHELVES.name) is world.get_table(SHELVES.name)
    assert world.get_database(BOOKS.name)["title"].to_list()[0] == "two"
    assert world._dbs[BOOKS.name]["title"].to_list()[-3:] == ["two", "B2", "B3"]
    assert copy.deepcopy(world).equals(world)


def test_what_is_read_and_written_is_recorded(world: ExecutionContext) -> None:
    with new_context(world), world.record_access() as access:
        write_book_cell("b1", "shelf_id", "s2")
    assert access.writes == {BOOKS.name}
    # A rule looked at the shelves: whether the shelf is there.
    assert access.reads == {BOOKS.name, SHELVES.name}


def test_a_world_is_read_back_with_its_app_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    context = make_context("notes")
    find_app("notes").fill(context, Draw("notes"), "medium")
    say(context)
    with new_context(context):
        page = context.get_table("notes.pages").column("page_id")[30]
        context.name_to_tool["append_to_note_page"](page_id=page, content="Ä")
        say(context)
        context.name_to_tool["delete_note_page"](page_id=page)
    written = json.dumps(context.to_dict(serialize_console=False))
    states = json.loads(written)["extensions"]["tables"]["notes.pages"]["states"]
    assert [len(rows_of_state(state)) for state in states] == [60, 1, 0]
    assert [name for state in states for name in ("rows", "packed") if name in state] == ["packed", "rows", "rows"]
    read = ExecutionContext.from_dict(json.loads(written))
    assert read.equals(context)
    assert json.dumps(read.to_dict(serialize_console=False)) == written
    assert read.get_table("notes.pages").schema is context.get_table("notes.pages").schema
    for twin in (pickle.loads(pickle.dumps(context)), pickle.loads(pickle.dumps(read))):
        assert twin.equals(context)
        assert list(twin.name_to_tool) == list(context.name_to_tool)

    monkeypatch.setattr("tool_sandbox.apps.registry.built_in", lambda: ())
    stranger = ExecutionContext.from_dict(json.loads(written))
    assert stranger.equals(context)
    assert json.dumps(stranger.to_dict(serialize_console=False)) == written
    assert pickle.loads(pickle.dumps(stranger)).equals(context)
    assert "append_to_note_page" not in stranger.name_to_tool


@pytest.mark.parametrize("packed", ["x", "eJw=", 3, "eJwDAAAAAAE="])
def test_damaged_rows_are_told(packed: Any) -> None:
    context = make_context("notes")
    find_app("notes").fill(context, Draw("notes"), "medium")
    written = context.to_dict(serialize_console=False)
    written["extensions"]["tables"]["notes.pages"]["states"][0]["packed"] = packed
    with pytest.raises((ValueError, TypeError)):
        ExecutionContext.from_dict(written)


def test_a_world_without_apps_is_as_it_was() -> None:
    written = ExecutionContext(profile=Profile.STRICT, id_seed="x").to_dict()
    assert list(written["_dbs"]) == list(SCHEMAS)
    assert set(written["extensions"]) == {"profile", "ids"}
    assert "extensions" not in ExecutionContext().to_dict()


# Tables --------------------------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["x", "Y", None])), max_size=8)
PLAIN = table("plain.rows", key("row_id"), text("word", optional=True))


@given(before=ROWS, after=ROWS)
def test_difference(before: list[Any], after: list[Any]) -> None:
    old, new = Table(PLAIN, tuple(before)), Table(PLAIN, tuple(after))
    start, end, new_end = difference(old, new)
    assert (*old.rows[:start], *new.rows[start:new_end], *old.rows[end:]) == new.rows
    assert start <= end <= len(before)


@given(rows=ROWS, start=st.integers(0, 8), count=st.integers(0, 8), new=ROWS)
def test_indexes_survive_a_change(rows: list[Any], start: int, count: int, new: list[Any]) -> None:
    made = Table(PLAIN, tuple(rows))
    start = min(start, len(rows))
    end = min(start + count, len(rows))
    assert len(made.folded("word")) == len(rows) >= max(len(made.keys), len(made.groups("word")))
    spliced = made.spliced(start, end, new)
    fresh = Table(PLAIN, (*rows[:start], *new, *rows[end:]))
    assert spliced == fresh
    assert spliced.folded("word") == fresh.folded("word")
    assert spliced.groups("word") == fresh.groups("word")
    if len({row[0] for row in fresh.rows}) == len(fresh) and len({row[0] for row in rows}) == len(rows):
        assert spliced.keys == fresh.keys


# A conversation ------------------------------------------------------------------------------


class Agent(BaseRole):
    role_type = RoleType.AGENT


def play(context: ExecutionContext, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """Has calls made in one turn of an agent, and gives the answers."""
    messages = [Agent.tool_call_message(str(number), name, arguments) for number, (name, arguments) in enumerate(calls)]
    with new_context(context):
        BaseRole.add_messages(messages)
        ExecutionEnvironment().respond()
        played = get_current_context()
        context.__dict__.update(played.__dict__)
    log = [table.rows[-1][2] for _, table in context.get_history(DatabaseNamespace.SANDBOX)]
    return log[-len(calls) :]


def test_parallel_calls_on_tables_of_apps_are_tried_in_every_order() -> None:
    context = make_context("notes")
    context.tool_allow_list = None
    with new_context(context):
        say(context)
        create = context.name_to_tool["create_note_page"]
        page = create(title="one", content="1")
        say(context)
    answers = play(
        context,
        ("modify_note_page", {"page_id": page, "title": "uno"}),
        ("create_note_page", {"title": "one", "content": "again"}),
    )
    # In the other order the title is still taken.
    assert any("there is a page with the title 'one' already" in answer for answer in answers)


def test_changes_are_told_message_by_message_and_call_by_call() -> None:
    context = make_context("notes")
    find_app("notes").fill(context, Draw("notes"), "small")
    say(context)
    first, second = context.get_table("notes.pages").column("page_id")[:2]
    play(context, ("delete_note_page", {"page_id": first}), ("modify_note_page", {"page_id": second, "pinned": True}))
    stored = json.loads(json.dumps(context.to_dict(serialize_console=False)))["extensions"]
    changes = world_changes({}, stored["batch_states"], stored["tables"])
    told = {
        index: [(change.kind, change.key, change.columns) for change in found if change.database == "notes.pages"]
        for index, found in changes.items()
    }
    assert told == {
        3: [("removed", first, ())],
        4: [("updated", second, ("pinned", "changed_at"))],
    }


def test_get_tells_what_is_missing(world: ExecutionContext) -> None:
    with new_context(world), pytest.raises(NoDataError, match="no book has the book_id 'x'"):
        get(BOOKS, "x")


def test_an_app_is_an_object_of_its_own() -> None:
    assert isinstance(find_app("notes"), App)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.lists(st.sampled_from(["", "a", "b", "a b"]), max_size=3)),
        max_size=8,
    )
)
def test_indexes_outlive_changes(changes: list[tuple[int, int, list[str]]]) -> None:
    schema = table("books.pages", key("page_id"), text("state"), texts("tags"))
    rows = [schema.row({"page_id": f"p{n}", "state": "ab"[n % 2], "tags": ["x", "yz"[n % 2]]}) for n in range(6)]
    current, fresh = Table(schema, tuple(rows)), 6
    for first, last, states in changes:
        for name in schema.names:
            current.groups(name)
        start = min(first, len(current))
        end = max(start, min(last, len(current)))
        made = [{"page_id": f"p{fresh + n}", "state": state, "tags": state.split()} for n, state in enumerate(states)]
        fresh += len(made)
        current = current.spliced(start, end, [schema.row(values) for values in made])
        alone = Table(schema, current.rows)
        assert all(current.groups(name) == alone.groups(name) for name in schema.names)
        assert current.count(state="a", tags="a") == sum(row["state"] == "a" and "a" in row["tags"] for row in alone)


def test_a_rule_that_holds_part_by_part_is_asked_about_the_parts_that_changed() -> None:
    asked: list[Any] = []

    def fits(shelf: str, jars: Table) -> str | None:
        asked.append(shelf)
        return "the shelf is full" if len(jars.with_cell("shelf", shelf)) > 2 else None

    jars = table("larder.jars", key("jar_id"), text("shelf"), rules=[TableRule(fits, per=("shelf",))])

    @tool
    def move_jar(jar_id: str, shelf: str) -> None:
        """Move a jar."""
        change(jars, jar_id, shelf=shelf)

    context = make_context()
    context.add_tables([jars])
    context.add_to_database(jars.name, [{"jar_id": f"jar_{n}", "shelf": "abc"[n % 3]} for n in range(6)])
    with new_context(context):
        with pytest.raises(BrokenRuleError, match="the shelf is full"):
            move_jar("jar_0", "b")
        assert [row["shelf"] for row in rows_of(jars)] == [*"abcabc"]
        move_jar("jar_0", "d")
    assert asked == ["a", "b", "a", "d"]
