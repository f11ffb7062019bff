"""The user changes their mind: before anything was done, at the last moment, or once it is done."""

from tool_sandbox.answers.facts import Derived, Done, FromTrace, NotDone, Number, Phone
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.lookup_errors import conversion
from tool_sandbox.scenarios.families.message_sending import dictated, sent
from tool_sandbox.scenarios.families.places import at_place
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.steps import number_of, text, whereabouts
from tool_sandbox.scenarios.vocabulary import Task, answer, answer_for_now, call, called, say, told
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows, Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
GOAL_CHANGE = ScenarioCategories.GOAL_CHANGE
MULTIPLE_TOOL_CALL = ScenarioCategories.MULTIPLE_TOOL_CALL
SINGLE_TOOL_CALL = ScenarioCategories.SINGLE_TOOL_CALL

SENDING = ("search_contacts", "send_message_with_phone_number")


@scenario(GOAL_CHANGE)
def send_message_recipient_changed_before_sending_multiple_user_turn(world: World) -> Task:
    """Change the recipient before giving the text."""
    first, second = world.choice((world.friend, world.other_friend), (world.other_friend, world.boss))
    content = world.choice(*pools.SHORT_TEXTS)
    change = world.phrase(
        f'Actually, better {second.name}. Write: "{content}"', f'Hm, make that {second.name} instead: "{content}"'
    )

    def solution() -> Solution:
        yield say(f"What should the message to {first.name} say?")
        number = yield from number_of(second.name)
        yield text(number, content)
        yield say(f"Your message to {second.name} has been sent.")

    return Task(
        user=(world.phrase(f"I want to text {first.name}.", f"Send {first.name} a message."), change),
        knows={r".": change},
        tools=SENDING,
        milestones=[sent(second, content), answer(Done("sent"))],
        solution=solution,
    )


