"""One measurement of ``bench_runner.py``, in a process of its own: the program, or a bare loop of the same SDK calls.

Reads its orders from the command line as JSON and prints what it measured as JSON.
"""

import contextlib
import itertools
import json
import multiprocessing
import platform
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any

SCENARIOS = (
    "send_message_to_all_friends_once_batch",
    "send_message_to_family_except_one_batch",
    "search_message_between_two_local_hours_yesterday",
    "send_message_unless_already_sent_today_conditional",
    "send_message_to_boss_if_holiday_within_week_conditional",
    "send_message_if_rain_tomorrow_conditional_true",
    "send_message_if_rain_tomorrow_conditional_false",
    "update_contact_if_number_differs_conditional",
)
"""Base scenarios that offer the tool which the server's model calls."""

OPENAI_PATHS = {"openai": "responses", "openai chat": "chat"}


def peak_bytes(process: str = "self") -> int:
    """Largest resident memory of a process; away from Linux only of this one."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        if process != "self":
            raise
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return size if platform.system() == "Darwin" else size * 1024
    # That of getrusage can be the one of the process which started this one.
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


class Workers:
    """Largest memory of the processes that were started by this one, looked at now and then as long as it goes on."""

    def __init__(self) -> None:
        """Begins to look."""
        self._peaks: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.25):
            for process in multiprocessing.active_children():
                with contextlib.suppress(OSError, StopIteration):
                    self._peaks[process.pid or 0] = peak_bytes(str(process.pid))

    def finish(self) -> int:
        """Their sum, in bytes."""
        self._over.set()
        self._thread.join()
        return sum(self._peaks.values())


def cpu_s() -> float:
    """CPU seconds of this process and of those it has started and that are over."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def agent_of(protocol: str, port: int) -> str:
    """The agent's name on the command line."""
    address = f"http://127.0.0.1:{port}"
    if protocol == "anthropic":
        return f"anthropic/claude-sonnet-5-5:base_url={address}"
    api = OPENAI_PATHS[protocol]
    return f"openai/gpt-5.2:base_url={address}/v1,api={api}"


def play(orders: dict[str, Any]) -> dict[str, Any]:
    """Plays conversations as the command line does, files and scores included."""
    from tool_sandbox.runner.run import play, prepare_run

    count, concurrency = orders["conversations"], orders["concurrency"]
    trials = -(-count // len(SCENARIOS))
    agent = agent_of(orders["protocol"], orders["port"])
    places = {"threads": concurrency, "processes": orders["processes"]}
    run = prepare_run(agent, scenarios=SCENARIOS[:count], trials=trials, **places)
    count = len(run.episodes)
    workers, cpu, started = Workers(), cpu_s(), time.monotonic()
    played = play(run, orders["directory"])
    wall, cpu, workers_bytes = time.monotonic() - started, cpu_s() - cpu, workers.finish()
    results = played.summary["per_scenario_results"]
    broken = [result for result in results if result["traceback"] is not None]
    if broken or len(results) != count:
        raise SystemExit(f"{count - len(results)} results are missing, {len(broken)} are broken: {broken[:1]}")
    calls = {result["directory"]: result["usage"]["agent"]["calls"] for result in results}
    calls_in_order = [calls[episode.directory] for episode in run.episodes]
    return {
        "wall_s": wall,
        "cpu_s": cpu,
        "calls": calls_in_order,
        "run": str(played.path),
        "workers_bytes": workers_bytes,
    }


def loop(orders: dict[str, Any]) -> dict[str, Any]:
    """Makes the calls that a played run made, with the same bodies and in as many threads, and nothing else."""
    bodies = json.loads(Path(orders["bodies"]).read_text())
    create = _create(orders["protocol"], orders["port"])
    numbers, lock, failures = itertools.count(), threading.Lock(), []
    calls = [len(bodies[number % len(bodies)]) for number in range(orders["conversations"])]

    def work() -> None:
        while True:
            with lock:
                number = next(numbers)
            if number >= orders["conversations"]:
                return
            for body in bodies[number % len(bodies)]:
                try:
                    create(**body)
                except Exception as error:
                    failures.append(error)
                    return

    cpu, started = time.process_time(), time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(orders["concurrency"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, cpu = time.monotonic() - started, time.process_time() - cpu
    if failures:
        raise SystemExit(f"{len(failures)} threads of the bare loop failed, the first with {failures[0]!r}")
    return {"wall_s": wall, "cpu_s": cpu, "calls": calls}


def _create(protocol: str, port: int) -> Any:
    """The SDK's function, of one client with as many connections as threads may want."""
    import httpx2

    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    options: dict[str, Any] = {"api_key": "bench", "max_retries": 0, "timeout": 600.0}
    address = f"http://127.0.0.1:{port}"
    if protocol == "anthropic":
        import anthropic

        transport = anthropic.DefaultHttpxClient(limits=limits, base_url=address)
        return anthropic.Anthropic(base_url=address, http_client=transport, **options).messages.create
    import openai

    transport = openai.DefaultHttpxClient(limits=limits, base_url=f"{address}/v1")
    client = openai.OpenAI(base_url=f"{address}/v1", http_client=transport, **options)
    return client.responses.create if OPENAI_PATHS[protocol] == "responses" else client.chat.completions.create


def main() -> None:
    """Measures and prints."""
    orders = json.loads(sys.argv[1])
    measured = (loop if orders["what"] == "bare loop" else play)(orders)
    print(json.dumps(measured | {"peak_bytes": peak_bytes() + measured.get("workers_bytes", 0)}))


if __name__ == "__main__":
    main()
