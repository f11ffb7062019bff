"""Requests with an "if": about the weather, a radio, an entry of the address book.

Most come in pairs: the same request in a world in which the condition holds and in one in which it does not.
"""

from tool_sandbox.answers.facts import AnyOf, Boolean, Done, NotDone, Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Cells, found, premature
from tool_sandbox.scenarios.families.conditional_reminders import CLOCK_TOOLS, tomorrow_at
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.reminder_creation import due_reminder, lower_first, spoken_hour
from tool_sandbox.scenarios.foreseen import foreseen_weather
from tool_sandbox.scenarios.steps import text
from tool_sandbox.scenarios.vocabulary import CONTACT, Task, answer, call, called, changed, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.tools.services import gazetteer
from tool_sandbox.world.script import Solution

CONDITIONAL = ScenarioCategories.CONDITIONAL
SINGLE_TOOL_CALL = ScenarioCategories.SINGLE_TOOL_CALL
TEXT_TOOLS = ("search_contacts", "send_message_with_phone_number")
TEXT = ("message", "text", "texts", "messages")


# Weather ---------------------------------------------------------------------------------------------------------


def _is_wanted(city: gazetteer.City, now: float, *, rain: bool) -> bool:
    """Whether tomorrow is clearly rainy, or clearly dry, in a city."""
    day = foreseen_weather(city.latitude, city.longitude, now, days_ahead=1).day
    if rain:
        return bool(day["daily_will_it_rain"] and day["daily_chance_of_rain"] >= 70)
    return not day["daily_will_it_snow"] and day["daily_chance_of_rain"] == 0


def _take_phone_where(world: World, *, rain: bool) -> None:
    """Takes the phone to a city where tomorrow is rainy, or dry; one in its own time zone if there is any."""
    cities = [city for city in gazetteer.cities() if city.country == "USA"]
    candidates = sorted(cities, key=lambda city: city.timezone != world.zone)
    city = next(city for city in candidates if _is_wanted(city, world.now, rain=rain))
    world.position, world.city = (city.latitude, city.longitude), city.name


def _umbrella_or_picnic(world: World, *, rain: bool) -> Task:
    """Warns the partner if it will rain here tomorrow, and plans a picnic if not."""
    partner, hour = world.save(world.new_person("partner")), world.integer(12, 9, 15)
    _take_phone_where(world, rain=rain)
    warning = world.choice("Take the umbrella tomorrow.", "It is going to rain tomorrow, wear your boots.")
    content, tomorrow = world.choice("Pack the picnic basket", "Fill the cool box"), world.in_days(1)

    def solution() -> Solution:
        forecast = yield call("search_weather_around_lat_lon", days=1)
        if forecast["daily_will_it_rain"]:
            [row] = yield call("search_contacts", relationship="partner")
            yield text(row["phone_number"], warning)
            yield say("It is going to rain tomorrow, so I have sent your partner the message.")
        else:
            timestamp = yield from tomorrow_at(hour)
            yield call("add_reminder", content=content, reminder_timestamp=timestamp)
            yield say("It stays dry tomorrow, so I have set the reminder.")

    looked = called("search_weather_around_lat_lon", days=1).returning(Cells({"daily_will_it_rain": int(rain)}))
    goal = sent(partner, warning) if rain else due_reminder(content, world.at(tomorrow, hour))
    done = Done("sent", (*TEXT, "partner", *partner.spoken)) if rain else Done("set", ("reminder", content))
    return Task(
        user=world.phrase(
            f'If rain is forecast here for tomorrow, text my partner "{warning}" If it stays dry, remind me tomorrow '
            f"at {spoken_hour(hour)} to {lower_first(content)} instead.",
            f'Check tomorrow\'s weather here. Rain: send my partner "{warning}" No rain: set a reminder for tomorrow, '
            f"{spoken_hour(hour)}, to {lower_first(content)}.",
        ),
        tools=["search_weather_around_lat_lon", *TEXT_TOOLS, *CLOCK_TOOLS, "add_reminder"],
        milestones=[looked, goal, answer(done)],
        never=[premature(goal, looked)],
        solution=solution,
    )


