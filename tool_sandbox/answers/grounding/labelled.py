"""Figures and words beside the name of a key of some result: they have to come from the values of that key."""

import re
from collections.abc import Iterator

from tool_sandbox.answers.facts._moments import masked, times
from tool_sandbox.answers.facts._quantities import Quantity, quantities
from tool_sandbox.answers.facts._text import normalise
from tool_sandbox.answers.facts._units import DEGREES, UNITS, Unit
from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.reading import clocks_of
from tool_sandbox.answers.grounding.statement import Statement

_CELSIUS, _KPH, _MPH, _PERCENT = (UNITS[name] for name in ("celsius", "kilometre_per_hour", "mile_per_hour", "percent"))
_KEYS = (
    ("min_temperature", _CELSIUS, r"min(?:imum)?|lows?|lowest|coldest|down to|at night|overnight"),
    ("max_temperature", _CELSIUS, r"max(?:imum)?|highs?|highest|warmest|hottest|peaks?|up to|reach(?:es)?|at most"),
    ("average_temperature", _CELSIUS, r"average|mean"),
    ("perceived_temperature", _CELSIUS, r"feels?(?: more)? like|perceived|apparent|wind chill"),
    ("current_temperature", _CELSIUS, r"(?<!feels )(?:current temperature|temperature (?:right )?now)"),
    ("wind_speed max_wind_speed", _KPH, r"winds?"),
    ("gust_kph", _KPH, r"gusts?|gusting"),
    ("daily_chance_of_rain", _PERCENT, r"(?:chance|probability|likelihood|risk) of (?:rain|showers)|rain chance"),
    ("daily_chance_of_snow", _PERCENT, r"(?:chance|probability|likelihood|risk) of snow|snow chance"),
    ("humidity average_humidity", _PERCENT, r"humidity|humid"),
    ("cloud", _PERCENT, r"cloud cover"),
    ("moon_illumination", _PERCENT, r"moon illumination|of the moon"),
    ("visibility_distance average_visibility_distance", UNITS["kilometre"], r"visibility"),
    ("barometric_pressure", UNITS["hectopascal"], r"(?:air |barometric )?pressure|barometer"),
    ("price", UNITS["usd"], r"quoted|trad(?:es|ing)|price|worth|going for"),
    ("change_percent", _PERCENT, r"up|down|gained|lost|rose|fell|change"),
)
_LABELS = [(tuple(keys.split()), unit, re.compile(rf"(?<!\w)(?:{words})(?!\w)")) for keys, unit, words in _KEYS]
_APART = re.compile(
    r" ?(?:degrees? |[a-z]+ )?(?:warmer|colder|cooler|hotter|milder|higher|lower|more|less|above|below|apart"
    r"|difference)\b"
)
_BY = re.compile(
    r"\b(?:by|difference (?:is|of)|differ by)(?: about| around| roughly| exactly| nearly| some)?(?: _+ =)? $"
)
_IS = re.compile(r",? ?(?:of|is|at|:|like|was)?(?: only| just| about| around| roughly)? ?")
_ADVERBS = ("", "and", "but", "today", "tonight", "now", "there", "here", "right", "outside", "while", "so", "with")
_DIRECTION = re.compile(
    r"\b(?:(?P<up>up|rose|risen|gained|gaining|climbed|plus|rise|increased?)"
    r"|(?P<down>down|fell|fallen|lost|losing|dropped|minus|slipped|decreased?))\b(?: by| of)?(?: about| roughly)? ?\(?$"
)
_OR = re.compile(r" ?(?:\(|or|, or|,? that is|/|=|\()(?: about| exactly)? ?")
_NEAR = 24
_UNLIKELY = 30
_PLACES = ("n", "nne", "ne", "ene", "e", "ese", "se", "sse", "s", "ssw", "sw", "wsw", "w", "wnw", "nw", "nnw")
_WORDS = {"n": "north", "e": "east", "s": "south", "w": "west"}
_COMPASS = {"-".join(_WORDS[each] for each in place): number for number, place in enumerate(_PLACES)}
_WIND_FROM = re.compile(
    r"\b(?:winds?|breezes?|gusts?|blow(?:s|ing))\b(?:[^.;!?\n]|\.\d){0,60}? (?:from|out of)(?: the)? "
    r"(?P<place>(?:(?:north|south|east|west)[ -]?){1,3}|[nesw]{1,3}\b)"
)
_SKY = re.compile(r"\b(?:the )?(?P<key>(?:sun|moon) ?(?:rises?|sets?))\b")
_EXCHANGES = {
    "NASDAQ": r"nasdaq",
    "NYSE": r"nyse|new york stock exchange",
    "TSE": r"tsx|tse|toronto stock exchange",
    "TYO": r"tse|tokyo stock exchange|tyo",
    "SWX": r"(?<=on )six|(?<=on the )six|six swiss exchange|swiss exchange|swx|zurich stock exchange",
    "LON": r"lse|london stock exchange",
    "ETR": r"xetra|frankfurt stock exchange|etr",
    "HKG": r"hong kong stock exchange|hkex|hkg",
    "AMS": r"euronext(?: amsterdam)?",
}
_DRY = re.compile(
    r"\b(?:(?:will|should|'ll)(?: probably)? (?:stay|be|remain)|stays|remains|looks)(?: mostly| completely)? dry\b"
)
_WET = re.compile(
    r"\brain(?: is|'s) (?:forecast|expected|likely|due|on (?:its|the) way|coming)\b|\bexpect (?:some )?rain\b"
    r"|\bit(?:'ll| will|'s going to| is going to) rain\b"
)
_STATES = {
    r"(?:with|in|under) (?:light |heavy |moderate |some )?(?:rain|showers|drizzle)": "rain drizzle shower",
    r"it(?:'s| is) (?:currently |now |lightly )?(?:raining|drizzling)": "rain drizzle shower",
    r"it(?:'s| is) (?:currently |now |lightly )?snowing": "snow sleet",
    "sunny": "sunny clear",
    "overcast": "overcast cloud",
    "cloudy": "cloud overcast",
    "foggy": "fog mist",
    "clear(?:,? dry| blue)? sk(?:y|ies)": "clear sunny",
    "under (?:a |an )?(?:blue|clear|cloudless)(?:,? \\w+)? sk(?:y|ies)": "clear sunny",
}


