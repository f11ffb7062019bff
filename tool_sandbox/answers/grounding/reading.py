"""The values in a text that was shown."""

import functools

import attrs

from tool_sandbox.answers.facts._moments import DateMention, dates, masked, times
from tool_sandbox.answers.facts._quantities import quantities
from tool_sandbox.answers.facts._text import normalise


def clocks_of(seconds: int, *, is_ambiguous: bool) -> set[int]:
    """What a time of day may mean, to the minute."""
    minute = seconds - seconds % 60
    return {minute, (minute + 43200) % 86400} if is_ambiguous else {minute}


@attrs.frozen
class Reading:
    """A text, and the values in it."""

    plain: str
    clocks: frozenset[int]
    universal: frozenset[int]
    days: tuple[DateMention, ...]
    numbers: frozenset[float]


@functools.lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Reads a text; one that was read before is remembered."""
    plain = normalise(text)
    found = times(plain)
    clocks = [clocks_of(mention.seconds, is_ambiguous=mention.is_ambiguous) for mention in found]
    universal = frozenset(mention.seconds // 60 * 60 for mention in found if mention.is_utc)
    amounts = quantities(masked(plain, digit_runs=True, coordinates=False))
    numbers = {each for amount in amounts for each in (amount.value, amount.upper) if each is not None}
    return Reading(plain, frozenset().union(*clocks), universal, tuple(dates(plain)), frozenset(numbers))
