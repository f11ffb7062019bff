"""Tools for finding restaurants and free tables, and for what guests eat."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    at_least,
    at_most,
    change,
    checked_date,
    checked_text,
    checked_texts,
    contains,
    equals,
    found_in,
    get,
    meets,
    paged,
    remove,
    rows_with,
    search,
    today,
    tool,
)
from tool_sandbox.apps.dining.free import check_time, free_times
from tool_sandbox.apps.dining.tables import GUESTS, HOURS, RESTAURANTS, SPECIAL_HOURS, TABLES, WEEKDAYS

Row = dict[str, Any]

LISTED = ("restaurant_id", "name", "cuisine", "neighbourhood", "price_level", "stars", "features", "diets", "favourite")


def _serves(diets: list[str] | NotGiven, restaurant: Row) -> bool:
    wanted = [] if isinstance(diets, NotGiven) else diets
    return {each.casefold() for each in wanted} <= {each.casefold() for each in restaurant["diets"]}


@tool
def search_restaurants(
    words: str | NotGiven = NOT_GIVEN,
    cuisine: str | NotGiven = NOT_GIVEN,
    neighbourhood: str | NotGiven = NOT_GIVEN,
    price_level: int | NotGiven = NOT_GIVEN,
    stars: int | NotGiven = NOT_GIVEN,
    feature: str | NotGiven = NOT_GIVEN,
    diets: list[str] | NotGiven = NOT_GIVEN,
    favourite: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find restaurants by what they are like, by name. For tables that are free at a time use search_free_tables.

    Args:
        words: Words that all occur in the name.
        cuisine: What they cook, for example Italian.
        neighbourhood: Where they are.
        price_level: Highest level of prices, from 1 (cheap) to 4.
        stars: Smallest number of stars that guests give, from 1 to 5.
        feature: Something that they have, for example terrace or wheelchair access.
        diets: Diets that they all serve, for example vegan.
        favourite: Whether they are favourites of the user.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        RESTAURANTS,
        contains("name", words),
        equals("cuisine", cuisine),
        equals("neighbourhood", neighbourhood),
        at_most("price_level", price_level),
        at_least("stars", stars),
        equals("features", feature),
        equals("favourite", favourite),
        meets("diets", diets, lambda restaurant: _serves(diets, restaurant)),
        order_by="name",
        show=LISTED,
        limit=limit,
        cursor=cursor,
    )


@tool
def get_restaurant(restaurant_id: str) -> dict[str, Any]:
    """Read about a restaurant: hours of the week, dates with other hours, sizes of parties, and its rules.

    Rules: how many days ahead it takes reservations, from which party size they have to be confirmed (until a day
    before), until how many hours before cancelling is free, and what it costs for each person later, in cents.

    Args:
        restaurant_id: Identifier of the restaurant.

    Returns:
        The restaurant; hours are those at which guests are seated.

    Raises:
        NoDataError: No restaurant has this identifier.
    """
    restaurant = get(RESTAURANTS, restaurant_id)
    hours = sorted(rows_with(HOURS, "restaurant_id", restaurant_id), key=lambda row: WEEKDAYS.index(row["weekday"]))
    special = [row for row in rows_with(SPECIAL_HOURS, "restaurant_id", restaurant_id) if row["date"] >= today()]
    tables = rows_with(TABLES, "restaurant_id", restaurant_id)
    return restaurant | {
        "hours": [f"{row['weekday']} {row['opens']}-{row['last_seating']}" for row in hours],
        "other_hours": [f"{row['date']} {_special(row)} ({row['reason']})" for row in special[:30]],
        "largest_party": max((row["most"] for row in tables), default=0),
        "areas": sorted({row["area"] for row in tables}),
    }


def _special(row: Row) -> str:
    return "closed" if row["opens"] is None else f"{row['opens']}-{row['last_seating']}"


@tool
def search_free_tables(
    eat_on: str,
    party_size: int,
    earliest: str = "18:00",
    latest: str = "21:00",
    restaurant_id: str | NotGiven = NOT_GIVEN,
    cuisine: str | NotGiven = NOT_GIVEN,
    neighbourhood: str | NotGiven = NOT_GIVEN,
    diets: list[str] | NotGiven = NOT_GIVEN,
    area: Literal["inside", "terrace", "bar", "private room"] | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find restaurants with a free table on a date, and the times at which a party can be seated there.

    Args:
        eat_on: Date, for example 2025-05-14.
        party_size: Number of people.
        earliest: Earliest time of being seated, for example 18:30.
        latest: Latest time of being seated.
        restaurant_id: Identifier of the only restaurant to look at.
        cuisine: What they cook.
        neighbourhood: Where they are.
        diets: Diets that they all serve.
        area: Where the table is.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (restaurants with the times that are free), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The date, a time, the limit or the cursor cannot be understood, or the date is over.
    """
    checked_date(eat_on, "eat_on")
    check_time(earliest, "earliest")
    check_time(latest, "latest")
    if eat_on < today():
        raise ValueError(f"eat_on must not be before today, {today()}, got {eat_on}")
    narrow = equals("restaurant_id", restaurant_id), equals("cuisine", cuisine), equals("neighbourhood", neighbourhood)

    def found(read: Read) -> list[Row]:
        table, results = read(RESTAURANTS), []
        for place in found_in(table, *narrow):
            row = table.schema.as_dict(table.rows[place])
            if not _serves(diets, row) or eat_on > _last_day(row):
                continue
            if times := free_times(row, eat_on, (earliest, latest), party_size, area, read):
                shown = {name: row[name] for name in ("restaurant_id", "name", "cuisine", "neighbourhood")}
                results.append(shown | {"price_level": row["price_level"], "times": [each[11:16] for each in times]})
        return sorted(results, key=lambda row: str(row["name"]))

    query = (eat_on, party_size, earliest, latest, restaurant_id, cuisine, neighbourhood, diets, area)
    return paged(query, found, limit, cursor)


