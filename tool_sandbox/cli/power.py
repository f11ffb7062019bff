"""The command that says how much to play to see a difference."""

import argparse
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tool_sandbox.analysis.clustering import BASE_SCENARIO, cluster_of
from tool_sandbox.analysis.statistics.intervals import SHARE
from tool_sandbox.analysis.statistics.paired import DIFFERENCE_OF_SHARES, least_flip_p_value
from tool_sandbox.analysis.statistics.power import (
    CORRELATION,
    TRIALS,
    Noise,
    families_needed,
    noise_of_assumptions,
    noise_of_pairs,
    noise_of_run,
    smallest_difference,
    trials_needed,
)
from tool_sandbox.cli.arguments import add_options
from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import Parser, open_share, positive, share
from tool_sandbox.cli.tables import text_table
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.play.trajectory_files import to_json
from tool_sandbox.runner.request import Request
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.analysis.metric import Metric
    from tool_sandbox.analysis.pairing import StoredRun

FAMILIES = (1, 2, 4)
"""Columns of the table: so many times the families that there are."""

MOST_SCENARIOS = 1_000_000

_PART = ("tier", "axis", "subset", "augmentation")
"""Flags that choose the part of the suite whose numbers are assumed."""

_EPILOG = """\
With two runs or more (or a sweep), the variance between families, scenarios and trials is estimated from differences
between the first and the others; with one run, from its own results, and --correlation is assumed with another agent;
without a run, from the assumptions. Runs of several trials separate chance from difficulty; one trial gives a guess.
If all results are the same, an upper bound of the variance is used.

exit codes: 0 done, 2 usage error

examples:
  tool_sandbox power --difference 0.03 --success 0.6 --icc 0.7
  tool_sandbox power --tier hard --subset 40 --success 0.4
  tool_sandbox power RUN --difference 0.03
  tool_sandbox power BASELINE RUN --metric similarity
"""


def parser() -> Parser:
    """The parser of ``tool_sandbox power``."""
    command = Parser(
        prog="tool_sandbox power",
        description="Computes how many trials are needed to detect a difference between two agents, and the smallest "
        "difference that can be detected.",
        epilog=_EPILOG,
    )
    command.add_argument(
        "runs", nargs="*", metavar="RUN", help="runs to estimate the variance from (default: assumptions)"
    )
    command.add_argument(
        "-d",
        "--difference",
        type=open_share,
        default=0.03,
        metavar="D",
        help="difference to detect (default: %(default)s)",
    )
    command.add_argument(
        "--power", type=open_share, default=0.8, metavar="P", help="statistical power (default: %(default)s)"
    )
    command.add_argument(
        "--alpha", type=open_share, default=0.05, metavar="P", help="significance level (default: %(default)s)"
    )
    command.add_argument(
        "--metric", default="success", metavar="NAME", help="metric of the runs (default: %(default)s)"
    )
    command.add_argument(
        "--correlation",
        type=share,
        metavar="R",
        help="between two agents on a scenario, beyond chance (default: 0.5)",
    )
    assumed = command.add_argument_group("assumptions, without a run")
    assumed.add_argument(
        "--success", type=open_share, metavar="P", help="success rate (default: 0.5, the largest variance)"
    )
    assumed.add_argument("--icc", type=share, metavar="R", help="intraclass correlation of trials (default: 0.5)")
    assumed.add_argument(
        "--family-icc", type=share, metavar="R", help="the same of scenarios of a family (default: 0.1)"
    )
    assumed.add_argument("--scenarios", type=_count, metavar="N", help="number of scenarios (default: the suite)")
    assumed.add_argument("--families", type=_count, metavar="N", help="number of families (default: the suite)")
    add_options(assumed, *_PART)
    command.add_argument("--json", type=OutputFile, metavar="FILE", help="write everything here")
    return command


def _count(text: str) -> int:
    number = positive(text)
    if number > MOST_SCENARIOS:
        raise argparse.ArgumentTypeError(f"{text[:20]} is more than {MOST_SCENARIOS:,}")
    return number


