"""Measures how many conversations one process plays at once against models that take half a second to answer.

A server on this machine plays the model, in a process of its own, so that its work is not counted. The program plays
as on the command line: the SDK's client, the scripted user, the tools, scores and files. Beside it stands a bare loop
that makes the same calls, with the bodies that the program sent, in as many threads over one client. Every measurement
has a fresh process. Not a test: what it prints depends on the machine.

The ideal is the time in which the calls fit if they cost nothing but the model's time: conversations in their order,
each as soon as one of the places is free, calls x latency long. CPU and memory are those of the process that plays,
with ``program x2`` of it and its two worker processes together; imports made after the start are in them. Memory of a
live conversation: the peak less that of one conversation alone, by concurrency.

Usage: python scripts/bench_runner.py [--quick] [--latency S] [--calls N] [--protocol NAME]... [--size N@N]...
"""

import argparse
import contextlib
import heapq
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench_engine import processor

HERE = Path(__file__).resolve().parent
PROTOCOLS = ("openai", "openai chat", "anthropic")
SIZES = ((256, 64), (1000, 256))
FLAT = ((504, 256), (2000, 256))
"""Conversations and concurrency: the sizes of the targets, and those that show whether cost grows with the run."""

FLAT_PROTOCOL = "anthropic"
MANY = 256
"""Conversations at once from which on a second process is measured too."""

LEAST_SHARE, MOST_MB, LEAST_OF_LOOP, MOST_GROWTH = 0.95, 150, 0.9, 1.1
"""The targets: share of the ideal and memory below `MANY`; speed against the bare loop from there on; and how much more
CPU a call may cost in the longest run than in the shortest."""

LONGEST_S = 900
COLUMNS = (
    "protocol     what        conv.  at once  calls  ideal s  wall s  share  CPU ms/conv.  CPU ms/call  peak MB"
    "  KB/live"
)

Measured = dict[str, Any]


def ideal_s(calls: Sequence[int], concurrency: int, latency_s: float) -> float:
    """Seconds that conversations take whose calls cost the model's time and nothing else."""
    places = [0.0] * concurrency
    for count in calls:
        heapq.heapreplace(places, places[0] + count * latency_s)
    return max(places)


