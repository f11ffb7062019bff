"""What a conversation costs on a Ray cluster of this machine, beside threads here, in one run.

Each executor plays a small and a large run of the reference solution; what the larger one takes more, by conversation,
leaves out the start of programs and workers. One worker against one thread: the difference is the overhead.

usage: python scripts/bench_ray.py [CONVERSATIONS]
"""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version

from tool_sandbox.runner.cluster import Cluster
from tool_sandbox.runner.playing import PreparedRun
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import list_scenarios

SMALL = 100


def slopes(prepare: Callable[[int], PreparedRun], large: int) -> tuple[float, float]:
    """Milliseconds of time, and of CPU of this process, for one more conversation."""
    taken = []
    for count in (SMALL, large):
        with tempfile.TemporaryDirectory() as folder:
            run = prepare(count)
            wall, cpu = time.perf_counter(), time.process_time()
            done = play(run, folder)
            taken.append((time.perf_counter() - wall, time.process_time() - cpu))
            assert done.is_complete
    (wall, cpu), (wall_large, cpu_large) = taken
    more = (large - SMALL) / 1000
    return (wall_large - wall) / more, (cpu_large - cpu) / more


def main() -> None:
    """Prints a table."""
    import ray

    large = int(sys.argv[1]) if len(sys.argv) > 1 else 1_200
    names = [info.name for info in list_scenarios()]
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ray {version('ray')}")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")

    def prepared(threads: int, cluster: Cluster | None) -> Callable[[int], PreparedRun]:
        return lambda count: prepare_run("Oracle", scenarios=names[:count], threads=threads, cluster=cluster)

    print(f"{'':24}{'ms a conversation':>20}{'CPU ms here':>14}")
    for name, prepare in {
        "one thread here": prepared(1, None),
        "Ray, one worker": prepared(2, Cluster()),
    }.items():
        wall, cpu = slopes(prepare, large)
        print(f"{name:24}{wall:20.2f}{cpu:14.2f}")


if __name__ == "__main__":
    main()