def command(arguments: argparse.Namespace) -> int:
    """Prints how much to play."""
    if arguments.power <= arguments.alpha:
        raise ConfigurationError(f"--power {arguments.power} is not above --alpha {arguments.alpha}")
    noise, source = _noise_of_runs(arguments) if arguments.runs else _assumed(arguments)
    if noise.standard_error(1) == 0:
        raise ConfigurationError("there is no variance under these assumptions; assume a lower correlation")
    for line in (*_source(noise, source), "", *_table(noise, arguments), "", *_answer(noise, arguments)):
        print(printable(line))
    if arguments.json is not None:
        _write(arguments, noise, source)
    return 0


def _assumed(arguments: argparse.Namespace) -> tuple[Noise, str]:
    success, icc = _or(arguments.success, 0.5), _or(arguments.icc, 0.5)
    family_icc = _or(arguments.family_icc, min(0.1, icc))
    scenarios, families = arguments.scenarios, arguments.families
    if (part := _chosen_by(arguments)) and (scenarios or families):
        number = "scenarios" if scenarios else "families"
        raise ConfigurationError(f"--{part} chooses scenarios, whose numbers are known; leave out --{number}")
    if scenarios is None or families is None:
        infos = Request.of(vars(arguments) | {"scenarios": None}).infos(None, None)
        count = len(infos), len({info.family for info in infos})
        scenarios, families = scenarios or count[0], families or min(count[1], scenarios or count[1])
    if families > scenarios:
        raise ConfigurationError(f"{counted(scenarios, 'scenario')} cannot be of {counted(families, 'family')}")
    if family_icc > icc:
        raise ConfigurationError(
            f"--family-icc {family_icc:g} is above --icc {icc:g}, which includes the variance between families"
        )
    correlation = _or(arguments.correlation, CORRELATION)
    noise = noise_of_assumptions(
        success, scenarios=scenarios, families=families, icc=icc, family_icc=family_icc, correlation=correlation
    )
    told = f"success {success:g}, icc {icc:g}, family icc {family_icc:g}, correlation {correlation:g}"
    return noise, f"assumed: {told}"


def _chosen_by(arguments: argparse.Namespace) -> str:
    """The first flag that chooses a part of the suite, if there is one."""
    return next((flag for flag in _PART if getattr(arguments, flag)), "")


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _noise_of_runs(arguments: argparse.Namespace) -> tuple[Noise, str]:
    from tool_sandbox.analysis.metric import Metric
    from tool_sandbox.analysis.pairing import read_runs
    from tool_sandbox.analysis.registry import metric
    from tool_sandbox.cli.stored import run_paths

    for flag in ("success", "icc", "family_icc", "scenarios", "families", _chosen_by(arguments)):
        if flag and getattr(arguments, flag) is not None:
            raise ConfigurationError(f"--{flag.replace('_', '-')} is an assumption; with runs it is estimated")
    what = metric(arguments.metric)
    if not isinstance(what, Metric) or what.trials > 1:
        raise ConfigurationError(f"the variance of {what.name} cannot be decomposed; choose success or similarity")
    runs = read_runs(run_paths(arguments.runs))
    one = (
        "; of one family, so its base scenarios take the place of families"
        if runs[0].clustered_by == BASE_SCENARIO
        else ""
    )
    if len(runs) == 1:
        correlation = _or(arguments.correlation, CORRELATION)
        return _own_noise(runs[0], what, correlation), f"{runs[0].label}, correlation {correlation:g}{one}"
    if arguments.correlation is not None:
        raise ConfigurationError("--correlation is an assumption for one run; with several it is estimated")
    pairs = [(run, _pair_noise(runs[0], run, what)) for run in runs[1:]]
    # The noisiest is the one to plan for.
    run, noise = max(pairs, key=lambda pair: pair[1].standard_error(1))
    return noise, f"{run.label} against {runs[0].label}{one}"


def _own_noise(run: "StoredRun", what: "Metric", correlation: float) -> Noise:
    from tool_sandbox.runner.verdicts import is_evaluated

    scenarios = [valid for trials in run.trials.values() if (valid := list(filter(is_evaluated, trials)))]
    if not scenarios:
        raise ConfigurationError(f"no conversation of {run.label} is evaluated")
    clusters = [cluster_of(trials[0], run.clustered_by) for trials in scenarios]
    with _told_of(what, run.label):
        return noise_of_run(_values(what, scenarios), clusters, correlation, what.bounds)


