"""What happens to departures and fares by itself, for scenarios in a world that moves."""

import datetime

from tool_sandbox.apps import as_money, change, effect, get
from tool_sandbox.apps.travel.stock import departure_of, free_seats
from tool_sandbox.apps.travel.tables import DEPARTURES, FARES


@effect
def fare_moves(fare_id: str, price: int) -> str:
    """A fare costs something else from now on, in cents; what is booked keeps its price."""
    fare = change(FARES, fare_id, price=price)
    return f"{fare['name']} for {departure_of(fare)['number']} costs {as_money(price, fare['currency'])} now"


@effect
def seats_run_out(fare_id: str) -> str:
    """Others book the seats that are left at a fare."""
    fare = get(FARES, fare_id)
    change(FARES, fare_id, seats=fare["seats"] - max(0, free_seats(fare)))
    return f"{fare['name']} for {departure_of(fare)['number']} is sold out"


@effect
def flight_is_cancelled(departure_id: str) -> str:
    """A flight or train does not leave; whoever has booked it gets the whole price back after cancelling."""
    departure = change(DEPARTURES, departure_id, state="cancelled")
    return f"{departure['number']} on {departure['departs_on']} is cancelled"


@effect
def flight_is_delayed(departure_id: str, minutes: int) -> str:
    """A flight or train leaves and arrives later by so many minutes."""
    departure, late = get(DEPARTURES, departure_id), datetime.timedelta(minutes=minutes)
    times = {end: datetime.datetime.fromisoformat(departure[end]) + late for end in ("departs_at", "arrives_at")}
    change(DEPARTURES, departure_id, state="delayed", **{end: time.isoformat() for end, time in times.items()})
    return f"{departure['number']} on {departure['departs_on']} leaves {minutes} minutes later"