def _last_day(restaurant: Row) -> str:
    last = datetime.date.fromisoformat(today()) + datetime.timedelta(days=restaurant["days_ahead"])
    return last.isoformat()


@tool
def mark_favourite_restaurant(restaurant_id: str, favourite: bool = True) -> None:
    """Put a restaurant among the favourites of the user, or take it off.

    Args:
        restaurant_id: Identifier of the restaurant.
        favourite: Whether it is a favourite from now on.

    Returns:
        Nothing.

    Raises:
        NoDataError: No restaurant has this identifier.
    """
    change(RESTAURANTS, restaurant_id, favourite=favourite)


@tool
def note_what_guest_eats(name: str, diets: list[str], remark: str | None = None) -> str:
    """Note what somebody eats; what was noted of the same person before is replaced.

    Args:
        name: First and last name.
        diets: Diets that the person keeps, at most eight, for example vegan or gluten-free; none for everything.
        remark: What else to know.

    Returns:
        Identifier of the guest.

    Raises:
        ValueError: A text is blank or too long, or there are too many diets.
    """
    checked_text(name, "name", 80)
    checked_text(remark, "remark", 300)
    kept = checked_texts(diets, "diets", longest=40, most=8)
    for known in rows_with(GUESTS, "name", name):
        return str(change(GUESTS, known["guest_id"], diets=kept, remark=remark)["guest_id"])
    return add(GUESTS, name=name, diets=kept, remark=remark)


@tool
def forget_what_guest_eats(guest_id: str) -> None:
    """Delete what was noted about what somebody eats.

    Args:
        guest_id: Identifier of the guest.

    Returns:
        Nothing.

    Raises:
        NoDataError: No guest has this identifier.
    """
    remove(GUESTS, guest_id)


@tool
def search_what_guests_eat(
    words: str | NotGiven = NOT_GIVEN,
    diet: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what was noted about what people eat. Without conditions it lists all.

    Args:
        words: Words that all occur in name or remark.
        diet: A diet that they keep.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains(("name", "remark"), words), equals("diets", diet)
    return search(GUESTS, *conditions, order_by="name", limit=limit, cursor=cursor)
