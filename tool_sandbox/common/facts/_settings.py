"""The device settings and their names in answers."""

from __future__ import annotations

import functools
import re

from tool_sandbox.common.facts._judge import term_pattern

SETTINGS: dict[str, str] = {
    "wifi": r"wi-? ?fi|wireless(?: (?:lan|network|internet|connection|radio))?|wlan|internet(?: connection)?",
    "cellular": (
        r"(?:cellular|(?:mobile|cell(?: ?phone)?)(?= (?:data|service|network|connection|radio|reception|signal)\b))"
        r"(?: (?:data|service|network|connection|radio|reception|signal))*|reception|signal|phone service"
    ),
    "location": (
        r"location(?: (?:services?|access|tracking|sharing|settings?))*|gps|positioning(?: services?)?|geolocation"
    ),
    "low_battery": (
        r"low[ -]?battery(?: (?:saver )?mode)?|low[ -]?power(?: mode)?|power[ -]?sav(?:ing|er|e)s?(?: mode)?"
        r"|battery[ -]?sav(?:ing|er)s?(?: mode)?"
    ),
}


@functools.lru_cache(maxsize=512)
def setting_key(subject: str) -> str | None:
    """The setting that a subject names ("wifi", "location_service", "low_battery_mode", ...), or ``None``."""
    name = subject.strip().lower().replace("_", " ").removesuffix(" status")
    return next((key for key, words in SETTINGS.items() if re.fullmatch(words, name)), None)


@functools.lru_cache(maxsize=256)
def subject_pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of the terms as ``term_pattern`` does; those that name a setting match all its usual names."""
    plain = tuple(term for term in terms if setting_key(term) is None)
    keys = [key for term in terms if (key := setting_key(term))]
    return re.compile(
        "|".join([term_pattern(plain).pattern, *(setting_pattern(SETTINGS[key]).pattern for key in keys)])
    )


@functools.lru_cache(maxsize=256)
def setting_pattern(words: str) -> re.Pattern[str]:
    """Matches one of the names of a setting."""
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
