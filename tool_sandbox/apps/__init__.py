"""Apps: one folder for each kind of data that a world can have beside the published tables, and what they are made of.

What an author of an app uses is listed here; see ``docs/apps.md``. Each folder below has an `App` named ``APP``.
"""

from tool_sandbox.apps.app import App
from tool_sandbox.apps.columns import (
    choice,
    date,
    flag,
    key,
    moment,
    money,
    number,
    only_one,
    reference,
    references,
    table,
    text,
    texts,
    whole,
)
from tool_sandbox.apps.draw import SIZES, Draw, Person, Size
from tool_sandbox.apps.money import as_money, checked_currency
from tool_sandbox.apps.paging import Read, at_least, at_most, before, contains, equals, found_in, meets, paged, search
from tool_sandbox.apps.store import (
    add,
    add_all,
    change,
    checked_text,
    checked_texts,
    get,
    need_setting,
    noun,
    remove,
    remove_with,
    rows_of,
    rows_with,
    tool,
    unknown,
)
from tool_sandbox.apps.times import as_moment, checked_date, checked_moment, now, seconds_of, today
from tool_sandbox.world.device import current_device
from tool_sandbox.world.not_given import NOT_GIVEN, NotGiven
from tool_sandbox.world.rules import TableRule

__all__ = [
    "NOT_GIVEN",
    "SIZES",
    "App",
    "Draw",
    "NotGiven",
    "Person",
    "Read",
    "Size",
    "TableRule",
    "add",
    "add_all",
    "as_moment",
    "as_money",
    "at_least",
    "at_most",
    "before",
    "change",
    "checked_currency",
    "checked_date",
    "checked_moment",
    "checked_text",
    "checked_texts",
    "choice",
    "contains",
    "current_device",
    "date",
    "equals",
    "flag",
    "found_in",
    "get",
    "key",
    "meets",
    "moment",
    "money",
    "need_setting",
    "noun",
    "now",
    "number",
    "only_one",
    "paged",
    "reference",
    "references",
    "remove",
    "remove_with",
    "rows_of",
    "rows_with",
    "search",
    "seconds_of",
    "table",
    "text",
    "texts",
    "today",
    "tool",
    "unknown",
    "whole",
]
