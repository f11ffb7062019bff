"""What the command line says and does about models."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.choice import KEY, KEY_VARIABLE, choice, write_prices
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Heard, Loopback, Move, serve
from tests.records import lines_in
from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.cli.arguments import play_parser
from tool_sandbox.cli.tables import money
from tool_sandbox.models import tap
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.runner.budget import Budget
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.store import read_json
from tool_sandbox.scenarios import named_scenarios

pytestmark = pytest.mark.usefixtures("loopback_key")

NAMES = ["wifi_off", "remove_contact_by_phone"]
BRAIN = SolutionBrain.of(list(named_scenarios(names=NAMES).values()))


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serve(OpenAIChatDialect(), BRAIN) as loopback:
        yield loopback


@pytest.fixture
def base(tmp_path: Path) -> Path:
    write_prices(tmp_path)
    return tmp_path


def command(server: Loopback, base: Path, *flags: str) -> list[str]:
    prices = [] if "--prices" in flags else ["--prices", str(base / "prices.json")]
    return ["--agent", choice(server), "-s", *NAMES, "-o", str(base / "data"), "-p", "1", *prices, *flags]


def runs(base: Path) -> list[Path]:
    return sorted((base / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)


def test_dry_run_asks_and_writes_nothing(server: Loopback, base: Path, shell: Shell) -> None:
    said = shell(*command(server, base, "--dry-run", "--budget", "2.5")).out
    assert "2 conversations" in said
    assert "ESTIMATE of 5 to 15 calls" in said
    assert "budget: $2.50" in said
    assert server.seen == []
    assert not (base / "data").exists()


def test_dry_run_counts_the_judge(server: Loopback, base: Path, shell: Shell) -> None:
    assert "judge" in shell(*command(server, base, "--dry-run", "--judge", choice(server))).out
    assert server.seen == []


KEYLESS = (
    "anthropic/claude-opus-5-5",
    "openai/gpt-test:effort=low",
    "google/gemini-3.1-pro",
    "google/gemini-3.1-pro:vertex=true",
    "groq/llama:api_key_env=MY_KEY",
    "openai-compatible/org/model",
    "code:anthropic/claude-opus-5-5",
    "Hermes",
)


@pytest.mark.parametrize("agent", KEYLESS)
def test_dry_run_needs_no_key_and_makes_no_client(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    for variable in [name for spec in PROVIDERS.values() for name in spec.variables]:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(tap, "_transport", lambda proxy: pytest.fail("a client was made"))
    tap.http_client.cache_clear()
    flags = ["-s", *NAMES, "-o", str(tmp_path), "--judge", "anthropic/claude-haiku-5-5", "--dry-run"]
    said = shell("--agent", agent, "--user", "openai/gpt-test", *flags).out
    assert "ESTIMATE of" in said
    assert "in it: agent and user and judge; the floors are played without a model and cost nothing" in said
    printed = shell("--agent", agent, *flags).out
    assert "in it: agent and judge; the user Scripted and the floors are played without" in printed
    assert main(["sweep", "--agent", agent, "--dry-run", "-s", "wifi_off"]) == 0
    tap.http_client.cache_clear()


def test_dry_run_still_refuses_what_cannot_be_played(shell: Shell) -> None:
    printed = shell("--agent", "anthropic/claude-3-haiku-20240307", "-s", *NAMES, "--dry-run", code=2).err
    assert "was retired on" in printed


def test_dry_run_without_models(base: Path, shell: Shell) -> None:
    assert "no model plays, so this costs nothing" in shell("--dry-run", "-s", "wifi_off", "-o", base / "data").out


def test_report_has_tokens_and_cost(server: Loopback, base: Path, shell: Shell) -> None:
    assert "models: 500 tokens in, 50 out, $0.01, 5 calls, 0 retries" in shell(*command(server, base)).out


def test_spent_budget_is_one_clear_line(server: Loopback, base: Path, shell: Shell) -> None:
    said = shell(*command(server, base, "--max-tokens-total", "100"), code=1).err
    assert "STOPPED: the budget of 100 tokens is spent; 1 of 2 conversations were played; the rest: tool_sand" in said
    assert "EXCLUDED from all means: 1 of 1 conversation (1 infrastructure_error budget)" in said
    assert "Traceback" not in said


def test_silent_fallback_is_loud(base: Path, shell: Shell) -> None:
    with serve(OpenAIChatDialect(), [Answer("No.", served_model="m-1-mini")]) as server:
        said = shell(*command(server, base)).err
    assert "WARNING: agent m-1 was requested, but other models answered: m-1-mini" in said


@pytest.mark.slow
def test_replay_takes_everything_from_the_stored_run(base: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = base / "prompt.txt"
    prompt.write_text("Be a pirate.\n")
    brain = SolutionBrain.of(list(named_scenarios(names=NAMES, seed=3).values()))
    with serve(OpenAIChatDialect(), brain) as server:
        assert main(command(server, base, "--seed", "3", "--trials", "2", "--system-prompt", str(prompt))) == 0
    (first,) = runs(base)
    monkeypatch.delenv(KEY_VARIABLE)
    said = shell("--agent", f"replay:{first}", "-o", base / "data").out
    assert "replay: 4 conversations identical, 0 diverged" in said
    assert "scores: all as stored" in said


@pytest.mark.slow
def test_replay_that_goes_another_way_fails(server: Loopback, base: Path, shell: Shell) -> None:
    assert main(command(server, base)) == 0
    (first,) = runs(base)
    prompt = base / "prompt.txt"
    prompt.write_text("Be a pirate.")
    said = shell("--agent", f"replay:{first}", "--system-prompt", prompt, "-o", base / "again", code=1).out
    assert "replay: 0 conversations identical, 2 diverged; first: wifi_off, agent call 0, messages[0].content" in said


@pytest.mark.slow
def test_retry_command(base: Path, shell: Shell) -> None:
    moves: list[Move] = [Broken(500)]
    with serve(OpenAIChatDialect(), lambda heard: moves[0] if moves else BRAIN(heard)) as server:
        said = shell(*command(server, base), code=1).err
        (run,) = runs(base)
        assert f"tool_sandbox retry {run}" in said
        moves.clear()
        _, agent, *_, prices, _ = [*command(server, base), ""]
        again = ["retry", str(run), "--agent", agent, "--prices", prices]
        assert "playing 2 of 2 conversations" in shell(*again, "-p", "1").out
        assert "nothing to play again" in shell(*again).out
    assert [result["similarity"] for result in read_json(run / "result_summary.json")["per_scenario_results"]] == [1, 1]
    assert not [path for path in base.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--budget", "0"], "is not an amount in US dollars"),
        (["--budget", "nan"], "is not an amount in US dollars"),
        (["--max-tokens-total", "-1"], "is not a positive whole number"),
        (["--prices", "missing.json"], "cannot read prices from missing.json"),
        (["--system-prompt", "missing.txt"], "cannot read the system prompt missing.txt"),
        (["--cache", "in_the_way"], "in_the_way"),
        (["--agent", "replay:missing"], "no run to replay"),
        (["--judge", "Oracle"], "a judge has to be a model, as provider/model; 'Oracle' is none"),
        (["--judge", "acme/m-1"], "there is no provider 'acme'"),
        (["retry", "missing"], "missing is not the directory of a run"),
    ],
)
def test_mistake_is_one_line_and_exit_code_2(
    flags: list[str], said: str, base: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.chdir(base)
    (base / "in_the_way").write_text("a file")
    words = flags if flags[0] in ("retry", "--agent") else command(server, base, *flags)
    assert said in shell.complaint(*words)
    assert server.seen == []
    assert not (base / "data").exists()


def test_budget_without_price_says_what_to_do(server: Loopback, base: Path, shell: Shell) -> None:
    (base / "prices.json").write_text('{"prices": []}')
    assert "limit the run by --max-tokens-total" in shell(*command(server, base, "--budget", "1"), code=2).err


def test_dry_run_says_that_a_price_is_missing(server: Loopback, base: Path, shell: Shell) -> None:
    (base / "prices.json").write_text('{"prices": []}')
    assert "price: unknown for openai-compatible/m-1" in shell(*command(server, base, "--dry-run")).out


def test_small_amounts_keep_their_digits() -> None:
    assert [str(Budget(usd=usd)) for usd in (0.00005, 0.015, 0.5, 120.0)] == ["$0.00005", "$0.015", "$0.50", "$120.00"]
    assert str(Budget(usd=2.5, tokens=1000)) == "$2.50 and 1,000 tokens"


def test_failures_that_are_alike_are_one_line(base: Path, shell: Shell) -> None:
    with serve(OpenAIChatDialect(), [Broken(500, "", "out of order")]) as broken:
        said = shell(*command(broken, base), code=1).err
    assert said.count("out of order") == 2  # while it runs, and at its end
    assert "could not be played: wifi_off and 1 more: ProviderError: openai-compatible/m-1: server" in said


def test_uncounted_tokens_are_unknown(base: Path, shell: Shell) -> None:
    with serve(OpenAIChatDialect(lenient=True), BRAIN) as server:
        said = shell(*command(server, base, "--max-tokens-total", "10"))
    assert "models: tokens unknown, $?, 5 calls" in said.out
    assert "WARNING: the model of the agent does not report tokens" in said.err


def test_replayed_user_brings_its_scenarios(server: Loopback, base: Path) -> None:
    main(command(server, base))
    request = Request.of(vars(play_parser().parse_args(["--user", f"replay:{runs(base)[0]}", "--agent", "Oracle"])))
    request.fill_in()
    assert (request.agent, request.scenarios) == ("Oracle", NAMES)


def test_unknown_outcome_is_a_mistake(server: Loopback, base: Path, shell: Shell) -> None:
    main(command(server, base))
    assert "infrastructure_error" in shell("retry", runs(base)[0], "--outcome", "bad", code=2).err


def test_flags_come_from_the_stored_run_only_where_they_are_not_given() -> None:
    given = play_parser().parse_args(["--agent", "Oracle"])
    assert (given.user, given.seed, given.trials, given.system_prompt) == (None, None, None, None)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "$0.00"),
        (1234.5, "$1,234.50"),
        (12.345, "$12.35"),
        (0.999, "$1.00"),
        (0.3, "$0.30"),
        (0.05, "$0.05"),
        (0.0123, "$0.012"),
        (0.0001, "$0.0001"),
        (0.00000001, "<$0.0001"),
        (None, "$?"),
    ],
)
def test_money(amount: float | None, text: str) -> None:
    assert money(amount) == text


def _silent_and_strict(heard: Heard) -> Move:
    """Finds no fact stated, and the last message false."""
    shown = heard.turns[0].text
    if "Facts:" in shown:
        return Answer('{"1": "silent"}')
    last = [json.loads(line) for line in shown.splitlines()][-1]
    return Answer(
        json.dumps({"false": [{"message": last["message"], "sentence": last["text"], "reason": "I know better"}]})
    )


def test_a_judge_is_shown_beside_the_score(server: Loopback, base: Path, shell: Shell) -> None:
    with serve(OpenAIChatDialect(), _silent_and_strict) as opinion:
        said = shell(*command(server, base, "--judge", choice(opinion))).out
    told = "judge openai-compatible/m-1: agrees on 0.0% of 2 facts; answers that only the judge accepts 0, only the "
    assert told in said
    assert "9 calls" in said, "those of the judge count, too"
    assert "judge openai-compatible/m-1: false statements in 2 conversations\n" in said
    (run,) = runs(base)
    summary = read_json(run / "result_summary.json")
    assert [result["similarity"] for result in summary["per_scenario_results"]] == [1.0, 1.0]
    (answer,) = summary["per_scenario_results"][0]["judge"]["answers"]
    assert (answer["deterministic"], answer["judge"]) == (1.0, 0.0)
    assert summary["usage"]["judge"]["calls"] == 4
    exchanges = lines_in(run / "trajectories" / NAMES[0], "exchanges")
    assert [json.loads(line)["party"] for line in exchanges] == ["agent", "agent", "judge", "judge"]
    assert KEY not in "".join(exchanges)
    assert read_json(run / "run.json")["models"]["judge"]["model"] == "m-1"
