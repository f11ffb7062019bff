"""Travel: flights, trains and hotels, what they cost, and bookings with holds, changes and cancellations."""

from tool_sandbox.apps import App
from tool_sandbox.apps.travel import bookings, changes, holds, hotels, tables, travellers, trips
from tool_sandbox.apps.travel.content import content

APP = App(
    name="travel",
    title="Travel",
    tables=[
        tables.STOPS,
        tables.DEPARTURES,
        tables.FARES,
        tables.HOTELS,
        tables.ROOMS,
        tables.NIGHTS,
        tables.TRAVELLERS,
        tables.MEMBERSHIPS,
        tables.BOOKINGS,
        tables.SEGMENTS,
        tables.STAYS,
    ],
    tools=[
        trips.search_trips,
        trips.get_departure,
        hotels.search_hotels,
        hotels.get_hotel,
        travellers.search_travellers,
        travellers.add_traveller,
        travellers.modify_traveller,
        holds.hold_trip,
        holds.hold_hotel_room,
        bookings.pay_travel_booking,
        bookings.search_travel_bookings,
        bookings.get_travel_booking,
        changes.change_trip_leg,
        changes.cancel_travel_booking,
    ],
    content=content,
    words={
        tables.STOPS.name: ("stop", "stops"),
        tables.DEPARTURES.name: ("departure", "departures"),
        tables.FARES.name: ("fare", "fares"),
        tables.HOTELS.name: ("hotel", "hotels"),
        tables.ROOMS.name: ("room", "rooms"),
        tables.NIGHTS.name: ("night", "nights"),
        tables.TRAVELLERS.name: ("traveller", "travellers"),
        tables.MEMBERSHIPS.name: ("membership", "memberships"),
        tables.BOOKINGS.name: ("booking", "bookings"),
        tables.SEGMENTS.name: ("leg", "legs"),
        tables.STAYS.name: ("stay", "stays"),
    },
)
