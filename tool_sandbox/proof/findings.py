"""What a check of one scenario brings to light: findings, and figures for the table of the suite."""

from collections.abc import Iterable
from typing import Any

import attrs

from tool_sandbox.world.script import Call, Say, Step


@attrs.frozen
class ProofFinding:
    """Something that should not be so.

    Attributes:
        scenario: Name of the scenario, empty for the suite as a whole.
        check: Name of the check.
        expected: What should be.
        happened: What is: the score, and what was done.
        command: What to type to see it again.
    """

    scenario: str
    check: str
    expected: str
    happened: str
    command: str

    def __str__(self) -> str:
        """The finding on one line."""
        return f"{self.scenario or 'suite'}: {self.check}: expected {self.expected}, but {self.happened}"


@attrs.frozen
class Figures:
    """What one scenario adds to the figures of the suite; all plain values.

    Attributes:
        name: Name of the scenario.
        base_name: Name of the base scenario that it is an augmentation of.
        family: Group of base scenarios that share a task.
        seed: Number of the instance.
        tags: Tags by which results are averaged.
        reference: Score of the reference solution.
        calls: Number of calls that it makes.
        necessary: Number of these calls without which it loses points, or from whose result its later steps follow.
        tools: Tools of the necessary calls.
        turns: Number of texts to the user.
        orders: Number of other orders of the same calls that were tried.
        answers: Whether an answer has to tell something.
        changes: Whether the reference solution changes the world.
        controls: Score of each control, the highest where there are several of a name.
        mutants: Number of near misses by kind.
        unnoticed: Number of near misses that kept the full score, by kind.
        false_answers: Number of false answers and the sum of what the falsified answers scored.
        harmful_acts: Number of unrequested writes and how many left the score as it was.
        paraphrases: Number of paraphrases and the sum of what the answers scored.
        connections: Number of attempts to reach the network.
        graph: Fingerprint of what is scored, literal values included.
        shape: Fingerprint of what sort of thing is scored, and of start, tools and tags.
        lines: Source lines of the function that defines the base scenario; in the hard tier its share of those of its
            family.
        axis: What makes it hard, empty outside the hard tier.
        apps: Apps whose tools are needed, in the hard tier.
        tokens: Tokens of the whole conversation with the reference solution, in the hard tier, as estimated.
        weak: Score of each agent that a weak model may resemble, in the hard tier.
        unknown: Number of texts in its calls that nothing shown explains, in the hard tier.
    """

    name: str
    base_name: str
    family: str
    seed: int
    tags: tuple[str, ...]
    reference: float
    calls: int
    necessary: int
    tools: tuple[str, ...]
    turns: int
    orders: int
    answers: bool
    changes: bool
    controls: dict[str, float]
    mutants: dict[str, int]
    unnoticed: dict[str, int]
    false_answers: tuple[int, float]
    harmful_acts: tuple[int, int]
    paraphrases: tuple[int, float]
    connections: int
    graph: str
    shape: str
    lines: int
    axis: str = ""
    apps: tuple[str, ...] = ()
    tokens: int = 0
    weak: dict[str, float] = attrs.field(factory=dict)
    unknown: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Fields that say something, as JSON values."""
        fields = attrs.asdict(self)
        return {name: value for name, value in fields.items() if value not in (0, (), {}, (0, 0), (0, 0.0), False)}


@attrs.frozen
class Proof:
    """Outcome of the check of one scenario.

    Attributes:
        figures: Figures, ``None`` where the reference solution could not even be played.
        findings: What should not be so.
    """

    figures: Figures | None
    findings: tuple[ProofFinding, ...]


def shown(steps: Iterable[Step]) -> str:
    """Steps on one line, as in ``search_contacts(name='Ann'); "She is 30."``."""
    return "; ".join(_shown(step) for step in steps)


def _shown(step: Step) -> str:
    if isinstance(step, Say):
        return f'"{step.text}"'
    if isinstance(step, Call):
        return f"{step.tool}({', '.join(f'{name}={value!r}' for name, value in step.arguments.items())})"
    return " + ".join(_shown(call) for call in step)
