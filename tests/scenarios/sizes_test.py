"""Larger worlds: more rows, the same task, the same answer."""

import os
import re
import subprocess
import sys

import attrs
import phonenumbers
import pytest
from rapidfuzz import fuzz

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import _definitions, filler_words, get_scenario, list_scenarios, named_scenarios, pools
from tool_sandbox.scenarios.augmentations import OPT_IN
from tool_sandbox.scenarios.fillers import filled
from tool_sandbox.scenarios.rich_world import REGION_CODE
from tool_sandbox.scenarios.world import World

DEFINITIONS = _definitions()
SIZES = {augmentation.name: augmentation.rows for augmentation in OPT_IN if augmentation.rows}
OFFERED = {
    size: [info.base_name for info in list_scenarios(opt_in=True) if info.augmentation == size] for size in SIZES
}
FAMILIES = sorted({definition.family for definition in DEFINITIONS.values()})
KEYS = {"CONTACT": "person_id", "MESSAGING": "message_id", "REMINDER": "reminder_id"}


def start(base, seed, rows):
    """The world and task of an instance, its own rows, and what a size adds to them."""
    world = DEFINITIONS[base].world(seed)
    task = DEFINITIONS[base].function(world)
    own = world.rows()
    tables = filled(world, task, rows)
    added = {name: [row for row in tables[name] if row not in own[name]] for name in KEYS}
    return world, task, own, tables, added


def words(*texts):
    return {word for text in texts if text for word in re.findall(r"[a-z]{3,}", text.lower())}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_reference_solution_scores_1_in_every_size(family, size, play):
    names = [f"{base}_{size}" for base in OFFERED[size] if DEFINITIONS[base].family == family]
    results = {name: play(scenario, OracleAgent())[1] for name, scenario in named_scenarios(names=names).items()}
    assert {name: result.milestone_mapping for name, result in results.items() if not result.success} == {}


@pytest.mark.slow
def test_the_reference_solution_scores_1_in_the_medium_world_of_another_seed(play):
    scenarios = named_scenarios(names=[f"{base}_medium_world" for base in OFFERED["medium_world"]], seed=1)
    assert {name for name, scenario in scenarios.items() if not play(scenario, OracleAgent())[1].success} == set()


def test_sizes_are_offered_unless_the_definition_says_otherwise():
    for bases in OFFERED.values():
        assert bases == [name for name, definition in DEFINITIONS.items() if definition.sizes]
    assert len(OFFERED["large_world"]) >= 0.9 * len(DEFINITIONS)
    definition = attrs.evolve(DEFINITIONS["wifi_off"], sizes=False)
    assert [a.name for a in OPT_IN if a.suits(definition, definition.task()) and a.rows] == []


@pytest.mark.parametrize("size", SIZES)
def test_a_size_adds_rows_and_changes_none(size):
    for base in list(DEFINITIONS)[::10]:
        check_size(base, size)


def check_size(base, size):
    _, _, own, tables, added = start(base, 0, SIZES[size])
    assert tables["SETTING"] == own["SETTING"]
    for name, key in KEYS.items():
        assert len(tables[name]) == max(SIZES[size], len(own[name]))
        assert len(tables[name]) == len(own[name]) + len(added[name])
        assert len({row[key] for row in tables[name]}) == len(tables[name])
    assert len({(row["creation_timestamp"], row["content"]) for row in tables["MESSAGING"]}) == len(tables["MESSAGING"])


def test_the_built_world_has_the_rows_from_its_beginning():
    context = get_scenario("wifi_off_large_world").starting_context
    for name in KEYS:
        history = context.get_history(DatabaseNamespace(name))
        assert [len(table) for _, table in history] == [1000]
        assert history[0][0] < context.first_user_sandbox_message_index


@pytest.mark.parametrize("seed", [0, 7])
def test_no_word_of_the_filling_resembles_the_task(seed):
    for base in list(DEFINITIONS)[::5]:
        check_words(base, seed)


def check_words(base, seed):
    _, task, own, _, added = start(base, seed, 50)
    texts = [row.get("content") or f"{row['name']} {row['relationship']}" for name in KEYS for row in own[name]]
    taken = words(*task.user, *(known.reply for known in task.knows), *texts)
    filling = words(
        *(row.get("content") or f"{row['name']} {row['relationship']}" for name in KEYS for row in added[name])
    )
    close = {(word, other) for word in filling - {"none"} for other in taken if fuzz.ratio(word, other) >= 75}
    assert close == set()
    assert added["CONTACT"]
    assert added["REMINDER"]


