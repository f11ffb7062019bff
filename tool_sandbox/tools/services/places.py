"""Offline answers about places: search by name or kind, and the address of a point."""

import functools
import hashlib
import itertools
import unicodedata
from typing import Any

import attrs
from rapidfuzz import fuzz, process, utils

from tool_sandbox.tools.services.gazetteer import (
    City,
    Place,
    cities,
    city_at,
    distance_km,
    nearest_place,
    places,
    region_names,
)

_AT_PLACE_KM = 0.3
"""A point this near to a place has the address of the place."""

_SAME_KIND_KM = 80.0
"""Places that match by kind alone are offered up to this distance."""

_MIN_COVERAGE = 0.6
"""Part of the words of a query that a place must match."""

_MAX_QUERY_WORDS = 20
_FUZZY_MIN_LENGTH = 4
_FUZZY_MIN_RATIO = 80.0
_FUZZY_WEIGHT = 0.9

_FILLERS = frozenset(
    [
        *("a", "an", "and", "around", "at", "by", "close", "closest", "find", "for", "here", "in", "me", "my", "near"),
        *("nearby", "nearest", "of", "on", "please", "the", "this", "to", "where"),
    ]
)
_SHORT_FORMS = {
    "avenue": "ave",
    "boulevard": "blvd",
    "drive": "dr",
    "expressway": "expy",
    "highway": "hwy",
    "lane": "ln",
    "mt": "mount",
    "north": "n",
    "parkway": "pkwy",
    "place": "pl",
    "road": "rd",
    "saint": "st",
    "south": "s",
    "square": "sq",
    "street": "st",
}
_COUNTRY_NAMES = {"USA": "us usa united states america", "United Kingdom": "uk gb great britain england scotland"}


