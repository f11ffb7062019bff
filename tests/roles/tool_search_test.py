"""Model agents that have to find their tools: the offer grows between requests, and ends in the same world."""

import itertools
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Heard, serve
from tests.stubs.playing import play
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.runner.source import with_tool_search
from tool_sandbox.scenarios import get_scenario

KEY = "sk-test-0123456789abcdef"
WAYS: Mapping[str, tuple[Any, str]] = {
    "anthropic": (AnthropicDialect, "anthropic/claude-opus-5-5:base_url={url}"),
    "chat": (OpenAIChatDialect, "openai/gpt-5.6-terra:api=chat,base_url={url}/v1"),
    "responses": (OpenAIResponsesDialect, "openai/gpt-5.6-terra:base_url={url}/v1"),
}


@attrs.frozen
class Searching:
    """Plays reference solutions, and searches for what it is not offered yet."""

    brain: SolutionBrain
    offers: list[tuple[str, ...]] = attrs.field(factory=list)

    def __call__(self, heard: Heard) -> Answer:
        self.offers.append(tuple(heard.tools))
        searches = {call_id for turn in heard.turns for call_id, name, _ in turn.calls if name == SEARCH_TOOL}
        turns = tuple(
            turn
            for turn in heard.turns
            if turn.call_id not in searches and not searches.intersection(call_id for call_id, *_ in turn.calls)
        )
        answer = self.brain(attrs.evolve(heard, turns=turns))
        missing = [name for name, _ in answer.calls if name not in heard.tools]
        calls = tuple((SEARCH_TOOL, {"query": name, "limit": 2}) for name in missing)
        return Answer(calls=calls) if calls else answer


@pytest.mark.parametrize("way", WAYS)
def test_the_offer_grows_and_keeps_its_order(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    dialect, choice = WAYS[way]
    plain = get_scenario("send_message_with_contact_content_cellular_off_multiple_user_turn_10_distraction_tools")
    scenario = with_tool_search(plain)
    brain = Searching(SolutionBrain.of([plain]))
    with serve(dialect(), brain) as server:
        _, factory = resolve_role(choice.format(url=server.url), "agent")
        played = play(factory(), scenario)
    assert scenario.evaluate(played.context).similarity == 1
    offers = brain.offers
    assert offers[0] == (SEARCH_TOOL,)
    assert all(later[: len(earlier)] == earlier for earlier, later in itertools.pairwise(offers))
    assert 3 < len(offers[-1]) < len(plain.starting_context.get_tools_of(RoleType.AGENT))
