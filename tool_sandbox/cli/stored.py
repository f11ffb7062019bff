"""Finding a stored run, and what it was played with."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.conversation.tool_discovery import additional_tools
from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.remote import fetched
from tool_sandbox.runner.store import RUN_FILE, TRAJECTORIES, RunDirectory
from tool_sandbox.runner.sweep_directory import SWEEP_FILE, SweepDirectory
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.profile import Profile

if TYPE_CHECKING:
    from tool_sandbox.runner.suites import Suite


def run_path(given: str) -> Path:
    """The directory of a run."""
    path = fetched(given)
    path = path.parent if path.is_file() else path
    if not (path / RUN_FILE).is_file():
        if (path / TRAJECTORIES).is_dir():
            raise ConfigurationError(
                f"{given} was stopped before its {RUN_FILE} was written: nothing was played; remove it and start again"
            )
        raise ConfigurationError(_no_run(given))
    return path


def _no_run(given: str) -> str:
    """Why there is no run in a place, and where one is."""
    path = Path(given)
    if not path.exists():
        return f"{given} is not the directory of a run: there is no such directory"
    if path.is_file():
        return f"{given} is not the directory of a run, nor a file in one"
    runs = sorted(path.glob(f"*/{RUN_FILE}"))
    if runs:
        return f"{given} is not the directory of a run, but of {len(runs)}; name one, such as {runs[0].parent}"
    sweep = next(iter(sorted(path.glob(f"*/{SWEEP_FILE}"))), None)
    if sweep is not None:
        return f"{given} is not the directory of a run, but of sweeps; name one, such as {sweep.parent}"
    return f"{given} is not the directory of a run: it has no {RUN_FILE}"


def run_paths(given: Iterable[str | Path]) -> list[Path]:
    """The directories of runs."""
    found: dict[Path, None] = {}
    for place in given:
        path = fetched(place)
        path = path.parent if path.name == SWEEP_FILE else path
        if (path / SWEEP_FILE).is_file():
            found.update(dict.fromkeys(_runs_of_sweep(SweepDirectory(path))))
            continue
        inner = sorted(file.parent for file in path.glob(f"*/{RUN_FILE}")) if path.is_dir() else []
        if (path / RUN_FILE).is_file() or not inner:
            inner = [run_path(str(path))]
        found.update(dict.fromkeys(inner))
    return list(found)


def compared_paths(given: Sequence[str | Path]) -> list[Path]:
    """The directories of runs that are to be compared, see `run_paths`."""
    paths = run_paths(given)
    if len(given) > 1 and len({path.resolve() for path in paths}) == 1:
        raise ConfigurationError(f"{paths[0]} is there more than once; name another run to compare it with")
    return paths


def _runs_of_sweep(sweep: SweepDirectory) -> list[Path]:
    """The runs that are there; says which are not, because numbers without them look like those of the whole."""
    runs = list(sweep.runs().values())
    for label, path in sweep.missing().items():
        told = f"the run {label} of {sweep.path} is missing: {path.name} has no {RUN_FILE}; going on without it"
        print(f"tool_sandbox: {printable(told)}", file=sys.stderr)
    return runs


def played_suite(run: Mapping[str, Any], place: str | None) -> "Suite | None":
    """Loads the suite that a run was played with, by the rules and with the services of the run."""
    if run.get("suite") is None:
        return None
    profile = None if run["profile"] is None else Profile(run["profile"])
    return suite_of(run, place, profile, run["services"].get("choice", "offline"))


@contextmanager
def known_tools(runs: Iterable[Path], place: str | None) -> Iterator[None]:
    """Counts the tools of the suite that runs were played with among those of this package inside a ``with`` block."""
    played = [RunDirectory(path).read_run() for path in runs]
    foreign = {str(run["suite"].get("name")): run for run in played if run["suite"] and "name" in run["suite"]}
    if len(foreign) > 1:
        raise ConfigurationError(f"the runs were played with several suites ({', '.join(foreign)}); take one at a time")
    if not foreign and place is not None:
        raise ConfigurationError("the run was played with the suite of this package; leave out --suite")
    suite = played_suite(next(iter(foreign.values())), place) if foreign else None
    tools = {} if suite is None else suite.tools
    with additional_tools(lambda backend: dict(tools)):
        yield


def suite_of(
    run: Mapping[str, Any], place: str | None, profile: Profile | None, services: str = "offline"
) -> "Suite | None":
    """Loads the suite that a run was played with, as it was loaded then."""
    from tool_sandbox.runner.suites import load_suite

    played = run["suite"]
    name = played.get("name")
    if place is None and name is None:
        return None
    if place is None:
        raise ConfigurationError(f"the run was played with suite {name}; give its path with --suite PATH")
    suite = load_suite(
        place,
        clock=played.get("clock", "frozen"),
        suite_time=played.get("time"),
        profile=profile,
        services=services,
        preferred_tool_backend=run["preferred_tool_backend"],
    )
    if suite.name != name:
        raise ConfigurationError(f"the run was played with suite {name or 'of this package'}, not with {suite.name}")
    return suite