def _words(text: str) -> list[str]:
    """Words in lower case without accents and punctuation, in the short form where there is one."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    plain = plain.replace("'", "").replace("’", "")
    return [_SHORT_FORMS.get(word, word) for word in utils.default_process(plain).split()]


@attrs.frozen
class _Entry:
    """A site and the words that find it.

    Attributes:
        site: Place or city.
        names: The words of each of its names.
        named: All words of its names, pairs of them written as one included.
        kinds: Words of its kinds.
        located: Words of its address.
    """

    site: Place | City
    names: tuple[frozenset[str], ...]
    named: frozenset[str]
    kinds: frozenset[str]
    located: frozenset[str]


def _entry(site: Place | City) -> _Entry:
    aliases, types = (site.aliases, site.types) if isinstance(site, Place) else ((), ("City",))
    names = [_words(name) for name in (site.name, *aliases)]
    joined = [first + second for words in names for first, second in itertools.pairwise(words)]
    region = region_names().get((site.country, site.region), "")
    address = f"{site.address} {region} {_COUNTRY_NAMES.get(site.country, '')}"
    return _Entry(
        site,
        tuple(frozenset(words) for words in names),
        frozenset([*(word for words in names for word in words), *joined]),
        frozenset(_words(" ".join(types))),
        frozenset(_words(address)),
    )


@functools.cache
def _index() -> tuple[_Entry, ...]:
    sites: list[Place | City] = [*places(), *cities()]
    return tuple(map(_entry, sites))


@functools.cache
def _vocabulary() -> list[str]:
    return sorted({word for entry in _index() for word in entry.named | entry.kinds | entry.located})


def _similar_words(word: str) -> dict[str, float]:
    """Known words that a word of a query may mean, with their weight."""
    matches: dict[str, float] = {}
    if len(word) >= _FUZZY_MIN_LENGTH and not word.isdigit():
        hits = process.extract(word, _vocabulary(), scorer=fuzz.ratio, score_cutoff=_FUZZY_MIN_RATIO, limit=None)
        matches = {hit: _FUZZY_WEIGHT for hit, _, _ in hits if len(hit) >= _FUZZY_MIN_LENGTH and not hit.isdigit()}
    matches[word] = 1.0
    return matches


def _weight(words: frozenset[str], matches: dict[str, float]) -> float:
    return max((weight for word, weight in matches.items() if word in words), default=0.0)


@attrs.frozen
class _Match:
    entry: _Entry
    coverage: float
    by_name: bool
    fully_named: bool
    by_kind: bool


def _match(entry: _Entry, query: list[dict[str, float]], said: set[str]) -> _Match | None:
    """How well a query fits an entry; ``None`` if none of the words said is about its name or kind."""
    if entry.named.isdisjoint(said) and entry.kinds.isdisjoint(said):
        return None
    named = [_weight(entry.named, matches) for matches in query]
    kinds = [_weight(entry.kinds, matches) for matches in query]
    located = [_weight(entry.located, matches) for matches in query]
    coverage = sum(map(max, named, kinds, located)) / len(query)
    fully_named = any(words <= said for words in entry.names)
    # A word such as "museum" in a name tells no more than the kind does.
    by_name = fully_named or any(name and not kind for name, kind in zip(named, kinds, strict=True))
    return _Match(entry, coverage, by_name, fully_named, all(kinds))


@functools.lru_cache(maxsize=1024)
def find(query: str, latitude: float, longitude: float, limit: int) -> tuple[Place | City, ...]:
    """Sites that a query means: those it names in full first, then those of the kind it asks for, each by distance.

    Words may be misspelt, and may name the site, its kind, or its address.

    Args:
        query: What somebody typed.
        latitude: Degrees.
        longitude: Degrees.
        limit: Most sites to return.

    Returns:
        The sites; empty if nothing fits well enough.
    """
    words = [word for word in _words(query) if word not in _FILLERS][:_MAX_QUERY_WORDS]
    if not words:
        return ()
    meanings = [_similar_words(word) for word in words]
    said = {word for meaning in meanings for word in meaning}
    matches = [match for entry in _index() if (match := _match(entry, meanings, said)) is not None]
    best = max((match.coverage for match in matches), default=0.0)
    if best < _MIN_COVERAGE:
        return ()
    ranked = []
    for match in matches:
        distance = distance_km(latitude, longitude, match.entry.site)
        if match.coverage == best and (match.by_name or distance <= _SAME_KIND_KM):
            ranked.append(((not match.fully_named, not match.by_kind, distance), match.entry.site))
    return tuple(site for _, site in sorted(ranked, key=lambda item: item[0])[:limit])


# Provider-shaped bodies ----------------------------------------------------------------------


def _record(site: Place | City) -> dict[str, Any]:
    is_place = isinstance(site, Place)
    identifier = hashlib.blake2b(f"{site.name} {site.latitude} {site.longitude}".encode(), digest_size=16).hexdigest()
    locality = site.city if isinstance(site, Place) else site.name
    return {
        "business_id": f"0x{identifier[:16]}:0x{identifier[16:]}",
        "phone_number": site.phone_number if isinstance(site, Place) else None,
        "name": site.name,
        "full_address": site.full_address if isinstance(site, Place) else site.address,
        "latitude": site.latitude,
        "longitude": site.longitude,
        "review_count": None,
        "rating": None,
        "timezone": site.timezone,
        "website": site.website if isinstance(site, Place) else None,
        "verified": is_place,
        "place_id": f"offline_{identifier[:20]}",
        "place_link": None,
        "types": list(site.types) if isinstance(site, Place) else ["City"],
        "price_level": None,
        "working_hours": None,
        "description": None,
        "city": f"{locality}, {site.region or site.country}",
        "state": None,
        "photos": [],
    }


def search(query: str, latitude: float, longitude: float, *, limit: int) -> dict[str, Any]:
    """Body of a place search.

    Args:
        query: Name or kind of a place, possibly with parts of its address.
        latitude: Degrees.
        longitude: Degrees.
        limit: Most places to return.

    Returns:
        The body, places under ``data``.
    """
    return {"status": "ok", "data": [_record(site) for site in find(query, latitude, longitude, limit)]}


def reverse_geocode(latitude: float, longitude: float) -> dict[str, Any]:
    """Body of the address of a point: that of a place there, else the city, else nothing.

    Args:
        latitude: Degrees.
        longitude: Degrees.

    Returns:
        The body, addresses under ``results``.
    """
    distance, place = nearest_place(latitude, longitude)
    site: Place | City | None = place if distance <= _AT_PLACE_KM else city_at(latitude, longitude)
    if site is None:
        return {"results": []}
    is_place = isinstance(site, Place)
    return {
        "results": [
            {
                "address": site.address,
                "country": site.country,
                "locality": site.city if isinstance(site, Place) else site.name,
                "region": site.region or None,
                "postal_code": (site.postal_code or None) if isinstance(site, Place) else None,
                "location": {"lat": site.latitude, "lng": site.longitude},
                "location_type": "exact" if is_place else "approximate",
                "type": "street_address" if is_place else "locality",
            }
        ]
    }
