"""A judge decides what is unclear: while a run is played, and afterwards; over the clients of the vendors."""

import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import KEY, choice, write_prices
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Heard, Loopback, Move, serve
from tests.records import OPEN_WORDS, open_conversation, part_in, result_in
from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import get_scenario

pytestmark = pytest.mark.usefixtures("loopback_key")

NAME = "search_phone_number_with_name"
STATED, NOT_STATED = Answer('{"1": "stated"}'), Answer('{"1": "silent"}')
JUDGE = "openai-compatible/m-1"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a conversation that is open."""
    base = tmp_path_factory.mktemp("open")
    return open_conversation(play(prepare_run(scenarios=[NAME, "wifi_off"]), base).path, NAME, base / "run")


@pytest.fixture
def run(opened: Path, tmp_path: Path) -> Path:
    """One to decide about, with prices for the judge."""
    write_prices(tmp_path)
    return Path(shutil.copytree(opened, tmp_path / "run"))


def review(server: Loopback, *runs: Path) -> list[object]:
    """The words of the command."""
    return ["review", *runs, "--judge", choice(server), "--prices", runs[0].with_name("prices.json")]


def of(run: Path) -> Any:
    return result_in(run / "trajectories" / NAME)


def decisions(run: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((run / "review.json").read_text())["decisions"]
    return found


@pytest.mark.parametrize(("verdict", "success"), [(STATED, True), (NOT_STATED, False)])
def test_a_judge_settles_what_is_unclear(
    run: Path, tmp_path: Path, shell: Shell, verdict: Answer, success: bool
) -> None:
    (doubt,) = of(run)["unclear"]
    with serve(OpenAIChatDialect(), [verdict]) as server:
        told = shell(*review(server, run)).out
    (asked,) = server.seen
    for shown in (doubt["fact"], doubt["sentence"], OPEN_WORDS, "+16505550102"):
        assert shown in asked.body["messages"][-1]["content"]
    assert server.rejections == []
    assert f"\n{NAME}: score {1 if success else 0}.000\n" in told
    assert f"decided: {'' if success else 'not '}stated, by the judge {JUDGE}" in told
    assert f"judge {JUDGE}: 100 tokens in, 10 out, $0.002, 1 call" in told
    assert "1 reading decided, 0 conversations still open" in told
    result = of(run)
    assert (result["success"], result["score_interval"]) == (success, None)
    (decision,) = decisions(run)
    assert (decision["by"], decision["is_judge"], decision["is_stated"]) == (JUDGE, True, success)
    assert decision["at"] == result["unclear"][0]["at"]
    assert main(["rescore", str(run), "--to", str(tmp_path / "again")]) == 0
    assert of(tmp_path / "again") == result
    told = shell("metrics", run).out
    assert "JUDGED: 1 conversation " in told
    assert "OPEN" not in told
    assert f"by the judge {JUDGE}" in " ".join(shell("show", run, NAME).out.split())


def test_a_judge_of_another_vendor(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
    with serve(AnthropicDialect(), [STATED]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert main(["review", str(run), "--judge", "anthropic/claude-haiku-5-5"]) == 0
    assert (of(run)["success"], decisions(run)[0]["by"]) == (True, "anthropic/claude-haiku-5-5")


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Broken(401, message=f"no such key {KEY}"), "no such key"),
        (Broken(503, message="away"), "away"),
        (Answer('{"1": "unclear"}'), "no verdict on 1 unclear reading"),
        (Answer("Well."), "no verdict on 1 unclear reading"),
    ],
)
def test_a_judge_that_fails_leaves_it_open_and_says_so(run: Path, shell: Shell, move: Move, said: str) -> None:
    before = of(run)
    with serve(OpenAIChatDialect(), [move]) as server:
        told = shell(*review(server, run), code=1).out
    (line,) = (line for line in told.splitlines() if "left open: " in line)
    assert said in line
    assert "0 readings decided, 1 conversation still open" in told
    assert KEY not in told
    assert of(run) == before
    assert not (run / "review.json").exists()


def test_a_person_comes_before_a_judge(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Eve\nn\n"))
    assert main(["review", str(run)]) == 0
    (person,) = decisions(run)
    judge = person | {"is_stated": True, "by": JUDGE, "is_judge": True, "at": "2999-01-01T00:00:00+00:00"}
    (run / "review.json").write_text(json.dumps({"format": 1, "decisions": [person, judge]}))
    assert main(["rescore", str(run), "--to", str(tmp_path / "again")]) == 0
    result = of(tmp_path / "again")
    assert (result["success"], [doubt["by"] for doubt in result["unclear"]]) == (False, ["Eve"])


def test_what_a_person_left_open_is_not_asked_about(run: Path, shell: Shell) -> None:
    (doubt,) = of(run)["unclear"]
    place = {key: doubt[key] for key in ("message", "fact", "sentence")}
    left = {"directory": NAME, **place, "is_stated": None, "by": "Eve", "at": "2026-01-01T00:00:00+00:00"}
    (run / "review.json").write_text(json.dumps({"format": 1, "decisions": [left]}))
    with serve(OpenAIChatDialect(), [STATED]) as server:
        assert "0 readings decided, 1 conversation still open" in shell(*review(server, run)).out
    assert server.seen == []


def test_several_runs_at_once_until_the_judge_is_hopeless(run: Path, tmp_path: Path, shell: Shell) -> None:
    runs = [Path(shutil.copytree(run, tmp_path / f"run_{number}")) for number in range(4)]
    with serve(OpenAIChatDialect(), [Broken(404, message="no such model")]) as server:
        told = shell(*review(server, run, *runs), code=1).out
    assert len(server.seen) == 3
    assert "is not asked any more" in told
    assert "0 readings decided, 5 conversations still open" in told
    with serve(OpenAIChatDialect(), [STATED]) as server:
        told = shell(*review(server, run, *runs)).out
    assert "5 readings decided, 0 conversations still open" in told
    assert "$0.01, 5 calls" in told
    assert [of(each)["success"] for each in (run, *runs)] == [True] * 5


@attrs.frozen
class German:
    """Does all that has to be done, and says in German that it is done."""

    brain: SolutionBrain

    def __call__(self, heard: Heard) -> Answer:
        answer = self.brain(heard)
        return answer if answer.calls else Answer(OPEN_WORDS)


def played(tmp_path: Path, moves: Sequence[Move], shell: Shell) -> tuple[Path, Loopback, str]:
    """A run with a judge, the server of the judge, and what was printed."""
    brain = SolutionBrain.of([get_scenario(NAME)])
    with serve(OpenAIChatDialect(), German(brain)) as agent, serve(OpenAIChatDialect(), moves) as judge:
        flags = ["--judge", choice(judge), "--prices", str(tmp_path / "prices.json"), "-o", str(tmp_path / "data")]
        told = shell("--agent", choice(agent), "-s", NAME, "-p", "1", *flags).out
    (path,) = (tmp_path / "data").iterdir()
    return path, judge, told


@pytest.mark.parametrize(("verdict", "success"), [(STATED, True), (NOT_STATED, False)])
def test_a_run_with_a_judge_is_scored_by_it(
    run: Path, tmp_path: Path, shell: Shell, verdict: Answer, success: bool
) -> None:
    lie = {"message": 0, "sentence": "", "reason": "of no conversation"}
    path, judge, told = played(tmp_path, [verdict, verdict, Answer(json.dumps({"false": [lie]}))], shell)
    result = of(path)
    assert (result["success"], result["score_interval"]) == (success, None)
    assert [(doubt["by"], doubt["is_judge"]) for doubt in result["unclear"]] == [(JUDGE, True)]
    assert (result["judge"]["error"], result["judge"]["false_statements"]) == (None, [])
    assert result["usage"]["judge"]["calls"] == len(judge.seen) == 3
    (decision,) = decisions(path)
    assert (decision["by"], decision["is_stated"], decision["is_judge"]) == (JUDGE, success, True)
    assert "JUDGED: 1 conversation " in told
    assert "1 scored again, 0 moved" in shell("rescore", path, "--to", tmp_path / "again").out
    assert of(tmp_path / "again") == result
    assert part_in(tmp_path / "again" / "trajectories" / NAME, "evaluation") == part_in(
        path / "trajectories" / NAME, "evaluation"
    )
    turns = [each / "trajectories" / NAME / "conversation.json" for each in (path, tmp_path / "again")]
    assert turns[0].read_text() == turns[1].read_text()


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([NOT_STATED, Broken(404, message="gone")], "gone"),
        ([Broken(404, message="gone")], "gone"),
        ([NOT_STATED, Answer("Well.")], "no verdict on 1 unclear reading"),
    ],
)
def test_a_run_whose_judge_fails_is_open_and_says_so(
    run: Path, tmp_path: Path, shell: Shell, moves: Sequence[Move], said: str
) -> None:
    path, _, told = played(tmp_path, moves, shell)
    result = of(path)
    assert result["score_interval"] is not None
    assert said in result["judge"]["error"]
    assert not (path / "review.json").exists()
    assert "OPEN: 1 conversation " in told
    assert "1 conversation not judged" in told
