"""What people and judges decided about unclear readings of a run: ``review.json`` beside its other files."""

import contextlib
import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.play.opening import read_json
from tool_sandbox.play.trajectory_files import write_json
from tool_sandbox.records.result import Result
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.answers.facts._reading import Decisions

REVIEW_FILE = "review.json"
REVIEW_FORMAT = 1

Place = tuple[int, str, str]
"""Index of a message, a fact in words, and the sentence in question."""


@attrs.frozen
class Opinion:
    """What somebody says about one unclear reading.

    Attributes:
        directory: Directory of the conversation.
        message: Index of the message.
        fact: The fact, in words.
        sentence: The sentence in question.
        is_stated: Whether it states the fact; ``None`` if it was left open.
        by: Who decided.
    """

    directory: str = attrs.field(validator=attrs.validators.instance_of(str))
    message: int = attrs.field(validator=attrs.validators.instance_of(int))
    fact: str = attrs.field(validator=attrs.validators.instance_of(str))
    sentence: str = attrs.field(validator=attrs.validators.instance_of(str))
    is_stated: bool | None = attrs.field(validator=attrs.validators.instance_of((bool, type(None))))
    by: str = attrs.field(validator=attrs.validators.instance_of(str))

    @property
    def place(self) -> Place:
        """What it is about, within the conversation."""
        return self.message, self.fact, self.sentence


@attrs.frozen
class Decision(Opinion):
    """A decision about one unclear reading, as it is kept.

    Attributes:
        at: When, in ISO 8601.
        is_judge: Whether a model decided.
    """

    at: str = attrs.field(validator=attrs.validators.instance_of(str))
    is_judge: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))


Verdicts = Mapping[Place, Decision]
"""Reading of one conversation to the decision that counts."""


def decide(
    directory: str, doubt: Mapping[str, Any], *, is_stated: bool | None, by: str, is_judge: bool = False
) -> Decision:
    """A decision of this moment."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Decision(directory, doubt["message"], doubt["fact"], doubt["sentence"], is_stated, by, now, is_judge)


def read_review(run: RunDirectory) -> list[Decision]:
    """Reads what was decided about a run, nothing if there are no decisions."""
    path = run.path / REVIEW_FILE
    if not path.exists():
        return []
    stored = read_json(path, run.path)
    if not isinstance(stored, dict) or stored.get("format") != REVIEW_FORMAT:
        raise ConfigurationError(f"{path} is no review of format {REVIEW_FORMAT}; update tool_sandbox, or remove it")
    try:
        return [Decision(**each) for each in stored["decisions"]]
    except (KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} is damaged: {str(error).splitlines()[0]}") from error


def add_to_review(run: RunDirectory, decisions: Iterable[Decision]) -> list[Decision]:
    """Writes what was decided behind what is there; what is there already is not written twice."""
    known = read_review(run)
    review = list(dict.fromkeys((*known, *decisions)))
    if review != known:
        content: dict[str, Any] = {"format": REVIEW_FORMAT, "decisions": [attrs.asdict(each) for each in review]}
        write_json(run.path / REVIEW_FILE, content, indent=2)
    return review


def verdicts_of(review: Iterable[Decision]) -> dict[str, dict[Place, Decision]]:
    """Directory of a conversation to the decisions that count: the last one of a person, else that of a judge."""
    found: dict[str, dict[Place, Decision]] = {}
    for each in sorted(review, key=lambda decision: not decision.is_judge):
        found.setdefault(each.directory, {})[each.place] = each
    return found


def as_decisions(verdicts: Verdicts) -> "Decisions":
    """The decisions as a score takes them; what was left open is none."""
    return {place: each.is_stated for place, each in verdicts.items() if each.is_stated is not None}


def credit(result: Result, verdicts: Verdicts) -> None:
    """Says beside each reading of a result who decided it and when."""
    for doubt in result.get("unclear") or ():
        verdict = verdicts.get((doubt["message"], doubt["fact"], doubt["sentence"]))
        if verdict is not None:
            doubt |= {"by": verdict.by, "at": verdict.at, "is_judge": verdict.is_judge}


def judged(results: Iterable[Result]) -> Iterator[Decision]:
    """What a judge decided while a run was played, as its results say."""
    for result in results:
        for doubt in result.get("unclear") or ():
            if doubt.get("is_judge"):
                # A result from elsewhere may say anything there.
                with contextlib.suppress(TypeError):
                    yield Decision(result["directory"], **doubt)