def labelled_values(said: Statement) -> Iterator[Finding]:
    """Values that the results do not give for what they are said to be."""
    fields = said.shown.fields
    if not fields:
        return
    yield from _figures(said)
    yield from _directions(said)
    own = said.document.own
    for match in _WIND_FROM.finditer(own) if "wind_dir" in fields else ():
        place = _place(match["place"])
        shown = [_PLACES.index(each.lower()) for each in fields["wind_dir"] if str(each).lower() in _PLACES]
        if place is None or not said.is_said(match.start("place")):
            continue
        if all(min((place - each) % 16, (each - place) % 16) > 1 for each in shown):
            yield Finding(Kind.NAME, match.group(), f"from {', '.join(map(str, fields['wind_dir']))}")
    for time in said.clocks:
        begin, _ = said.sentence(time.start)
        for match in list(_SKY.finditer(own, max(begin, time.start - 32), time.start))[-1:]:
            key = match["key"].replace(" ", "").removesuffix("s")
            known = {each.seconds for value in fields.get(key, ()) for each in times(normalise(str(value)))}
            meant = clocks_of(time.seconds, is_ambiguous=time.is_ambiguous)
            if known and not meant & known and said.is_said(time.start):
                yield Finding(Kind.TIME, own[match.start() : time.end], f"{key} is at {fields[key]}")
    exchanges = set(map(str, fields.get("exchange", ())))
    for code, words in _EXCHANGES.items() if exchanges else ():
        for match in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", own):
            fitting = {each for each, names in _EXCHANGES.items() if re.fullmatch(names, match.group())} | {code}
            if not fitting & exchanges and said.is_said(match.start()) and exchanges <= _EXCHANGES.keys():
                yield Finding(Kind.NAME, match.group(), f"traded on {', '.join(sorted(exchanges))}")
    is_wet = [value for value in fields.get("daily_will_it_rain", ()) if isinstance(value, int)]
    for match in _DRY.finditer(own) if is_wet and all(is_wet) else ():
        if said.is_said(match.start()):
            yield Finding(Kind.NAME, match.group(), "rain is forecast")
    chances = [each for each in fields.get("daily_chance_of_rain", ()) if isinstance(each, int)]
    for match in _WET.finditer(own) if is_wet and not any(is_wet) and max(chances, default=0) <= _UNLIKELY else ():
        if said.is_said(match.start()):
            yield Finding(Kind.NAME, match.group(), "no rain is forecast")
    conditions = " ".join(str(each["text"]).lower() for each in fields.get("condition", ()) if isinstance(each, dict))
    for word, kinds in _STATES.items() if conditions else ():
        for match in re.finditer(rf"\b{word}\b", own):
            if said.is_said(match.start()) and not any(kind in conditions for kind in kinds.split()):
                yield Finding(Kind.NAME, word, conditions)


