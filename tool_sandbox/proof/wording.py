"""Words in which facts can be told: units, figures, dates, phone numbers, settings, actions, obstacles."""

import datetime
import re

from tool_sandbox.answers.facts import Duration, Number
from tool_sandbox.answers.facts._number import length_of
from tool_sandbox.answers.facts._units import unit

Style = int
"""0 is terse, 1 is polite and wordy, 2 is marked up."""

CLAIMS = {
    "sent": "Your message has been sent.",
    "added": "It has been added.",
    "removed": "It has been removed.",
    "updated": "It has been updated.",
    "moved": "It has been moved.",
    "set": "It has been set.",
    "turned_on": "It has been turned on.",
    "turned_off": "It has been turned off.",
    "restored": "It has been restored.",
}
"""Action, as `Done` names it, to a sentence that claims it."""

VERBS = {
    "sent": ("sent", "delivered", "sent", "send"),
    "added": ("added", "created", "saved", "add"),
    "removed": ("deleted", "removed", "erased", "remove"),
    "updated": ("updated", "changed", "modified", "change"),
    "moved": ("moved", "rescheduled", "shifted", "move"),
    "set": ("set", "scheduled", "created", "set"),
    "turned_on": ("switched on", "enabled", "turned on", "turn on"),
    "turned_off": ("switched off", "disabled", "turned off", "turn off"),
    "restored": ("restored", "put back", "reverted", "restore"),
}
"""Action to its past forms in the three styles, and its base form."""

SETTING_NAMES = {
    "wifi": ("Wi-Fi", "wireless connection", "Wi-Fi"),
    "cellular": ("Mobile data", "cellular service", "Cellular"),
    "location": ("GPS", "location access", "Location services"),
    "low_battery": ("Low power mode", "battery saver", "Power saving"),
}
"""Setting to its names in the three styles."""

_UNIT_NAMES = {
    "celsius": (" °C", " degrees Celsius", "°C"),
    "fahrenheit": (" °F", " degrees Fahrenheit", "°F"),
    "kelvin": (" K", " kelvins", " K"),
    "kilometre": (" km", " kilometres", " kilometers"),
    "metre": (" m", " metres", " meters"),
    "centimetre": (" cm", " centimetres", " cm"),
    "mile": (" mi", " miles", " miles"),
    "nautical_mile": (" nmi", " nautical miles", " nautical miles"),
    "knot": (" kt", " knots", " knots"),
    "kilometre_per_hour": (" km/h", " kilometres per hour", " kph"),
    "litre": (" l", " litres", " liters"),
    "gallon": (" gal", " gallons", " gallons"),
    "cup": (" cups", " cups", " cups"),
    "gram": (" g", " grams", " grams"),
    "kilogram": (" kg", " kilograms", " kilos"),
    "hour": (" h", " hours", " hrs"),
    "minute": (" min", " minutes", " mins"),
    "second": (" s", " seconds", " seconds"),
    "day": (" days", " days", " days"),
    "percent": ("%", " percent", " %"),
    "usd": (" USD", " US dollars", " USD"),
    "eur": (" EUR", " euros", " €"),
    "gbp": (" GBP", " pounds sterling", " GBP"),
    "cny": (" CNY", " Chinese yuan", " RMB"),
    "jpy": (" JPY", " Japanese yen", " JPY"),
    "cad": (" CAD", " Canadian dollars", " CAD"),
    "chf": (" CHF", " Swiss francs", " CHF"),
}


def figure(fact: Number, style: Style) -> str:
    """A number with its unit, rounded as far as the style likes and the fact allows."""
    value = float(fact.value)  # type: ignore[arg-type]
    slack = max(fact.tolerance or 0.0, (fact.relative or 0.0) * abs(value))
    exact = fact.tolerance is None and fact.relative is None
    for decimals in range((2, 1, 1)[style] if exact else 0, 9):
        shown = round(value, decimals)
        if value == shown or (exact and (decimals or abs(value) >= 10)) or abs(shown - value) <= slack:
            break
    plain = f"{shown:,.{decimals}f}" if style == 1 else f"{shown:.{decimals}f}"
    digits = plain.rstrip("0").rstrip(".") if "." in plain and value == shown and style != 1 else plain
    return digits + _unit_name(fact.unit, style)


def _unit_name(name: str | None, style: Style) -> str:
    if name is None:
        return ""
    known = unit(name)
    names = _UNIT_NAMES.get(known.name)
    if names is not None:
        return names[style]
    if known.dimension == known.name:
        return f" {name.upper()}"
    return f" {name}" if name.endswith("s") else f" {name}s"


def length(fact: Duration, style: Style) -> str:
    """A length of time in hours, minutes and seconds."""
    minutes, seconds = divmod(round(length_of(fact.value)), 60)
    hours, minutes = divmod(minutes, 60)
    if style == 2 and hours < 1000:
        return f"{hours}:{minutes:02d}:{seconds:02d}"
    names = ("h", "m", "s") if style == 0 else (" hours", " minutes", " seconds")
    parts = [
        f"{count}{name if count != 1 or style == 0 else name.rstrip('s')}"
        for count, name in zip((hours, minutes, seconds), names, strict=True)
        if count
    ]
    return " ".join(parts) if style == 0 else enumeration(parts)


def day(date: datetime.date, style: Style) -> str:
    """A date."""
    if style == 0:
        return date.isoformat()
    suffix = "th" if 10 <= date.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th")
    if style == 1:
        return f"{date:%A}, the {date.day}{suffix} of {date:%B %Y}"
    return f"{date:%b} {date.day}, {date.year}"


def clock(time: datetime.time, style: Style) -> str:
    """A time of day; seconds are left out."""
    if style == 0:
        return f"{time.hour:02d}:{time.minute:02d}"
    hour, half = time.hour % 12 or 12, "a.m." if time.hour < 12 else "p.m."
    if style == 1:
        return f"{hour}:{time.minute:02d} {half}"
    return f"{hour}{f':{time.minute:02d}' if time.minute else ''}{half[0]}m"


def phone(number: str, style: Style) -> str:
    """A phone number in three groupings."""
    american = re.fullmatch(r"\+1(\d{3})(\d{3})(\d{4})", number)
    if style == 0 or american is None:
        return number
    area, exchange, line = american.groups()
    return f"({area}) {exchange}-{line}" if style == 1 else f"+1 {area}-{exchange}-{line}"


def enumeration(parts: list[str]) -> str:
    """Parts joined with commas and "and"."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
