"""No user says the answer, and the brief of a model that plays the user does not hold it."""

import pytest

from tool_sandbox.answers.facts import AnyOf, Cannot, CannotReason, Done, Listing, Number, Phone, Quote
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scenarios import list_scenarios, named_scenarios
from tool_sandbox.scenarios.matchers import without_separators
from tool_sandbox.scenarios.secrets import answers, says, with_secrets
from tool_sandbox.scenarios.vocabulary import Task, answer, say
from tool_sandbox.world.script import Knows, UserScript

BASES = list(dict.fromkeys(info.base_name for info in list_scenarios()))


def task(*facts, **fields) -> Task:
    return Task(user="Hello", tools=["search_contacts"], milestones=[answer(*facts)], solution=[say("x")], **fields)


def test_the_values_of_an_answer_are_found_at_any_depth():
    facts = [Phone("+14155550101"), AnyOf((Quote("Buy milk"), Listing((Number(12.5), Number(3)))))]
    assert answers(task(*facts)) == ("+14155550101", "Buy milk", "12.5")
    assert answers(task(Done("removed", "Nora"), Cannot(CannotReason.TOOL_MISSING))) == ()


def test_what_the_user_says_anyway_is_no_secret():
    script = UserScript("Call 415-555-0101", ("Then text BOB.",), (Knows("why", "Because of the milk."),))
    assert says(script, "4155550101")
    assert says(script, "bob")
    assert says(script, "the milk")
    assert not says(script, "Nora")
    told = with_secrets(script, task(Phone("4155550101"), Quote("Buy bread"), secrets=("my salary",)))
    assert told.secrets == ("my salary", "Buy bread")


@pytest.mark.parametrize("seed", [0, 5])
def test_no_secret_stands_in_a_script_or_a_brief(seed):
    leaks, secrets = [], 0
    for name, scenario in named_scenarios(names=BASES, seed=seed).items():
        script = scenario.user_script
        brief = scenario.starting_context.get_table(DatabaseNamespace.SANDBOX, 2).column("content")[0]
        secrets += len(script.secrets)
        for secret in script.secrets:
            if says(script, secret) or without_separators(secret).casefold() in without_separators(brief).casefold():
                leaks.append((name, secret))
    assert leaks == []
    assert secrets >= len(BASES) / 2
