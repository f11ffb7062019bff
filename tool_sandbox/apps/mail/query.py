"""The grammar of searches: words, "phrases", operators such as from:, a minus before what must not be, OR, parentheses.

query = all { "OR" all }
all   = one { one }
one   = "-" one | "(" query ")" | [ name ":" ] ( word | '"' words '"' )
"""

import re
from collections.abc import Iterator

import attrs

from tool_sandbox.apps import checked_date

LONGEST_QUERY = 300
DEEPEST = 10

PLACES = ("inbox", "archive", "sent", "outbox", "drafts", "spam", "trash", "anywhere")
STATES = ("read", "unread", "starred", "unstarred", "answered", "unanswered")
OPERATORS = (
    *("from", "to", "cc", "bcc", "subject", "filename"),
    *("label", "in", "is", "has", "before", "after", "larger", "smaller"),
)
OF_FILTERS = ("from", "to", "cc", "subject", "filename", "has", "larger", "smaller")
"""Operators that can be asked of a mail when it comes in."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[()])|(?P<minus>-)(?=\S)|(?:(?P<name>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s()"]+)))"""
)
_SIZE = re.compile(r"(\d{1,9})([km]?)", re.ASCII)


@attrs.frozen
class Term:
    """A word or phrase that occurs, if there is no operator, else what the operator says."""

    operator: str
    value: str


@attrs.frozen
class Not:
    """What the inner part does not find."""

    inner: "Node"


@attrs.frozen
class All:
    """What all parts find."""

    parts: "tuple[Node, ...]"


@attrs.frozen
class AnyOf:
    """What one of the parts finds."""

    parts: "tuple[Node, ...]"


Node = Term | Not | All | AnyOf


def parse(query: str) -> Node:
    """Reads a query; a blank one finds everything.

    Raises:
        ValueError: It cannot be understood; says where.
    """
    if len(query) > LONGEST_QUERY:
        raise ValueError(f"query is too long: {len(query)} characters, at most {LONGEST_QUERY} are accepted")
    reader = _Reader(list(_tokens(query)))
    node = reader.any_of(0) if reader.left else All(())
    if reader.left:
        raise ValueError("query: a ) has no ( before it")
    return node


def terms(node: Node) -> Iterator[Term]:
    """All terms of a query."""
    if isinstance(node, Term):
        yield node
    else:
        for part in (node.inner,) if isinstance(node, Not) else node.parts:
            yield from terms(part)


def size_of(value: str) -> int:
    """Bytes of ``300k`` or ``5m``."""
    found = _SIZE.fullmatch(value)
    if found is None:
        raise ValueError(f"query: a size is written such as 500k or 5m, got {value[:40]!r}")
    return int(found[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[found[2]]


def _tokens(query: str) -> Iterator[Term | str]:
    """Terms, and the signs ``(``, ``)``, ``-`` and ``OR``."""
    place, end = 0, len(query.rstrip())
    while place < end:
        found = _TOKEN.match(query, place)
        if found is None:
            raise ValueError("query: a quotation mark is not closed")
        place = found.end()
        name, phrase, word = found["name"], found["phrase"], found["word"]
        if found["sign"] or found["minus"]:
            yield found["sign"] or "-"
        elif word == "OR" and name is None:
            yield "OR"
        else:
            yield _term((name or "").lower(), phrase if phrase is not None else word)


def _term(operator: str, value: str) -> Term:
    if operator and operator not in OPERATORS:
        known = ", ".join(OPERATORS)
        raise ValueError(f"query: there is no operator {operator[:40]}:, put texts with : in quotes; known are {known}")
    if not operator and value.endswith(":") and value[:-1].lower() in OPERATORS:
        raise ValueError(f"query: nothing stands behind {value}")
    value = " ".join(value.casefold().split())
    options = {"in": PLACES, "is": STATES, "has": ("attachment",)}.get(operator)
    if options and value not in options:
        raise ValueError(f"query: {operator}: takes {', '.join(options)}; got {value[:40]!r}")
    if operator in ("before", "after"):
        checked_date(value, f"query: {operator}:")
    if operator in ("larger", "smaller"):
        size_of(value)
    return Term(operator, value)


@attrs.define
class _Reader:
    """Reads tokens from the left."""

    left: list[Term | str]

    def any_of(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise ValueError(f"query: more than {DEEPEST} levels of parentheses and minus signs")
        parts = [self._all(depth)]
        while self.left and self.left[0] == "OR":
            self.left.pop(0)
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self, depth: int) -> Node:
        parts = []
        while self.left and self.left[0] not in ("OR", ")"):
            parts.append(self._one(depth))
        if not parts:
            raise ValueError("query: something is missing beside OR or within parentheses")
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _one(self, depth: int) -> Node:
        token = self.left.pop(0)
        if isinstance(token, Term):
            return token
        if token == "-":  # noqa: S105
            if depth > DEEPEST or not self.left or self.left[0] in ("OR", ")"):
                raise ValueError("query: nothing that can be left out stands behind a minus")
            return Not(self._one(depth + 1))
        node = self.any_of(depth + 1)
        if not self.left or self.left.pop(0) != ")":
            raise ValueError("query: a ( is not closed")
        return node
