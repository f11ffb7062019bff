"""What the stand-ins for command-line agents have in common.

A stand-in is a program of its own: it knows nothing but its arguments, its environment, its files and its input. It
reaches the tools with a real MCP client, and plays the reference solution of the scenario whose opening it is told.
Clients and scenarios are imported where they are needed: most starts only ask for the version.
"""

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

OTHERS_KEYS = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY")

Config = dict[str, Any]
"""``scenarios`` (names), ``fault`` and the number of the message ``at`` which it happens, ``version``, and ``record``,
a directory in which every start leaves its arguments and what it saw."""


def install(directory: Path, program: str, **config: Any) -> Path:
    """Makes a stand-in."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = (
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(ROOT)!r})",
        f"from tests.stubs.{program}_cli import main",
        f"main({config!r})",
    )
    path = directory / program
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def emit(event: Any) -> None:
    """Prints an event."""
    sys.stdout.write((event if isinstance(event, str) else json.dumps(event)) + "\n")
    sys.stdout.flush()


def record(config: Config, **seen: Any) -> None:
    """Leaves what this start has seen for the test."""
    if "record" in config:
        path = Path(config["record"]) / f"{time.time_ns()}_{os.getpid()}.json"
        path.write_text(
            json.dumps({"argv": sys.argv[1:], "environment": dict(os.environ), "cwd": str(Path.cwd()), **seen})
        )


def check_private(path: Path) -> None:
    """A file with a secret in it may be read by its owner alone."""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path} can be read by others"


def check_environment(own: str) -> None:
    """Nothing of the surroundings may be there: no other provider's key, no nested session, no home of a person."""
    assert os.environ.get(own), f"{own} is not set"
    assert not any(os.environ.get(name) for name in OTHERS_KEYS if name != own), "a key of somebody else is set"
    assert "CLAUDECODE" not in os.environ
    assert Path(os.environ["HOME"]).parent == Path.cwd().parent, "the home is not that of the conversation"
    assert not any(os.environ[own] in word for word in sys.argv), "the key is an argument"


def fault(config: Config, number: int) -> str | None:
    """The fault that is to happen at a message."""
    return config.get("fault") if config.get("at", 0) == number else None


def misbehave(kind: str | None) -> None:
    """Faults that any program can have; the others are for the stand-ins themselves."""
    if kind == "exit":
        sys.stderr.write("panic: something broke\n")
        sys.stderr.flush()
        os._exit(3)
    if kind == "hang":
        time.sleep(3600)
    if kind == "flood":
        while True:
            sys.stdout.write("x" * 2**16)
    if kind == "garbage":
        emit("this is not JSON")
        emit("[1, 2]")
        emit("[" * 100_000)
        emit('{"type": "of tomorrow", "x": {}}')
        emit("")


class Actor:
    """Plays the reference solution, across several starts of a program if need be.

    Attributes:
        number: Messages of the user that were answered before.
        counts: What a stand-in wants to remember beside.
    """

    def __init__(self, config: Config, memory: Path) -> None:
        from tool_sandbox.scenarios import named_scenarios

        self._scenarios = named_scenarios(names=config["scenarios"])
        self._memory = memory
        kept = json.loads(memory.read_text()) if memory.exists() else {}
        self._texts: list[str] = kept.get("texts", [])
        self._outcomes: list[list[Any]] = kept.get("outcomes", [])
        self.counts: dict[str, float] = kept.get("counts", {})

    @property
    def number(self) -> int:
        return len(self._texts)

    def answer(self, text: str, call: Callable[[str, dict[str, Any]], tuple[str, bool]]) -> str:
        """What the agent says to a message of the user, after the calls that belong to it."""
        from tests.loopback.reference import play_reference

        self._texts.append(text)
        opening = self._texts[0]
        scenario = next(s for s in self._scenarios.values() if s.user_script and s.user_script.opening in opening)
        made = list(self._outcomes)

        def called(name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
            if made:
                words, is_error = made.pop(0)
                return words, is_error
            outcome = call(name, arguments)
            self._outcomes.append(list(outcome))
            return outcome

        player = play_reference(scenario, called)
        said = next(player)
        for later in self._texts[1:]:
            said = player.send(later)
        return said

    def remember(self, memory: Path | None = None) -> None:
        """Keeps what the next start has to know, in the place given first by default."""
        memory = memory or self._memory
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps({"texts": self._texts, "outcomes": self._outcomes, "counts": self.counts}))


@contextmanager
def tools_at(url: str, token: str) -> Iterator[Any]:
    """Connects to the tools with a real client."""
    from tests.integrations.mcp.clients import connected, http_client
    from tool_sandbox.integrations.mcp import ToolEndpoint

    with connected(http_client(ToolEndpoint(url, token))) as client:
        yield client
