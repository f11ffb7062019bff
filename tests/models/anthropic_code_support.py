"""What the tests of code execution at Anthropic share."""

import json
from collections.abc import Callable, Mapping

import attrs

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.server import Answer, serve
from tests.models.anthropic_support import KEY, NO_RETRIES, TOOLS, provider
from tests.stubs.playing import parties, rows_of, score_of
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.helpers.literals import to_literal
from tool_sandbox.models.calling import ask
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    ResultsTurn,
    ToolResult,
    UserTurn,
)
from tool_sandbox.models.session import Session
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.scenarios import get_scenario

VERSION = "code_execution_20260120"


@attrs.frozen
class Coding:
    """Plays reference solutions from code.

    ``choose(number of calls, number of turns)`` says what of an answer comes from code, as ``extra`` of the dialect.
    """

    brain: SolutionBrain
    choose: Callable[[int, int], Mapping[str, object]]

    def __call__(self, heard):
        blocks = [block for message in heard.body["messages"] for block in message["content"]]
        by_code = {block["id"] for block in blocks if block.get("caller", {}).get("type", "direct") != "direct"}
        turns = tuple(
            attrs.evolve(turn, text=to_literal(json.loads(turn.text)))
            if turn.call_id in by_code and not turn.is_error
            else turn
            for turn in heard.turns
        )
        answer = self.brain(attrs.evolve(heard, turns=turns))
        return attrs.evolve(answer, extra=self.choose(len(answer.calls), len(turns)) if answer.calls else {})


STYLES = {
    "one run of code": lambda calls, turns: {"by_code": True},
    "a run for every step": lambda calls, turns: {"by_code": True, "new_cell": True},
    "now and then": lambda calls, turns: {"by_code": True} if turns % 4 == 1 else {},
    "both at once": lambda calls, turns: {"by_code": range(0, calls, 2)},
}


def agent(url, mode, **settings):
    model = provider(url, code_execution=mode, **settings) if mode else provider(url, **settings)
    return ModelAgent(model, NO_RETRIES)


def play(name, brain, mode="programmatic", dialect=None, **settings):
    scenario = get_scenario(name)
    with serve(dialect or AnthropicDialect(key=KEY), brain) as server:
        model = agent(server.url, mode, **settings)
        roles = parties(model)
        context = scenario.play(roles, scenario.name)
    return score_of(scenario, context), context, server


def world(context):
    return {
        space: context.get_database(space).to_dicts()
        for space in DatabaseNamespace
        if space is not DatabaseNamespace.SANDBOX
    }


def rows(context):
    return rows_of(context)


def solved(name, style, mode="programmatic", **more):
    return play(name, Coding(SolutionBrain.of([get_scenario(name)]), STYLES[style]), mode, **more)


def blocks(body, *kinds):
    return [block for message in body["messages"] for block in message["content"] if block["type"] in kinds]


ON = ("set_wifi_status", {"on": True})
OFF = ("set_wifi_status", {"on": False})
START = (UserTurn("Off, please."),)


def converse(moves, turns=START, dialect=None, mode="both", **settings):
    """Asks for as long as there are moves; a text is what the user says next, and calls get ``None``."""
    replies, turns, session = [], list(turns), Session()
    said = [move for move in moves if not isinstance(move, str)]
    with serve(dialect or AnthropicDialect(key=KEY), said) as server:
        model = provider(server.url, code_execution=mode, **settings)
        for move in moves:
            if isinstance(move, str):
                turns.append(UserTurn(move))
                continue
            reply = ask(model, ModelRequest("", tuple(turns), TOOLS), session, NO_RETRIES)
            replies.append(reply)
            turns.append(AssistantTurn(reply.text, reply.calls, reply.raw))
            if reply.calls:
                turns.append(ResultsTurn(tuple(ToolResult(call.id, call.name, "None") for call in reply.calls)))
    return replies, turns, server, session


def coded(*calls, **more):
    return Answer(calls=calls, extra={"by_code": True}, **more)
