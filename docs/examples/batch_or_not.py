"""What a run costs and how long it takes as batches and as ordinary requests; with --play, it is played in batches.

python docs/examples/batch_or_not.py anthropic/claude-haiku-5-5 --scenarios 'wifi_off*'
"""

import argparse
import json
import sys

import tool_sandbox as ts
from tool_sandbox.runner.estimate import estimate
from tool_sandbox.runner.run import prepare_run

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("agent")
parser.add_argument("--scenarios", nargs="+")
parser.add_argument("--seconds", type=float, default=3.0, help="that a request takes, default: %(default)s")
parser.add_argument("--hours", type=float, default=1.0, help="that a batch takes, at most 24; default: %(default)s")
parser.add_argument("--play", action="store_true", help="play it in batches, and say what was paid")
given = parser.parse_args()

try:
    ways = {batch: prepare_run(given.agent, scenarios=given.scenarios, batch=batch) for batch in (False, True)}
except ts.errors.ConfigurationError as error:
    sys.exit(f"batch_or_not.py: {error}")

print(f"{'':10} {'requests':>8} {'one after the other':>20} {'at least, USD':>14} {'at least, hours':>16}")
for batch, run in ways.items():
    needs = estimate(run)
    calls = sum(party.calls for party in needs.parties.values())
    costs = [party.cost_usd for party in needs.parties.values()]
    dollars = "no price" if None in costs else f"{sum(costs):.4f}"
    # Requests of one conversation wait for each other; those of others go on at the same time.
    ordinary = max(needs.rounds, calls / run.threads) * given.seconds / 3600
    hours = needs.rounds * given.hours if batch else ordinary
    print(f"{'batches' if batch else 'ordinary':10} {calls:8} {needs.rounds:20} {dollars:>14} {hours:16.2f}")

if given.play:
    played = ts.run(given.agent, scenarios=given.scenarios, batch=True, progress=False)
    used = json.loads((played.path / "result_summary.json").read_text("utf-8"))["usage"]["agent"]
    score = played.results["similarity"].mean()
    print(f"played: score {score:.3f}, {used['paid_usd']:.4f} USD paid, replies from {used['origins']}")
