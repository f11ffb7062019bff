"""What the conversations so far add up to: counts, scores, pace and cost of one or several runs that are played."""

import bisect
import datetime
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import attrs

from tool_sandbox.cli.tables import money, number, percent
from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.result import Result
from tool_sandbox.runner.usage import used
from tool_sandbox.runner.verdicts import is_evaluated, is_success

SHOWN_FAILURES = 10
"""Different failures that are named while a run is going on; all are in its report."""

SHOWN_RUNS = 10
"""Runs whose scores fit into a line."""

WINDOW_S = 60.0
"""Seconds that the pace is measured over, at least."""

FEWEST = 10
"""Conversations that the pace is measured over, at least, once so many are finished; of several runs together."""


@attrs.define
class Count:
    """What one run has come to.

    Attributes:
        label: What it is called.
        total: Conversations that are to be played.
        played: Conversations that are over.
        evaluated: Those of them that say something about the agent.
        similarity: Sum of their scores.
        successes: How many of these won every point.
        exceptions: How many of these raised.
        paid_usd: US dollars that were paid, as far as prices are known.
        tokens: Tokens of prompts and replies.
        has_models: Whether a model plays.
        is_priced: Whether the price of everything is known.
        finished: When each conversation was over.
        is_over: Whether nothing more of it is played, given up or not.
    """

    label: str
    total: int
    played: int = 0
    evaluated: int = 0
    similarity: float = 0.0
    successes: int = 0
    exceptions: int = 0
    paid_usd: float = 0.0
    tokens: int = 0
    has_models: bool = False
    is_priced: bool = True
    finished: list[float] = attrs.field(factory=list)
    is_over: bool = False

    def add(self, result: Result, now: float) -> None:
        """Counts a result that came in just now."""
        self.played += 1
        self.finished.append(now)
        if is_evaluated(result):
            self.evaluated += 1
            self.similarity += result["similarity"]
            self.successes += is_success(result)
            self.exceptions += result["traceback"] is not None
        for usage in used(result):
            self.has_models = True
            self.tokens += usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
            paid = usage.get("paid_usd")
            self.is_priced &= paid is not None
            self.paid_usd += paid or 0.0

    @property
    def mean_similarity(self) -> float | None:
        """Mean over the conversations that count, ``None`` if there is none."""
        return self.similarity / self.evaluated if self.evaluated else None

    @property
    def success_rate(self) -> float | None:
        """Share of the conversations that count, ``None`` if there is none."""
        return self.successes / self.evaluated if self.evaluated else None

    def __add__(self, other: "Count") -> "Count":
        numbers = ("total", "played", "evaluated", "similarity", "successes", "exceptions", "paid_usd", "tokens")
        return Count(
            self.label,
            **{name: getattr(self, name) + getattr(other, name) for name in numbers},
            has_models=self.has_models or other.has_models,
            is_priced=self.is_priced and other.is_priced,
        )


