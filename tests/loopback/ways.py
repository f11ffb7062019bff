"""Five ways of playing a reference solution: direct calls, MCP, a command, code, and Python. All have to end alike."""

import json
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import attrs

from tests.integrations.mcp.clients import ClientAgent, SyncClient
from tests.loopback.code_brain import CodeBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.reference import CallTool, Player, play_reference, traces
from tests.loopback.server import serve
from tests.stubs import playing
from tool_sandbox.apps import seconds_of
from tool_sandbox.apps.registry import built_in
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.loop import Tools, loop_agent
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.runner.source import with_tool_search
from tool_sandbox.scenarios import list_scenarios, named_scenarios
from tool_sandbox.world.table import Table

RELAY = """
import socket, sys, threading
server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def hear():
    for line in server.makefile("r", encoding="utf-8", newline="\\n"):
        sys.stdout.write(line)
        sys.stdout.flush()
threading.Thread(target=hear, daemon=True).start()
for line in sys.stdin:
    server.sendall(line.encode())
server.close()
"""
"""A program that says on its output what it is told over a socket, and the other way round."""


@attrs.frozen
class Played:
    """How a conversation ended.

    Attributes:
        score: Similarity.
        success: Whether it counts as a success.
        world: Namespace to its rows in the end.
        traces: The traces of all tools that ran, in order.
        messages: How many messages it had.
    """

    score: float
    success: bool
    world: Mapping[str, Any]
    traces: tuple[str, ...]
    messages: int


def sample() -> list[str]:
    """Names of eighty scenarios: forty from all over the suite, ten of these augmented, and forty others in apps."""
    chosen = _all_over()
    more = [info.name for info in list_scenarios() if info.name == info.base_name and info.family in built_in()]
    more = [name for name in more if name not in chosen]
    return [*chosen, *(more[number * len(more) // 40] for number in range(40))]


def _all_over() -> list[str]:
    plain = [info.name for info in list_scenarios() if info.name == info.base_name]
    others: dict[str, list[str]] = {}
    for info in list_scenarios():
        if info.name != info.base_name:
            others.setdefault(info.augmentation, []).append(info.name)
    kinds = sorted(others)
    return [*plain[3::10][:30], *(others[kinds[number % len(kinds)]][29 * number + 5] for number in range(10))]


SEARCHED = " with tool search"
"""What the name of a scenario ends with whose agent has to find the tools."""


def scenario_of(name: str) -> Scenario:
    """A scenario by its name."""
    plain = name.removesuffix(SEARCHED)
    scenario = named_scenarios(names=[plain])[plain]
    return scenario if plain == name else with_tool_search(scenario)


def play(name: str, agent: BaseRole) -> Played:
    """Plays a scenario with the scripted user."""
    played = playing.play(agent, scenario_of(name))
    if played.stopped is not None:
        raise played.stopped
    result = played.scenario.evaluation.evaluate(played.context, played.scenario.max_messages)
    begin = played.scenario.starting_context.now()
    tables = {str(each): played.context.get_table(each) for each in played.context.table_names()}
    world = {name: _apart_from_times(table, begin, played.context.now()) for name, table in tables.items()}
    return Played(result.similarity, bool(result.success), world, tuple(traces(played.rows)), len(played.rows))


def _apart_from_times(table: Table, begin: float, end: float) -> list[dict[str, Any]]:
    """Rows of a table without the exact moments of the conversation: calls made one by one take longer than at once."""
    moments = [column.name for column in table.schema.columns if column.form == "moment"]
    rows = table.dicts()
    for row in rows:
        row.update({name: "now" for name in moments if row[name] and begin <= seconds_of(row[name]) <= end})
    return rows


def directly(name: str) -> Played:
    """The Oracle makes the calls."""
    return play(name, OracleAgent())


def over_mcp(name: str) -> Played:
    """A real client of the server of this process makes the calls."""
    players: dict[int, Player] = {}

    def turn(client: SyncClient, text: str) -> str:
        if id(client) not in players:
            players[id(client)] = play_reference(scenario_of(name), client.call)
            return next(players[id(client)])
        return players[id(client)].send(text)

    return play(name, ClientAgent(turn))


def over_json_lines(name: str) -> Played:
    """A program of its own makes the calls, one line each."""
    relay = relayed(lambda lines, say: _converse(scenario_of(name), lines, say))
    with relay as port, tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "relay.py"
        program.write_text(RELAY, "utf-8")
        _, factory = resolve_role(f"command: {sys.executable} {program} {port}", "agent")
        return play(name, factory())


def _converse(scenario: Scenario, lines: Iterator[str], say: Callable[[Any], None]) -> None:
    def together(calls: Any) -> list[tuple[str, bool]]:
        ids = [str(number) for number in range(len(calls))]
        named = [
            {"id": i, "name": call, "arguments": arguments} for i, (call, arguments) in zip(ids, calls, strict=True)
        ]
        say({"type": "tool_calls", "calls": named})
        results = {each["id"]: each for each in json.loads(next(lines))["results"]}
        return [(results[i]["content"], results[i]["is_error"]) for i in ids]

    player = play_reference(scenario, lambda call, arguments: together([(call, arguments)])[0], together)
    text = None
    for line in lines:
        told = json.loads(line)
        if told["type"] == "user_message":
            text = next(player) if text is None else player.send(told["text"])
            say({"type": "message", "text": text})


@contextmanager
def relayed(converse: Callable[[Iterator[str], Callable[[Any], None]], None]) -> Iterator[int]:
    """Has a conversation with the program `RELAY`, which is told the port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def work() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("r", encoding="utf-8", newline="\n") as lines:
                converse(iter(lines), lambda value: connection.sendall(json.dumps(value).encode() + b"\n"))

        threading.Thread(target=work, daemon=True).start()
        yield server.getsockname()[1]


def in_code(name: str) -> Played:
    """A model writes Python that makes the calls."""
    brain = CodeBrain.of([scenario_of(name.removesuffix(SEARCHED))], searches=name.endswith(SEARCHED))
    with serve(OpenAIChatDialect(lenient=True), brain) as server:
        choice = f"code:openai-compatible/reference:base_url={server.url}/v1"
        _, factory = resolve_role(choice, "agent")
        return play(name, factory())


def in_python(name: str) -> Played:
    """An agent of one's own in Python, as one with an SDK is, calls the tools that it is given."""
    players: dict[int, Player] = {}

    class Agent:
        def respond(self, messages: list[dict[str, Any]], tools: Tools) -> str:
            def together(calls: Any) -> list[tuple[str, bool]]:
                return [(result.text, result.is_error) for result in tools.call_many(calls)]

            if id(self) not in players:
                one: CallTool = lambda *call: together([call])[0]  # noqa: E731
                players[id(self)] = play_reference(scenario_of(name), one, together)
                return next(players[id(self)])
            return players[id(self)].send(messages[-1]["content"])

    return play(name, loop_agent(Agent)())


WAYS: Mapping[str, Callable[[str], Played]] = {
    "direct": directly,
    "MCP": over_mcp,
    "command": over_json_lines,
    "code": in_code,
    "Python": in_python,
}
"""Name of a way to how a scenario is played so."""