def _place(words: str) -> int | None:
    plain = re.sub(r"[ -]", "", words)
    for name, number in _COMPASS.items():
        if plain in (name.replace("-", ""), _PLACES[number]):
            return number
    return None


def _figures(said: Statement) -> Iterator[Finding]:
    own = said.document.own
    amounts = quantities(masked(own, digit_runs=True, coordinates=False), DEGREES)
    spoken = [amount.unit for amount in amounts if amount.unit and amount.unit.dimension == _CELSIUS.dimension]
    spoken = spoken or [UNITS["celsius"], UNITS["fahrenheit"], UNITS["kelvin"]]
    last: tuple[int, Quantity, str] | None = None
    for number, amount in enumerate(amounts):
        begin, stop = said.sentence(amount.start)
        before = amounts[number - 1].end if number and amounts[number - 1].start >= begin else begin
        after = amounts[number + 1].start if number + 1 < len(amounts) else stop
        label = _label(said, before, amount, min(after, stop))
        if label is None and last and _OR.fullmatch(own, last[1].end, amount.start):
            label = last[2]
        last = None
        if label is None or not said.document.is_asserted(amount.start):
            continue
        last = (number, amount, label)
        if _APART.match(own, amount.end) or _BY.search(own, begin, amount.start):
            continue
        keys, unit, _ = next(each for each in _LABELS if each[0][0] == label)
        known = [each for key in keys for each in said.shown.fields.get(key, ()) if isinstance(each, (int, float))]
        # What was given to a conversion had been worked out: the worth of several shares.
        worth = said.shown.fields.get("amount", ()) if label == "price" else ()
        given = [each for each in worth if isinstance(each, (int, float))]
        if known and not any(_fits(amount, each, label, spoken) for each in (*known, *given)):
            words = own[amount.start : amount.end]
            yield Finding(Kind.AMOUNT, words, f"{label} is {', '.join(f'{each} {unit.name}' for each in known)}")


def _directions(said: Statement) -> Iterator[Finding]:
    """Changes of prices that are said to go the other way."""
    changes = [
        each
        for key in ("change", "change_percent")
        for each in said.shown.fields.get(key, ())
        if isinstance(each, (int, float))
    ]
    for amount in quantities(said.figures) if changes else ():
        match = _DIRECTION.search(said.document.own, max(0, amount.start - 32), amount.start)
        same = [each for each in changes if abs(abs(each) - amount.value) <= amount.step / 2 + 1e-9]
        if match and same and said.is_said(amount.start) and all((each > 0) != bool(match["up"]) for each in same):
            words = said.document.own[match.start() : amount.end]
            yield Finding(Kind.AMOUNT, words, f"the change is {', '.join(map(str, same))}")


def _label(said: Statement, before: int, amount: Quantity, after: int) -> str | None:
    """The key that is named nearest in front of an amount in its clause, or else nearest to it, close behind it too."""
    own, dimension = said.document.own, amount.unit.dimension if amount.unit else ""
    clause = said.document.clause_at(amount.start).start
    best: tuple[bool, int, str] | None = None
    for keys, unit, words in _LABELS:
        bare = ("", DEGREES.dimension) if unit is _CELSIUS else ()
        if keys[0] not in said.shown.fields or dimension not in (unit.dimension, *bare):
            continue
        for match in words.finditer(own, before, after):
            # "High / low: 19.1 / 10.7" has its figures in order.
            if own.endswith("/ ", 0, match.start()) or own.startswith(" /", match.end()):
                continue
            behind = match.start() >= amount.end
            distance = match.start() - amount.end if behind else amount.start - match.end()
            # A whole number without a unit may count anything, unless it is said to be what the label names.
            is_whole = not dimension and amount.value == int(amount.value)
            if is_whole and not (amount.follower in _ADVERBS and _IS.fullmatch(own, match.end(), amount.start)):
                continue
            if behind and (distance > _NEAR or after - match.end() < distance):
                continue
            rank = (behind or match.start() < clause, distance, keys[0])
            best = min(best or rank, rank)
    return best[2] if best else None


def _fits(amount: Quantity, known: float, label: str, spoken: list[Unit]) -> bool:
    unit = next(each[1] for each in _LABELS if each[0][0] == label)
    slack = amount.step / 2 + 0.06
    values = [value for value in (amount.value, amount.upper) if value is not None]
    if label == "change_percent":
        values, known = [abs(value) for value in values], abs(known)
    targets = [amount.unit] if amount.unit and amount.unit.dimension == unit.dimension else spoken
    return any(abs(unit.convert(known, target) - value) <= slack for target in targets for value in values)
