"""The clock: waiting for what comes in by itself, and looking before doing something again."""

import contextlib
import re
from collections.abc import Generator
from typing import Any

from tool_sandbox.answers.facts import Done
from tool_sandbox.apps.clock.content import alarm_row
from tool_sandbox.apps.clock.tables import ALARMS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.matchers import SameWords
from tool_sandbox.scenarios.vocabulary import MESSAGING, Task, added, answer, call, happens, loses_answer, say
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.device import current_device
from tool_sandbox.world.script import Solution, Step, ToolCallFailed

CLOCK = ("clock",)
TIME = re.compile(r"\d\d:\d\d")
MESSAGES = ("search_contacts", "search_messages", "send_message_with_phone_number")


def _comes_in(world: World, sender: Person, content: str) -> str:
    """A message to the owner, now."""
    device = current_device()
    row = {
        "message_id": device.new_id(),
        "sender_person_id": sender.person_id,
        "sender_phone_number": sender.phone_number,
        "recipient_person_id": world.me.person_id,
        "recipient_phone_number": world.me.phone_number,
        "content": content,
        "creation_timestamp": device.now(),
    }
    device.add_to_database(MESSAGING, [row])
    return f"{sender.name} wrote: {content}"


def _is_asked(person: Person, since: float, minutes: int) -> bool:
    """Whether somebody has been sent a message, and has had so many minutes to answer it."""
    device = current_device()
    sent = [
        row["creation_timestamp"]
        for row in device.get_table(MESSAGING)
        if row["recipient_phone_number"] == person.phone_number and row["creation_timestamp"] >= since
    ]
    return bool(sent) and device.now() >= min(sent) + 60.0 * minutes


def _wait_for_time(sender: Person) -> Generator[Step, Any, str]:
    """Waits for an hour, and reads the time of day in the newest message of somebody."""
    yield call("wait_minutes", minutes=60)
    messages = yield call("search_messages", sender_phone_number=sender.phone_number)
    newest = max(messages, key=lambda row: float(row["creation_timestamp"]))
    return str(TIME.findall(newest["content"])[-1])


@scenario(ScenarioCategories.STATE_DEPENDENCY, apps=CLOCK, time="14:05")
def wait_for_message_then_set_alarm(world: World) -> Task:
    """Wait for a message that comes in later, and set an alarm for the time that it names."""
    friend, arrival = world.friend, world.choice("17:40", "18:25", "19:10", "16:50")
    thing = world.phrase("train", "bus", "ferry")
    label = f"Pick up {friend.first_name}"
    content = f"I've found my ticket: the {thing} gets in at {arrival}."
    minutes = world.integer(25, 12, 40)

    def solution() -> Solution:
        time = yield from _wait_for_time(friend)
        yield call("set_alarm", time=time, label=label)
        yield say(f'The {thing} gets in at {time}. I\'ve set an alarm "{label}" for then.')

    return Task(
        user=world.phrase(
            f"{friend.name} ({friend.phone_number}) is going to text me within the hour when the {thing} gets in. Wait "
            f'until the message is there, then set an alarm called "{label}" for exactly that time.',
            f"In the next hour a message from {friend.name}, {friend.phone_number}, should come in that says when the "
            f'{thing} arrives. Please wait for it and set an alarm "{label}" for the time it arrives.',
        ),
        tools=[*MESSAGES, "wait_minutes", "wait_until", "set_alarm", "search_alarms"],
        milestones=[
            found("search_messages", content=content),
            added(ALARMS, time=arrival, label=SameWords(label), enabled=True),
            answer(Done("set", ("alarm", label))),
        ],
        events=[happens(lambda: _comes_in(world, friend, content), at=world.now + 60.0 * minutes)],
        secrets=(content, arrival),
        solution=solution,
    )


@scenario(ScenarioCategories.STATE_DEPENDENCY, apps=CLOCK, time="09:35")
def ask_and_wait_for_reply(world: World) -> Task:
    """Ask somebody by text, wait for the reply, and set an alarm by it."""
    friend = world.friend
    question = world.phrase("When shall I call you this evening?", "At what time can I call you tonight?")
    evening, label = world.choice("19:45", "20:20", "21:05"), f"Call {friend.first_name}"
    reply, minutes = f"{evening} would be good.", world.integer(20, 10, 40)
    begin = world.now

    def solution() -> Solution:
        yield call("send_message_with_phone_number", phone_number=friend.phone_number, content=question)
        time = yield from _wait_for_time(friend)
        yield call("set_alarm", time=time, label=label)
        yield say(f'{friend.first_name} says {time}. I\'ve set an alarm "{label}" for then.')

    return Task(
        user=world.phrase(
            f'Text {friend.phone_number}, that is {friend.name}: "{question}" Wait for the reply, it may take an hour, '
            f'and then set an alarm called "{label}" for the time in it.',
            f'Send {friend.name}, {friend.phone_number}, the text "{question}" Once there is a reply, within the hour, '
            f'set an alarm "{label}" for the time that it says.',
        ),
        tools=[*MESSAGES, "wait_minutes", "wait_until", "set_alarm", "search_alarms"],
        milestones=[
            added(MESSAGING, recipient_phone_number=friend.phone_number, content=SameWords(question)),
            found("search_messages", content=reply),
            added(ALARMS, time=evening, label=SameWords(label), enabled=True),
            answer(Done("set", ("alarm", label))),
        ],
        events=[happens(lambda: _comes_in(world, friend, reply), when=lambda: _is_asked(friend, begin, minutes))],
        secrets=(reply, evening),
        solution=solution,
    )


@scenario(ScenarioCategories.STATE_DEPENDENCY, apps=CLOCK)
def set_alarms_although_an_answer_is_lost(world: World) -> Task:
    """Set two alarms, each once, although nobody knows whether the first try to set one was carried out."""
    draw = world.draw("clock")
    days = world.choice(("tuesday", "thursday"), ("monday", "friday"), ("wednesday", "sunday"))
    first, second = world.choice(("06:45", "07:30"), ("05:55", "06:40"), ("08:05", "08:50"))
    label, other = world.choice(
        ("Physio", "Bus to physio"), ("Rowing", "Leave for rowing"), ("Market", "Tram to market")
    )
    world.put(ALARMS, alarm_row(draw, label, first, enabled=False))

    def solution() -> Solution:
        for name, time in ((label, first), (other, second)):
            rows: list[Any] = []
            while not rows:
                with contextlib.suppress(ToolCallFailed):
                    yield call("set_alarm", time=time, label=name, repeat_days=list(days))
                every = yield call("search_alarms", words=name, enabled=True)
                rows = [row for row in every["results"] if row["label"] == name]
        yield say(f"I've set both alarms, {first} and {second}.")

    return Task(
        user=world.phrase(
            f'Set two new alarms, both repeating on {days[0].title()} and {days[1].title()}: {first} called "{label}" '
            f'and {second} called "{other}". Leave my old alarms as they are.',
            f'I need two new alarms for every {days[0].title()} and {days[1].title()}: "{label}" at {first}, "{other}" '
            f"at {second}. Do not touch the alarms that are there.",
        ),
        tools=["set_alarm", "search_alarms", "get_alarm", "modify_alarm", "delete_alarm"],
        milestones=[
            added(ALARMS, time=first, label=SameWords(label), repeat_days=list(days), enabled=True).after(),
            added(ALARMS, time=second, label=SameWords(other), repeat_days=list(days), enabled=True).after(),
            answer(Done("set", ("alarm", "alarms"))),
        ],
        events=[loses_answer("set_alarm", is_done=True, passes=world.choice(0, 1))],
        solution=solution,
    )
