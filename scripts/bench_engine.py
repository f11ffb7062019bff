"""Measures the engine and prints medians beside their targets.

Not a test: what it prints depends on the machine. CPU time (of this process) wherever a target is about work, wall time
for starting programs.

Usage: python scripts/bench_engine.py [--quick]
"""

import argparse
import contextvars
import gc
import importlib.metadata
import itertools
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tool_sandbox

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = "send_message_with_contact_content_cellular_off"
"""A scenario whose reference solution makes several calls; padded with look-ups to exactly four."""


def median_ms(function: Callable[[], Any], repetitions: int, clock: Callable[[], float] = time.process_time) -> float:
    """Median duration of a call in milliseconds."""
    durations = []
    for _ in range(repetitions):
        start = clock()
        function()
        durations.append(clock() - start)
    return statistics.median(durations) * 1000


def measure_start(*code: str) -> float:
    """Median wall time of a fresh interpreter in milliseconds, the time of an empty one included."""
    command = [sys.executable, *code]
    return median_ms(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT), 7, time.perf_counter
    )


def four_call_agent() -> Any:
    """An agent that makes four calls and then answers, whatever it is asked."""
    from tool_sandbox.conversation.execution_context import RoleType
    from tool_sandbox.play.message_conversion import Message
    from tool_sandbox.roles.base_role import BaseRole

    class FourCalls(BaseRole):
        role_type = RoleType.AGENT
        calls = 0

        def respond(self, ending_index: int | None = None) -> None:
            if self.calls < 4:
                self.calls += 1
                call = self.tool_call_message(f"call_{self.calls}", "search_contacts", {"name": f"Person {self.calls}"})
                self.add_messages([call])
            else:
                self.add_messages([Message(RoleType.AGENT, RoleType.USER, "All done.")])

    return FourCalls()


def bench_conversations(quick: bool) -> Iterator[tuple[str, float, str, str]]:
    """Playing, scoring and writing a conversation with four tool calls."""
    from tool_sandbox.roles.scripted_user import ScriptedUser
    from tool_sandbox.runner.plan import make_plan
    from tool_sandbox.runner.player import Player
    from tool_sandbox.runner.source import GivenScenarios
    from tool_sandbox.scenarios import named_scenarios

    count = 300 if quick else 2000
    scenarios = named_scenarios(names=[SCENARIO])
    with tempfile.TemporaryDirectory() as directory:
        player = Player(four_call_agent, ScriptedUser, GivenScenarios(scenarios), Path(directory))
        durations = []
        for episode in make_plan([SCENARIO], trials=count):
            start = time.process_time()
            result = player(episode)
            durations.append((time.process_time() - start) * 1000)
            if result["traceback"] is not None or result["tool_calls"] != 4:
                raise SystemExit(f"the benchmark's conversation is not as intended: {result}")
    yield "play + score + files, 4 tool calls, first 100", statistics.median(durations[:100]), "ms CPU", "<= 5"
    yield f"the same, last 100 of {count}", statistics.median(durations[-100:]), "ms CPU", "<= 5"


def bench_suite() -> Iterator[tuple[str, float, str, str]]:
    """Finding and building scenarios, each in a fresh interpreter where caches matter."""
    resolve = f"from tool_sandbox.scenarios import named_scenarios; named_scenarios(names=['{SCENARIO}'])"
    listing = "from tool_sandbox.scenarios import list_scenarios; list_scenarios()"
    for name, code, target in (
        ("resolve one scenario by name, first time", resolve, ""),
        ("resolve one scenario by name, again", f"{resolve}; begin(); {resolve}", "<= 20"),
        ("list all scenarios, first time", listing, "<= 300"),
    ):
        yield name, _inside_fresh_interpreter(code), "ms CPU", target
    from tool_sandbox.scenarios import named_scenarios

    yield "build all scenarios", median_ms(named_scenarios, 3), "ms CPU", ""


def _inside_fresh_interpreter(code: str) -> float:
    """CPU time of a statement in a new process, the imports of the engine not counted."""
    program = (
        "import time, tool_sandbox.play.scenario, tool_sandbox.scenarios\n"
        "start = time.process_time()\n"
        "def begin():\n    global start\n    start = time.process_time()\n"
        f"{code}\n"
        "print((time.process_time() - start) * 1000)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=ROOT) for _ in range(5)
    ]
    return statistics.median(float(run.stdout) for run in runs)


def bench_start() -> Iterator[tuple[str, float, str, str]]:
    """Starting the program, wall time."""
    empty = measure_start("-c", "")
    yield "empty interpreter", empty, "ms", ""
    yield (
        "import tool_sandbox and its CLI",
        measure_start("-c", "import tool_sandbox, tool_sandbox.cli.utils"),
        "ms",
        "<= 400",
    )
    yield "tool_sandbox --help", measure_start("-m", "tool_sandbox.cli", "--help"), "ms", "<= 250"
    yield "tool_sandbox scenarios list", measure_start("-m", "tool_sandbox.cli", "scenarios", "list"), "ms", ""


