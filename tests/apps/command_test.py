"""``tool_sandbox apps``, the example of the guide, and what authors use."""

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from tests.apps.conftest import ROOT, make_context
from tool_sandbox.apps import (
    Draw,
    as_money,
    checked_date,
    checked_moment,
    need_setting,
    now,
    registry,
    seconds_of,
    set_setting,
)
from tool_sandbox.apps.check import check_app
from tool_sandbox.apps.registry import additional_apps, find_app
from tool_sandbox.cli import main
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.world.errors import ScenarioError, UnknownNameError

EXAMPLE = ROOT / "docs" / "examples" / "plants.py"


def test_apps_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apps", "list"]) == 0
    assert re.search(r"^notes +Notes ", capsys.readouterr().out, re.MULTILINE)
    assert main(["apps", "list", "--json"]) == 0
    assert {"name": "notes", "title": "Notes", "tables": 5, "tools": 20, "needs": []} in json.loads(
        capsys.readouterr().out
    )
    assert main(["apps", "show", "notes"]) == 0
    shown = capsys.readouterr().out
    assert "position      whole number from 1 to 500" in shown
    assert "move_checklist_item(item_id, position)" in shown
    assert main(["apps", "show", "notes", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"]["small"] < told["rows"]["medium"] < told["rows"]["large"]


def test_tools_of_apps_are_described_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "move_checklist_item", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert list(told["function"]["parameters"]["properties"]) == ["item_id", "position"]
    assert main(["tools"]) == 0
    assert "move_checklist_item" not in capsys.readouterr().out


def test_an_app_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["apps", "show", "noots"]) == 2
    assert capsys.readouterr().err.startswith("tool_sandbox: there is no app 'noots'. Did you mean: notes")
    (tmp_path / "nothing.py").write_text("X = 1\n")
    assert main(["apps", "check", str(tmp_path / "nothing.py")]) == 2
    assert "nothing.py defines no app: an object of the class App\n" in capsys.readouterr().err


def test_the_example_is_an_app_as_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apps", "check", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out.startswith("plants: 2 tables, 4 tools, ")
    assert EXAMPLE.read_text("utf-8").partition("# Scenarios")[0].count("\n") <= 180


def test_an_app_of_the_code_that_is_running(plants: ModuleType) -> None:
    with pytest.raises(UnknownNameError, match="there is no app 'plants'"):
        find_app("plants")
    with additional_apps([plants.APP]):
        assert find_app("plants") is plants.APP
        context = ExecutionContext(apps=["plants", "notes"])
    assert [app.name for app in context.apps] == ["plants", "notes"]
    assert {"water_plant", "search_note_pages"} <= set(context.name_to_tool)
    with new_context(ExecutionContext()), pytest.raises(ScenarioError, match="a tool of the app plants without it"):
        plants.add_plant("Fern", "study", 3)
    assert check_app(plants.APP, calls=40).findings == check_app(plants.APP, calls=40).findings


def test_pages_of_one_moment(plants: ModuleType) -> None:
    context = make_context(plants.APP)
    plants.APP.fill(context, Draw("plants"), "medium")
    with new_context(context):
        first = plants.search_plants(limit=2)
        context.add_to_database(DatabaseNamespace.SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT}])
        plants.remove_plant(first["results"][0]["plant_id"])
        plants.add_plant("A new one", "study", 3)
        second = plants.search_plants(limit=50, cursor=first["next_cursor"])
        assert (len(first["results"]), len(second["results"]), second["total"]) == (2, 13, 15)
        assert plants.search_plants(limit=50)["total"] == 15
        wrong = ["", "x", first["next_cursor"] + "0", "9.2.15.00000000", first["next_cursor"].replace(".2.", ".99.")]
        for cursor in wrong:
            with pytest.raises(ValueError, match="cursor must be the next_cursor of the page before"):
                plants.search_plants(limit=2, cursor=cursor)
        with pytest.raises(ValueError, match="cursor must be"):
            plants.search_plants(words="fern", cursor=first["next_cursor"])
        with pytest.raises(ValueError, match="limit must be at least 1 and at most 50"):
            plants.search_plants(limit=51)


def test_moments_and_dates_are_those_of_the_world() -> None:
    with new_context(make_context()):
        assert now() == "2025-05-14T10:24:00-07:00"
        assert checked_moment("2025-12-24T18:00", "at") == "2025-12-24T18:00:00-08:00"
        assert checked_moment("2025-12-24T18:00Z", "at") == "2025-12-24T10:00:00-08:00"
        assert checked_moment("2025-11-02 01:30-08:00", "at") == "2025-11-02T01:30:00-08:00"
        assert seconds_of("2025-11-02T01:10:00-08:00") > seconds_of("2025-11-02T01:30:00-07:00")
        assert checked_date("2024-02-29", "on") == "2024-02-29"
        for wrong in ("2025-03-09T02:30", "2025-02-30T10:00", "24.12.2025", "2025-12-24", "1066-10-14T09:00", "now"):
            with pytest.raises(ValueError, match=r"^at\b.*"):
                checked_moment(wrong, "at")
        for wrong in ("2025-02-29", "20250101", "0001-01-01"):
            with pytest.raises(ValueError, match=r"^on\b.*"):
                checked_date(wrong, "on")


def test_money_and_settings() -> None:
    amounts = [
        as_money(1234, "USD"),
        as_money(-5, "EUR"),
        as_money(1234, "JPY"),
        as_money(1, "KWD"),
        as_money(0, "USD"),
    ]
    assert amounts == ["12.34 USD", "-0.05 EUR", "1234 JPY", "0.001 KWD", "0.00 USD"]
    with new_context(make_context()):
        need_setting("wifi", "sending mail")
        set_setting("wifi", on=False)
        with pytest.raises(ConnectionError, match="wifi is off, sending mail needs it"):
            need_setting("wifi", "sending mail")


def test_draws_are_the_same_everywhere() -> None:
    draw = Draw("notes", 7)
    assert (draw.integer(1, 6), draw.choice("abcdef"), draw.sample("abcdef", 3), draw.key("page")) == (
        4,
        "b",
        ["f", "c", "a"],
        "page_470eb986",
    )
    assert draw.moment(-1, 9, 5) == "2025-05-13T09:05:00-07:00"
    assert (draw.date(30), draw.ago(90)) == ("2025-06-13", "2025-05-14T08:54:00-07:00")


def test_an_installed_package_offers_an_app(
    plants: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def offer(*points: tuple[str, str]) -> None:
        made = [EntryPoint(name, value, registry.GROUP) for name, value in points]
        monkeypatch.setattr(registry, "entry_points", lambda group: made)

    offer(("plants", f"{plants.__name__}:APP"), ("ferns", "nowhere.ferns"), ("ivy", f"{plants.__name__}:PLANTS"))
    assert find_app("plants") is plants.APP
    assert registry.app_names() == [*registry.built_in(), "plants", "ferns", "ivy"]
    context = ExecutionContext(apps=["plants"])
    assert ExecutionContext.from_dict(context.to_dict(serialize_console=False)).equals(context)
    assert main(["apps", "show", "plants"]) == 0
    for name, told in (
        ("ferns", "app 'ferns' (nowhere.ferns) cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("ivy", f"{plants.__name__}:PLANTS should be the app 'ivy', and is "),
    ):
        assert main(["apps", "show", name]) == 2
        assert told in capsys.readouterr().err
    offer(("plants", "one:APP"), ("plants", "two:APP"))
    assert main(["apps", "show", "plants"]) == 2
    assert "several packages offer an app 'plants': one:APP, two:APP" in capsys.readouterr().err
