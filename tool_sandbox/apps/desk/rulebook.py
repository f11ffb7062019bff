"""Tools for what everybody at the desk has to know: the rule book, outages, and who works there."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    at_least,
    at_most,
    checked_date,
    contains,
    equals,
    paged,
    search,
    today,
    tool,
)
from tool_sandbox.apps.desk.customers import Row
from tool_sandbox.apps.desk.tables import AGENTS, OUTAGES, RULES


def _states(rules: list[Row]) -> list[Row]:
    """Rules in order, with what each version is today: in force, replaced, or to come."""
    begun = {
        row["number"]: row for row in sorted(rules, key=lambda row: row["valid_from"]) if row["valid_from"] <= today()
    }
    for row in rules:
        is_current = begun.get(row["number"], row)["rule_id"] == row["rule_id"]
        row["state"] = "to come" if row["valid_from"] > today() else "in force" if is_current else "replaced"
    return sorted(rules, key=lambda row: (row["number"], row["valid_from"]))


@tool
def search_desk_rules(
    words: str | NotGiven = NOT_GIVEN,
    section: Literal["identity", "refunds", "plans", "devices", "tickets"] | NotGiven = NOT_GIVEN,
    number: int | NotGiven = NOT_GIVEN,
    state: Literal["in force", "replaced", "to come"] | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Read the rule book of the support desk, in order of the numbers. Older and coming versions are in it, too.

    Args:
        words: Words that all occur in the text.
        section: identity, refunds, plans, devices or tickets.
        number: Number of a rule.
        state: in force, replaced (by a newer version) or to come.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (number, text, valid_from and state), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    wanted = words.casefold().split() if isinstance(words, str) else []

    def rows(read: Read) -> list[Row]:
        given = {"section": section, "number": number, "state": state}
        given = {name: cell for name, cell in given.items() if not isinstance(cell, NotGiven)}
        return [
            row
            for row in _states(read(RULES).dicts())
            if all(row[name] == cell for name, cell in given.items())
            and all(word in row["text"].casefold() for word in wanted)
        ]

    return paged(("rules", words, section, number, state, today()), rows, limit, cursor)


@tool
def search_desk_outages(
    region: str | NotGiven = NOT_GIVEN,
    since: str | NotGiven = NOT_GIVEN,
    until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find days on which a region had no service, the newest first.

    Args:
        region: Name of the region.
        since: First date of a range into which the outage reaches, for example 2025-05-14.
        until: Last date of that range.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (first_day and last_day, both without service), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A date, the limit or the cursor cannot be understood.
    """
    low, high = checked_date(since, "since"), checked_date(until, "until")
    conditions = equals("region", region), at_least("last_day", low), at_most("first_day", high)
    return search(OUTAGES, *conditions, order_by="first_day", descending=True, limit=limit, cursor=cursor)


@tool
def search_desk_agents(
    words: str | NotGiven = NOT_GIVEN,
    role: Literal["agent", "supervisor"] | NotGiven = NOT_GIVEN,
    team: Literal["first line", "billing", "technicians", "legal"] | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find who works at the support desk.

    Args:
        words: Words that all occur in the name.
        role: agent or supervisor.
        team: first line, billing, technicians or legal.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (is_me is true for yourself), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains("name", words), equals("role", role), equals("team", team)
    shown = ("agent_id", "name", "email", "role", "team", "is_me")
    return search(AGENTS, *conditions, order_by="name", show=shown, limit=limit, cursor=cursor)
