"""What people decided about unclear readings of a run: ``review.json`` beside its other files."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.opening import read_json
from tool_sandbox.common.trajectory_files import write_json
from tool_sandbox.runner.store import RunDirectory

if TYPE_CHECKING:
    from tool_sandbox.common.facts._unclear import Decisions

REVIEW_FILE = "review.json"
REVIEW_FORMAT = 1


@attrs.frozen
class Decision:
    """What somebody decided about one unclear reading.

    Attributes:
        directory: Directory of the conversation.
        message: Index of the message.
        fact: The fact, in words.
        sentence: The sentence in question.
        is_stated: Whether it states the fact.
        by: Who decided.
        at: When, in ISO 8601.
    """

    directory: str = attrs.field(validator=attrs.validators.instance_of(str))
    message: int = attrs.field(validator=attrs.validators.instance_of(int))
    fact: str = attrs.field(validator=attrs.validators.instance_of(str))
    sentence: str = attrs.field(validator=attrs.validators.instance_of(str))
    is_stated: bool = attrs.field(validator=attrs.validators.instance_of(bool))
    by: str = attrs.field(validator=attrs.validators.instance_of(str))
    at: str = attrs.field(validator=attrs.validators.instance_of(str))


def read_review(run: RunDirectory) -> list[Decision]:
    """Reads what was decided about a run, nothing where nobody decided anything.

    Raises:
        ConfigurationError: The file is damaged, or of a newer version.
    """
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


def write_review(run: RunDirectory, decisions: Iterable[Decision]) -> None:
    """Writes what was decided, in that order.

    Raises:
        StorageError: It cannot be written.
    """
    content: dict[str, Any] = {"format": REVIEW_FORMAT, "decisions": [attrs.asdict(each) for each in decisions]}
    write_json(run.path / REVIEW_FILE, content, indent=2)


def decisions_of(review: Iterable[Decision]) -> "Mapping[str, Decisions]":
    """Directory of a conversation to what was decided about it, the last word where there are several."""
    found: dict[str, dict[tuple[int, str, str], bool]] = {}
    for each in review:
        found.setdefault(each.directory, {})[each.message, each.fact, each.sentence] = each.is_stated
    return found
