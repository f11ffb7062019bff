"""What runs are called where several are shown together."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


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
