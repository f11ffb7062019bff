"""Measures ``ts.Env`` and ``ts.EnvPool``, and prints medians beside their targets.

Not a test: what it prints depends on the machine. CPU time of this process and one core, except where memory is meant.

Usage: python scripts/bench_env.py [--quick]
"""

import argparse
import gc
import multiprocessing
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil

import tool_sandbox as ts
from tool_sandbox.scenarios import SUITE_VERSION, list_scenarios

WORLDS = 256
STEPS = 8
"""Steps of a conversation that is not ended."""

CALLS: dict[str, list[Any]] = {
    "wifi_off": [("set_wifi_status", {"on": False})],
    "modify_contact_with_message_recency": [("search_contacts", {"is_self": True})],
    "send_message_with_contact_content_cellular_off": [("search_contacts", {"name": "Ada"})],
}
"""Scenario to the call that is made in it: one that writes, one that finds rows, one that finds none."""

Row = tuple[str, float, str, str]
"""What was measured, its value, unit, and target."""


def seconds(function: Callable[[], Any], repetitions: int) -> float:
    """Median CPU time of a call."""
    durations = []
    for _ in range(repetitions):
        start = time.process_time()
        function()
        durations.append(time.process_time() - start)
    return statistics.median(durations)


def bench_steps(repetitions: int) -> Iterator[Row]:
    """Steps with a tool call, in conversations of eight steps."""
    rates = []
    for name, call in CALLS.items():
        env = ts.Env(name)
        env.reset()

        def play(env: ts.Env = env, call: Any = call) -> None:
            env.rewind(1)
            for _ in range(STEPS):
                env.step(call)

        play()
        rates.append(STEPS / seconds(play, repetitions))
        yield f"steps with a call, {name}", rates[-1], "a second", ""
    yield "steps with a call, mean of these", statistics.mean(rates), "a second", ">= 3,000"
    yield "the same, what is shown read as messages", _read_rate(repetitions), "a second", ""


def _read_rate(repetitions: int) -> float:
    env = ts.Env("wifi_off")
    env.reset()

    def play() -> None:
        env.rewind(1)
        for _ in range(STEPS):
            assert env.step(CALLS["wifi_off"]).as_openai()

    return STEPS / seconds(play, repetitions)


def bench_conversations(repetitions: int) -> Iterator[Row]:
    """A whole conversation with its score, and what is asked of it on the way."""
    env = ts.Env("wifi_off")

    def play() -> None:
        env.reset()
        env.step(CALLS["wifi_off"])
        assert env.step("Wifi is turned off.").score == 1

    play()
    yield "reset, a call, an answer, the score", seconds(play, repetitions) * 1e3, "ms", ""
    env.reset()
    ask = lambda: (env.rewind(1), env.step(CALLS["wifi_off"]).info)  # noqa: E731
    yield "info of an observation", seconds(ask, repetitions) * 1e3, "ms", ""


def bench_forks(repetitions: int) -> Iterator[Row]:
    """Forks, alone and with the first step after them."""
    env = ts.Env("modify_contact_with_message_recency")
    env.reset()
    for _ in range(STEPS):
        env.step(CALLS["modify_contact_with_message_recency"])
    context = env._current().context
    for what, function in (("fork", env.fork), ("fork of the world within a step", context.fork)):
        yield (
            what,
            seconds(lambda function=function: [function() for _ in range(100)], repetitions) * 1e4,
            "us",
            "<= 50",
        )
    yield "rewind", seconds(lambda: env.fork().rewind(1), repetitions) * 1e6, "us", ""


def bench_memory() -> Iterator[Row]:
    """Live worlds, eight steps into their conversations, each kind in a process of its own."""
    for kind in ("one scenario", "as many scenarios"):
        with multiprocessing.get_context("spawn").Pool(1) as processes:
            used, whole = processes.apply(_memory, (kind,))
        yield f"{WORLDS} worlds of {kind}", used, "MB", "<= 200"
        yield "  the whole process", whole, "MB", ""


def _memory(kind: str) -> tuple[float, float]:
    """Megabytes that live worlds take, and the process with them."""
    names = [info.name for info in list_scenarios()]
    chosen = names[:: len(names) // WORLDS][:WORLDS] if kind == "as many scenarios" else ["wifi_off"]
    process = psutil.Process()
    with ts.EnvPool("wifi_off", size=1) as small:
        # What is loaded and prepared once is no part of a world.
        small.reset()
        small.step([CALLS["wifi_off"]])
        assert small.step(["Wifi is turned off."])[0].score == 1
    gc.collect()
    before = process.memory_info().rss
    pool = ts.EnvPool(chosen, size=WORLDS)
    pool.reset()
    for _ in range(STEPS):
        pool.step({place: [("search_contacts", {})] for place, env in enumerate(pool.envs) if not env.is_over})
    gc.collect()
    return (process.memory_info().rss - before) / 2**20, process.memory_info().rss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    repetitions = 20 if parser.parse_args().quick else 200
    print(f"machine   {platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}")
    print(f"load      {', '.join(f'{load:.1f}' for load in os.getloadavg())} (1, 5, 15 minutes)")
    print(f"versions  Python {platform.python_version()}, tool_sandbox {ts.__version__}, suite {SUITE_VERSION}\n")
    for bench in (
        lambda: bench_steps(repetitions),
        lambda: bench_conversations(repetitions),
        lambda: bench_forks(repetitions),
        bench_memory,
    ):
        for what, value, unit, target in bench():
            print(f"{what:52} {value:10,.1f} {unit:9} {target}")


if __name__ == "__main__":
    main()
