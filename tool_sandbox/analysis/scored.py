"""What a conversation was scored by, what matched where, and what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.analysis.stored import StoredConversation
from tool_sandbox.conversation.check_words import check_in_words


@attrs.frozen
class CheckView:
    """One thing that has to hold for a milestone.

    Attributes:
        database: Database that is looked at.
        text: What has to hold, in words.
        similarity: How well it does where the milestone matched; where it did not, where it comes closest. ``None``
            where that was not written down.
        why: What is missing or different, ``None`` if nothing is or it was not written down.
        message_index: Message at which that was measured.
    """

    database: str
    text: str
    similarity: float | None
    why: str | None
    message_index: int | None


@attrs.frozen
class ScoredNode:
    """A milestone, or a part of a minefield.

    Attributes:
        index: Its number.
        name: Its name, if it has one.
        weight: Points in the strict profile.
        after: Numbers of those that have to come before.
        similarity: How well it matched, ``None`` where nothing was scored.
        message_index: Where it matched, ``None`` if it did not.
        checks: What has to hold.
        why: What besides its checks kept it from matching, in words.
    """

    index: int
    name: str | None
    weight: float
    after: list[int]
    similarity: float | None
    message_index: int | None
    checks: list[CheckView]
    why: str | None


def read_nodes(kind: str, stored: StoredConversation) -> tuple[ScoredNode, ...]:
    """The milestones or minefields of a conversation."""
    mapping: Mapping[str, Sequence[float]] = stored.result.get(f"{kind}_mapping") or {}
    description = stored.read("evaluation")
    if description is None:
        return tuple(_node(int(number), {}, mapping, None) for number in sorted(mapping, key=int))
    explanations = (description.get("explanations") or {}).get(f"{kind}s") or {}
    return tuple(
        _node(number, node, mapping, explanations.get(str(number)))
        for number, node in enumerate(description[f"{kind}s"])
    )


def _node(
    number: int,
    node: Mapping[str, Any],
    mapping: Mapping[str, Sequence[float]],
    explanation: Mapping[str, Any] | None,
) -> ScoredNode:
    index, similarity = mapping.get(str(number), (None, None))
    return ScoredNode(
        index=number,
        name=node.get("name"),
        weight=node.get("weight", 1.0),
        after=node.get("after", []),
        similarity=similarity,
        message_index=int(index) if index is not None and similarity else None,
        checks=_checks(node.get("checks", ()), similarity, None if index is None else int(index), explanation),
        why=(explanation or {}).get("why"),
    )


def _checks(
    checks: Sequence[Mapping[str, Any]],
    similarity: float | None,
    index: int | None,
    explanation: Mapping[str, Any] | None,
) -> list[CheckView]:
    entries: Sequence[Mapping[str, Any]] = (explanation or {}).get("checks") or ()
    views = []
    for number, check in enumerate(checks):
        if number < len(entries):
            found = entries[number]
        elif similarity == 1 or (similarity is not None and len(checks) == 1):
            # A milestone that is fully met is so in all that it asks for.
            found = {"similarity": similarity, "why": None, "message_index": index if similarity else None}
        else:
            found = {"similarity": None, "why": None, "message_index": None}
        views.append(
            CheckView(
                check["database"], check_in_words(check), found["similarity"], found["why"], found["message_index"]
            )
        )
    return views


def matches_by_message(nodes: Sequence[ScoredNode]) -> dict[int, tuple[int, ...]]:
    """Message index to the numbers of the nodes that matched there."""
    found: dict[int, tuple[int, ...]] = {}
    for node in nodes:
        if node.message_index is not None:
            found[node.message_index] = (*found.get(node.message_index, ()), node.index)
    return found
