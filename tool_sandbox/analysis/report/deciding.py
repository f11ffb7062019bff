"""Takes what a person decides on the served page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.report.folder import Folder
from tool_sandbox.runner.review import Opinion, decide
from tool_sandbox.runner.reviewer import Reviewer

LONGEST_BODY = 65_536
"""Bytes of a decision; sentences and facts are far shorter."""

LONGEST_NAME = 100
"""Characters of the name of a person."""

FindReviewer = Callable[[Path], Reviewer]
"""Gives what takes decisions about the run in a directory."""


class NotTakenError(ValueError):
    """A decision that is none, or about nothing that is unclear in a run of the folder."""


def _is_name(posted: Any, field: Any, by: str) -> None:
    if not by.isprintable() or not by.strip() or len(by) > LONGEST_NAME:
        raise ValueError(by)


@attrs.frozen(kw_only=True)
class Posted(Opinion):
    """A decision as the page sends it. Its texts are only compared with what is stored.

    Attributes:
        run: Name of the run.
        by: Who decided.
    """

    run: str = attrs.field(validator=attrs.validators.instance_of(str))
    by: str = attrs.field(validator=[attrs.validators.instance_of(str), _is_name])

    @classmethod
    def read(cls, body: bytes) -> "Posted":
        """Reads the body of a request."""
        try:
            return cls(**json.loads(body))
        except (ValueError, TypeError, RecursionError):
            raise NotTakenError(
                f"a decision needs a run, a reading, the decision itself, and a name of 1 to {LONGEST_NAME} characters"
            ) from None


def take(folder: Folder, reviewer: FindReviewer, posted: Posted) -> None:
    """Keeps a decision, and scores the conversation by it."""
    run = folder.runs().get(posted.run)
    if run is None or not run.has(posted.directory):
        raise NotTakenError("there is no such conversation")
    found = reviewer(run.path)
    with found.directory.claim():
        result = found.directory.read_result(posted.directory)
        doubts = [
            each
            for each in (() if result is None else result.get("unclear", ()))
            if (each["message"], each["fact"], each["sentence"]) == posted.place
        ]
        if result is None or not doubts:
            raise NotTakenError("the conversation has no such unclear reading; load the page again")
        decision = decide(posted.directory, doubts[0], is_stated=posted.is_stated, by=posted.by)
        found.take(result, [decision])
        found.directory.rebuild_summary()
