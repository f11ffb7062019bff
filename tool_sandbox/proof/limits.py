"""What a sound suite keeps to, in one place: the limits, our figures, and those of the published suite.

The figures of the published suite were measured on its 129 base scenarios without distraction tools, with
scripted agents of the same kinds, a scripted user and fixed answers of the web services.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.controls import (
    EMPTY_ANSWER,
    READ_ONLY,
    REFUSING,
    REQUEST_BLIND,
    SILENT,
    WORDLESS,
    weight_of_answers,
)
from tool_sandbox.proof.findings import Figures
from tool_sandbox.scoring.side_effects import Updated

REFUSING_MEAN = 0.02
REFUSING_WORST_CATEGORY = 0.05
REQUEST_BLIND_MEAN = 0.05
READ_ONLY_MEAN = 0.05
EMPTY_ANSWER_MEAN = 0.30
CONTROL_IN_A_SCENARIO = 0.30
DISTINCT_GRAPHS = 0.9
SCENARIOS_PER_TOOL = 3
LONGEST_CHAIN = 10
MIN_PARAPHRASES = 3


def limit_of_control(scenario: Scenario, control: str) -> float:
    """The most that a control may earn in one scenario; never a success.

    Right calls with an empty answer earn what the scenario gives for its changes, and for saying that they are made;
    right calls without a word earn the first alone. An agent that switches
    everything on does what is asked where that is all that is asked, and then earns the same.
    """
    changes = round(1.0 - sum(weight_of_answers(scenario)), 9)
    if control == EMPTY_ANSWER:
        return round(1.0 - sum(weight_of_answers(scenario, of_deeds=False)), 9)
    if control == WORDLESS or (control == REQUEST_BLIND and _only_switches_on(scenario)):
        return changes
    return REFUSING_WORST_CATEGORY if control in (SILENT, REFUSING) else CONTROL_IN_A_SCENARIO


def _only_switches_on(scenario: Scenario) -> bool:
    """Whether every change that is wanted is the one of `RequestBlindAgent`: radios on, power saving off."""
    changes = scenario.evaluation.allowed_changes or ()
    return bool(changes) and all(
        isinstance(change, Updated)
        and change.namespace is DatabaseNamespace.SETTING
        and all(value is (name != "low_battery_mode") for name, value in change.values.items())
        for change in changes
    )


@attrs.frozen
class LimitRow:
    """One limit.

    Attributes:
        check: What is measured.
        ours: Our figure.
        published: The figure of the published suite.
        limit: What is demanded.
        met: Whether our figure keeps to it, ``None`` where too little was checked to say so.
        detail: What stands in the way, by name.
    """

    check: str
    ours: str
    published: str
    limit: str
    met: bool | None
    detail: str = ""


@attrs.frozen
class Survey:
    """What was checked.

    Attributes:
        figures: Figures of every scenario.
        failed: Number of scenarios whose reference could not be played.
        whole: Whether all base scenarios are among them.
        elsewhere: Whether scores and trajectories are the same everywhere, ``None`` if that was not tried.
        declared: Tags that the suite declares.
        present: Tags that some scenario of the suite has.
        tools: Tools of the agent.
    """

    figures: Sequence[Figures]
    failed: int
    whole: bool
    elsewhere: bool | None
    declared: Sequence[str]
    present: frozenset[str]
    tools: Sequence[str]

    @property
    def bases(self) -> list[Figures]:
        """Figures of base scenarios, the first instance of each."""
        first: dict[str, Figures] = {}
        for figures in self.figures:
            if figures.name == figures.base_name:
                first.setdefault(figures.name, figures)
        return list(first.values())


def rows(survey: Survey) -> Iterator[LimitRow]:
    """Compares what was checked with every limit."""
    yield from _control_rows(survey)
    yield from soundness_rows(survey)
    yield from _coverage_rows(survey)


def soundness_rows(survey: Survey) -> Iterator[LimitRow]:
    """Limits that each scenario keeps to by itself, whatever suite it is of."""
    yield from _answer_rows(survey)
    yield from _reference_rows(survey)


# Rows ----------------------------------------------------------------------------------------------------------


def _control_rows(survey: Survey) -> Iterator[LimitRow]:
    figures = survey.figures
    refusing = _mean(map(_refusing, figures))
    worst = max((_mean(map(_refusing, group)) for group in _by_tag(figures).values()), default=0.0)
    yield LimitRow(
        "refusing agent, mean / worst category",
        f"{refusing:.3f} / {worst:.3f}",
        "0.210 / 0.968",
        f"≤ {REFUSING_MEAN} / ≤ {REFUSING_WORST_CATEGORY}",
        _if_whole(survey, refusing <= REFUSING_MEAN and worst <= REFUSING_WORST_CATEGORY),
    )
    blind = _mean(_control(REQUEST_BLIND)(one) for one in figures)
    yield LimitRow(
        "request-blind agent, mean",
        f"{blind:.3f}",
        "0.427 to 0.504",
        f"≤ {REQUEST_BLIND_MEAN}",
        _if_whole(survey, blind <= REQUEST_BLIND_MEAN),
    )
    changing = [one for one in figures if one.changes]
    read_only = _mean(_control(READ_ONLY)(one) for one in changing)
    yield LimitRow(
        "right calls except writes, mean where something changes",
        f"{read_only:.3f}",
        "not measured",
        f"≤ {READ_ONLY_MEAN}",
        _if_whole(survey, read_only <= READ_ONLY_MEAN),
    )
    empty = [_control(EMPTY_ANSWER)(one) for one in figures if one.answers]
    strict = sum(score == 1.0 for score in empty)
    yield LimitRow(
        f"right calls, empty answer ({len(empty)} that have to tell something), mean / successes",
        f"{_mean(empty):.3f} / {strict}",
        "0.63 / not measured",
        f"≤ {EMPTY_ANSWER_MEAN:.2f} / 0",
        _if_whole(survey, _mean(empty) <= EMPTY_ANSWER_MEAN and strict == 0),
    )


def _answer_rows(survey: Survey) -> Iterator[LimitRow]:
    lies, earned = _totals(one.false_answers for one in survey.figures)
    yield LimitRow(
        f"false answers ({lies:.0f}), mean of the answer", _ratio(earned, lies), "0.81", "0", _if_any(lies, earned == 0)
    )
    told, held = _totals(one.paraphrases for one in survey.figures)
    yield LimitRow(
        f"correct paraphrases ({told:.0f}), mean of the answer",
        _ratio(held, told),
        "0.55",
        "1",
        _if_any(told, held == told),
    )
    acts, unchanged = _totals(one.harmful_acts for one in survey.figures)
    yield LimitRow(
        f"harmful acts ({acts:.0f}), share with unchanged score",
        f"{unchanged / acts:.1%}" if acts else "-",
        "92 % to 96 % before, 9 % between, 100 % after",
        "0",
        _if_any(acts, unchanged == 0),
    )
    tried = sum(sum(one.mutants.values()) for one in survey.figures)
    unnoticed = sum(sum(one.unnoticed.values()) for one in survey.figures)
    yield LimitRow(
        f"near misses ({tried}) with full score", str(unnoticed), "not measured", "0", _if_any(tried, unnoticed == 0)
    )


def _reference_rows(survey: Survey) -> Iterator[LimitRow]:
    tried = len(survey.figures) + survey.failed
    perfect = sum(one.reference == 1.0 for one in survey.figures)
    yield LimitRow(
        "reference solution at 1.0 with the offered tools",
        f"{perfect} of {tried}",
        "124 of 129",
        "all",
        perfect == tried,
    )
    same = {True: "yes", False: "no", None: "not checked"}[survey.elsewhere]
    yield LimitRow("same scores on five dates and in three zones", same, "no", "yes", survey.elsewhere)
    online = sum(one.connections > 0 for one in survey.figures)
    yield LimitRow("scenarios that need network or keys", str(online), "24 of 129", "0", online == 0)


def _coverage_rows(survey: Survey) -> Iterator[LimitRow]:
    bases = survey.bases
    graphs = len({one.graph for one in bases})
    share = graphs / len(bases) if bases else 0.0
    yield LimitRow(
        "distinct evaluation graphs / base scenarios",
        f"{graphs} / {len(bases)} = {share:.2f}",
        "69 / 129 = 0.53",
        f"≥ {DISTINCT_GRAPHS}",
        _if_whole(survey, share >= DISTINCT_GRAPHS),
    )
    empty = [tag for tag in survey.declared if tag not in survey.present]
    yield LimitRow(
        "declared categories without a scenario",
        str(len(empty)),
        "3",
        "0",
        _if_whole(survey, not empty),
        ", ".join(empty),
    )
    needed = tool_counts(survey)
    rare = [tool for tool in survey.tools if needed[tool] < SCENARIOS_PER_TOOL]
    yield LimitRow(
        f"tools needed by fewer than {SCENARIOS_PER_TOOL} scenarios",
        str(len(rare)),
        "11 of 33",
        "0",
        _if_whole(survey, not rare),
        ", ".join(rare),
    )
    longest = max((one.necessary for one in bases), default=0)
    yield LimitRow(
        "longest chain of necessary calls",
        str(longest),
        "5",
        f"≥ {LONGEST_CHAIN}",
        _if_whole(survey, longest >= LONGEST_CHAIN),
    )


def tool_counts(survey: Survey) -> Counter[str]:
    """Number of base scenarios whose reference solution cannot do without each tool."""
    return Counter(tool for one in survey.bases for tool in one.tools)


# Figures -------------------------------------------------------------------------------------------------------


def _refusing(figures: Figures) -> float:
    """What an agent without a call earns, whatever it says."""
    return max(figures.controls.get(SILENT, 0.0), figures.controls.get(REFUSING, 0.0))


def _control(name: str) -> Callable[[Figures], float]:
    return lambda figures: figures.controls.get(name, 0.0)


def _by_tag(figures: Iterable[Figures]) -> dict[str, list[Figures]]:
    groups: dict[str, list[Figures]] = {}
    for one in figures:
        for tag in one.tags:
            groups.setdefault(tag, []).append(one)
    return groups


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return statistics.fmean(values) if values else 0.0


def _totals(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    pairs = list(pairs)
    return sum(first for first, _ in pairs), sum(second for _, second in pairs)


def _ratio(part: float, whole: float) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def _if_whole(survey: Survey, met: bool) -> bool | None:
    return met if survey.whole else None


def _if_any(number: float, met: bool) -> bool | None:
    return met if number else None
