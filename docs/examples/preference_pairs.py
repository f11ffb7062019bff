"""Preference pairs from a run with trials: the best and the worst conversation of each scenario, after one opening.

python docs/examples/preference_pairs.py conversations.parquet -o pairs.jsonl
"""

import argparse
import json
import sys
from pathlib import Path

import polars as pl

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("table", type=Path, help="from tool_sandbox export --to parquet")
parser.add_argument("-o", "--output", type=Path, default=Path("pairs.jsonl"), help="default: %(default)s")
parser.add_argument("--gap", type=float, default=0.5, help="least difference of scores, default: %(default)s")
given = parser.parse_args()


def chat(messages):
    """Messages as trainers of preferences take them: only what belongs to the chat."""
    kept = ("role", "content", "tool_calls", "tool_call_id")
    return [{key: message[key] for key in kept if message[key] is not None} for message in messages]


try:
    table = pl.read_parquet(given.table).sort("score")
except (OSError, pl.exceptions.PolarsError) as error:
    sys.exit(f"preference_pairs.py: {given.table} is not a table of tool_sandbox export --to parquet: {error}")

pairs, groups = [], 0
for _, group in table.group_by("scenario", "seed", maintain_order=True):
    groups += 1
    worst, best = group.row(0, named=True), group.row(-1, named=True)
    if best["score"] - worst["score"] < given.gap:
        continue
    rejected, chosen = chat(worst["messages"]), chat(best["messages"])
    # Both begin with what the agent was told before its first message.
    opening = next(place for place, message in enumerate(chosen) if message["role"] == "assistant")
    pair = {"prompt": chosen[:opening], "chosen": chosen[opening:], "rejected": rejected[opening:]}
    pairs.append(pair | {"tools": best["tools"], "family": best["family"], "gap": best["score"] - worst["score"]})

given.output.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), "utf-8")
print(f"{len(pairs)} pairs of {groups} scenarios: {given.output}")
