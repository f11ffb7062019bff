"""Stored runs, and which of their scenarios can be compared."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.clustering import clustered_by
from tool_sandbox.records.result import Result
from tool_sandbox.runner.lineage import family_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.summary import counted_categories
from tool_sandbox.runner.sweep_directory import sweep_label
from tool_sandbox.runner.verdicts import is_evaluated

Key = tuple[str, int]
"""Name and seed of a scenario: what is played in several trials, and paired."""


@attrs.frozen
class StoredRun:
    """A run as it is on the disk.

    Attributes:
        label: What it is called in tables, different from all others.
        path: Its directory.
        description: Content of ``run.json``.
        results: One entry per conversation that was played.
    """

    label: str
    path: Path
    description: Mapping[str, Any]
    results: Sequence[Result]

    @property
    def planned(self) -> int:
        """Conversations that were to be played."""
        return len(self.description["episodes"])

    @property
    def trials(self) -> dict[Key, list[Result]]:
        """All results of each scenario, in the order of the run."""
        grouped: dict[Key, list[Result]] = {}
        for result in self.results:
            grouped.setdefault(key_of(result), []).append(result)
        return grouped

    @property
    def clustered_by(self) -> str:
        """What intervals treat as drawn at random, see ``clustered_by``."""
        return clustered_by(family_of(result) for result in self.results if is_evaluated(result))


@attrs.frozen
class Pair:
    """One scenario with the evaluated trials of two runs, at least one of each.

    Attributes:
        name: Of the scenario.
        seed: Seed of its world.
        before: Results of the baseline.
        after: Results of the other run.
    """

    name: str
    seed: int
    before: tuple[Result, ...]
    after: tuple[Result, ...]

    @property
    def family(self) -> str:
        """Group of scenarios that are not independent of this one."""
        return family_of(self.before[0])

    @property
    def categories(self) -> list[str]:
        """Categories that count it, see ``counted_categories``."""
        return counted_categories(self.before[0]["categories"])


@attrs.frozen
class Common:
    """What several runs can be ranked by: scenarios and seeds that all played that have a result.

    Attributes:
        places: Those.
        left_out: Conversations of each run that are of others.
    """

    places: frozenset[Key]
    left_out: tuple[int, ...]

    def of(self, results: Sequence[Result]) -> list[Result]:
        """Those of some results that all runs have; all of them where no scenario is common."""
        return [result for result in results if key_of(result) in self.places] if self.places else list(results)

    @property
    def text(self) -> str | None:
        """What numbers of the runs are over, ``None`` if all played the same."""
        if not any(self.left_out):
            return None
        if not self.places:
            return "no scenario was played by all runs, so the numbers are not comparable"
        number = "one scenario" if len(self.places) == 1 else f"{len(self.places):,} scenarios"
        return f"over the {number} that all runs played; conversations of others are left out"


@attrs.frozen
class Pairing:
    """What two runs have in common.

    Attributes:
        pairs: Scenarios that both evaluated, in the order of the baseline.
        only_before: Scenarios that only the baseline played.
        only_after: Scenarios that only the other run played.
        not_evaluated: Scenarios that both played, and at least one of them without a trial that counts.
        incomparable: Scenarios that start or are scored differently in both runs.
        unidentified: Number of pairs of which one does not say which version of its scenario it was.
    """

    pairs: tuple[Pair, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    not_evaluated: tuple[str, ...]
    incomparable: tuple[str, ...]
    unidentified: int

    @property
    def clustered_by(self) -> str:
        """What intervals treat as drawn at random, see ``clustered_by``."""
        return clustered_by(pair.family for pair in self.pairs)


def read_runs(paths: Sequence[Path]) -> list[StoredRun]:
    """Reads runs without changing them."""
    stored = [RunDirectory(path) for path in paths]
    described = [directory.read_run() for directory in stored]
    names = labels([sweep_label(path) for path in paths], described)
    return [
        StoredRun(name, directory.path, description, directory.read_results())
        for name, directory, description in zip(names, stored, described, strict=True)
    ]


def labels(labelled: Sequence[str | None], described: Sequence[Mapping[str, Any]]) -> list[str]:
    """Short names that tell runs apart."""
    users = {str(run.get("user")) for run in described}
    names = []
    for label, run in zip(labelled, described, strict=True):
        name, user = str(run.get("agent")) if label is None else label, str(run.get("user"))
        # A sweep with several users says in its labels who the user is.
        is_said = len(users) == 1 or (label is not None and label.endswith(f", {user}"))
        names.append(name if is_said else f"{name} with {user}")
    counts, numbers = Counter(names), {name: itertools.count(1) for name in names}
    return [f"{name} #{next(numbers[name])}" if counts[name] > 1 else name for name in names]


def in_common(runs: Sequence[Sequence[Result]]) -> Common:
    """Finds what several runs have in common; scenarios that start or are scored differently are not."""
    firsts = [{key_of(result): result for result in results} for results in runs if results]
    places = {
        key
        for key, first in (firsts[0] if firsts else {}).items()
        if all(key in each and _same_scenario(first, each[key]) is not False for each in firsts)
    }
    left_out = tuple(sum(key_of(result) not in places for result in results) for results in runs)
    return Common(frozenset(places), left_out)


def pair_up(baseline: StoredRun, other: StoredRun) -> Pairing:
    """Finds what two runs have in common."""
    before, after = baseline.trials, other.trials
    pairs: list[Pair] = []
    not_evaluated, incomparable = [], []
    unidentified = 0
    for key in before.keys() & after.keys():
        name, seed = key
        is_same = _same_scenario(before[key][0], after[key][0])
        valid = [tuple(filter(is_evaluated, each[key])) for each in (before, after)]
        if is_same is False:
            incomparable.append(key)
        elif not all(valid):
            not_evaluated.append(key)
        else:
            unidentified += is_same is None
            pairs.append(Pair(name, seed, *valid))
    order = {key: position for position, key in enumerate(before)}
    pairs.sort(key=lambda pair: order[pair.name, pair.seed])
    return Pairing(
        tuple(pairs),
        _names(before.keys() - after.keys()),
        _names(after.keys() - before.keys()),
        _names(not_evaluated),
        _names(incomparable),
        unidentified,
    )


def key_of(result: Result) -> Key:
    """What a result is of, its trial aside."""
    return result["name"], result.get("seed") or 0


def _names(keys: "Sequence[Key] | set[Key]") -> tuple[str, ...]:
    return tuple(place(*key) for key in sorted(keys))


def place(name: str, seed: int) -> str:
    """Name of a scenario, with the seed of its world unless that is the first."""
    return f"{name} (seed {seed})" if seed else name


def _same_scenario(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool | None:
    """Whether two results are of the same scenario, by its fingerprints or else its suite; ``None`` if unknown."""
    for key, parts in (("scenario_hash", ("start", "evaluation")), ("suite", ("content_hash",))):
        hashes = [tuple((result.get(key) or {}).get(part) for part in parts) for result in (before, after)]
        if None not in itertools.chain(*hashes):
            return hashes[0] == hashes[1] or (None if key == "suite" else False)
    return None


_COMPARED = {
    "user": "users",
    "profile": "rules of scoring",
    "instruction": "instructions of the agent",
    "tools": "offers of tools",
    "services": "services behind the search tools",
    "preferred_tool_backend": "tool backends",
}


def differing_settings(baseline: StoredRun, other: StoredRun) -> Iterator[str]:
    """Lists what differs between two runs besides the agent, one line each."""
    for key, what in _COMPARED.items():
        values = [_setting(key, run.description.get(key)) for run in (baseline, other)]
        if values[0] != values[1]:
            yield f"different {what}: {values[0]} and {values[1]}"
    for key, told in (("name", "suites"), ("version", "versions of the suite")):
        names = [(run.description.get("suite") or {}).get(key) for run in (baseline, other)]
        if names[0] != names[1]:
            yield f"different {told}: {names[0] or 'of this package'} and {names[1] or 'of this package'}"
            return


def _setting(key: str, value: Any) -> str:
    """A setting in one word, the same for what has the same effect."""
    if isinstance(value, Mapping):
        value = value.get("choice", value.get("mode")) if key == "services" else str(value.get("sha256"))[:12]
    if value is None:
        return {"profile": "that of each scenario", "tools": "all"}.get(key, "unknown")
    return str(value)
