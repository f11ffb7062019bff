"""Forty conversations with a server for each vendor, every fault on the way, and what has to come of it.

The servers play reference solutions over the wire. One fault a conversation: those that pass, and slips that the model
can mend, must leave no trace in the score; the others end the conversation under their own label.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain, WithReplacements
from tests.loopback.completions import CompletionsDialect
from tests.loopback.gemini import KEY as GEMINI_KEY
from tests.loopback.gemini import Gemini
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Cut, Dialect, Garbage, Hang, Heard, Loopback, Move, serve
from tool_sandbox.cli import main
from tool_sandbox.models.naming import split_choice
from tool_sandbox.scenarios import list_scenarios, named_scenarios

KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-loopback-0123456789abcdef",
    "OPENAI_API_KEY": "sk-loopback-0123456789abcdef",
    "GEMINI_API_KEY": GEMINI_KEY,
}
CONVERSATIONS = 40
CUT_OFF = Answer(calls=(("set_wifi_status", {}),))


@attrs.frozen
class Vendor:
    """A vendor: how to choose a model of it, its protocol, and its words for what can happen."""

    choice: str
    dialect: Callable[[], Dialect]
    cut_off: Mapping[str, Any]
    blocked: Mapping[str, Any]
    too_long: Broken
    can_break_json: bool = True
    counts_tokens: bool = True


OPENAI_TOO_LONG = Broken(400, "context_length_exceeded", "Your input exceeds the context window of this model.")
VENDORS = {
    "anthropic": Vendor(
        "anthropic/claude-opus-5-5",
        AnthropicDialect,
        {"stop": "max_tokens"},
        {"stop": "refusal"},
        Broken(400, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum"),
        can_break_json=False,
    ),
    "openai": Vendor(
        "openai/gpt-test",
        OpenAIResponsesDialect,
        {"stop": "max_output_tokens"},
        {"stop": "content_filter"},
        OPENAI_TOO_LONG,
    ),
    "openai-chat": Vendor(
        "openai/gpt-test:api=chat",
        OpenAIChatDialect,
        {"stop": "length"},
        {"stop": "content_filter"},
        OPENAI_TOO_LONG,
    ),
    "google": Vendor(
        "google/gemini-test",
        Gemini,
        {"stop": "MAX_TOKENS"},
        {"stop": "SAFETY"},
        Broken(
            400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed."
        ),
        can_break_json=False,
    ),
    "openai-compatible": Vendor(
        "openai-compatible/org/model:8b",
        lambda: OpenAIChatDialect(lenient=True, templated=True),
        {"stop": "length"},
        {"stop": "content_filter"},
        Broken(400, "", "This model's maximum context length is 8192 tokens."),
        counts_tokens=False,
    ),
    **{
        name: Vendor(
            f"openai-compatible/org/model:format={name}",
            lambda name=name: CompletionsDialect(name),
            {"stop": "length"},
            {"stop": "content_filter"},
            Broken(400, "", "This model's maximum context length is 8192 tokens."),
            can_break_json=name != "gorilla",
        )
        for name in ("hermes", "gorilla", "mistral", "cohere")
    },
}

# Faults: what the server does instead of the right answer, given the vendor, how many requests of the conversation it
# has answered, and the right answer.
Fault = Callable[[Vendor, int, Answer], Move | None]


def once(move: Move, at: int = 0) -> Fault:
    return lambda vendor, number, answer: move if number == at else None


def slip(change: Callable[[Answer], Answer]) -> Fault:
    """The first answer is changed."""
    return lambda vendor, number, answer: change(answer) if number == 0 else None


MENDED: dict[str, Fault] = {
    "none": lambda vendor, number, answer: None,
    "rate limit": once(Broken(429, "rate_limit_error", "slow down", {"retry-after-ms": "5"})),
    "rate limit in seconds": once(Broken(429, "rate_limit_error", "slow down", {"retry-after": "0.01"}), at=1),
    "overload": once(Broken(503, "overloaded_error", "try again", {"retry-after-ms": "5"})),
    "server error": once(Broken(500, "api_error", "oops", {"retry-after-ms": "5"}), at=1),
    "bad gateway": once(Broken(502, body=b"<html>Bad gateway</html>", headers={"retry-after-ms": "5"})),
    "connection closed": once(Cut()),
    "answer cut in the middle": lambda vendor, number, answer: Cut(answer, after=30) if number == 1 else None,
    "time-out": once(Hang()),
    "garbage": once(Garbage()),
    "unknown tool": slip(lambda answer: Answer(calls=(("open_the_pod_bay_doors", {"now": True}),))),
    "tool of the user": slip(lambda answer: Answer(calls=(("end_conversation", {}),))),
    "wrong arguments": slip(lambda answer: Answer(calls=(("get_current_timestamp", {"of": "day"}),))),
    "empty reply": slip(lambda answer: Answer("")),
    "cut off": lambda vendor, number, answer: attrs.evolve(CUT_OFF, **vendor.cut_off) if number == 0 else None,
    "broken JSON": lambda vendor, number, answer: (
        Answer(calls=(("set_wifi_status", '{"on": fal'),)) if number == 0 and vendor.can_break_json else None
    ),
}
ENDING: dict[str, tuple[Fault, str]] = {
    "refused": (lambda vendor, number, answer: Answer("I", **vendor.blocked), "refused"),
    "context full": (lambda vendor, number, answer: vendor.too_long if number == 1 else None, "model_error"),
    "down for good": (
        lambda vendor, number, answer: Broken(500, "", "down", {"retry-after-ms": "5"}),
        "infrastructure_error",
    ),
    "asks to wait an hour": (once(Broken(429, "", "later", {"retry-after": "3600"})), "infrastructure_error"),
}
FAULTS: dict[str, tuple[Fault, str]] = {name: (fault, "completed") for name, fault in MENDED.items()} | ENDING


def scenarios() -> dict[str, Any]:
    """Forty scenarios that can be told by their opening and take three requests or more, nothing opt-in among them."""
    bases = [info.name for info in list_scenarios() if info.augmentation == "no_distraction_tools"]
    built = named_scenarios(names=bases)
    openings = [scenario.user_script.opening for scenario in built.values()]
    alone = {
        name: scenario
        for name, scenario in built.items()
        if openings.count(scenario.user_script.opening) == 1 and len(list(_calls(scenario))) >= 2
    }
    step = len(alone) // CONVERSATIONS
    return dict(list(alone.items())[::step][:CONVERSATIONS])


def _calls(scenario: Any) -> Iterator[Any]:
    return (node for node in scenario.evaluation.milestone_matcher.milestones)


@pytest.fixture(scope="module")
def played() -> dict[str, Any]:
    return scenarios()


def fault_plan(played: Mapping[str, Any], vendor: Vendor) -> tuple[WithReplacements, dict[str, str]]:
    """A brain that does one thing wrong in each conversation, and which."""
    faults = {name: list(FAULTS)[number % len(FAULTS)] for number, name in enumerate(played)}
    brain = SolutionBrain.of(list(played.values()))

    def replacement(heard: Heard, number: int, answer: Answer) -> Move | None:
        fault, _ = FAULTS[faults[brain.scenario(heard).name]]
        return fault(vendor, number, answer)

    return WithReplacements(brain, replacement, key=lambda heard: brain.scenario(heard).name), faults


def run_directory(directory: Path) -> Path:
    (run,) = directory.iterdir()
    return run


def results(run: Path) -> dict[str, Any]:
    summary = json.loads((run / "result_summary.json").read_text("utf-8"))
    return {result["name"]: result for result in summary["per_scenario_results"]}


def price_file(vendor: Vendor, tmp_path: Path) -> Path:
    """Prices under which the sum of a run is easily told: 1 and 3 dollars a million tokens."""
    provider, _, model = split_choice(vendor.choice)[0].partition("/")
    price = {"provider": provider, "model": model, "valid_from": "2020-01-01", "input": 1, "output": 3}
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"prices": [price]}))
    return path


def _files(run: Path) -> list[Path]:
    return [path for path in run.rglob("*") if path.is_file()]


def billed(server: Loopback) -> tuple[int, int]:
    """Tokens of all answers that reached us whole."""
    answers = [seen.move for seen in server.seen if isinstance(seen.move, Answer)]
    return sum(answer.input_tokens for answer in answers), sum(answer.output_tokens for answer in answers)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("name", VENDORS)
def test_every_fault_of_a_vendor(name: str, played: dict[str, Any], tmp_path: Path, capsys: Any) -> None:
    vendor = VENDORS[name]
    brain, faults = fault_plan(played, vendor)
    with serve(vendor.dialect(), brain) as server:
        base_url = server.url if name in ("anthropic", "google") else f"{server.url}/v1"
        separator = "," if ":" in vendor.choice.rpartition("/")[2] and "=" in vendor.choice else ":"
        agent = f"{vendor.choice}{separator}base_url={base_url},retries=2,timeout=6"
        flags = ["--prices", str(price_file(vendor, tmp_path)), "-p", "16", "-o", str(tmp_path / "runs")]
        code = main(["--agent", agent, "--scenarios", *played, *flags])
    assert code == 1, "some could not be played"
    run = run_directory(tmp_path / "runs")
    done = results(run)
    assert list(done) == list(played), "no conversation is lost"
    labels = {scenario: (faults[scenario], result["outcome"]) for scenario, result in done.items()}
    assert labels == {scenario: (fault, FAULTS[fault][1]) for scenario, fault in faults.items()}
    completed = {s: (faults[s], r["similarity"]) for s, r in done.items() if r["outcome"] == "completed"}
    assert {fault for fault, similarity in completed.values() if similarity < 1} == set(), completed
    _check_accounts(run, done, server, billed(server) if vendor.counts_tokens else (0, 0))
    captured = capsys.readouterr()
    written = [captured.out, captured.err, *(path.read_text("utf-8", "replace") for path in _files(run))]
    assert not any(key in text for key in KEYS.values() for text in written)
    _check_replay(run, done, tmp_path)


def _check_accounts(run: Path, done: Mapping[str, Any], server: Loopback, wanted: tuple[int, int]) -> None:
    usages = [result["usage"]["agent"] for result in done.values()]
    tokens = sum(usage["input_tokens"] for usage in usages), sum(usage["output_tokens"] for usage in usages)
    assert tokens == wanted
    attempts = sum(usage["attempts"] for usage in usages)
    # On a busy machine an attempt can time out before the server has seen it.
    unseen = sum(usage["faults"].get(kind, 0) for usage in usages for kind in ("timeout", "connection"))
    assert len(server.seen) <= attempts <= len(server.seen) + unseen
    summary = json.loads((run / "result_summary.json").read_text("utf-8"))
    total = summary["usage"]["agent"]
    assert (total["input_tokens"], total["output_tokens"], total["attempts"]) == (*tokens, attempts)
    assert total["retries"] == attempts - total["calls"] > 0
    # A server that does not count its tokens leaves the cost unknown, not zero.
    assert total["cost_usd"] == (pytest.approx((tokens[0] + 3 * tokens[1]) / 1e6) if any(wanted) else None)
    everything = summary["category_aggregated_results"]["ALL_CATEGORIES"]["similarity"]
    evaluated = [result["similarity"] for result in done.values() if result["outcome"] != "infrastructure_error"]
    assert everything == pytest.approx(sum(evaluated) / len(evaluated), abs=1e-12)


def _check_replay(run: Path, done: Mapping[str, Any], tmp_path: Path) -> None:
    """Without the server, which is gone, and without keys."""
    main(["--agent", f"replay:{run}", "-o", str(tmp_path / "again")])
    again_run = run_directory(tmp_path / "again")
    again = results(again_run)
    same = ("similarity", "milestone_similarity", "milestone_mapping", "outcome", "turn_count", "side_effects")
    assert {n: [r[key] for key in same] for n, r in again.items()} == {
        n: [r[key] for key in same] for n, r in done.items()
    }
    for scenario in done:
        stored, present = (
            (directory / "trajectories" / told[scenario]["directory"] / "execution_context.json").read_bytes()
            for directory, told in ((run, done), (again_run, again))
        )
        assert stored == present, scenario