class Tally:
    """Counts the results of runs that are played together, and says what is worth telling of each."""

    def __init__(
        self,
        runs: Sequence[tuple[str, int]],
        clock: Callable[[], float] = time.monotonic,
        places: Sequence[Hashable] | None = None,
    ) -> None:
        """Has seen nothing; the time starts."""
        self.runs = [Count(printable(label), total) for label, total in runs]
        self.errors: Counter[str] = Counter()
        """Kind of failure to its number."""
        self.waits = 0
        """Waits for another attempt at asking a model, in this process."""
        self._clock = clock
        self._places = places or [None] * len(runs)
        self._started = clock()
        self._finished: list[float] = []
        self._retries = 0
        self._told: set[str] = set()

    def add(self, result: Result, part: int = 0) -> str | None:
        """Counts a result."""
        self._finished.append(self._clock())
        self.runs[part].add(result, self._finished[-1])
        self._retries += sum(usage["retries"] for usage in used(result))
        if not has_failed(result):
            return None
        self.errors[printable(str(result.get("fault") or result.get("exception_type") or result.get("outcome")))] += 1
        line = describe_failure(result)
        why = line.removeprefix(f"{result['directory']}: ")
        if why in self._told or len(self._told) >= SHOWN_FAILURES:
            return None
        self._told.add(why)
        return line

    @property
    def sum(self) -> Count:
        """All runs together."""
        return sum(self.runs, Count("", 0))

    @property
    def retries(self) -> int:
        """Further attempts at asking a model. Waits are heard of at once, but only those of this process."""
        return max(self._retries, self.waits)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._started

    @property
    def quiet_s(self) -> float:
        """Seconds since the last result, or since the start."""
        return self._clock() - (self._finished[-1] if self._finished else self._started)

    @property
    def pace(self) -> float | None:
        """Conversations per second, lately; ``None`` until there are some.

        Short conversations finish first, and easy scenarios may come first, so the pace of the whole run would promise
        too much. It is that of the last quarter of the time so far, and over ``WINDOW_S`` and ``FEWEST`` conversations
        at least. The time since the last result counts, so that it falls while nothing comes in.
        """
        return self._pace(self._finished, min(FEWEST, self.sum.total))

    @property
    def left_s(self) -> float | None:
        """Seconds until the end; ``None`` until each run that goes on has a pace of its own.

        A slow agent goes on when the fast ones are over. Runs that share places do so alike, and what one has no more
        use for goes to the others, so together they need the mean of what each would need at its own `pace`. Runs with
        places of their own end when the last of them does.
        """
        each = -(-FEWEST // len(self.runs))
        left: dict[Hashable, list[float]] = {}
        for run, places in zip(self.runs, self._places, strict=True):
            if run.is_over or run.played >= run.total:
                continue
            pace = self._pace(run.finished, min(each, run.total))
            if pace is None:
                return None
            left.setdefault(places, []).append((run.total - run.played) / pace)
        is_known = self.pace is not None
        return max((sum(times) / len(times) for times in left.values()), default=0.0) if is_known else None

    def _pace(self, finished: Sequence[float], fewest: int) -> float | None:
        count, now = len(finished), self._clock()
        if count < fewest:
            return None
        start = now - max(WINDOW_S, (now - self._started) / 4)
        start = max(self._started, min(start, finished[-FEWEST] if count > FEWEST else self._started))
        lately = count - bisect.bisect_right(finished, start) if start > self._started else count
        return lately / (now - start) if now > start else None

    @property
    def projected_usd(self) -> float | None:
        """US dollars that all will have cost: each run at its mean so far, runs without a result at that of all.

        ``None`` until there is a result, and where a price is unknown.
        """
        total = self.sum
        if not total.played or not total.is_priced:
            return None
        return sum(
            run.total * (run.paid_usd / run.played if run.played else total.paid_usd / total.played)
            for run in self.runs
        )


def has_failed(result: Result) -> bool:
    """Whether a conversation raised, or says nothing about the agent."""
    return result["traceback"] is not None or not is_evaluated(result)


def describe_failure(result: Result) -> str:
    """Says in one line what ended a conversation."""
    kind = result["exception_type"] or result.get("outcome")
    reason = result.get("reason")
    if reason is None:
        lines = [line for line in str(result["traceback"]).splitlines() if line and not line[0].isspace()]
        # The line that names the exception; a message can go on below it, and a cause is printed above it.
        named = [line for line in lines if line.partition(":")[0].rpartition(".")[2] == kind]
        reason = named[-1].partition(": ")[2].strip() if named else ""
    return printable(f"{result['directory']}: {kind}{': ' if reason else ''}{reason[:300]}")


def span(seconds: float) -> str:
    """A length of time such as ``0:42`` or ``1:22:10``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def end_time(left_s: float) -> str:
    """The time of day in so many seconds, with the day if it is another one."""
    now = datetime.datetime.now().astimezone()
    end = now + datetime.timedelta(seconds=left_s)
    return end.strftime("%H:%M" if end.date() == now.date() else "%a %H:%M" if left_s < 6 * 86400 else "%Y-%m-%d")


def per_minute(pace: float) -> str:
    """A pace in conversations per minute."""
    rate = pace * 60
    return f"{rate:,.0f}/min" if rate >= 10 else f"{rate:.1f}/min" if rate >= 0.1 else f"{rate * 60:.1f}/h"


def short_count(number: int) -> str:
    """A large number in few characters, such as ``1.2M``."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def describe_pace(tally: Tally) -> list[str]:
    """Conversations per minute, and the end that this leads to, as far as they are known."""
    said = [] if tally.pace is None else [per_minute(tally.pace)]
    left = tally.left_s
    return [*said, f"about {span(left)} left (until {end_time(left)})"] if left else said


def describe_cost(tally: Tally) -> str:
    """What was paid until now, and what will have been at the end."""
    total, projected = tally.sum, tally.projected_usd
    paid = money(total.paid_usd if total.is_priced else None)
    return paid if projected is None or total.played >= total.total else f"{paid} of about {money(projected)}"


def describe_troubles(tally: Tally) -> list[str]:
    """Failures and retries, those there are."""
    total = tally.sum
    counts = {
        "excluded": total.played - total.evaluated,
        "with exceptions": total.exceptions,
        "retries": tally.retries,
    }
    return [f"{count} {what}" for what, count in counts.items() if count]


def scores(run: Count) -> tuple[str, str]:
    """Mean score and success rate of a run as text."""
    return number(run.mean_similarity, 3), percent(run.success_rate)
