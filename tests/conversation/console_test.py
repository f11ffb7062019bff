"""The console: a journal that can be forked and stored."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.conversation import wire
from tool_sandbox.conversation.console import Console, JournalEntry, parse_imports, resolve_imports
from tool_sandbox.conversation.execution_context import ExecutionContext

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.tuples(st.integers()), inner, max_size=3)
        | st.sets(st.integers() | st.text(), max_size=3)
    ),
    max_leaves=8,
)


class TestWire:
    @given(PLAIN)
    def test_round_trip_keeps_types(self, value: Any) -> None:
        back = wire.decode(json.loads(json.dumps(wire.encode(value))))
        assert back == value
        assert repr(back) == repr(value) or isinstance(value, (set, dict, list, tuple))

    @pytest.mark.parametrize("value", [object(), print, {"a": object()}, type("Text", (str,), {})("x"), 1j])
    def test_other_values_are_refused(self, value: Any) -> None:
        with pytest.raises(wire.NotPlainError):
            wire.encode(value)

    def test_deep_values_are_refused(self) -> None:
        deep: list[Any] = []
        for _ in range(10_000):
            deep = [deep]
        with pytest.raises(wire.NotPlainError):
            wire.encode(deep)

    @pytest.mark.parametrize(
        "value",
        [
            {"tuple": 1},
            {"nothing": []},
            {"a": 1, "b": 2},
            {},
            {"dict": [[1]]},
            {"set": [[]]},
            {"float": "1"},
            {"bytes": "?"},
        ],
    )
    def test_forged_values_are_refused(self, value: Any) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - any text will do
            wire.decode(value)


class TestTrustedCode:
    def test_behaves_like_a_console(self, capsys: pytest.CaptureFixture[str]) -> None:
        console = Console()
        assert console.push("if True:")
        assert console.push("    a = 1")
        assert not console.push("")
        assert not console.runsource("a + 1")
        assert capsys.readouterr().out == "2\n"
        console.runcode(compile("b = a * 10", "<test>", "exec"))
        assert console.locals["b"] == 10
        console.runsource("1 / 0")
        assert "ZeroDivisionError" in capsys.readouterr().err

    def test_is_cheap_until_it_is_used(self) -> None:
        console = Console()
        assert console.journal == ()
        assert set(vars(console)) == {"filename", "buffer", "journal", "set_up", "_namespace", "_source"}

    def test_plain_variables_are_journaled(self) -> None:
        console = Console()
        console.execute("a = [1]\nb = 2")
        console.execute("a.append(2)\ndel b")
        assert [dict(entry.values) for entry in console.journal] == [{"a": [1], "b": 2}, {"a": [1, 2]}]
        assert console.journal[1].removed == ("b",)
        assert console.plain_names() == {"a"}

    def test_errors_of_set_up_code_are_raised(self) -> None:
        with pytest.raises(ZeroDivisionError):
            Console().execute("1 / 0")
        with pytest.raises(SyntaxError):
            Console().execute("x = = 1")


class TestImports:
    def test_are_resolved_without_running_anything(self) -> None:
        found = resolve_imports(
            "import json as j\nimport os.path\nfrom json import dumps as d, loads\nfrom xml import dom"
        )
        assert found is not None
        assert set(found) == {"j", "os", "d", "loads", "dom"}
        assert found["d"] is json.dumps

    @pytest.mark.parametrize(
        "source", ["", "x = 1", "import json\nx = 1", "from json import *", "import", "from . import a"]
    )
    def test_other_code_is_not_import_only(self, source: str) -> None:
        assert parse_imports(source) is None

    @pytest.mark.parametrize("source", ["import no_such_module", "from json import no_such_name"])
    def test_missing_names_are_errors(self, source: str) -> None:
        with pytest.raises(ImportError):
            Console().add_imports(source)


class TestCopies:
    def test_fork_is_independent(self) -> None:
        console = Console()
        console.runsource("import json\na = [1]\ndef f():\n    return a\n", symbol="exec")
        twin = copy.deepcopy(console)
        twin.locals["a"].append(2)
        console.locals["b"] = 1
        assert console.locals["a"] == [1]
        assert twin.locals["f"]() == [1, 2]
        assert twin.locals["json"] is json
        assert "b" not in twin.locals

    def test_what_cannot_be_copied_is_shared(self) -> None:
        console = Console()
        console.execute("g = (x for x in 'ab')")
        assert list(copy.deepcopy(console).locals["g"]) == ["a", "b"]

    def test_context_forks_its_console(self) -> None:
        context = ExecutionContext()
        context.interactive_console.runsource("a = 1")
        twin = copy.deepcopy(context)
        twin.interactive_console.runsource("a = 2")
        assert context.interactive_console.locals["a"] == 1
        assert twin.interactive_console.locals["a"] == 2

    def test_bytes_round_trip(self) -> None:
        console = Console()
        console.add_imports("import json")
        console.execute("a = (1, {2})\ndef f(x):\n    return x + 1")
        console.record(JournalEntry("code", "x = tool()", ({"result": 1},), {"x": 1}, ()))
        console.set_up = frozenset({0})
        data = console.to_bytes()
        assert json.loads(data)
        back = Console.from_bytes(data)
        assert back.journal == console.journal
        assert back.set_up == console.set_up
        assert (back.locals["a"], back.locals["x"], back.locals["f"](1)) == ((1, {2}), 1, 2)
        assert back.locals["json"] is json
        assert pickle.loads(pickle.dumps(console)).journal == console.journal

    def test_reading_back_runs_no_statements(self) -> None:
        console = Console()
        console.execute("counter = []\ncounter.append(1)")
        assert Console.from_bytes(console.to_bytes()).locals["counter"] == [1]

    @pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"journal": [1], "set_up": []}', b"\x80\x04N."])
    def test_other_bytes_are_refused(self, data: bytes) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - any text will do
            Console.from_bytes(data)

    def test_recorded_values_do_not_change(self) -> None:
        console = Console()
        console.record(JournalEntry("call", values={"r": [1]}))
        console.locals["r"].append(2)
        assert console.journal[0].values == {"r": [1]}


def test_what_might_be_defined() -> None:
    console = Console()
    console.add_imports("from tool_sandbox.tools.contact import add_contact\nimport xml.dom")
    console.record(JournalEntry("code", "def f(): pass", values={"x": 1}))
    assert [name for name in ("add_contact", "contact", "xml", "dom", "f", "x", "y") if console.may_define(name)] == [
        *("add_contact", "xml", "f", "x")
    ]
