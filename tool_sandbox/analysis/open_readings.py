"""What unclear readings leave open in a comparison."""

import math
from collections.abc import Iterator

from tool_sandbox.analysis.pairing import Pairing, StoredRun
from tool_sandbox.analysis.registry import share_of_successes
from tool_sandbox.helpers.counting import counted
from tool_sandbox.records.result import Result
from tool_sandbox.runner.verdicts import is_open


def open_text(baseline: StoredRun, other: StoredRun, pairing: Pairing, headline: str) -> Iterator[str]:
    """How many conversations are open, and how much that could move the difference."""
    numbers = [
        sum(is_open(result) for pair in pairing.pairs for result in getattr(pair, side)) for side in ("before", "after")
    ]
    if not any(numbers):
        return
    # The difference is least where what is open went well before and badly now.
    least, most = (
        math.fsum(
            share_of_successes([_at_end(each, now) for each in pair.after])
            - share_of_successes([_at_end(each, 1 - now) for each in pair.before])
            for pair in pairing.pairs
        )
        / len(pairing.pairs)
        for now in (0, 1)
    )
    told = " and ".join(
        f"{counted(number, 'conversation')} of {run.label}"
        for number, run in zip(numbers, (baseline, other), strict=True)
    )
    what = headline.replace("_", " ")
    yield (
        f"open: {told} depend on unclear answers; by their decisions, the difference in {what} is "
        f"from {least:+.3f} to {most:+.3f}"
    )


def _at_end(result: Result, end: int) -> Result:
    """A result as it is at the lower (0) or the upper end (1) of its score, if it is open."""
    interval = result.get("score_interval")
    return {**result, "success": interval[end] == 1} if is_open(result) and interval else result
