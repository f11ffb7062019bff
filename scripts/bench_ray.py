"""What a conversation costs on a Ray cluster of this machine, beside threads here, in one run.

Each executor plays one run of the reference solution, and is measured from its hundredth result to its last, which
leaves out the start of programs and workers. One worker against one thread: the difference is the overhead. On a
machine that is busy with other work, compare CPU: that of this process, and that of all, those of Ray included.

usage: python scripts/bench_ray.py [CONVERSATIONS]
"""

import os
import platform
import sys
import tempfile
import time
from importlib.metadata import version
from typing import Any

import psutil

from tool_sandbox.runner.cluster import Cluster
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import list_scenarios

FIRST = 100


def spent() -> tuple[float, float, float]:
    """Seconds: on the clock, of CPU of this process, of CPU of this process and all below it."""
    here = psutil.Process()
    times = [each.cpu_times() for each in [here, *here.children(recursive=True)]]
    return time.perf_counter(), time.process_time(), sum(each.user + each.system for each in times)


def measured(count: int, **how: Any) -> list[float]:
    """Milliseconds for a conversation more, of each kind."""
    run = prepare_run("Oracle", scenarios=[info.name for info in list_scenarios()][:count], **how)
    marks, played = [], 0

    def note(result: Any) -> None:
        nonlocal played
        played += 1
        if played in (FIRST, count):
            marks.append(spent())

    with tempfile.TemporaryDirectory() as folder:
        assert play(run, folder, on_result=note).is_complete
    return [1000 * (last - first) / (count - FIRST) for first, last in zip(*marks, strict=True)]


def main() -> None:
    """Prints a table."""
    import ray

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_200
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ray {version('ray')}")
    print(f"load {load} (1, 5, 15 minutes)")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    print(f"{'':24}{'ms a conversation':>20}{'CPU ms here':>14}{'CPU ms in all':>16}")
    for name, how in {
        "one thread here": {"threads": 1},
        "Ray, one worker": {"threads": 2, "cluster": Cluster()},
    }.items():
        wall, here, everywhere = measured(count, **how)
        print(f"{name:24}{wall:20.2f}{here:14.2f}{everywhere:16.2f}")


if __name__ == "__main__":
    main()
