"""The device settings and their names in answers."""

import functools
import re

from tool_sandbox.answers.facts._judge import term_pattern

SETTINGS: dict[str, str] = {
    "wifi": r"wi-? ?fi|wireless(?: (?:lan|network|internet|connection|radio))?|wlan|internet(?: connection)?",
    "cellular": (
        r"(?:cellular|(?:mobile|cell(?: ?phone)?)(?= (?:data|service|network|connection|radio|reception|signal)\b))"
        r"(?: (?:data|service|network|connection|radio|reception|signal))*|reception|signal|phone service"
    ),
    "location": r"(?:geo)?location(?: (?:services?|access|tracking|sharing|settings?))*|gps|positioning(?: services?)?",
    "low_battery": r"(?:low[ -]?(?:battery|power)(?: saver)?|(?:battery|power)[ -]?sav(?:ing|er|e)s?)(?: mode)?",
}


@functools.lru_cache(maxsize=512)
def setting_key(subject: str) -> str | None:
    """The setting that a subject names ("wifi", "location_service", "low_battery_mode", ...), or ``None``."""
    name = subject.strip().lower().replace("_", " ").removesuffix(" status")
    return next((key for key, words in SETTINGS.items() if re.fullmatch(words, name)), None)


@functools.lru_cache(maxsize=256)
def subject_pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of the terms as ``term_pattern`` does; those that name a setting match all its usual names."""
    plain = term_pattern(tuple(term for term in terms if not setting_key(term)))
    named = (setting_pattern(SETTINGS[key]) for key in map(setting_key, terms) if key)
    return re.compile("|".join(each.pattern for each in (plain, *named)))


@functools.lru_cache(maxsize=256)
def setting_pattern(words: str) -> re.Pattern[str]:
    """Matches one of the names of a setting."""
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
