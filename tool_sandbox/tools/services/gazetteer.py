"""Places and cities of the offline service, and finding the ones near a point."""

import csv
import functools
import math
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import TypeVar

import attrs

EARTH_RADIUS_KM = 6371.0
_CITY_RADIUS_KM = {1: 8.0, 2: 15.0, 3: 30.0}


def read_table(name: str) -> list[dict[str, str]]:
    """Rows of a data file of this package.

    Args:
        name: File name.

    Returns:
        One dictionary a row, all cells as text.
    """
    text = resources.files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@attrs.frozen
class City:
    """A city or town.

    Attributes:
        name: English name.
        region: Abbreviation of the state or province, empty where it is not usually written.
        country: English name of the country.
        country_code: ISO 3166-1 code of the country.
        latitude: Degrees.
        longitude: Degrees.
        elevation: Metres above sea level.
        timezone: IANA name.
        radius: Distance from the centre in kilometres that counts as being in the city.
    """

    name: str
    region: str
    country: str
    country_code: str
    latitude: float
    longitude: float
    elevation: float
    timezone: str
    radius: float

    @property
    def address(self) -> str:
        """City, region and country."""
        return ", ".join(filter(None, (self.name, self.region, self.country)))


@attrs.frozen
class Place:
    """A place that people look for.

    Attributes:
        name: Name, the same for all branches of a chain.
        street: House number and street, or empty.
        city: City or town.
        region: Abbreviation of the state or province, or empty.
        postal_code: Postal code, or empty.
        country: English name of the country.
        latitude: Degrees.
        longitude: Degrees.
        timezone: IANA name.
        phone_number: E.164, ``None`` if unknown.
        website: Address of the website, ``None`` if unknown.
        types: Kinds, the main one first.
        aliases: Other names.
    """

    name: str
    street: str
    city: str
    region: str
    postal_code: str
    country: str
    latitude: float
    longitude: float
    timezone: str
    phone_number: str | None
    website: str | None
    types: tuple[str, ...]
    aliases: tuple[str, ...]

    @property
    def address(self) -> str:
        """Street, city, region with postal code, and country."""
        return ", ".join(filter(None, (self.street, *self._locality, self.country)))

    @property
    def full_address(self) -> str:
        """Name and address, the country only if it is not the United States."""
        country = "" if self.country == "USA" else self.country
        street = "" if self.street == self.name else self.street
        return ", ".join(filter(None, (self.name, street, *self._locality, country)))

    @property
    def _locality(self) -> tuple[str, str]:
        return self.city, f"{self.region} {self.postal_code}".strip()


_Site = TypeVar("_Site", City, Place)


@functools.cache
def cities() -> tuple[City, ...]:
    """All cities."""
    return tuple(
        City(
            name=row["name"],
            region=row["region"],
            country=row["country"],
            country_code=row["country_code"],
            latitude=float(row["latitude"]),
            longitude=float(row["longitude"]),
            elevation=float(row["elevation"]),
            timezone=row["timezone"],
            radius=_CITY_RADIUS_KM[int(row["size"])],
        )
        for row in read_table("cities.csv")
    )


@functools.cache
def places() -> tuple[Place, ...]:
    """All places."""
    return tuple(
        Place(
            name=row["name"],
            street=row["street"],
            city=row["city"],
            region=row["region"],
            postal_code=row["postal_code"],
            country=row["country"],
            timezone=row["timezone"],
            latitude=float(row["latitude"]),
            longitude=float(row["longitude"]),
            phone_number=row["phone_number"] or None,
            website=row["website"] or None,
            types=_items(row["types"]),
            aliases=_items(row["aliases"]),
        )
        for row in read_table("places.csv")
    )


def _items(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, cell.split(";")))


@functools.cache
def region_names() -> dict[tuple[str, str], str]:
    """Country name and abbreviation to name of a state or province."""
    countries = {city.country_code: city.country for city in cities()}
    return {(countries[row["country_code"]], row["code"]): row["name"] for row in read_table("regions.csv")}


def distance_km(latitude: float, longitude: float, site: City | Place) -> float:
    """Great-circle distance (haversine) from a point to a site in kilometres."""
    phi, other = math.radians(latitude), math.radians(site.latitude)
    half = math.radians(site.longitude - longitude) / 2
    chord = math.sin((other - phi) / 2) ** 2 + math.cos(phi) * math.cos(other) * math.sin(half) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, chord)))


def _nearest(latitude: float, longitude: float, sites: Sequence[_Site]) -> tuple[float, _Site]:
    return min(_distances(latitude, longitude, sites), key=lambda pair: pair[0])


@functools.lru_cache(maxsize=1024)
def nearest_place(latitude: float, longitude: float) -> tuple[float, Place]:
    """Distance in kilometres to the nearest place, and the place."""
    return _nearest(latitude, longitude, places())


@functools.lru_cache(maxsize=1024)
def nearest_city(latitude: float, longitude: float) -> tuple[float, City]:
    """Distance in kilometres to the centre of the nearest city, and the city."""
    return _nearest(latitude, longitude, cities())


def city_at(latitude: float, longitude: float) -> City | None:
    """The city that a point is in, the one with the nearest centre if several reach it."""
    around = [pair for pair in _distances(latitude, longitude, cities()) if pair[0] <= pair[1].radius]
    return min(around, key=lambda pair: pair[0])[1] if around else None


def _distances(latitude: float, longitude: float, sites: Iterable[_Site]) -> list[tuple[float, _Site]]:
    return [(distance_km(latitude, longitude, site), site) for site in sites]