def bench_forks() -> Iterator[tuple[str, float, str, str]]:
    """Forking worlds of different sizes."""
    from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext

    for rows in (10, 1_000, 10_000):
        context = ExecutionContext()
        context.set_rows(DatabaseNamespace.CONTACT, [{"person_id": str(n), "name": f"Person {n}"} for n in range(rows)])
        batch = median_ms(lambda context=context: [context.fork() for _ in range(100)], 20)
        yield f"fork a world of {rows:,} rows", batch * 10, "us CPU", "<= 50"


def bench_memory() -> Iterator[tuple[str, float, str, str]]:
    """Python memory that one more live conversation takes, after the same scenario has been played before."""
    from tool_sandbox.conversation.execution_context import RoleType
    from tool_sandbox.roles.execution_environment import ExecutionEnvironment
    from tool_sandbox.roles.scripted_user import ScriptedUser
    from tool_sandbox.scenarios import named_scenarios

    scenario = named_scenarios(names=[SCENARIO])[SCENARIO]

    def conversation() -> Any:
        roles = {
            RoleType.AGENT: four_call_agent(),
            RoleType.USER: ScriptedUser(),
            RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
        }
        own = contextvars.copy_context()
        return own, roles, own.run(scenario.play, roles, SCENARIO)

    conversation()
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    alive = [conversation() for _ in range(50)]
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield "a live conversation with 4 tool calls", (after - before) / len(alive) / 1024, "KiB", "<= 200"


def bench_evaluation() -> Iterator[tuple[str, float, str, str]]:
    """The slowest of all shapes and kinds of milestones; ``bench_evaluation.py`` prints every one."""
    import bench_evaluation as cases

    from tool_sandbox.scoring import Evaluation, MilestoneMatcher
    from tool_sandbox.world.profile import Profile

    def slowest(messages: int, size: int, kinds: tuple[Any, ...], worlds: tuple[str, ...]) -> float:
        contexts = [cases.conversation(messages, changes=world) for world in worlds]
        times = []
        for edges_of, kind, profile in itertools.product(cases.SHAPES.values(), kinds, Profile):
            edges = edges_of(size)

            def make(kind: Any = kind, edges: Any = edges, profile: Profile = profile) -> Evaluation:
                return Evaluation(MilestoneMatcher(kind(size, edges), edges), profile=profile)

            times += [cases.measure(make, context, 1)[0] for context in contexts]
        return max(times)

    yield (
        "evaluate 6 milestones x 30 messages, no match, worst",
        slowest(30, 6, (cases.no_match,), ("new",)),
        "ms CPU",
        "<= 20",
    )
    kinds = (cases.no_match, cases.partial_matches, cases.plateau, cases.referring)
    worst = slowest(300, 8, kinds, ("none", "new", "alternating"))
    yield "evaluate 8 milestones x 300 messages, worst", worst, "ms CPU", "<= 200"


def bench_install() -> Iterator[tuple[str, float, str, str]]:
    """Size of an installation without extras, sources only (no compiled files, no installer)."""
    if shutil.which("uv") is None:
        return
    with tempfile.TemporaryDirectory() as directory:
        lock = ["--constraint", str(ROOT / "requirements.lock")]
        command = [
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            sys.executable,
            "--target",
            directory,
            *lock,
            str(ROOT),
        ]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            files = [path for path in Path(directory).rglob("*") if path.is_file()]
            size = sum(path.stat().st_size for path in files)
            yield "core install, sum of file sizes", size / 1e6, "MB", "<= 330"
            yield "core install, on disk", sum(path.stat().st_blocks for path in files) * 512 / 1e6, "MB", ""


def _machine() -> str:
    names = ("polars", "attrs", "rapidfuzz", "pint", "phonenumberslite", "holidays")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    return (
        f"tool_sandbox {tool_sandbox.__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} CPUs, {processor()}\n{versions}"
    )


def processor() -> str:
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer conversations")
    quick = parser.parse_args().quick
    print(_machine(), end="\n\n")
    print(f"{'what':52} {'median':>10} {'unit':8} target")
    sections = (
        lambda: bench_conversations(quick),
        bench_suite,
        bench_start,
        bench_forks,
        bench_memory,
        bench_evaluation,
        bench_install,
    )
    for section in sections:
        for what, value, unit, target in section():
            print(f"{what:52} {value:10.2f} {unit:8} {target}", flush=True)


if __name__ == "__main__":
    main()
