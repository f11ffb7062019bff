"""The same replies have the same score in Inspect and in a run of this package, to the last bit."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ModelOutput, get_model

import tool_sandbox as ts
from tests.integrations.inspect.models import Reply, output_of, played, said
from tests.integrations.same_agent import same
from tool_sandbox.integrations.inspect.conversation import Conversation, Ending, Setting
from tool_sandbox.integrations.inspect.kept import KEY, Kept
from tool_sandbox.integrations.inspect.solver import played as playing
from tool_sandbox.models.messages import AssistantTurn
from tool_sandbox.runner.plan import make_plan
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import list_scenarios

COUNT = 100


def chosen() -> list[str]:
    """Scenarios from all over the suite."""
    names = [info.name for info in list_scenarios()]
    return names[:: len(names) // COUNT][:COUNT]


def solution(name: str) -> list[Reply]:
    """What the reference agent says and calls."""
    (episode,) = make_plan([name])
    ending = Conversation(Setting(episode, agent="Oracle")).start()
    assert isinstance(ending, Ending)
    turns = [turn for turn in ending.turns if isinstance(turn, AssistantTurn)]
    return [[(call.name, dict(call.arguments)) for call in turn.calls] or turn.text for turn in turns]  # type: ignore[arg-type]


def worse(replies: list[Reply], number: int) -> list[Reply]:
    """A solution as it is, without a call, without its end, or with something untrue in it."""
    calls = [place for place, reply in enumerate(replies) if not isinstance(reply, str)]
    match number % 4:
        case 1 if calls:
            left_out = calls[len(calls) // 2]
            return [reply for place, reply in enumerate(replies) if place != left_out]
        case 2:
            return [*replies[: len(replies) // 2], "That is all."]
        case 3:
            return [*replies[:-1], f"{replies[-1]} The number is +12025550188, and I have set an alarm for 6:45."]
    return replies


def scripts() -> dict[str, list[Reply]]:
    return {name: worse(solution(name), number) for number, name in enumerate(chosen())}


@pytest.mark.slow
def test_scores_of_a_hundred_scenarios(tmp_path: Path) -> None:
    told = scripts()

    def due(name: str, count: int) -> Reply:
        return told[name][min(count, len(told[name]) - 1)]

    class Scripted:
        """Says it in a run of this package, which plays one scenario after the other."""

        names: Iterator[str] = iter(told)

        def __init__(self) -> None:
            self.name = ""

        def begin(self, messages: list[Any], tools: list[Any]) -> None:
            self.name = next(self.names)

        def respond(self, messages: list[Mapping[str, Any]], tools: list[Any]) -> Any:
            reply = due(self.name, sum(message["role"] == "assistant" for message in messages))
            if isinstance(reply, str):
                return reply
            output = output_of(reply, len(messages)).message
            return {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": call.id, "function": {"name": call.function, "arguments": json.dumps(call.arguments)}}
                    for call in output.tool_calls or ()
                ],
            }

    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        name = playing.get().episode.scenario_name
        return output_of(due(name, said(messages)), said(messages))

    own = ts.run(Scripted, scenarios=list(told), concurrency=1, output_dir=tmp_path / "own", progress=False)
    theirs = played(tmp_path, get_model("mockllm/script", custom_outputs=answer), list(told), max_samples=4)
    assert theirs.samples is not None
    assert len(theirs.samples) == COUNT
    stored = {result["name"]: result for result in RunDirectory(own.path).read_results()}
    for each in theirs.samples:
        compare(stored[each.metadata["scenario"]], each)
    scores = {result["similarity"] for result in stored.values()}
    assert len(scores) > 5
    assert {0.0, 1.0} < scores


def compare(own: Mapping[str, Any], each: EvalSample) -> None:
    result = Kept.of(each.store[KEY]).result
    assert same(result) == same(own), each.id
    assert each.scores is not None
    value = each.scores["evaluation"].as_dict()
    assert (value["score"], value["success"]) == (own["similarity"], float(own["success"]))


@pytest.mark.slow
def test_agents_of_this_package_are_models(tmp_path: Path) -> None:
    """Faulty replies of several trials, on both sides."""
    names = chosen()[::10]
    own = ts.run("Oracle:error_rate=0.5", scenarios=names, trials=2, output_dir=tmp_path / "own", progress=False)
    model = get_model("tool_sandbox/Oracle", error_rate=0.5)
    theirs = played(tmp_path, model, names, epochs=2)
    assert theirs.samples is not None
    found = {(each.metadata["scenario"], each.epoch - 1): each for each in theirs.samples}
    rows = own.results.to_dicts()
    assert len(rows) == len(found) == 20
    for row in rows:
        score = found[row["name"], row["trial"]].scores
        assert score is not None
        assert score["evaluation"].as_dict()["score"] == row["similarity"]
