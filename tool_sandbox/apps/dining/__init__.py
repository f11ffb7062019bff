"""Dining: restaurants with hours and free tables, reservations, waiting lists, and what guests eat."""

from tool_sandbox.apps import App
from tool_sandbox.apps.dining.content import content
from tool_sandbox.apps.dining.reservations import (
    cancel_table_reservation,
    confirm_table_reservation,
    get_table_reservation,
    modify_table_reservation,
    rate_restaurant_visit,
    reserve_table,
    search_table_reservations,
)
from tool_sandbox.apps.dining.restaurants import (
    forget_what_guest_eats,
    get_restaurant,
    mark_favourite_restaurant,
    note_what_guest_eats,
    search_free_tables,
    search_restaurants,
    search_what_guests_eat,
)
from tool_sandbox.apps.dining.tables import (
    ENTRIES,
    GUESTS,
    HOURS,
    RESERVATIONS,
    RESTAURANTS,
    SPECIAL_HOURS,
    TABLES,
    TAKEN,
)
from tool_sandbox.apps.dining.waiting import (
    accept_waiting_list_table,
    join_restaurant_waiting_list,
    leave_restaurant_waiting_list,
    search_waiting_list_entries,
)

APP = App(
    name="dining",
    title="Dining",
    tables=[RESTAURANTS, HOURS, SPECIAL_HOURS, TABLES, TAKEN, RESERVATIONS, ENTRIES, GUESTS],
    tools=[
        search_restaurants,
        get_restaurant,
        search_free_tables,
        mark_favourite_restaurant,
        reserve_table,
        search_table_reservations,
        get_table_reservation,
        modify_table_reservation,
        confirm_table_reservation,
        cancel_table_reservation,
        rate_restaurant_visit,
        join_restaurant_waiting_list,
        search_waiting_list_entries,
        accept_waiting_list_table,
        leave_restaurant_waiting_list,
        note_what_guest_eats,
        search_what_guests_eat,
        forget_what_guest_eats,
    ],
    content=content,
    words={
        RESTAURANTS.name: ("restaurant", "restaurants"),
        HOURS.name: ("span of opening hours", "spans of opening hours"),
        SPECIAL_HOURS.name: ("date with other hours", "dates with other hours"),
        TABLES.name: ("table", "tables"),
        TAKEN.name: ("taken table", "taken tables"),
        RESERVATIONS.name: ("reservation", "reservations"),
        ENTRIES.name: ("entry on a waiting list", "entries on waiting lists"),
        GUESTS.name: ("guest", "guests"),
    },
)