@scenario(CONDITIONAL)
def send_message_if_rain_tomorrow_conditional_true(world: World) -> Task:
    """Warn the partner if rain is forecast, plan a picnic if not; it is going to rain."""
    return _umbrella_or_picnic(world, rain=True)


@scenario(CONDITIONAL)
def send_message_if_rain_tomorrow_conditional_false(world: World) -> Task:
    """Warn the partner if rain is forecast, plan a picnic if not; it stays dry."""
    return _umbrella_or_picnic(world, rain=False)


# A radio ---------------------------------------------------------------------------------------------------------


def _wifi_off_if_reachable(world: World) -> Task:
    """Turns wifi off if that does not cut the phone off."""
    cellular = world.state == "default"
    looked = called("get_cellular_service_status").returning(cellular)
    left_alone = Boolean((), ("turn", "switch", "change", "changed", "touch", "touched"), (), value=False)
    still_on = AnyOf((NotDone("turned_off", "wifi"), Switch("wifi", on=True), left_alone))
    off = [setting(wifi=False), answer(Done("turned_off", "wifi"))]

    def solution() -> Solution:
        if (yield call("get_cellular_service_status")):
            yield call("set_wifi_status", on=False)
            yield say("Cellular is on, so I turned wifi off.")
        else:
            yield say("Cellular service is off, so I left wifi on.")

    return Task(
        user=world.phrase(
            "Turn wifi off, but only if cellular service is on. Otherwise leave everything as it is.",
            "If I have cellular service switched on, switch wifi off. If not, change nothing.",
        ),
        tools=["get_cellular_service_status", "set_wifi_status", "set_cellular_service_status"],
        milestones=[looked, *(off if cellular else [answer(still_on, Switch("cellular", on=False))])],
        never=[premature(off[0], looked)] if cellular else [],
        solution=solution,
    )


@scenario(CONDITIONAL, SINGLE_TOOL_CALL, state="cellular_off")
def turn_off_wifi_if_cellular_on_conditional(world: World) -> Task:
    """Turn wifi off only if the mobile radio is on, which it is not."""
    return _wifi_off_if_reachable(world)


@scenario(CONDITIONAL, ScenarioCategories.STATE_DEPENDENCY)
def turn_off_wifi_if_cellular_on_conditional_true(world: World) -> Task:
    """Turn wifi off only if the mobile radio is on, which it is."""
    return _wifi_off_if_reachable(world)


# A contact -------------------------------------------------------------------------------------------------------


def _right_number(world: World, *, differs: bool) -> Task:
    """Corrects a saved number if it differs from a dictated one."""
    person = world.choice(world.friend, world.other_friend)
    number = world.new_person().phone_number if differs else person.phone_number
    spoken = f"({number[2:5]}) {number[5:8]}-{number[8:]}"
    correction = changed(CONTACT, {"person_id": person.person_id}, phone_number=number)
    changes = [correction, answer(Done("updated", (*person.spoken, "entry")))]

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        if row["phone_number"] != number:
            yield call("modify_contact", person_id=row["person_id"], phone_number=number)
            yield say(f"I updated the number of {person.name}.")
        else:
            yield say(f"I did not change the contact: {person.name} is already saved with that number.")

    return Task(
        user=world.phrase(
            f"{person.name} should be in my contacts with {spoken}. If the number there is another one, correct it, "
            "otherwise don't touch the entry.",
            f"Is {spoken} the number I have for {person.name}? If not, change it to that. If it is, leave it alone.",
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[
            found("search_contacts", person_id=person.person_id),
            *(changes if differs else [answer(NotDone("updated", (*person.spoken, "entry", "contacts")))]),
        ],
        never=[] if differs else [called("modify_contact")],
        solution=solution,
    )


@scenario(CONDITIONAL, SINGLE_TOOL_CALL)
def update_contact_if_number_differs_conditional(world: World) -> Task:
    """Correct a saved number only if it differs from the right one, which it does not."""
    return _right_number(world, differs=False)


@scenario(CONDITIONAL)
def update_contact_if_number_differs_conditional_true(world: World) -> Task:
    """Correct a saved number only if it differs from the right one, which it does."""
    return _right_number(world, differs=True)
