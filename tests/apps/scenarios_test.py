"""Scenarios over tables of apps: worlds by seed, the vocabulary, side effects, statements, stored conversations."""

import json
from pathlib import Path
from types import ModuleType

import pytest

import tool_sandbox as ts
from tests.apps.conftest import ROOT
from tool_sandbox.apps.notes.content import page_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, LOGS, MEMORIES, PAGES
from tool_sandbox.cli import main
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.proof.play import Playback, play
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
from tool_sandbox.scenarios.build import build
from tool_sandbox.scenarios.definition import Definition
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task, added, call, changed, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Step

EXAMPLE = ROOT / "docs" / "examples" / "plants.py"


def pin_page(world: World) -> Task:
    """Pin a page."""
    draw = world.draw("notes")
    page = world.put(PAGES, page_row(draw, "Cellar keys", "On the hook.", draw.moment(-9, 12)))
    return Task(
        user='Please pin my note page "Cellar keys".',
        tools=["search_note_pages", "modify_note_page", "delete_note_page", "create_checklist"],
        milestones=[changed(PAGES, {"page_id": page["page_id"]}, pinned=True)],
        solution=[call("modify_note_page", page_id=page["page_id"], pinned=True), say("It is pinned.")],
    )


DEFINITION = ts.scenario(apps=["notes"])(pin_page)


def score_of(*steps: Step, definition: Definition = DEFINITION) -> tuple[float, list[str]]:
    """What a conversation with these steps of the agent is worth, and its side effects."""
    scenario = build(definition, AUGMENTATIONS[:1])[definition.name]
    _, result = play(scenario, Playback(steps))
    return result.similarity, [
        f"{each.namespace} {each.kind} {', '.join(each.columns)}" for each in result.side_effects
    ]


PAGES_THERE = build(DEFINITION, AUGMENTATIONS[:1])["pin_page"].starting_context.get_table(PAGES.name)
OTHER, *_, RIGHT = PAGES_THERE.column("page_id")
PIN = call("modify_note_page", page_id=RIGHT, pinned=True)


@pytest.mark.parametrize(
    ("steps", "score", "effects"),
    [
        ([PIN], 1.0, []),
        ([], 0.0, []),
        ([call("modify_note_page", page_id=RIGHT, pinned=False)], 0.0, []),
        ([call("modify_note_page", page_id=OTHER, pinned=True)], 0.0, ["notes.pages updated pinned, changed_at"]),
        ([PIN, call("delete_note_page", page_id=OTHER)], 0.0, ["notes.pages removed "]),
        ([PIN, call("create_checklist", title="x")], 0.0, ["notes.checklists added "]),
        ([call("modify_note_page", page_id=RIGHT, pinned=True, title="y")], 0.0, ["notes.pages updated title"]),
    ],
)
def test_what_was_to_be_left_alone_follows_from_the_tables(steps: list[Step], score: float, effects: list[str]) -> None:
    found, changes = score_of(*steps, say("It is done."))
    assert changes[: len(effects)] == effects
    assert bool(found) == bool(score)


def test_a_world_is_drawn_by_its_seed() -> None:
    first, again, other = (DEFINITION.world(seed) for seed in (1, 1, 2))
    assert first.rows() == again.rows()
    assert first.rows()[PAGES.name] != other.rows()[PAGES.name]
    tables = {PAGES.name, CHECKLISTS.name, ITEMS.name, MEMORIES.name, LOGS.name}
    assert {name for name in first.rows() if "." in name} == tables
    people = {person.name for person in first.draw("notes").people}
    assert {person.name for person in first.contacts if not person.is_self} <= people
    assert len(people) >= 8
    assert first.me.name == first.draw("notes").owner.name


def test_the_vocabulary_follows_from_the_table() -> None:
    node = added(ITEMS, content="x")
    assert node.check.values == {"done": False, "done_at": Anything(), "content": "x"}  # type: ignore[attr-defined]
    node = changed(PAGES, {"title": "x"}, tags=["a"])
    assert node.check.values == {"created_at": Anything(), "changed_at": Anything(), "tags": ["a"]}  # type: ignore[attr-defined]
    for wrong in (lambda: added(ITEMS, text="x"), lambda: removed(PAGES, name="x"), lambda: changed(PAGES, {"x": 1})):
        with pytest.raises(ScenarioError, match=r"notes\.\w+ has no columns"):
            wrong()


def test_slips_of_an_author_are_told() -> None:
    plain = ts.scenario()(pin_page)
    with pytest.raises(ScenarioError, match=r"pin_page: the world has no table notes.pages; .* apps=\['notes'\]"):
        plain.task()

    def twice(world: World) -> Task:
        task = pin_page(world)
        world.put(PAGES, world.stored(PAGES)[-1])
        return task

    with pytest.raises(ScenarioError, match=r"twice: what the world begins with is wrong: .* two rows have"):
        build(ts.scenario(apps=["notes"])(twice), AUGMENTATIONS[:1])

    def odd(world: World) -> Task:
        task = pin_page(world)
        world.stored(PAGES)[0]["pinned"] = "yes"
        return task

    with pytest.raises(ScenarioError, match=r"odd: notes\.pages: column 'pinned' takes bool, got str"):
        build(ts.scenario(apps=["notes"])(odd), AUGMENTATIONS[:1])


def test_distracting_tools_are_those_of_the_world() -> None:
    built = build(DEFINITION, AUGMENTATIONS)
    everything = built["pin_page_all_tools"].starting_context.get_tools_of(RoleType.AGENT)
    assert {"search_contacts", "forget_memory", "move_checklist_item"} <= everything.keys()
    assert len(built["pin_page_3_distraction_tools"].starting_context.get_tools_of(RoleType.AGENT)) == 7


def test_the_scenarios_of_the_example_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["scenarios", "check", "--suite", str(EXAMPLE), "--processes", "1"])
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.endswith(" 0 findings\n")


def test_a_run_is_stored_and_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str], plants: ModuleType) -> None:
    run = ts.run("Oracle", suite=str(EXAMPLE), scenarios=["give_a_plant_away"], output_dir=tmp_path)
    (name,) = plants.give_a_plant_away.world().stored(plants.PLANTS)[:1]
    (directory,) = run.path.glob("trajectories/*")
    stored = json.loads((directory / "execution_context.json").read_text("utf-8"))["extensions"]
    assert stored["apps"] == ["plants"]
    assert [len(state["rows"]) for state in stored["tables"]["plants.plants"]["states"]] == [15, 0]
    assert main(["show", str(run.path), "give_a_plant_away"]) == 0
    shown = capsys.readouterr().out
    assert "plants.plants" in shown
    assert f'name: "{name["name"]}"' in shown
    assert main(["rescore", str(run.path), "--suite", str(EXAMPLE)]) == 0
    assert "1 scored again, 0 moved" in capsys.readouterr().out
