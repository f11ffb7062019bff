"""Plays runs as the command line does, for programs and notebooks."""

import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.analysis import data_loading
from tool_sandbox.api.runs import Run
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.store import RUN_FILE
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.roles.base_role import BaseRole
    from tool_sandbox.runner.run import PreparedRun
    from tool_sandbox.scenarios.definition import Definition

    OneScenario = str | Scenario | Definition


def run(
    agent: str | Callable[..., Any] = "Oracle",
    *,
    user: "str | Callable[[], BaseRole] | None" = None,
    scenarios: "OneScenario | Iterable[OneScenario] | Mapping[str, Scenario] | None" = None,
    seed: int | Sequence[int] | None = None,
    trials: int | None = None,
    category: str | Sequence[str] = (),
    family: str | Sequence[str] = (),
    augmentation: str | Sequence[str] = (),
    opt_in: bool = False,
    test_mode: bool = False,
    profile: str | None = None,
    suite: str | Path | None = None,
    clock: str | None = None,
    suite_time: str | None = None,
    system_prompt: str | Path | None = None,
    budget: float | None = None,
    max_tokens_total: int | None = None,
    judge: str | None = None,
    cache: str | Path | None = None,
    prices: str | Path | None = None,
    concurrency: int | None = None,
    processes: int | None = None,
    output_dir: str | Path = "data",
    services: str = "offline",
    preferred_tool_backend: str = "DEFAULT",
    progress: bool | None = None,
) -> Run:
    """Plays scenarios and scores them, as the command line does; arguments are named like its flags.

    It can be called from a script, a thread, or a notebook, whose event loop is left alone. An interrupt (Control-C, or
    the button of a notebook) sums up what was played before it is raised; `load` reads it.

    Args:
        agent: The agent: a name as on the command line (``Oracle``, ``openai/MODEL``, ``codex``,
            ``path/to/file.py:MyAgent``), or a custom loop: a class with ``respond(self, messages, tools)``, a
            function ``(messages, tools) -> reply``, or what `agent` made of one. A subclass of ``BaseRole`` will do,
            too.
        user: The user, ``Scripted`` by default: a name, or a subclass of ``BaseRole``.
        scenarios: Names or patterns (``"wifi*"``), by default all; or `Scenario` objects, functions with `scenario`, or
            a dictionary of names to `Scenario` objects.
        seed: Seeds of the worlds, by default 0, the canonical one.
        trials: Trials per scenario, by default 1.
        category: Only scenarios with one of these tags.
        family: Only scenarios of one of these families.
        augmentation: Only these augmentations.
        opt_in: Also the opt-in augmentations.
        test_mode: Only a few scenarios, as a smoke test.
        profile: Scoring rules, ``strict`` or ``published``; by default those of each scenario.
        suite: A suite from elsewhere, whose code is run: a package, a Python file, or the name of an installed module.
        clock: Time in such a suite: ``frozen``, ``ticking`` or ``system``.
        suite_time: Load such a suite as if it were this time (ISO 8601).
        system_prompt: What the agent is told in place of every scenario's instruction: the text, or the ``Path`` of a
            file.
        budget: Stop when this many US dollars are spent, by the price table.
        max_tokens_total: Stop when this many tokens are used.
        judge: Model that gives a second opinion on answers and decides unclear ones.
        cache: Directory in which answers are kept; a request that is in there is not paid for again.
        prices: File with your own prices.
        concurrency: Conversations at once, by default what suits the providers.
        processes: Worker processes; agent, user and scenarios have to be importable by name then.
        output_dir: Directory of all runs, in which a new one is made.
        services: Backend of the search tools: ``offline``, ``rapidapi``, ``record:PATH`` or ``replay:PATH``.
        preferred_tool_backend: Backend of tools that have several.
        progress: Whether to show how far it is, on standard error. By default on a terminal, and elsewhere only a line
            at the beginning; with ``False`` nothing at all is written.

    Returns:
        The run, whose files are all written. Conversations that could not be played are in it, and in its ``problems``.

    Raises:
        ConfigurationError: One line that says what is wrong: an unknown agent, model or scenario, a key or package that
            is missing, values that make no sense, a directory that cannot be written to.
    """
    request = Request(
        agent=agent,
        user=user,
        scenarios=chosen_scenarios(scenarios),
        seed=seed if seed is None or isinstance(seed, Sequence) else [seed],
        trials=trials,
        category=_several(category),
        family=_several(family),
        augmentation=_several(augmentation),
        opt_in=opt_in,
        test_mode=test_mode,
        profile=profile,
        suite=None if suite is None else str(suite),
        clock=clock,
        suite_time=suite_time,
        system_prompt=system_prompt if isinstance(system_prompt, Path) else None,
        instruction=system_prompt if isinstance(system_prompt, str) else None,
        budget=budget,
        max_tokens_total=max_tokens_total,
        judge=judge,
        cache=_path(cache),
        prices=_path(prices),
        concurrency=concurrency,
        processes=processes,
        services=services,
        preferred_tool_backend=preferred_tool_backend,
    )
    return _played(request.prepare(), output_dir, progress)


def _played(prepared: "PreparedRun", output_dir: str | Path, progress: bool | None) -> Run:
    from tool_sandbox.cli.playing import play_shown
    from tool_sandbox.runner.floor import floors_of

    finished = play_shown(
        prepared,
        output_dir,
        None if progress is False else sys.stderr,
        shows_progress=sys.stderr.isatty() if progress is None else progress,
        signals=[signal.SIGINT],
    )
    if finished.summary["run"]["interrupted"]:
        raise KeyboardInterrupt(f"what was played is in {finished.path}")
    if (finished.path / RUN_FILE).exists():
        floors_of(finished.path, prepared.source)
    return Run(data_loading.LoadedRun(finished.path, finished.summary))


def chosen_scenarios(given: Any) -> "Sequence[str] | Mapping[str, Scenario] | None":
    """What names, patterns and objects mean.

    Args:
        given: As for `run`.

    Returns:
        Names and patterns, or name to scenario.

    Raises:
        ConfigurationError: They are neither, or both at once.
    """
    if given is None or isinstance(given, Mapping):
        return given
    each = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if all(isinstance(one, str) for one in each):
        return each
    if any(isinstance(one, str) for one in each):
        raise ConfigurationError("scenarios are names or objects, and not both at once")
    built = [_built(one) for one in each]
    named = {scenario.name: scenario for scenario in built}
    if len(named) < len(built) or "" in named:
        raise ConfigurationError("two scenarios have the same name, or one has none; give a dictionary of names")
    return named


def _built(given: Any) -> Scenario:
    if isinstance(given, Scenario):
        return given
    from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
    from tool_sandbox.scenarios.build import build
    from tool_sandbox.scenarios.definition import Definition

    if not isinstance(given, Definition):
        raise ConfigurationError(f"{given!r:.80} is neither the name of a scenario nor a scenario")
    return build(given, AUGMENTATIONS[:1])[given.name]


def _several(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else list(given)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