def _pair_noise(baseline: "StoredRun", run: "StoredRun", what: "Metric") -> Noise:
    from tool_sandbox.analysis.pairing import pair_up

    pairing = pair_up(baseline, run)
    if not pairing.pairs:
        raise ConfigurationError(f"{baseline.label} and {run.label} have no scenario in common that both evaluated")
    before, after = ([getattr(pair, side) for pair in pairing.pairs] for side in ("before", "after"))
    clusters = [cluster_of(pair.before[0], pairing.clustered_by) for pair in pairing.pairs]
    bounds = DIFFERENCE_OF_SHARES if what.bounds == SHARE else None
    with _told_of(what, f"{run.label} against {baseline.label}"):
        return noise_of_pairs(_values(what, before), _values(what, after), clusters, bounds)


@contextmanager
def _told_of(what: "Metric", where: str) -> Iterator[None]:
    """Says of which metric and runs it is that nothing can be said."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"the variance of {what.name} in {where} is unknown: {error}") from None


def _values(what: "Metric", scenarios: Sequence[Sequence[Any]]) -> list[list[float]]:
    values = [[what.of_trials([result]) for result in trials] for trials in scenarios]
    known = [[value for value in trials if value is not None] for trials in values]
    if known != values:
        raise ConfigurationError(f"{what.name} is not known for every conversation")
    return known


def _source(noise: Noise, source: str) -> Iterator[str]:
    yield f"variance of {source}"
    trials = f", {counted(noise.measured_trials, 'trial')} each" if noise.measured_trials else ""
    yield f"design: {counted(noise.scenarios, 'scenario')} of {counted(noise.families, 'family')}{trials}"
    if noise.unseen is not None:
        yield "all results are the same, so their variance is unknown; its upper bound is"
        yield f"taken: {noise.unseen:.1%} of families differ, half of that by chance"
    elif not noise.is_split_known:
        yield "one trial per scenario cannot separate chance from difficulty: half of the variance is"
        yield "assumed to be chance; a run with --trials 2 would show it"


def _table(noise: Noise, arguments: argparse.Namespace) -> list[str]:
    rows = [
        [str(trials), *(_number(_smallest(noise, trials, times * noise.families, arguments)) for times in FAMILIES)]
        for trials in TRIALS
    ]
    header = ["trials", *(counted(times * noise.families, "family") for times in FAMILIES)]
    title = f"smallest detectable difference, with power {arguments.power:g} at level {arguments.alpha:g}:"
    return [title, "", *text_table(header, rows, left=0).split("\n")]


def _smallest(noise: Noise, trials: int, families: int, arguments: argparse.Namespace) -> float:
    return smallest_difference(noise, trials, families, alpha=arguments.alpha, power=arguments.power)


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "-"


def _needed(noise: Noise, arguments: argparse.Namespace) -> "tuple[int | None, int | None]":
    wanted = {"alpha": arguments.alpha, "power": arguments.power}
    trials = trials_needed(noise, arguments.difference, **wanted)
    return trials, families_needed(noise, arguments.difference, max(noise.measured_trials, 1), **wanted)


def _answer(noise: Noise, arguments: argparse.Namespace) -> Iterator[str]:
    trials, families = _needed(noise, arguments)
    told = f"to detect a difference of {arguments.difference:g}:"
    if trials is None:
        yield f"{told} no number of trials is enough,"
        few = least_flip_p_value(noise.families) >= arguments.alpha
        differ = "differ" if noise.unseen is None else "may differ"
        yield "there are too few families for any test" if few else f"families {differ} too much"
    else:
        yield f"{told} {counted(trials, 'trial')} of each scenario by each agent"
    each = max(noise.measured_trials, 1)
    if families is not None and (trials is None or trials > each):
        scenarios = math.ceil(families * noise.scenarios / noise.families)
        yield f"or, with {counted(each, 'trial')}: {counted(scenarios, 'scenario')} of {counted(families, 'family')}"


def _write(arguments: argparse.Namespace, noise: Noise, source: str) -> None:
    import attrs

    from tool_sandbox.analysis.comparison import finite

    trials, families = _needed(noise, arguments)
    report = {
        "source": source,
        "noise": attrs.asdict(noise),
        "difference": arguments.difference,
        "alpha": arguments.alpha,
        "power": arguments.power,
        "trials_needed": trials,
        "families_needed": families,
        "smallest_difference": {
            str(each): finite(_smallest(noise, each, noise.families, arguments)) for each in TRIALS
        },
    }
    arguments.json.write(to_json(report, indent=2))
