"""False versions of a true answer: denied, with a wrong figure, with a wrong name, taken back."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import attrs

from tool_sandbox.answers.facts import (
    Cannot,
    Date,
    DateTime,
    Duration,
    Entity,
    Fact,
    Listing,
    NotDone,
    Number,
    Phone,
    Quote,
    Time,
    Weekday,
)
from tool_sandbox.proof.answers import mentions_changed, single
from tool_sandbox.proof.wording import CLAIMS

Kind = Literal[
    "negated answer",
    "wrong figure",
    "wrong entity in answer",
    "retracted answer",
    "two answers",
    "list of another length",
]

RETRACTIONS = ("Actually, that is not true.", "Sorry, what I just told you was wrong.")

_QUOTED = re.compile(r'("[^"]*")')
_SENTENCES = re.compile(r"((?<=[.!?;])(?<!\b[JDSM][rt]\.)\s+)")
_CLAUSES = re.compile(r"([:,]\s+(?!\d)(?:and |but |so )?|\s(?:and|but|so)\s(?=I |your |it ))")
_AND_PAST = re.compile(r"\band (?=(?:\w+ed|sent|set|put|left)\b)")
_VERB = re.compile(r"\b(is|are|was|were|stays|remains|has|have|will|can|am|do|does|did)\b(?! no\b| not\b)")
_PAST = re.compile(r"^((?:Done\W+)?(?:I|You already) )((?!have\b|am\b|do\b|did\b|can\b|could\b|had\b)\w+)")
_BASE = {"has": "does not have", "have": "do not have", "stays": "does not stay", "remains": "does not remain"}
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DIGITS = re.compile(r"\d+")


@attrs.frozen
class Falsehood:
    """A false text in place of a true one.

    Attributes:
        kind: What is wrong with it.
        text: The text.
    """

    kind: Kind
    text: str


@attrs.frozen
class Others:
    """What can be said in place of the truth.

    Attributes:
        names: Names of other people and things.
        texts: Other stored texts.
    """

    names: Sequence[str] = ()
    texts: Sequence[str] = ()


def falsehoods(text: str, facts: Sequence[Fact], others: Others) -> Iterator[Falsehood]:
    """False versions of an answer."""
    yield Falsehood("negated answer", denied(text, facts))
    wrong = []
    for fact in single(facts):
        lie = _with_other_figure(text, fact)
        if lie is not None:
            wrong.append(Falsehood("wrong figure", lie))
        elif isinstance(fact, (Entity, Quote)) and (lie := _with_other_name(text, fact, others)) is not None:
            wrong.append(Falsehood("wrong entity in answer", lie))
    yield from wrong
    for fact in facts:
        either = '{}" or "{}' if isinstance(fact, Quote) else "{} or {}"
        if (both := _told_otherwise(text, fact, others, either)) is not None:
            yield Falsehood("two answers", both)
        if isinstance(fact, Listing):
            yield from _of_another_length(text, fact, others)
    yield from (Falsehood("retracted answer", f"{text} {retraction}") for retraction in RETRACTIONS)
    yield from (Falsehood("retracted answer", f"{text} Wait, I misread that. {lie.text}") for lie in wrong[:1])


# Denial --------------------------------------------------------------------------------------------------------


def denied(text: str, facts: Sequence[Fact]) -> str:
    """The opposite of an answer: every statement denied; success claimed where it told of something not done."""
    for fact in single(facts):
        if isinstance(fact, Cannot):
            return CLAIMS[fact.task] if fact.task is not None else "Done! It is all taken care of."
        if isinstance(fact, NotDone):
            claim = CLAIMS[fact.task[0]]
            return claim.replace("It has", f"The {fact.about[0]} has") if fact.about else claim
    # What is quoted is not the agent's own to deny.
    if _QUOTED.search(text):
        return _denied_sentence(text)
    pieces = _SENTENCES.split(text)
    return "".join(piece if number % 2 else _denied_sentence(piece) for number, piece in enumerate(pieces))


def _denied_sentence(sentence: str) -> str:
    """A sentence with each of its statements denied."""
    quoted = _QUOTED.search(sentence)
    own, rest = (sentence[: quoted.start()], sentence[quoted.start() :]) if quoted else (sentence, "")
    pieces = _CLAUSES.split(own)
    denials = [piece if number % 2 else _denied_clause(piece) for number, piece in enumerate(pieces)]
    # What stands behind a colon is denied with the sentence, unless the sentence tells of a deed.
    if denials != pieces and (not re.search(r":\s*\S", own + rest) or any(map(_PAST.search, pieces))):
        return "".join(denials) + rest
    return f"It is not true that {sentence[0].lower() if sentence[1:2].islower() else sentence[0]}{sentence[1:]}"


def _denied_clause(clause: str) -> str:
    """A clause with its verb denied; unchanged if it has none that is known."""
    if re.fullmatch(r"\W*(?:yes|no)\W*", clause, re.IGNORECASE):
        return "No" if clause.strip().lower().startswith("yes") else "Yes"
    if _PAST.search(clause):
        return _AND_PAST.sub("and have not ", _PAST.sub(r"\1have not \2", clause))
    return _VERB.sub(lambda verb: _not(verb, clause), clause, count=1)


def _not(verb: re.Match[str], clause: str) -> str:
    if verb.group() in ("has", "have") and re.match(r" (?:been|\w+ed|sent|set|put|left|made)\b", clause[verb.end() :]):
        return f"{verb.group()} not"
    return _BASE.get(verb.group(), f"{verb.group()} not")


# Other values --------------------------------------------------------------------------------------------------


def _of_another_length(text: str, fact: Listing, others: Others) -> Iterator[Falsehood]:
    """One item too many, and one too few."""
    items = [item for item in fact.items if isinstance(item, (Entity, Quote))]
    if not items:
        return
    own = [item.text if isinstance(item, Quote) else item.name for item in items]
    pool = [name for name in fact.universe if name not in own]
    if pool and (longer := _told_otherwise(text, items[-1], Others(pool, pool), "{} and {}")) is not None:
        yield Falsehood("list of another length", longer)
    if len(items) > 1 and (shorter := mentions_changed(text, items[-1], lambda shown: str(own[0]))) is not None:
        yield Falsehood("list of another length", shorter)


def _told_otherwise(text: str, fact: Any, others: Others, form: str) -> str | None:
    """The text with another value beside the right one."""
    if isinstance(fact, (Entity, Quote)):
        return _with_other_name(text, fact, others, form)
    return _with_other_figure(text, fact, form)


def _with_other_figure(text: str, fact: Any, form: str = "{1}") -> str | None:
    """The text with every mention of a value changed; ``None`` if the fact has no value that can be changed."""
    change: Callable[[str], str]
    if isinstance(fact, Number):
        change = lambda shown: _NUMERAL.sub(lambda figure: _other_number(figure.group(), fact), shown, count=1)  # noqa: E731
    elif isinstance(fact, Phone):
        change = lambda shown: re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit.group()) + 1) % 10), shown)  # noqa: E731
    elif isinstance(fact, Weekday):
        change = _other_weekday
    elif isinstance(fact, Date):
        change = _other_day
    elif isinstance(fact, (Time, DateTime)):
        change = lambda shown: _DIGITS.sub(lambda hour: str(int(hour.group()) % 12 + 1), shown, count=1)  # noqa: E731
    elif isinstance(fact, Duration):
        change = lambda shown: _DIGITS.sub(lambda figure: str(int(figure.group()) + 1), shown, count=1)  # noqa: E731
    else:
        return None
    return mentions_changed(text, fact, lambda shown: form.format(shown, change(shown)))


def _other_number(figure: str, fact: Number) -> str:
    decimals = len(figure.partition(".")[2])
    value = float(figure.replace(",", ""))
    slack = max(fact.tolerance or 0.0, (fact.relative or 0.0) * abs(value), 0.02 * abs(value))
    return f"{value + 3 * slack + 1:.{decimals}f}"


def _other_weekday(shown: str) -> str:
    for number, day in enumerate(_DAYS):
        shown, count = re.subn(day, f"<{number}>", shown, flags=re.IGNORECASE)
        if count:
            return shown.replace(f"<{number}>", _DAYS[(number + 1) % 7])
    return shown


def _other_day(shown: str) -> str:
    if re.match(r"\d{4}-", shown):
        return re.sub(r"\d+$", lambda day: f"{int(day.group()) % 28 + 1:02d}", shown)
    return re.sub(r"\b\d{1,2}\b", lambda day: str(int(day.group()) % 28 + 1), shown, count=1)


def _with_other_name(text: str, fact: Entity | Quote, others: Others, form: str = "{1}") -> str | None:
    truth = fact.text if isinstance(fact, Quote) else fact.name
    pool = others.texts if isinstance(fact, Quote) else others.names
    own = {str(truth).lower(), *(alias.lower() for alias in getattr(fact, "aliases", ()))}
    free = [other for other in (*fact.instead_of, *pool) if not _overlap(other.lower(), own)]
    fallback = "Feed the goldfish of the neighbors" if isinstance(fact, Quote) else "Quentin Ashdown"
    other = (free or [fallback])[0]
    return mentions_changed(text, fact, lambda shown: form.format(shown, other))


def _overlap(other: str, own: set[str]) -> bool:
    return any(other in name or name in other for name in own)