def test_numbers_of_the_filling_are_possible_and_unique():
    _, _, own, _, added = start("wifi_off", 3, 1000)
    numbers = [row["phone_number"] for row in added["CONTACT"]]
    assert len(set(numbers)) == len(numbers)
    assert all(phonenumbers.is_possible_number(phonenumbers.parse(number)) for number in numbers)
    assert not {*filler_words.AREA_CODES} & {*pools.AREA_CODES, REGION_CODE}
    assert not {*numbers} & {row["phone_number"] for row in own["CONTACT"]}


def test_names_of_the_filling_are_not_those_of_the_suite():
    for mine in filler_words.FIRST_NAMES + filler_words.LAST_NAMES:
        for other in pools.FIRST_NAMES + pools.LAST_NAMES:
            assert fuzz.ratio(mine.lower(), other.lower()) < 75, (mine, other)


@pytest.mark.parametrize("seed", range(4))
def test_the_filling_stays_out_of_the_days_that_tasks_look_at(seed):
    for base in list(DEFINITIONS)[::8]:
        check_days(base, seed)


def check_days(base, seed):
    world, _, own, _, added = start(base, seed, 50)
    newest = max(row["creation_timestamp"] for row in added["MESSAGING"])
    assert newest < world.at(world.in_days(-1), 0)
    assert newest < max(row["creation_timestamp"] for row in own["MESSAGING"])
    for row in added["REMINDER"]:
        assert abs(row["reminder_timestamp"] - world.now) > 58 * 86400
        assert row["creation_timestamp"] < world.now - 18 * 86400
        assert row["creation_timestamp"] < row["reminder_timestamp"]
        assert 8 <= world.local(row["reminder_timestamp"]).hour < 20


@pytest.mark.parametrize("base", [name for name in DEFINITIONS if "recency_oldest" in name])
def test_the_oldest_message_stays_the_oldest_where_it_matters(base):
    _, _, own, tables, _ = start(base, 0, 1000)
    oldest = min(own["MESSAGING"], key=lambda row: row["creation_timestamp"])
    assert tables["MESSAGING"][0] == oldest


def test_the_newest_message_stays_the_newest():
    for base in list(DEFINITIONS)[::10]:
        _, _, own, tables, _ = start(base, 1, 50)
        newest = max(own["MESSAGING"], key=lambda row: row["creation_timestamp"])
        assert tables["MESSAGING"][-1]["creation_timestamp"] == newest["creation_timestamp"]


def test_instances_differ_and_each_is_always_the_same():
    code = (
        "import hashlib, json; from tool_sandbox.scenarios import get_scenario;"
        "from tool_sandbox.conversation.execution_context import DatabaseNamespace as D;"
        "context = get_scenario('wifi_off_medium_world', 5).starting_context;"
        "tables = [context.get_table(name).dicts() for name in (D.CONTACT, D.MESSAGING, D.REMINDER)];"
        "print(hashlib.sha256(json.dumps(tables).encode()).hexdigest())"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": zone},
        ).stdout
        for hash_seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    ]
    assert digests[0] == digests[1]
    first, other = start("wifi_off", 5, 50)[4], start("wifi_off", 6, 50)[4]
    assert all(first[name] != other[name] for name in KEYS)


def test_messages_of_the_filling_refer_to_entries_that_exist():
    world, task = World("wifi_off"), DEFINITIONS["wifi_off"].task()
    for owner in (world.me, None):
        world.contacts = [person for person in world.contacts if owner or not person.is_self]
        tables = filled(world, task, 50)
        entries = {row["person_id"] for row in tables["CONTACT"]}
        people = {row[f"{role}_person_id"] for row in tables["MESSAGING"] for role in ("sender", "recipient")}
        assert people - {None} <= entries
        assert (world.me.person_id in people) is (owner is not None)


def test_worlds_without_messages_or_room_between_them_are_filled_too():
    task = DEFINITIONS["search_message_with_recency_oldest"].task()
    world = World("search_message_with_recency_oldest")
    oldest = world.messages[0]
    for messages in ([], [attrs.evolve(oldest, sent_at=world.now - 3600.0)]):
        world.messages, world.reminders = list(messages), []
        tables = filled(world, task, 50)
        assert [len(tables[name]) for name in KEYS] == [50, 50, 50]


def test_a_full_table_stays_as_it_is():
    world = World("sample")
    task = DEFINITIONS["wifi_off"].task()
    assert filled(world, task, 0) == world.rows()
    tables, own = filled(world, task, 3), world.rows()
    assert all(sorted(map(str, tables[name])) == sorted(map(str, own[name])) for name in own)
