"""Dining: restaurants with hours and free tables, reservations, waiting lists, and what guests eat."""

from tool_sandbox.apps import App
from tool_sandbox.apps.dining import reservations, restaurants, tables, visits, waiting
from tool_sandbox.apps.dining.content import content

APP = App(
    name="dining",
    title="Dining",
    tables=[
        tables.RESTAURANTS,
        tables.HOURS,
        tables.SPECIAL_HOURS,
        tables.TABLES,
        tables.TAKEN,
        tables.RESERVATIONS,
        tables.ENTRIES,
        tables.GUESTS,
    ],
    tools=[
        restaurants.search_restaurants,
        restaurants.get_restaurant,
        restaurants.search_free_tables,
        restaurants.mark_favourite_restaurant,
        reservations.reserve_table,
        reservations.search_table_reservations,
        reservations.get_table_reservation,
        reservations.modify_table_reservation,
        visits.confirm_table_reservation,
        visits.cancel_table_reservation,
        visits.rate_restaurant_visit,
        waiting.join_restaurant_waiting_list,
        waiting.search_waiting_list_entries,
        waiting.accept_waiting_list_table,
        waiting.leave_restaurant_waiting_list,
        restaurants.note_what_guest_eats,
        restaurants.search_what_guests_eat,
        restaurants.forget_what_guest_eats,
    ],
    content=content,
    words={
        tables.RESTAURANTS.name: ("restaurant", "restaurants"),
        tables.HOURS.name: ("span of opening hours", "spans of opening hours"),
        tables.SPECIAL_HOURS.name: ("date with other hours", "dates with other hours"),
        tables.TABLES.name: ("table", "tables"),
        tables.TAKEN.name: ("taken table", "taken tables"),
        tables.RESERVATIONS.name: ("reservation", "reservations"),
        tables.ENTRIES.name: ("entry on a waiting list", "entries on waiting lists"),
        tables.GUESTS.name: ("guest", "guests"),
    },
)
