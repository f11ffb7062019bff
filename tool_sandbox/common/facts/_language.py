"""Whether a text is mostly in another language than English, which readers of English cannot read."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_WORDS = """
the are be been has have had does did will would can could i you she it they him her us them my your his its our their
this that these those there here what which who when where how not yes and or but if of to from by with about any
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# German, French, Spanish, Italian, Portuguese and Dutch
_FOREIGN_WORDS = """
der die das und ist nicht ein eine ich du sie wir ihr es den dem mit von zu auf im am wurde habe kein keine an in so
le la les des un une et est pas je tu il elle nous vous sur dans pour avec que qui ne au aux votre vos son ses mon ma
el los las una y no yo tu su sus en por para con se del al lo ha más está son a
gli di che non sono per una della nel suo tuo ho stato o os um uma e não eu você seu sua em na da com foi
de het een en niet ik je wij met van op te voor zijn heeft
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_FEWEST_WORDS = 8
_ENGLISH_SHARE = 0.1
_FOREIGN_SHARE = 0.25
_LATIN_END = "\u024f"


def is_foreign(text: str) -> bool:
    """Whether a text, as it was written, is mostly in another language: its words, or its script, have to be there."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) >= _FEWEST_WORDS and 2 * sum(letter > _LATIN_END for letter in letters) > len(letters):
        return True
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST_WORDS or sum(word in _ENGLISH for word in words) > _ENGLISH_SHARE * len(words):
        return False
    return sum(word in _FOREIGN or not word.isascii() for word in words) > _FOREIGN_SHARE * len(words)
