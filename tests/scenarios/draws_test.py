"""No draw makes a task another task: 200 instances of what speaks of days and dates, every tenth of all others."""

import re
from collections import Counter

import pytest

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import _definitions, pools
from tool_sandbox.scenarios.definition import FURTHER, TRIES, scenario
from tool_sandbox.scenarios.vocabulary import Task, call, setting
from tool_sandbox.world.errors import DrawError

DEFINITIONS = list(_definitions().values())
HOLIDAYS = "|".join(name for name, _, _ in pools.HOLIDAYS)
DATED = re.compile(rf"{HOLIDAYS}|\b\w+day\b")

TWO_OF_A_NAME = {
    "merge_contact_duplicates_into_complete_entry_batch",
    "modify_reminder_all_past_due_to_tomorrow_and_text_count_long_chain",
    "remove_contact_same_name_pick_by_relationship_disambiguation",
    "send_message_to_family_except_one_batch",
}
"""Two entries of one name in the world at every seed: halves, copies, or told apart by the relation in the request."""


def said(task) -> str:
    """What the user says without what is to be passed on word for word."""
    return re.sub(r'"[^"]*"', "", " ".join([*task.user, *(known.reply for known in task.knows)]))


def slips(definition, seed):
    world = definition.world(seed)
    text = said(definition.function(world))
    today = f"{world.today:%A}"
    for name, month, day in pools.HOLIDAYS:
        if name in text and (world.today.month, world.today.day) == (month, day):
            yield f"{name} is today"
    # A date says by itself which day is meant, and what repeats is on all such days.
    if re.search(rf"\b(?:coming|this|next|(?<!repeating )on) {today}\b(?!,? (?:\d|\w+ \d))", text):
        yield f"{today} is today"
    if ScenarioCategories.DISAMBIGUATION in definition.tags or definition.name in TWO_OF_A_NAME:
        return
    names = Counter(person.name for person in world.contacts)
    for first, count in Counter(name.split()[0] for name in names).items():
        alone = re.search(rf"\b{first}\b(?! (?:{'|'.join(pools.LAST_NAMES)}))", text)
        if count > 1 and alone:
            yield f"{count} people are called {first}"
    yield from (f"{count} entries are called {name}" for name, count in names.items() if count > 1 and name in text)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(4))
def test_no_draw_makes_a_task_another_task(part):
    assert len(DEFINITIONS) > 300
    found = {}
    for number, definition in enumerate(DEFINITIONS[part::4]):
        is_dated = DATED.search(said(definition.task(0)))
        for seed in range(200) if is_dated else range(number % 10, 200, 10):
            if slip := list(slips(definition, seed)):
                found[definition.name, seed] = slip
    assert found == {}


@pytest.mark.parametrize("part", range(8))
@pytest.mark.slow
def test_hard_tasks_can_be_drawn_at_other_seeds(part):
    definitions = list(_definitions("hard").values())[part::8]
    drawn = [definition.drawn(seed) for definition in definitions for seed in (1, 2)]
    assert all(task.user for _, task in drawn)


def test_a_world_that_is_refused_is_drawn_again():
    asked = []

    @scenario()
    def choose_at_last(world):
        """Switch wifi off."""
        asked.append(world.seed)
        if len(asked) < 3:
            raise DrawError("no choice is clearly the best")
        return Task(
            user=["Wifi off."],
            tools=["set_wifi_status"],
            milestones=[setting(wifi=False)],
            solution=[call("set_wifi_status", on=False)],
        )

    world, _ = choose_at_last.drawn(7)
    assert asked == [7, 7 + FURTHER, 7 + 2 * FURTHER]
    assert world.seed == asked[-1]


@pytest.mark.parametrize(("seed", "tries"), [(0, 1), (1, TRIES)])
def test_what_is_never_fit_is_an_error(seed, tries):
    asked = []

    @scenario()
    def never_choose(world):
        """Switch wifi off."""
        asked.append(world.seed)
        raise DrawError("no choice is clearly the best")

    with pytest.raises(DrawError, match="clearly the best"):
        never_choose.drawn(seed)
    assert len(asked) == tries
