"""What the travel app keeps: departures and fares, hotels and rooms, travellers, bookings, and what was charged."""

from typing import Any

from tool_sandbox.apps import (
    automatic,
    choice,
    date,
    flag,
    key,
    moment,
    only_one,
    reference,
    references,
    seconds_of,
    table,
    text,
    texts,
    whole,
)
from tool_sandbox.apps.columns import money


def _leaves_before_it_arrives(row: dict[str, Any]) -> str | None:
    if seconds_of(row["arrives_at"]) <= seconds_of(row["departs_at"]):
        return f"departure {row['departure_id']} arrives before it leaves"
    return None


def _has_nights(row: dict[str, Any]) -> str | None:
    if row["check_out_on"] <= row["check_in_on"]:
        return f"stay {row['stay_id']} ends before it begins"
    return None


def _is_held_until(row: dict[str, Any]) -> str | None:
    if row["state"] == "held" and row["held_until"] is None:
        return f"booking {row['booking_id']} is held without an end"
    return None


def _adds_up(row: dict[str, Any]) -> str | None:
    if row["points_spent"] > row["total"] or row["refund"] > row["total"] + row["fees"]:
        return f"booking {row['booking_id']} gives back, or takes in points, more than it costs"
    if row["refund"] and row["state"] != "cancelled":
        return f"booking {row['booking_id']} has a refund and is not cancelled"
    return None


STOPS = table(
    "travel.stops",
    key("stop_id"),
    text("name"),
    choice("kind", "airport", "station"),
    text("city"),
    text("country"),
    text("zone"),
    whole("minutes_to_change", 0, 240),
    unique=[only_one("name")],
)
"""Airports and stations."""

DEPARTURES = table(
    "travel.departures",
    key("departure_id"),
    choice("kind", "flight", "train"),
    text("number"),
    text("carrier"),
    reference("from_stop_id", "travel.stops"),
    reference("to_stop_id", "travel.stops"),
    text("from_city"),
    text("to_city"),
    date("departs_on"),
    moment("departs_at"),
    moment("arrives_at"),
    choice("state", "on time", "delayed", "cancelled"),
    unique=[only_one("number", "departs_on", words="{number} leaves twice on {departs_on}")],
    row_rules=[_leaves_before_it_arrives],
)
"""Flights and trains of one day, with times on the clocks of the places."""

FARES = table(
    "travel.fares",
    key("fare_id"),
    reference("departure_id", "travel.departures"),
    choice("name", "basic", "standard", "flex"),
    money("price", 0),
    text("currency"),
    whole("seats", 0, 400),
    whole("bags", 0, 3),
    money("change_fee", 0, optional=True),
    whole("refund_percent", 0, 100),
    whole("closes_hours", 0, 72),
    unique=[only_one("departure_id", "name")],
)
"""What a seat costs, how many are sold at that price, and the rules; no change fee means no changes."""

HOTELS = table(
    "travel.hotels",
    key("hotel_id"),
    text("name"),
    text("city"),
    text("zone"),
    whole("stars", 1, 5),
    texts("amenities"),
    whole("minutes_to_center", 0, 180),
    text("currency"),
)
"""Hotels."""

ROOMS = table(
    "travel.rooms",
    key("room_id"),
    reference("hotel_id", "travel.hotels"),
    text("name"),
    whole("sleeps", 1, 8),
    flag("breakfast"),
    whole("free_cancel_days", 0, 60),
    unique=[only_one("hotel_id", "name")],
)
"""Kinds of rooms of hotels."""

NIGHTS = table(
    "travel.nights",
    key("night_id"),
    reference("room_id", "travel.rooms"),
    date("night_of"),
    money("price", 0),
    whole("rooms", 0, 100),
    unique=[only_one("room_id", "night_of")],
)
"""What a room costs in one night, and how many are sold."""

TRAVELLERS = table(
    "travel.travellers",
    key("traveller_id"),
    text("name"),
    text("passport_number", optional=True),
    date("passport_expires_on", optional=True),
    choice("seat_wish", "window", "aisle", "none"),
    unique=[only_one("passport_number", words="another traveller has the passport number {passport_number!r}")],
)
"""People for whom bookings are made."""

MEMBERSHIPS = table(
    "travel.memberships",
    key("membership_id"),
    reference("traveller_id", "travel.travellers"),
    text("carrier"),
    text("number"),
    choice("tier", "blue", "silver", "gold"),
    whole("opening_points", 0),
    unique=[only_one("number"), only_one("traveller_id", "carrier")],
)
"""Memberships in loyalty programs of carriers, with the points from before the first booking here."""

BOOKINGS = table(
    "travel.bookings",
    key("booking_id"),
    automatic(text("reference")),
    choice("kind", "trip", "hotel"),
    text("title"),
    choice("state", "held", "confirmed", "cancelled"),
    automatic(moment("made_at")),
    automatic(moment("held_until", optional=True)),
    moment("starts_at"),
    moment("ends_at"),
    references("traveller_ids", "travel.travellers"),
    money("total", 0),
    text("currency"),
    money("fees", 0),
    money("points_spent", 0),
    reference("membership_id", "travel.memberships", optional=True),
    money("refund", 0),
    row_rules=[_is_held_until, _adds_up],
)
"""Bookings of trips and of hotel rooms: their price, what changes cost, what was paid in points, what came back."""

SEGMENTS = table(
    "travel.segments",
    key("segment_id"),
    reference("booking_id", "travel.bookings"),
    whole("position", 1, 8),
    reference("fare_id", "travel.fares"),
    reference("departure_id", "travel.departures"),
    money("price", 0),
    unique=[only_one("booking_id", "position")],
)
"""Departures of a booking, with the price for each traveller."""

STAYS = table(
    "travel.stays",
    key("stay_id"),
    reference("booking_id", "travel.bookings"),
    reference("room_id", "travel.rooms"),
    date("check_in_on"),
    date("check_out_on"),
    whole("guests", 1, 8),
    money("first_night", 0),
    unique=[only_one("booking_id")],
    row_rules=[_has_nights],
)
"""Nights in a room of a booking."""