@contextlib.contextmanager
def model_server(latency_s: float, calls: int) -> Iterator[int]:
    """A running server; gives its port."""
    command = [sys.executable, str(HERE / "bench_runner_server.py"), str(latency_s), str(calls - 1)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()


def counters(port: int) -> dict[str, float]:
    """What the server has seen since the last time."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/counters", timeout=30) as answer:
        return dict(json.loads(answer.read()))


def measure(**orders: Any) -> Measured:
    """One measurement in a fresh process, with what the server saw of it."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    # Without bytecode, compiling the SDK would be most of what is measured.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment |= {"OPENAI_API_KEY": "bench-key-of-nobody", "ANTHROPIC_API_KEY": "bench-key-of-nobody"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE.parent), environment.get("PYTHONPATH"))))
    counters(orders["port"])
    command = [sys.executable, str(HERE / "bench_runner_measure.py"), json.dumps(orders)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, env=environment, timeout=LONGEST_S)
    if done.returncode != 0:
        raise SystemExit(f"the measurement failed: {orders}")
    return {**json.loads(done.stdout.splitlines()[-1]), "server": counters(orders["port"])}


def bodies_of(run: Path, count: int) -> list[list[Any]]:
    """The bodies of the calls of the first conversations of a run."""
    from tool_sandbox.models.wiretap import read_exchanges

    conversations = []
    for episode in json.loads((run / "run.json").read_text())["episodes"][:count]:
        exchanges = read_exchanges(run / "trajectories" / episode["directory"])
        conversations.append([json.loads(exchange.request_body) for exchange in exchanges])
    return conversations


def row(protocol: str, what: str, concurrency: int, measured: Measured, latency_s: float, alone: float | None) -> str:
    """One line of the table; ``alone`` is the memory of one conversation alone, ``None`` if that was not measured."""
    calls = measured["calls"]
    best = ideal_s(calls, concurrency, latency_s)
    live = "" if alone is None else f"{(measured['peak_bytes'] - alone) / 1e3 / min(concurrency, len(calls)):8.0f}"
    cpu_ms = measured["cpu_s"] * 1000
    return (
        f"{protocol:12} {what:10} {len(calls):6} {concurrency:8} {sum(calls):6} {best:8.2f} {measured['wall_s']:7.2f} "
        f"{best / measured['wall_s']:6.3f} {cpu_ms / len(calls):13.2f} {cpu_ms / sum(calls):12.2f} "
        f"{measured['peak_bytes'] / 1e6:8.1f} {live}"
    )


def bench(protocol: str, sizes: Sequence[tuple[int, int]], port: int, latency_s: float) -> Iterator[str]:
    """The rows of one protocol, and which targets they meet."""
    alone: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        bodies = Path(directory) / "bodies.json"
        for conversations, concurrency in ((1, 1), *sizes):
            orders = {"protocol": protocol, "port": port, "conversations": conversations, "concurrency": concurrency}
            found: dict[str, Measured] = {}
            for what in ("program", "program x2", "bare loop") if concurrency >= MANY else ("program", "bare loop"):
                processes = 2 if what == "program x2" else 1
                measured = measure(what=what, directory=directory, bodies=str(bodies), processes=processes, **orders)
                if what == "program":
                    bodies.write_text(json.dumps(bodies_of(Path(measured["run"]), 8)))
                found[what] = measured
                if concurrency == 1:
                    alone[what] = measured["peak_bytes"]
                yield row(protocol, what, concurrency, measured, latency_s, alone.get(what))
                yield from _doubts(measured, latency_s)
            if concurrency > 1:
                yield from _verdicts(found, concurrency, latency_s)


def bench_growth(port: int, latency_s: float) -> Iterator[str]:
    """Rows of the program for a short and a long run, and whether the long one costs more a conversation."""
    costs = []
    with tempfile.TemporaryDirectory() as directory:
        for conversations, concurrency in FLAT:
            orders = {"protocol": FLAT_PROTOCOL, "conversations": conversations, "concurrency": concurrency}
            measured = measure(what="program", directory=directory, processes=1, port=port, **orders)
            costs.append(measured["cpu_s"] / sum(measured["calls"]))
            yield row(FLAT_PROTOCOL, "program", concurrency, measured, latency_s, None)
            yield from _doubts(measured, latency_s)
    growth = costs[-1] / costs[0]
    yield _verdict(growth <= MOST_GROWTH, f"CPU a call grows by a factor of {growth:.2f}, at most {MOST_GROWTH:g}")


def _verdicts(found: dict[str, Measured], concurrency: int, latency_s: float) -> Iterator[str]:
    program, loop = found["program"], found["bare loop"]
    if concurrency < MANY:
        share = ideal_s(program["calls"], concurrency, latency_s) / program["wall_s"]
        yield _verdict(share >= LEAST_SHARE, f"share of the ideal {share:.3f}, at least {LEAST_SHARE:g}")
        peak = program["peak_bytes"] / 1e6
        yield _verdict(peak <= MOST_MB, f"peak memory {peak:.1f} MB, at most {MOST_MB}")
        return
    for what in ("program", "program x2"):
        speed = loop["wall_s"] / found[what]["wall_s"]
        yield _verdict(
            speed >= LEAST_OF_LOOP, f"{what}: {speed:.2f} of the bare loop's speed, at least {LEAST_OF_LOOP}"
        )


def _verdict(is_met: bool, words: str) -> str:
    return f"  {'met   ' if is_met else 'MISSED'}  {words}"


def _doubts(measured: Measured, latency_s: float) -> Iterator[str]:
    """What makes a measurement worthless."""
    server = measured["server"]
    if server["requests"] != sum(measured["calls"]):
        yield f"  DOUBT   the server answered {server['requests']:.0f} requests, not {sum(measured['calls'])}"
    if server["latest_s"] > 0.1 * latency_s:
        late_ms = server["latest_s"] * 1000
        yield f"  DOUBT   one of the server's answers was {late_ms:.0f} ms late: the machine had other work to do"


def machine() -> str:
    """Processor, memory and versions."""
    names = ("openai", "anthropic", "httpx2", "pydantic", "polars")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return (
        f"{processor()}, {os.cpu_count()} CPUs, {memory:.0f} GB, {platform.system()} {platform.machine()}\n"
        f"tool_sandbox {importlib.metadata.version('tool_sandbox')}, Python {platform.python_version()}, {versions}"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few conversations, to see that it works")
    parser.add_argument("--latency", type=float, help="seconds that the model takes, 0.5 by default")
    parser.add_argument("--calls", type=int, help="calls of the model in a conversation, 10 by default")
    parser.add_argument("--protocol", action="append", choices=PROTOCOLS, help="only this one; may be given again")
    parser.add_argument("--size", action="append", help="conversations@concurrency in place of the usual ones")
    arguments = parser.parse_args()
    latency_s = arguments.latency or (0.02 if arguments.quick else 0.5)
    calls = arguments.calls or (2 if arguments.quick else 10)
    sizes: Sequence[tuple[int, int]] = ((16, 8),) if arguments.quick else SIZES
    if arguments.size:
        sizes = [(int(size.partition("@")[0]), int(size.partition("@")[2])) for size in arguments.size]
    print(f"{machine()}\nlatency {latency_s:g} s, {calls} calls a conversation\n\n{COLUMNS}", flush=True)
    with model_server(latency_s, calls) as port:
        for protocol in arguments.protocol or PROTOCOLS:
            for line in bench(protocol, sizes, port, latency_s):
                print(line, flush=True)
            if protocol == FLAT_PROTOCOL and not (arguments.quick or arguments.size):
                for line in bench_growth(port, latency_s):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
