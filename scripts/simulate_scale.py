"""What 1,000,000 conversations take: machines, files, requests and money, reckoned from a sample played here.

A sample of scenarios is played by the reference solution, which gives CPU, bytes and requests of a conversation. Tokens
are those that a model would be sent, as `--dry-run` estimates them. Time is that of the slower of two: the cores, and
the requests that a provider takes.

usage: python scripts/simulate_scale.py [--conversations N] [--sample N] [--agent MODEL] [--seconds S] [--at-once N]
"""

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

from tool_sandbox.cli.parsing import positive
from tool_sandbox.runner.estimate import estimate
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.scenarios import list_scenarios
from tool_sandbox.world.errors import ConfigurationError

CORES = 32
"""Cores of a machine."""


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--conversations", type=positive, default=1_000_000, metavar="N")
    parser.add_argument("--sample", type=positive, default=400, metavar="N", help="conversations that are played here")
    parser.add_argument("--agent", default="anthropic/claude-haiku-5-5", metavar="MODEL", help="model that is reckoned")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="that a request takes")
    parser.add_argument("--at-once", type=positive, default=1_000, metavar="N", help="requests that the provider takes")
    given = parser.parse_args()

    names = [info.name for info in list_scenarios()]
    names = names[:: max(1, len(names) // given.sample)][: given.sample]
    os.environ.setdefault("ANTHROPIC_API_KEY", "for-an-estimate")
    try:
        reckoned = prepare_run(given.agent, scenarios=names)
    except ConfigurationError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        cpu = time.process_time()
        done = play(prepare_run("Oracle", scenarios=names, threads=1), folder)
        cpu = (time.process_time() - cpu) / len(names)
        size = sum(file.stat().st_size for file in Path(folder).glob("*/trajectories/*/*")) / len(names)
    assert done.is_complete

    agent = estimate(reckoned).parties["agent"]
    calls, asked, said = (each / len(names) for each in (agent.calls, agent.input_tokens, agent.output_tokens))
    cost = None if agent.cost_usd is None else agent.cost_usd / len(names)

    count = given.conversations
    computing = count * cpu / CORES / 3600
    waiting = count * calls * given.seconds / given.at_once / 3600
    tokens = f"{count * asked / 1e9:,.2f} billion tokens in, {count * said / 1e9:,.2f} out"
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{len(names)} conversations of the reference solution were played")
    print(f"a conversation: {cpu * 1000:.1f} ms CPU, {size / 1024:.1f} KiB, {calls:.1f} requests,")
    print(f"{asked:,.0f} tokens in, {said:,.0f} out, {'no price known' if cost is None else f'${cost:.4f}'}")
    print(f"\n{count:,} conversations with {given.agent}, {given.at_once:,} requests of {given.seconds:g} s at once:")
    print(f"  machines   {computing:,.1f} hours of one with {CORES} cores to compute, {waiting:,.1f} hours to wait")
    print(f"  files      {count:,} records, {count * size / 2**30:,.1f} GiB")
    print(f"  requests   {count * calls:,.0f}, {tokens}")
    print(f"  money      {'no price known' if cost is None else f'${count * cost:,.0f}'}")


if __name__ == "__main__":
    main()