@scenario(GOAL_CHANGE, SINGLE_TOOL_CALL, state="cellular_off")
def send_message_cancelled_before_sending_multiple_user_turn(world: World) -> Task:
    """Withdraw the request when it is time to give the words; cellular, which is off, stays off."""
    person = world.choice(world.friend, world.other_friend, world.boss)
    change = world.phrase(
        "Never mind, I'll call instead. You haven't sent anything, have you?",
        "Forget it, I'll drop by. Nothing has been sent, right?",
    )

    def solution() -> Solution:
        number = yield from number_of(person.name)
        yield say(f"{person.first_name}'s number is {number}. What should the message say?")
        yield say("All right, nothing has been sent.")

    return Task(
        user=(f"I want to text {person.name}. Tell me which number I have, then I'll give you the words.", change),
        knows=(
            Knows(r"\bwhat\b|words|\bsay\b|\btext\b|message|content|write|dictate|read", change),
            Knows(r"send|text|message", "No, don't send anything.", decides=True),
        ),
        tools=[*SENDING, "set_cellular_service_status"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": person.person_id})),
            answer_for_now(Phone(person.phone_number)),
            answer(NotDone("sent", ("message", "text", person.name, person.first_name))),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE)
def send_message_second_recipient_added_after_completion_multiple_user_turn(world: World) -> Task:
    """Add one more recipient after the message has gone out."""
    first, second = world.choice((world.friend, world.boss), (world.other_friend, world.friend))
    content = world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        for person in (first, second):
            number = yield from number_of(person.name)
            yield text(number, content)
            yield say(f"Your message to {person.name} has been sent.")

    return Task(
        user=(
            dictated(world, first.name, content),
            world.phrase(f"{second.name} should get the same text too.", f"Oh, and the same to {second.name}."),
        ),
        tools=SENDING,
        milestones=[
            sent(first, content),
            answer_for_now(Done("sent")),
            called("send_message_with_phone_number"),
            sent(second, content),
            answer(Done("sent")),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE, SINGLE_TOOL_CALL)
def remove_contact_cancelled_at_confirmation_multiple_user_turn(world: World) -> Task:
    """Say no when the deletion is read back."""
    person = world.choice(world.friend, world.other_friend, world.boss)
    change = world.phrase(
        "No, that one stays. It's still saved, isn't it?", "Oh, then no. Is that contact still there?"
    )

    def solution() -> Solution:
        [row] = yield call("search_contacts", phone_number=person.phone_number)
        yield say(f"That is the number of {row['name']}. Shall I remove the contact?")
        yield say(f"Yes, {row['name']} is still in your contacts.")

    deletion = r"delet|remov|\bsure\b|confirm|go ahead|proceed|continue|correct"
    return Task(
        user=(
            f"Delete the contact with the number {person.phone_number}. First say whose it is and wait for my okay.",
            change,
        ),
        knows=(Knows(deletion, change), Knows(deletion, "No, it stays.", decides=True)),
        tools=["search_contacts", "remove_contact"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": person.person_id})),
            told(person.first_name),
            answer(NotDone("removed", person.spoken)),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE, COREFERENCE)
def find_temperature_place_changed_after_answer_multiple_user_turn(world: World) -> Task:
    """After the answer, want it for another place, in the same unit."""
    places = world.choice(pools.PLACES[:2], pools.PLACES[2:4], pools.PLACES[4:6], pools.PLACES[5:7])

    def solution() -> Solution:
        for place in places:
            where = yield from whereabouts(place.name)
            weather = yield call("search_weather_around_lat_lon", **where)
            celsius = weather["current_temperature"]
            degrees = yield call("unit_conversion", amount=celsius, from_unit="celsius", to_unit="fahrenheit")
            yield say(f"It is {degrees:.1f} degrees Fahrenheit at {place.name} right now.")

    celsius = Derived("search_weather_around_lat_lon", "current_temperature", scale=1.8, offset=32.0)
    fahrenheit = Number(celsius, unit="fahrenheit", in_unit=True)
    return Task(
        user=(
            world.phrase(
                f"How warm is it at {places[0].name}, in Fahrenheit?",
                f"{places[0].name}: degrees Fahrenheit right now?",
            ),
            world.phrase(f"No, I meant {places[1].name}.", f"Ah, wrong place, we are going to {places[1].name}."),
        ),
        tools=["search_location_around_lat_lon", "search_weather_around_lat_lon", "unit_conversion"],
        milestones=[
            node
            for place, told_as in zip(places, (answer_for_now, answer), strict=True)
            for node in (at_place("search_weather_around_lat_lon", place, days=0), told_as(fahrenheit))
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE, CANONICALIZATION, MULTIPLE_TOOL_CALL)
def convert_currency_target_changed_twice_multiple_user_turn(world: World) -> Task:
    """Change the target currency twice."""
    amount = world.integer(250, 50, 900)
    targets = world.choice(
        (("euros", "EUR"), ("British pounds", "GBP"), ("Swiss francs", "CHF")),
        (("Japanese yen", "JPY"), ("euros", "EUR"), ("Polish zloty", "PLN")),
        (("Mexican pesos", "MXN"), ("Canadian dollars", "CAD"), ("British pounds", "GBP")),
    )
    codes = [code for _, code in targets]

    def solution() -> Solution:
        for code in codes:
            money = yield call("convert_currency", amount=amount, from_currency_code="USD", to_currency_code=code)
            yield say(f"{amount} USD is {money:.2f} {code}.")

    figures = [Number(FromTrace("convert_currency"), unit=code, context=amount) for code in codes]
    return Task(
        user=(
            world.phrase(
                f"What are {amount} US dollars in {targets[0][0]}?", f"{amount} USD in {targets[0][0]}, please."
            ),
            world.phrase(f"Actually, in {targets[1][0]}.", f"Make that {targets[1][0]} instead of {targets[0][0]}."),
            world.phrase(f"Sorry, {targets[2][0]} is what I need.", f"Hm, I would rather have it in {targets[2][0]}."),
        ),
        tools=["convert_currency"],
        milestones=[
            node
            for code, figure, told_as in zip(codes, figures, (answer_for_now, answer_for_now, answer), strict=True)
            for node in (conversion(amount, "USD", code), told_as(figure))
        ],
        solution=solution,
    )
