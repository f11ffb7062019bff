"""ROUGE-L of one text with the best of each of many sets of texts that have most of their words in common."""

import itertools
from collections import Counter
from collections.abc import Collection, Sequence

from rapidfuzz.distance import LCSseq

from tool_sandbox.scoring.published._rouge import rouge_l, tokens

Tokens = tuple[str, ...]
Kind = frozenset[tuple[Tokens, int]]
"""A set without its rare tokens: the rests, each with the length of the shortest text that leaves it."""

_RARE = 8
"""A token is rare when at most one in so many sets has it; any number gives the same similarities."""


class TextSets:
    """Sets of texts filled from one template.

    A common subsequence has no token that the other text lacks. So a text that has none of the rare tokens of a
    set resembles it just as it resembles the same set without them, and this is the same for nearly all sets;
    only their lengths may differ. Sets that share a rare token with the text are few and compared as they are.
    """

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        """Splits the texts into rare tokens and common rests."""
        self._sets = sets
        split = [[tokens(text) for text in texts] for texts in sets]
        vocabularies = [frozenset(itertools.chain.from_iterable(texts)) for texts in split]
        counts = Counter(itertools.chain.from_iterable(vocabularies))
        rare = {token for token, count in counts.items() if count * _RARE <= len(sets)}
        self._sets_with: dict[str, list[int]] = {token: [] for token in rare}
        kinds: dict[Kind, int] = {}
        self._kinds: list[int] = []
        for number, (texts, vocabulary) in enumerate(zip(split, vocabularies, strict=True)):
            for token in rare & vocabulary:
                self._sets_with[token].append(number)
            self._kinds.append(kinds.setdefault(_kind(texts, rare), len(kinds)))
        self._rests = list(kinds)

    def __call__(self, cell: str | None) -> list[float]:
        """Similarity with the best text of each set."""
        if cell is None:
            return [0.0] * len(self._sets)
        words = tokens(cell)
        if not words:
            return [float(cell in texts) for texts in self._sets]
        common = {rest: LCSseq.similarity(rest, words) for rests in self._rests for rest, _ in rests}
        of_kind = [max(2 * common[rest] / (length + len(words)) for rest, length in rests) for rests in self._rests]
        best = [of_kind[kind] for kind in self._kinds]
        shared = self._sets_with.keys() & set(words)
        for number in {number for token in shared for number in self._sets_with[token]}:
            best[number] = max(rouge_l(text, cell) for text in self._sets[number])
        return best


def _kind(texts: Sequence[Tokens], rare: Collection[str]) -> Kind:
    shortest: dict[Tokens, int] = {}
    for words in texts:
        rest = tuple(token for token in words if token not in rare)
        shortest[rest] = min(len(words), shortest.get(rest, len(words)))
    return frozenset(shortest.items())
