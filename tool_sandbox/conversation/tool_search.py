"""Tool search: an agent that is offered one tool, and finds the others with it.

What was found is what the results of the tool in the message log say, so that forks, rollbacks and stored
conversations have it without more.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL, Offering, function_description
from tool_sandbox.helpers.literals import from_literal
from tool_sandbox.world.device import current_device
from tool_sandbox.world.schema import RoleType
from tool_sandbox.world.table import Table
from tool_sandbox.world.tool import ToolFunction
from tool_sandbox.world.validators import typechecked

MOST = 20
"""Tools that one search may return."""


class _Searchable(Offering, Protocol):
    @property
    def found_tools(self) -> tuple[str, ...]: ...

    def get_offered_tools(self, role: RoleType | None) -> dict[str, ToolFunction]: ...


# Not registered, so that it leaves no trace: what descriptions of tools say is no evidence for what the user is told.
@typechecked
def search_tools(query: str, limit: int = 5) -> list[dict[str, Any]]:
    """Find tools by what they do. This is the only tool that you have at first.

    The tools that it returns can be called from then on, exactly as they are described.

    Args:
        query: A few words on what the tool should do, or its name.
        limit: Largest number of tools to return, from 1 to 20.

    Returns:
        The tools that fit best, the best one first: name, description, and parameters as a JSON schema.

    Raises:
        ValueError: The query is empty, or the limit is out of range.
    """
    if not query.strip():
        raise ValueError("the query is empty: say in a few words what the tool should do")
    if not 1 <= limit <= MOST:
        raise ValueError(f"limit must be from 1 to {MOST}, got {limit}")
    world = cast(_Searchable, current_device())
    tools = world.get_offered_tools(RoleType.AGENT)
    described = [function_description(world, name, tool) for name, tool in tools.items()]
    found = {place for place, tool in enumerate(tools.values()) if tool.__name__ in world.found_tools}
    return [described[place] for place in ranked(query, described, found)[:limit]]


def found_in(log: Iterable[Table]) -> tuple[str, ...]:
    """Names, as the agent sees them, of the tools that results of the search tool in a message log have."""
    found: dict[str, None] = {}
    for table in log:
        names = table.schema.positions
        for row in table.rows:
            if (
                row[names["openai_function_name"]] == SEARCH_TOOL
                and row[names["sender"]] == RoleType.EXECUTION_ENVIRONMENT
                and row[names["recipient"]] == RoleType.AGENT
                and row[names["tool_call_exception"]] is None
            ):
                found |= dict.fromkeys(_names_in(row[names["content"]]))
    return tuple(found)


@functools.lru_cache(maxsize=4096)
def _names_in(result: str) -> tuple[str, ...]:
    return tuple(tool["name"] for tool in from_literal(result))


# Ranking -------------------------------------------------------------------------------------

# Okapi BM25 (Robertson and Zaragoza, 2009), written out: libraries for it need numpy, for a few hundred short texts.
_SATURATION, _LENGTH = 1.2, 0.75
_NAME_WEIGHT = 3
"""How often a word of a tool's name counts."""

# fmt: off
_LITTLE_WORDS = frozenset([
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "how", "i", "if", "in", "is", "it",
    "me", "my", "of", "or", "that", "the", "this", "to", "what", "with",
])
# fmt: on

_WORD = re.compile(r"[^\W\d_]+|\d+")


def ranked(query: str, described: Sequence[Mapping[str, Any]], last: Iterable[int] = ()) -> list[int]:
    """Ranks OpenAI function descriptions by how well name, description and parameters fit a query.

    A tool whose name is the query comes first.

    Args:
        query: What is looked for.
        described: The descriptions.
        last: Those that come after others that fit as well.

    Returns:
        Places of all descriptions, the best first; deterministic.
    """
    texts = [_counted(*_texts_of(function)) for function in described]
    wanted, later = list(dict.fromkeys(_words(query))), set(last)
    mean = sum(map(Counter.total, texts)) / len(texts) if texts else 0.0
    rarity = {word: _rarity(sum(word in text for text in texts), len(texts)) for word in wanted}

    def fit(text: Counter[str]) -> float:
        length = 1 - _LENGTH + _LENGTH * text.total() / mean
        return sum(
            rarity[word] * text[word] * (_SATURATION + 1) / (text[word] + _SATURATION * length)
            for word in wanted
            if word in text
        )

    def rank(place: int) -> tuple[bool, float, bool, int]:
        is_named = described[place]["name"].casefold() == query.strip().casefold()
        return not is_named, -round(fit(texts[place]), 9), place in later, place

    return sorted(range(len(described)), key=rank)


def _rarity(count: int, total: int) -> float:
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def _texts_of(function: Mapping[str, Any]) -> Iterable[str]:
    yield from [function["name"]] * _NAME_WEIGHT
    yield function["description"]
    for name, schema in function["parameters"]["properties"].items():
        yield from (name, schema.get("description", ""))


@functools.lru_cache(maxsize=4096)
def _counted(*texts: str) -> Counter[str]:
    return Counter(word for text in texts for word in _words(text))


def _words(text: str) -> list[str]:
    """Words without difference of case and number: ``search_contacts`` has ``search`` and ``contact``."""
    found = [word for word in _WORD.findall(text.casefold()) if word not in _LITTLE_WORDS]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]
