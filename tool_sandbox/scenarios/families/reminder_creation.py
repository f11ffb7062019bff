"""Writing reminders at dates that are given outright, relative to today, or by weekday."""

import datetime

from tool_sandbox.answers.facts import Absent, Done
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Near, SameWords
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import (
    MESSAGING,
    REMINDER,
    TOOL_MISSING,
    Node,
    Task,
    added,
    answer,
    asked,
    call,
    cannot,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

DATE_TOOLS = ("add_reminder", "datetime_info_to_timestamp")
DATE_AND_EDIT_TOOLS = (*DATE_TOOLS, "modify_reminder")
CLOCK_TOOLS = (*DATE_TOOLS, "get_current_timestamp", "timestamp_to_datetime_info", "modify_reminder")

ASKS_TIME = (
    r"\bwhen\b|\btime\b|\bhour\b|o'clock|\bdate\b|\bday\b|\b(?:today|tonight|tomorrow|morning|noon|afternoon|evening)\b"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d ?[ap]\.?m\b|\d:\d\d"
)
"""Questions for a time, and questions that propose one."""

ASKS_CONTENT = r"\bwhat\b|\babout\b|content|\bsay\b|remind you (?:of|to)"


def spoken_hour(hour: int) -> str:
    """An hour as people say it."""
    return f"{(hour - 1) % 12 + 1} {'AM' if hour < 12 else 'PM'}"


def spoken_date(date: datetime.date) -> str:
    """A date as people write it."""
    return f"{date:%B} {date.day}, {date.year}"


def due_reminder(content: str, due_at: float) -> Node:
    """Exactly one reminder with this content was added, due at this second."""
    return added(REMINDER, content=SameWords(content, extra=3), reminder_timestamp=Near(due_at, 1.0))


def _reminder(
    world: World,
    content: str,
    date: datetime.date,
    hour: int,
    *user: str,
    tools: tuple[str, ...] = CLOCK_TOOLS,
    knows: dict[str, str] | None = None,
    question: str = "",
) -> Task:
    """Writes one reminder; the agent starts with a question where the user holds something back."""

    def solution() -> Solution:
        if question:
            yield say(question)
        day = date
        if "get_current_timestamp" in tools:
            moment = yield from read_clock()
            day = moment.today + (date - world.today)
        timestamp = yield due(day, hour)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        yield say(f"I will remind you on {spoken_date(date)} at {spoken_hour(hour)}: {content}.")

    return Task(
        user=user,
        knows=knows or {},
        tools=tools,
        milestones=[due_reminder(content, world.at(date, hour))],
        solution=solution,
    )


def lower_first(text: str) -> str:
    """A text as it continues a sentence."""
    return text[0].lower() + text[1:]


@scenario(CANONICALIZATION)
def add_reminder_content_and_date_and_time(world: World) -> Task:
    """Create a reminder at an absolute date and hour."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    date = world.in_days(world.integer(23, 2, 60))
    request = world.phrase(
        f"Remind me to {lower_first(content)} on {spoken_date(date)} at {spoken_hour(hour)}.",
        f"On {spoken_date(date)}, {spoken_hour(hour)}, I have to {lower_first(content)}. Set a reminder.",
    )
    return _reminder(world, content, date, hour, request, tools=DATE_TOOLS)


@scenario(CANONICALIZATION, variant=1)
def add_reminder_content_and_date_and_time_alt(world: World) -> Task:
    """Create a reminder at an absolute date and hour, worded as a to-do."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(11, 8, 20)
    date = world.in_days(world.integer(40, 2, 60))
    request = world.phrase(
        f"I have to {lower_first(content)}: {spoken_date(date)}, {spoken_hour(hour)}. Don't let me forget.",
        f'Put "{content}" on my reminder list for {spoken_date(date)} and ping me at {spoken_hour(hour)}.',
    )
    return _reminder(world, content, date, hour, request, tools=DATE_AND_EDIT_TOOLS)


@scenario(CANONICALIZATION, variant=2)
def add_reminder_content_and_date_and_time_multiple_user_turn(world: World) -> Task:
    """Create a reminder at an absolute date and hour; the time is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    date = world.in_days(world.integer(23, 2, 60))
    when = f"On {spoken_date(date)} at {spoken_hour(hour)}."
    return _time_on_request(world, content, date, hour, when, tools=DATE_TOOLS)


@scenario(CANONICALIZATION, variant=3)
def add_reminder_content_and_date_and_time_multiple_user_turn_alt(world: World) -> Task:
    """Create a reminder at an absolute date and hour; the content is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(11, 8, 20)
    date = world.in_days(world.integer(40, 2, 60))
    when = f"{spoken_date(date)} at {spoken_hour(hour)}"
    return _content_on_request(world, content, date, hour, when, tools=DATE_AND_EDIT_TOOLS)


@scenario(CANONICALIZATION)
def add_reminder_content_and_week_delta_and_time(world: World) -> Task:
    """Create a reminder for tomorrow at a given hour."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    request = world.phrase(
        f"Remind me to {lower_first(content)} tomorrow at {spoken_hour(hour)}.",
        f"Tomorrow at {spoken_hour(hour)} I must {lower_first(content)}, set a reminder.",
    )
    return _reminder(world, content, world.in_days(1), hour, request)


@scenario(CANONICALIZATION, variant=1)
def add_reminder_content_and_week_delta_and_time_alt(world: World) -> Task:
    """Create a reminder for tomorrow at a given hour, worded as a to-do."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(11, 8, 20)
    request = world.phrase(
        f"I have to {lower_first(content)} tomorrow, {spoken_hour(hour)}. Don't let me forget.",
        f'Put "{content}" on my reminder list for tomorrow and ping me at {spoken_hour(hour)}.',
    )
    return _reminder(world, content, world.in_days(1), hour, request)


@scenario(CANONICALIZATION)
def add_reminder_content_and_weekday_delta_and_time(world: World) -> Task:
    """Create a reminder for the coming given weekday and hour."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    date = world.coming_other(world.integer(5, 1, 7))
    request = world.phrase(
        f"Remind me to {lower_first(content)} this coming {date:%A} at {spoken_hour(hour)}.",
        f"I have to {lower_first(content)} this coming {date:%A}, {spoken_hour(hour)}. Set a reminder.",
    )
    return _reminder(world, content, date, hour, request)


@scenario(CANONICALIZATION, variant=1)
def add_reminder_content_and_weekday_delta_and_time_alt(world: World) -> Task:
    """Create a reminder for the coming given weekday and hour, worded as a to-do."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(11, 8, 20)
    date = world.coming_other(world.integer(2, 1, 7))
    request = world.phrase(
        f"I have to {lower_first(content)} this coming {date:%A}, {spoken_hour(hour)}. Don't let me forget.",
        f'Put "{content}" on my reminder list for this coming {date:%A} and ping me at {spoken_hour(hour)}.',
    )
    return _reminder(world, content, date, hour, request)


def _time_on_request(
    world: World, content: str, date: datetime.date, hour: int, when: str, tools: tuple[str, ...] = CLOCK_TOOLS
) -> Task:
    """Wants a reminder; says when only on request."""
    request = world.phrase(f"Remind me to {lower_first(content)}.", f"I need a reminder to {lower_first(content)}.")
    question = "When shall I remind you?"
    return _reminder(world, content, date, hour, request, tools=tools, knows={ASKS_TIME: when}, question=question)


def _content_on_request(
    world: World, content: str, date: datetime.date, hour: int, when: str, tools: tuple[str, ...] = CLOCK_TOOLS
) -> Task:
    """Wants a reminder at a given time; says what for only on request."""
    request = world.phrase(f"Set a reminder for {when}.", f"I need a reminder for {when}.")
    knows = {ASKS_CONTENT: f"That I have to {lower_first(content)}."}
    question = "What shall I remind you to do?"
    return _reminder(world, content, date, hour, request, tools=tools, knows=knows, question=question)


@scenario(CANONICALIZATION, variant=2)
def add_reminder_content_and_week_delta_and_time_multiple_user_turn(world: World) -> Task:
    """Create a reminder for tomorrow; the time is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    return _time_on_request(world, content, world.in_days(1), hour, f"Tomorrow at {spoken_hour(hour)}.")


@scenario(CANONICALIZATION, variant=3)
def add_reminder_content_and_week_delta_and_time_multiple_user_turn_alt(world: World) -> Task:
    """Create a reminder for tomorrow; the content is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(9, 8, 20)
    return _content_on_request(world, content, world.in_days(1), hour, f"tomorrow at {spoken_hour(hour)}")


@scenario(CANONICALIZATION, variant=2)
def add_reminder_content_and_weekday_delta_and_time_multiple_user_turn(world: World) -> Task:
    """Create a reminder for the coming given weekday; the time is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(17, 8, 20)
    date = world.coming_other(world.integer(5, 1, 7))
    return _time_on_request(world, content, date, hour, f"This coming {date:%A} at {spoken_hour(hour)}.")


@scenario(CANONICALIZATION, variant=3)
def add_reminder_content_and_weekday_delta_and_time_multiple_user_turn_alt(world: World) -> Task:
    """Create a reminder for the coming given weekday; the content is given only on request."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(9, 8, 20)
    date = world.coming_other(world.integer(2, 1, 7))
    return _content_on_request(world, content, date, hour, f"this coming {date:%A} at {spoken_hour(hour)}")


@scenario(DISAMBIGUATION)
def add_reminder_next_weekday_ambiguous_disambiguation_multiple_user_turn(world: World) -> Task:
    """Asks for a reminder "next" weekday; says which week when asked."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(10, 8, 20)
    soon = world.coming((world.today.isoweekday() + 1) % 7 + 1)
    date = soon + datetime.timedelta(days=7)
    asks_week = rf"\bweek\b|which|mean|\bor\b|this|date|{soon:%A}|\d"
    task = _reminder(
        world,
        content,
        date,
        hour,
        world.phrase(
            f"Remind me next {soon:%A} at {spoken_hour(hour)} to {lower_first(content)}.",
            f"I have to {lower_first(content)} next {soon:%A}, {spoken_hour(hour)}. Set a reminder.",
        ),
        knows={asks_week: f"Not in two days, the {soon:%A} a week later."},
        question=f"Do you mean {spoken_date(soon)} or {spoken_date(date)}?",
    )
    return task.preceded_by(asked(asks_week))


def _two_tasks(world: World, *, possible: bool) -> Task:
    """Wants a reminder and a text; there may be nothing to send a text with."""
    content, hour = world.choice(*pools.NEW_ERRANDS), world.integer(18, 8, 20)
    friend, text = world.friend, world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        moment = yield from read_clock()
        timestamp = yield due(moment.today + datetime.timedelta(days=1), hour)
        yield call("add_reminder", content=content, reminder_timestamp=timestamp)
        if possible:
            [row] = yield call("search_contacts", name=friend.name)
            yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=text)
            yield say(f"The reminder is set, and I sent your message to {friend.name}.")
        else:
            yield say(f"The reminder is set. I cannot text {friend.name}, though: I have no tool for sending messages.")

    reminder = due_reminder(content, world.at(world.in_days(1), hour))
    message = added(MESSAGING, recipient_phone_number=friend.phone_number, content=SameWords(text))
    no_text = cannot(TOOL_MISSING, about=("text", "texts", "message", "messages"), task="sent")
    sent_text = Done("sent", ("text", "message"))
    both = [message.after().named("text"), answer(sent_text).after("reminder", "text")]
    return Task(
        user=world.phrase(
            f'Remind me to {lower_first(content)} tomorrow at {spoken_hour(hour)}, and text {friend.name} "{text}"',
            f'Two things: text {friend.name} "{text}", and set a reminder to {lower_first(content)} for tomorrow at '
            f"{spoken_hour(hour)}.",
        ),
        tools=[*CLOCK_TOOLS, "search_contacts", *(["send_message_with_phone_number"] if possible else [])],
        denied=() if possible else ["send_message_with_phone_number"],
        milestones=[reminder.named("reminder"), *(both if possible else [answer(no_text)])],
        never=() if possible else [answer(sent_text, Absent(no_text))],
        solution=solution,
    )


@scenario()
def two_tasks_both_possible(world: World) -> Task:
    """Two errands: a reminder to be set and a text to be sent."""
    return _two_tasks(world, possible=True)


@scenario(INSUFFICIENT_INFORMATION, twin="two_tasks_both_possible")
def two_tasks_one_impossible_partial_insufficient_information(world: World) -> Task:
    """Two errands: a reminder that can be set, and a text that cannot be sent."""
    return _two_tasks(world, possible=False)
