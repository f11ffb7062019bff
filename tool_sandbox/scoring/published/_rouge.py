"""ROUGE-L: how much of the word order of two texts agrees.

Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", ACL Workshop (2004), F1 form.
"""

import functools
import re
import unicodedata

from rapidfuzz.distance import LCSseq

from tool_sandbox.scoring.published._porter import stem

# Scripts without spaces between words count character by character.
_CHARACTERWISE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CHARACTERWISE}]|[^\W_{_CHARACTERWISE}]+")


@functools.lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Splits a text into lower-case words and numbers.

    Everything but letters and digits separates. ASCII tokens of more than three characters are stemmed.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return tuple(stem(token) if len(token) > 3 and token.isascii() else token for token in _TOKEN.findall(text.lower()))


def rouge_l(left: str, right: str) -> float:
    """F1 of precision and recall of the longest common subsequence of tokens."""
    if left == right:
        return 1.0
    ours, theirs = tokens(left), tokens(right)
    if not ours or not theirs:
        return 0.0
    # 2PR / (P + R) with P = common / |ours| and R = common / |theirs|, rounded once.
    return 2 * LCSseq.similarity(ours, theirs) / (len(ours) + len(theirs))
