"""Travel: flights, trains and hotels, what they cost, and bookings with holds, changes and cancellations."""

from tool_sandbox.apps import App
from tool_sandbox.apps.travel.bookings import (
    get_travel_booking,
    pay_travel_booking,
    search_travel_bookings,
)
from tool_sandbox.apps.travel.changes import cancel_travel_booking, change_trip_leg
from tool_sandbox.apps.travel.content import content
from tool_sandbox.apps.travel.holds import hold_hotel_room, hold_trip
from tool_sandbox.apps.travel.hotels import get_hotel, search_hotels
from tool_sandbox.apps.travel.tables import (
    BOOKINGS,
    DEPARTURES,
    FARES,
    HOTELS,
    MEMBERSHIPS,
    NIGHTS,
    ROOMS,
    SEGMENTS,
    STAYS,
    STOPS,
    TRAVELLERS,
)
from tool_sandbox.apps.travel.travellers import add_traveller, modify_traveller, search_travellers
from tool_sandbox.apps.travel.trips import get_departure, search_trips

APP = App(
    name="travel",
    title="Travel",
    tables=[
        STOPS,
        DEPARTURES,
        FARES,
        HOTELS,
        ROOMS,
        NIGHTS,
        TRAVELLERS,
        MEMBERSHIPS,
        BOOKINGS,
        SEGMENTS,
        STAYS,
    ],
    tools=[
        search_trips,
        get_departure,
        search_hotels,
        get_hotel,
        search_travellers,
        add_traveller,
        modify_traveller,
        hold_trip,
        hold_hotel_room,
        pay_travel_booking,
        search_travel_bookings,
        get_travel_booking,
        change_trip_leg,
        cancel_travel_booking,
    ],
    content=content,
    words={
        STOPS.name: ("stop", "stops"),
        DEPARTURES.name: ("departure", "departures"),
        FARES.name: ("fare", "fares"),
        HOTELS.name: ("hotel", "hotels"),
        ROOMS.name: ("room", "rooms"),
        NIGHTS.name: ("night", "nights"),
        TRAVELLERS.name: ("traveller", "travellers"),
        MEMBERSHIPS.name: ("membership", "memberships"),
        BOOKINGS.name: ("booking", "bookings"),
        SEGMENTS.name: ("leg", "legs"),
        STAYS.name: ("stay", "stays"),
    },
)
