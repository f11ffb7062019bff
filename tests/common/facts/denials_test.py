"""Denials and retractions in various places, and what only looks like one."""

from tool_sandbox.common.facts import Cannot, Done, Entity, Fact, Number, Quote, Reading, Switch

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

NOTE = Quote("Pick up the dry cleaning")
ANN = Entity("Ann Weber", aliases="Ann")
TOWN = Entity("Monterey", apart_from="Monterey Bay Aquarium")
HOURS = Number(4, "hour")
SENT = Done("sent", about=("message", "Ann"))
NO_CLOCK = Cannot("INFORMATION_MISSING", terms=("time",), task="moved")
NO_POSITION = Cannot("TOOL_MISSING", terms=("coordinates", "position"))

CORPUS = [
    (NOTE, CONTRADICTED, ['It is not true that your next reminder says: "Pick up the dry cleaning".']),
    (
        NOTE,
        STATED,
        [
            'Your next reminder says: "Pick up the dry cleaning." Is there anything else I can do for you?',
            'Nothing is due before it. The next reminder is "Pick up the dry cleaning" Would you like to change it?',
        ],
    ),
    (ANN, CONTRADICTED, ["Ann is not your boss.", "Ann Weber isn't the one who called.", "Your boss is not Ann."]),
    (
        ANN,
        STATED,
        [
            "Ann has not replied yet.",
            "The only one who is not coming is Ann.",
            "The people who haven't replied yet are Ann and Tom.",
            "Ann did not answer.",
        ],
    ),
    (TOWN, STATED, ["Monterey Bay Aquarium is in Monterey.", "Monterey"]),
    (TOWN, SILENT, ["Monterey Bay Aquarium is 67 km away.", "It is called the Monterey Bay Aquarium."]),
    (HOURS, CONTRADICTED, ["4 hours are not left.", "4 hours is not right."]),
    (HOURS, STATED, ["You asked me to hurry, but I didn't. You have 4 hours.", "4 hours are left, not more."]),
    (
        SENT,
        CONTRADICTED,
        [
            "The message has been sent. Sorry, what I just told you was wrong.",
            "The message has been sent. What I said earlier was not true.",
        ],
    ),
    (SENT, STATED, ["As I told you, the message has been sent.", "I told Ann."]),
    (SENT, SILENT, ["I told you that there are two people of that name."]),
    (NO_CLOCK, CONTRADICTED, ["I have moved your reminder. I don't know the current time though."]),
    (
        NO_CLOCK,
        STATED,
        [
            "I don't know the current time, so I could not move your reminder.",
            "I moved nothing, because I don't know the time.",
            "I made two attempts, but I can't do it: I don't know the time.",
        ],
    ),
    (
        NO_POSITION,
        STATED,
        ["None of my tools give me your coordinates.", "None of the tools that I was given tells your position."],
    ),
    (NO_POSITION, SILENT, ["None of your contacts is near that position.", "I can see your coordinates."]),
    (
        Cannot("SETTING_BLOCKED", terms=("low_battery_mode",)),
        STATED,
        ["**Not possible** while power saving is on.", "That is not currently possible: low power mode is on."],
    ),
    (Cannot("SETTING_BLOCKED", terms=("low_battery_mode",)), SILENT, ["That is possible while power saving is on."]),
    (Done("updated", about=("number",)), STATED, ["I've reverted the number.", "I put the old number back."]),
    (Done("updated", about=("number",)), CONTRADICTED, ["I haven't changed the number back."]),
    (
        Done("restored", about=("number",)),
        STATED,
        ["I put the number back.", "I've changed the number back.", "The number is as it was.", "Undone: the number."],
    ),
    (Done("restored", about=("number",)), CONTRADICTED, ["I could not restore the number.", "Nothing was restored."]),
    (Done("restored", about=("number",)), SILENT, ["The number is +1 555 010 2345.", "I'll put the number back."]),
    (
        Switch("wifi", on=False),
        CONTRADICTED,
        ["It is not true that everything is as it was: cellular is on, wifi is off."],
    ),
    (Switch("wifi", on=False), STATED, ["Everything is back as it was: cellular is on, wifi is off."]),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected
