"""What a user says that it cannot know, or that the agent has to find out: invented facts and leaked secrets."""

import contextlib
import datetime
import itertools
import re
from collections.abc import Iterator

from tool_sandbox.answers.dialogue import questions, says, sentences
from tool_sandbox.answers.facts import Absent, Date, Fact, Number, Phone, Reading
from tool_sandbox.answers.facts._moments import DAYS, MONTHS, dates
from tool_sandbox.answers.facts._quantities import SMALL_NUMBERS, TENS
from tool_sandbox.fidelity.conversation import AGENT, TOOL, USER, Conversation, Line
from tool_sandbox.fidelity.texts import COURTEOUS_WORDS, STOP_WORDS, contains, plain, words

_NAME = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_AMID = re.compile(r"[^\W_]\s*$|[,'’&/)]\s*$")
"""What a name stands behind; behind anything else a part of a sentence begins, where any word is capitalised."""
_QUOTED = re.compile(r'["“«]([^"“”«»\n]{3,400})["”»]')
_asks_who = says(r"\b(?:who|whom|whose|names?|recipient|which (?:contact|person|one|place|city|stock))\b")
_asks_when = says(r"\b(?:when|time|date|day|hour|o'clock)\b")
_RELATIVE = re.compile(r"\b(?:today|tonight|tomorrow|yesterday|noon|midnight|midday|weekend)\b", re.IGNORECASE)

_OTHER_WORDS = """
yeah yep yup nope nah hi hello hey oh ah um hmm wow wait hold wifi wi fi bluetooth internet siri google alexa assistant
english celsius fahrenheit kelvin mr mrs ms dr god lol low power battery mode cellular location service services
settings contacts messages reminders reminder sms text nobody none anyone whoever someone anything whatever never well
neither either both any dunno go correct exactly absolutely definitely unsure idk forget leave stop same first second
third last next sept hurry mine home work everyone unknown family friends self later soon maybe probably actually
hopefully now only send add remove delete set turn tell make change
"""
_ORDINARY = STOP_WORDS.union(
    COURTEOUS_WORDS, _OTHER_WORDS.split(), SMALL_NUMBERS, *((name, name[:3]) for name in (*MONTHS, *DAYS))
)
"""Words that are capitalised without being a name, and names of days and months, which are dates."""

_is_bare_name = says(r"^\s*(?!\w*(?:ly|ful|ing|ous|ent|ic|body|one|thing)\b)[^\W\d_]{3,20}\.?\s*$")

_FIGURE = re.compile(r"(?<![\w.])\+?(?P<number>\d+(?:[.:]\d+)*)(?: ?(?P<unit>[a-z]+))?", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})(?=:\d\d|(?:\.\d\d)? ?(?:[ap]\.?m\b|o['’]clock))", re.IGNORECASE)
_SPOKEN = re.compile(rf"\b(?:{'|'.join(SMALL_NUMBERS)})\b(?= ?(?:[ap]\.?m\b|o['’]clock))", re.IGNORECASE)
_IN_PASSING = re.compile(
    r"\b24/7\b|\b100 ?%|\b50[/-]50\b|(?<![\w.$€£¥])(?<!\d:)(?<![$€£¥] )0*[1-3](?![.:]?\d)(?! ?(?:[%$€£]|°\w?"
    r"|(?:[ap]m?|k|o|dollars?|euros?|pounds?|hours?|minutes?|days?|weeks?|months?|years?|miles?|km|kilo\w+)(?![a-z])))",
    re.IGNORECASE,
)
"""Figures that state nothing: idioms, and small numbers without a unit ("2 things")."""
_FIRST = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_VALUES = TENS | {"noon": 12, "midday": 12, "midnight": 12, "half": 30, "quarter": 15, "dozen": 12}
_VALUES |= {word: value for value, word in enumerate(_FIRST, 1)}
_SCALES = {"k": 1_000, "thousand": 1_000, "grand": 1_000, "million": 1_000_000}
_SHORTEST_PHONE, _SHORTEST_PART = 7, 3
"""Digits of a telephone number: the fewest, and those of a part that tells it."""


def invented_fact(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds what the user says without having been told or having heard it."""
    known = [*conversation.told, *conversation.said(USER, AGENT, before=line.index)]
    if invented := list(dict.fromkeys(_invented(line.text, " ".join(questions(heard.text)), known))):
        yield f"says {', '.join(map(repr, invented))}: neither its brief nor anything said before holds that"


def _invented(text: str, asked: str, texts: list[str]) -> Iterator[str]:
    known = {word for each in texts for word in words(each)}
    yield from _unknown_figures(text, texts)
    known_days = {word.removesuffix("s") for word in known}.union(*(_days(each, int(texts[0][:4])) for each in texts))
    yield from map(str.title, sorted(_days(text) - known_days))
    yield from _unknown_names(text, known, is_answer=_asks_who(asked) and _is_bare_name(text))
    if _asks_when(asked):
        yield from (found for found in _RELATIVE.findall(text) if found.lower() not in known)
    for quoted in _QUOTED.findall(text):
        found = words(quoted)
        if len(found) > 1 and sum(word in known for word in found) < len(found) / 2:
            yield quoted


def _unknown_figures(text: str, texts: list[str]) -> Iterator[str]:
    """The numbers of a text that others do not hold; of a telephone number, a part or another prefix will do."""
    values = {0.0}.union(*map(_values, texts))
    runs = tuple(run for each in texts for run in re.findall(rf"\d{{{_SHORTEST_PHONE},}}", plain(each)))
    said = _SPOKEN.sub(lambda match: str(SMALL_NUMBERS[match.group().lower()]), plain(text))
    for match in _FIGURE.finditer(_IN_PASSING.sub(" ", said)):
        number, scale = match["number"], _SCALES.get((match["unit"] or "").lower(), 1)
        is_part = len(number) >= _SHORTEST_PART and any(number in run for run in runs)
        is_longer = len(number) >= _SHORTEST_PHONE and number.endswith(runs)
        is_known = all(_holds(values, part) or _holds(values, part * scale) for part in _parts(number))
        if not (is_part or is_longer or is_known):
            yield number


def _values(text: str) -> Iterator[float]:
    """The numbers in a text, in figures and words; hours on both halves of the clock."""
    found = words(text)
    for word, unit in itertools.zip_longest(found, found[1:]):
        parts = _parts(word) if word[0].isdecimal() else [float(_VALUES[word])] if word in _VALUES else []
        yield from (part * scale for part in parts for scale in (1, _SCALES.get(unit, 1)))
    yield from (float(hour) + half for hour in _CLOCK.findall(text) for half in (-12, 12))


def _parts(number: str) -> list[float]:
    """The value of a number, or the parts of a time, of a list, or of a date with dots."""
    is_one = not re.search(r"[,:]|\..*\.", number)
    return [float(part) for part in ([number] if is_one else re.split(r"[.,:]", number))]


def _holds(values: set[float], value: float) -> bool:
    """Whether a number is among others, which may have been rounded."""
    decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    return value in values or any(value in (round(known, decimals), known // 1) for known in values if known > 1)


def _days(text: str, year: int = 0) -> set[str]:
    """The months and days of the week that a text names; given the year, a date names its day of the week, too."""
    names = set()
    for mention in dates(text.lower()):
        if not mention.is_numeric:
            month, weekday = mention.month or 0, mention.weekday
            names |= {MONTHS[month], "" if weekday is None else DAYS[weekday]}
            with contextlib.suppress(ValueError):
                names.add(DAYS[datetime.date(year and (mention.year or year), month, mention.day or 0).weekday()])
    return names - {""}


def _unknown_names(text: str, known: set[str], *, is_answer: bool) -> Iterator[str]:
    for sentence in sentences(text):
        names = [(match.start(), match.group()) for match in _NAME.finditer(sentence) if match.group()[0].isupper()]
        if any(at and name.casefold() in STOP_WORDS and name[0] != "I" for at, name in names):
            # Small words do not begin with a capital but Where Everything Does.
            continue
        for at, name in names:
            stem = name.replace("’", "'").casefold().removesuffix("'s")
            is_known = stem in _ORDINARY or not known.isdisjoint({stem, stem.removesuffix("s"), f"{stem}s"})
            is_inside = is_answer or _AMID.search(sentence[:at])
            if is_inside and not (is_known or name.isupper() or "'" in stem):
                yield name


def leaked_secret(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds secrets that the user says before the agent has said them, or a tool has shown them to the agent."""
    known = [*conversation.script.lines, *conversation.said(USER, AGENT, TOOL, before=line.index)]
    for secret in conversation.script.secrets:
        if _says(line.text, secret) and not any(_says(text, secret) for text in known):
            yield f"gives {secret!r} away, which the agent has not found out"


def _says(text: str, secret: str) -> bool:
    """Whether a text holds a secret: a telephone number with any prefix, a date in words, a number rounded."""
    fact: Fact | None = None
    if re.fullmatch(r"\d{4}-\d\d-\d\d", secret):
        fact = Date(datetime.date.fromisoformat(secret))
    elif re.fullmatch(r"\d+\.\d+", secret):
        fact = Number(float(secret))
    elif re.fullmatch(r"\+?[\d ().\-]{7,}", secret):
        fact = Phone(secret)
    return contains(words(text), words(secret)) or bool(fact and Absent(fact).read(text) is Reading.CONTRADICTED)
