"""The audit over the suite: no finding where the user plays its script, hardly one missed where it does not."""

from collections.abc import Callable, Iterator

import pytest

from tool_sandbox.answers.dialogue import questions
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.fidelity import FindingKind, audit
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import MumblingAgent, ReadOnlyAgent, RecitingAgent, RequestBlindAgent
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.scripted_user import END_CONVERSATION, ScriptedUser, next_line
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.scenarios import list_scenarios, named_scenarios

REPORT = "That has been done, and everything is in order."
AGENTS: dict[str, Callable[[], BaseRole]] = {
    "oracle": OracleAgent,
    "mistaken": lambda: OracleAgent(0.5, 1),
    "unhelpful": UnhelpfulAgent,
    "mumbling": MumblingAgent,
    "read-only": ReadOnlyAgent,
    "request-blind": RequestBlindAgent,
    "silent": lambda: RecitingAgent(""),
    "reporting": lambda: RecitingAgent(REPORT),
    "stalling": lambda: RecitingAgent("One moment, please."),
    "asking": lambda: RecitingAgent("Which one do you mean, and what should it say?", "Shall I go ahead?"),
}
NAMES = [info.name for info in list_scenarios() if info.name == info.base_name]
OTHERS = [info.name for info in list_scenarios() if info.name != info.base_name][::59]


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return [*named_scenarios(names=NAMES[::6]).values(), *named_scenarios(names=NAMES[1::24], seed=3).values()]


def play(scenario: Scenario, agent: BaseRole, user: BaseRole) -> ExecutionContext:
    roles = {RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(), RoleType.USER: user, RoleType.AGENT: agent}
    return scenario.play(roles, scenario.name)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("agent", AGENTS)
def test_the_scripted_user_has_no_findings(scenarios, agent) -> None:
    for scenario in scenarios:
        context = play(scenario, AGENTS[agent](), ScriptedUser())
        assert audit(context, scenario.user_script) == [], scenario.name
        assert audit(context) == [], f"{scenario.name} without its script"


def test_nor_has_it_in_other_variants() -> None:
    for scenario in named_scenarios(names=OTHERS).values():
        assert audit(play(scenario, OracleAgent(), ScriptedUser()), scenario.user_script) == [], scenario.name


class Mutant(ScriptedUser):
    """Plays its script, but says one given thing in place of its first reply; nothing ends the conversation."""

    def __init__(self, line: str | None) -> None:
        super().__init__()
        self.line = line

    def respond(self, ending_index: int | None = None) -> None:
        said = [message for message in self.get_messages(ending_index) if message.sender == RoleType.USER]
        if len(said) > 1:
            super().respond(ending_index)
            return
        recipient = RoleType.EXECUTION_ENVIRONMENT if self.line is None else RoleType.AGENT
        self.add_messages([Message(sender=RoleType.USER, recipient=recipient, content=self.line or END_CONVERSATION)])


class Chatty(ScriptedUser):
    """Thanks for everything and never ends."""

    def respond(self, ending_index: int | None = None) -> None:
        self.add_messages([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="Thanks a lot!")])


INVENTIONS = (
    "And my code is 48213, by the way.",
    "Her name is Gwendolyn Ashby, if that helps.",
    "The number is +44 20 7946 0991.",
    "It was the 27th of November, I believe.",
    'Then say: "The harvest festival begins at dawn!"',
)
FLIPS = (
    "How can I help you today?",
    "I've sent the message for you.",
    "Is there anything else I can do for you? I am happy to help!",
    "Could you please provide the recipient and the content?",
    'send_message_with_phone_number(phone_number="x")',
)


def first_text(scenario: Scenario) -> str | None:
    """The first text of the Oracle."""
    messages = texts_of(play(scenario, OracleAgent(), Mutant(None)))
    return next(messages, None)


def texts_of(context: ExecutionContext) -> Iterator[str]:
    for _, table in context.get_history(DatabaseNamespace.SANDBOX):
        yield from (row["content"] for row in table.where(sender="AGENT", recipient="USER"))


def rate(found: list[bool]) -> float:
    assert len(found) >= 15, "the mutation applies too rarely to say anything"
    return sum(found) / len(found)


def has(kind: FindingKind, context: ExecutionContext, scenario: Scenario) -> bool:
    return kind in [finding.kind for finding in audit(context, scenario.user_script)]


def test_leaked_secrets_are_found(scenarios) -> None:
    found = []
    for scenario in scenarios:
        for secret in scenario.user_script.secrets[:1]:
            context = play(scenario, UnhelpfulAgent(), Mutant(f"By the way, I think that is {secret}."))
            found.append(has(FindingKind.LEAKED_SECRET, context, scenario))
    assert rate(found) >= 0.95


@pytest.mark.parametrize("text", INVENTIONS)
def test_inventions_are_found(scenarios, text) -> None:
    found = [
        has(FindingKind.INVENTED_FACT, play(scenario, OracleAgent(), Mutant(text)), scenario)
        for scenario in scenarios[::2]
        if first_text(scenario) is not None
    ]
    assert rate(found) >= 0.95


@pytest.mark.parametrize("text", FLIPS)
def test_a_user_that_plays_the_assistant_is_found(scenarios, text) -> None:
    found = [
        has(FindingKind.ACTING_AS_ASSISTANT, play(scenario, OracleAgent(), Mutant(text)), scenario)
        for scenario in scenarios[::2]
        if first_text(scenario) is not None
    ]
    assert rate(found) >= 0.95


def test_an_early_end_is_found() -> None:
    found = []
    for scenario in named_scenarios(names=[name for name in NAMES if "multiple_user_turn" in name]).values():
        script, text = scenario.user_script, first_text(scenario)
        if text is not None and (script.turns or (questions(text) and next_line(script, [text]) is not None)):
            found.append(has(FindingKind.ENDED_EARLY, play(scenario, OracleAgent(), Mutant(None)), scenario))
    assert rate(found) >= 0.95


def test_ignored_questions_are_found() -> None:
    found = []
    for scenario in named_scenarios(names=[name for name in NAMES if "multiple_user_turn" in name]).values():
        script, text = scenario.user_script, first_text(scenario)
        replies = [fact.reply for fact in script.knows if fact.reply not in script.turns]
        if text is not None and questions(text) and next_line(script, [text]) in replies:
            context = play(scenario, OracleAgent(), Mutant("Lovely morning, isn't it. Hello!"))
            found.append(has(FindingKind.IGNORED_QUESTION, context, scenario))
    assert rate(found) >= 0.95


def test_repetitions_are_found(scenarios) -> None:
    found = [
        has(
            FindingKind.REPETITION,
            play(scenario, RecitingAgent(REPORT), Mutant(scenario.user_script.opening)),
            scenario,
        )
        for scenario in scenarios
        if len(scenario.user_script.opening.split()) > 6
    ]
    assert rate(found) >= 0.95


def test_a_user_that_never_ends_is_found(scenarios) -> None:
    found = [
        has(FindingKind.NEVER_ENDED, play(scenario, RecitingAgent(REPORT), Chatty()), scenario)
        for scenario in scenarios[::3]
    ]
    assert rate(found) >= 0.95
