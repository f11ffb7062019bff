"""Stored runs for tests that compare them: as small as possible, and written as the program writes them."""

import datetime
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.records import plain_result, plain_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.usage import NUMBERS

Outcomes = Mapping[str, Iterable[float | None]]
"""Scenario to the score of each trial, ``None`` for an infrastructure error."""


def family(name: str) -> str:
    """``a_1`` is of family ``a``."""
    return name.rpartition("_")[0] or name


def result(name: str, trial: int, score: float | None, **changes: Any) -> dict[str, Any]:
    """One result as in ``result.json``."""
    usual = {
        "categories": ["SINGLE_USER_TURN", "LONG_CHAIN" if name.endswith("1") else "PRIVACY"],
        "directory": name if trial == 0 else f"{name}__trial_{trial}",
        "trial": trial,
        "outcome": "infrastructure_error" if score is None else "completed",
        "evaluated": score is not None,
        "reason": "HTTP 503" if score is None else None,
        "user_findings": [],
        "family": family(name),
        "base_name": name,
        "suite": {"version": "1.0.0", "content_hash": "c"},
        "scenario_hash": {"start": "s", "evaluation": "e"},
    }
    return plain_result(name, score or 0.0, **usual | changes)


def store(base: Path, agent: str, scores: Outcomes, planned: int | None = None, **changes: Any) -> Path:
    """Writes a run; ``changes`` are keys of every result, or functions of its name and trial."""
    results = [
        result(
            name,
            trial,
            score,
            **{key: value(name, trial) if callable(value) else value for key, value in changes.items()},
        )
        for name, trials in scores.items()
        for trial, score in enumerate(trials)
    ]
    return store_results(base, agent, results, planned)


def store_results(
    base: Path, agent: str, results: list[dict[str, Any]], planned: int | None = None, **described: Any
) -> Path:
    """Writes a run of some results."""
    started = datetime.datetime(2026, 1, 2, 3, 4, 5)
    run = RunDirectory.create(base, agent, "Scripted", started)
    directories = [each["directory"] for each in results]
    directories += [f"missing_{number}" for number in range((planned or len(results)) - len(results))]
    usual = {
        "format": 1,
        "agent": agent,
        "started": "2026-01-02T03:04:05+00:00",
        "instruction": {"version": "1", "sha256": "abc", "text": None},
    }
    run.write_run(plain_run(*directories, **usual | described))
    for each in results:
        run.write_result(each["directory"], json.loads(json.dumps(each)))
    return run.path


def usage(cost: float | None, latency: float = 2.0) -> dict[str, Any]:
    """What an agent used in a conversation, of which nobody else is a model."""
    agent = dict.fromkeys(NUMBERS, 0) | {
        "input_tokens": 10,
        "output_tokens": 5,
        "latency_s": latency,
        "cost_usd": cost,
        "paid_usd": cost,
        "substituted": False,
    }
    return {
        "agent": agent | {key: {} for key in ("faults", "origins", "stops", "served_models")},
        "user": None,
        "judge": None,
    }


def families(count: int, each: int, score: float = 1.0, trials: int = 1) -> dict[str, list[float | None]]:
    """Scores of ``count`` families of ``each`` scenarios."""
    return {f"f{number:02}_{member}": [score] * trials for number in range(count) for member in range(each)}
