"""Text messages with an "if": unless one went out today, or only if a holiday is near."""

import datetime

from tool_sandbox.answers.facts import Done, NotDone, Number, Time
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found, premature, would_find
from tool_sandbox.scenarios.families.conditional_reminders import CLOCK_TOOLS
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.steps import due, read_clock, text
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import TextMessage, World
from tool_sandbox.world.script import Solution

CONDITIONAL = ScenarioCategories.CONDITIONAL
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
TEXT_TOOLS = ("search_contacts", "send_message_with_phone_number")
TEXT = ("message", "text", "texts", "messages")


# A message -------------------------------------------------------------------------------------------------------


def _good_morning(world: World, *, already: bool) -> Task:
    """Wishes the partner a good morning unless that has been done today."""
    partner, content = world.save(world.new_person("partner")), world.choice("Good morning, darling!", "Good morning!")
    hour, minute = world.integer(7, 6, 8), world.integer(42, 3, 57)
    for days_ago in (2, 1, 0) if already else (2, 1):
        then = world.at(world.in_days(-days_ago), hour, minute)
        world.messages.append(TextMessage(world.me, partner, content, then))
    newest = world.messages[-1]
    sought = {
        "sender_person_id": world.me.person_id,
        "sender_phone_number": world.me.phone_number,
        "recipient_person_id": partner.person_id,
        "recipient_phone_number": partner.phone_number,
        "content": Anything(),
    }
    moments = (world.at(world.today, 0, 5), world.now - 60)
    looked = would_find("search_messages", *(sought | {"creation_timestamp": moment} for moment in moments))
    known = [found("search_messages", message_id=newest.message_id), answer(Time(world.local(newest.sent_at).time()))]
    news = [looked, sent(partner, content), answer(Done("sent", (*TEXT, "partner", *partner.spoken)))]

    def solution() -> Solution:
        moment = yield from read_clock()
        [row] = yield call("search_contacts", relationship="partner")
        midnight = yield due(moment.today, 0)
        to = {"recipient_phone_number": row["phone_number"]}
        texts = yield call("search_messages", creation_timestamp_lowerbound=midnight, **to)
        if texts:
            yield say(f"You already sent it today at {hour}:{minute:02} AM, so I did not send it again.")
        else:
            yield text(row["phone_number"], content)
            yield say("There was none yet today, so I have sent the message.")

    return Task(
        user=world.phrase(
            f'Text my partner "{content}" unless I have already sent that today. If I have, just tell me at what time.',
            f'Have I sent my partner "{content}" today? If so, tell me when and send nothing. If not, send it.',
        ),
        tools=["search_messages", *TEXT_TOOLS, *CLOCK_TOOLS],
        milestones=known if already else news,
        never=[] if already else [premature(sent(partner, content), looked)],
        solution=solution,
    )


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def send_message_unless_already_sent_today_conditional(world: World) -> Task:
    """Send a good-morning text unless one went out today, as it did."""
    return _good_morning(world, already=True)


@scenario(CONDITIONAL, TIME_ARITHMETIC)
def send_message_unless_already_sent_today_conditional_true(world: World) -> Task:
    """Send a good-morning text unless one went out today; the last one was yesterday's."""
    return _good_morning(world, already=False)


# A holiday -------------------------------------------------------------------------------------------------------


def _holiday_of(year: int) -> tuple[str, datetime.date]:
    """One of the fixed-date holidays, another one each year, and its next occurrence when it is near."""
    name, month, day = pools.HOLIDAYS[year % len(pools.HOLIDAYS)]
    return name, datetime.date(year + (month == 1), month, day)


def _twelve_days_before(year: int) -> datetime.date:
    return _holiday_of(year)[1] - datetime.timedelta(days=12)


def _five_days_before(year: int) -> datetime.date:
    return _holiday_of(year)[1] - datetime.timedelta(days=5)


def _leave(world: World, *, near: bool) -> Task:
    """Announces leave to the boss if a holiday is at most a week away."""
    name, date = _holiday_of(world.today.year)
    boss, content = world.boss, f"I am on leave from {name} on."
    days = Number((world.at(date, 0) - world.now) // 86400 + 0.5, unit="day", tolerance=0.5, context=(7, 1))
    about = (*TEXT, "boss", *boss.spoken)
    sending = [sent(boss, content), answer(Done("sent", about))]
    silence = answer(NotDone("sent", about), days)

    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        starts = yield call("search_holiday", holiday_name=name, year=date.year)
        left = yield call("timestamp_diff", timestamp_0=now, timestamp_1=starts)
        if left["days"] < 7:
            [row] = yield call("search_contacts", relationship="boss")
            yield text(row["phone_number"], content)
            yield say(f"I have sent your boss the message, {name} is near enough.")
        else:
            yield say(f"I did not text your boss, because there are still {left['days']} days until {name}.")

    return Task(
        user=world.phrase(
            f'If {name} is at most 7 days away, text my boss "{content}" If it is further away, don\'t, and tell me '
            "how many days are left.",
            f'Text my boss "{content}" but only if {name} is within the next 7 days. Otherwise just tell me how many '
            "days there are until then.",
        ),
        tools=["get_current_timestamp", "search_holiday", "timestamp_diff", *TEXT_TOOLS],
        milestones=[called("get_current_timestamp"), *(sending if near else [silence])],
        solution=solution,
    )


@scenario(CONDITIONAL, TIME_ARITHMETIC, today=_twelve_days_before)
def send_message_to_boss_if_holiday_within_week_conditional(world: World) -> Task:
    """Announce leave to the boss only if a holiday is at most a week away; it is twelve days."""
    return _leave(world, near=False)


@scenario(CONDITIONAL, TIME_ARITHMETIC, today=_five_days_before)
def send_message_to_boss_if_holiday_within_week_conditional_true(world: World) -> Task:
    """Announce leave to the boss only if a holiday is at most a week away; it is five days."""
    return _leave(world, near=True)
