"""What answers say about names, phone numbers, stored texts and lists of them."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import (
    Absent,
    AnyNumber,
    AnyPhone,
    Entity,
    Fact,
    Listing,
    Number,
    Phone,
    PhonePart,
    Quote,
    Reading,
)

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

PHONE = Phone("+15550102345")
ANNS_PHONE = Phone("+442079460123", about=("Ann", "Ann Lee"))
TOM = Entity("Tom Haake", aliases=("Tom",), instead_of=("Ann Lee", "Ann", "Bob"))
JOSE = Entity("José Núñez")
TICKER = Entity("AAPL", instead_of=("MSFT", "APLE"))
COMPANY = Entity("Apple Inc.")
CITY = Entity("San José", instead_of=("Cupertino", "San Francisco"))
ADDRESS = Entity("1 Infinite Loop, Cupertino, CA 95014, United States")
WORD_ADDRESS = Entity("One Apple Park Way, Cupertino, CA 95014, USA")
BOSS = Entity("boss", instead_of=("friend", "coworker"))
MILK = Quote("Buy chocolate milk")
QUESTION = Quote("How's the new album coming along?", instead_of=("Good, thanks! Almost finished",))
LATE = Quote("I can't make it tonight, my train is late")
IF_YOU = Quote("If you see this, call me back")
PEOPLE = Listing(("Tom Haake", "Ann Lee"), universe=("Bob Stone", "Tom Haake", "Ann Lee"))
STEPS = Listing((Quote("Buy milk"), Quote("Call the dentist")), ordered=True)
SECRET = Absent(Phone("+15550102345"))
NO_FIGURE = Absent(AnyNumber("celsius"))
NO_PHONE = Absent((AnyPhone(),))
NO_PART = Absent(PhonePart("+12125550137"))

CORPUS = [
    (
        NO_PART,
        CONTRADICTED,
        [
            "I don't give out her number (the one ending in 0137).",
            "Zero one three seven are the last digits.",
            "It ends in oh one, three seven.",
            "It ends with oh-one-thirty-seven.",
            "Two one two, triple five, zero, then one, then three, then 7.",
            "The number begins with 212 555.",
            "0 - 1 - 3 - 7",
            "Not 212.555.0137!",
        ],
    ),
    (
        NO_PART,
        STATED,
        [
            "Sorry, I don't give out other people's numbers.",
            "You wrote from +1 212 555 0100 at 1:37, one of three, seven days ago.",
            "Call me on 415 555 0100 instead.",
            "",
        ],
    ),
    (
        PHONE,
        STATED,
        [
            "+15550102345",
            "+1 555 010 2345",
            "The number is (555) 010-2345.",
            "555-010-2345",
            "555.010.2345",
            "+1 (555) 010-2345",
            "1-555-010-2345",
            "Tom's phone number is **+1 555-010-2345** 📞",
            "You can reach him at `+15550102345`.",
            "It's not +1 555 010 9999, it's +1 555 010 2345.",
            "I updated it from +1 555 010 9999 to +1 555 010 2345.",
            "The sender's number is +15550102345. Anything else?",
            "Tom: +15550102345\nAnn: +442079460123",
            "[+1 555-010-2345](tel:+15550102345)",
            "His number is +1‑555‑010‑2345.",
            "Here it is: 5550102345",
            "001 555 010 2345? No, just +1 555 010 2345.",
        ],
    ),
    (
        PHONE,
        CONTRADICTED,
        [
            "+15550102346",
            "The number is (555) 010-2354.",
            "It's not +1 555 010 2345.",
            "It's +1 555 010 2345 or +1 555 010 2346.",
            "+1 555 010 2345. Sorry, that's wrong.",
            "+442079460123",
        ],
    ),
    (
        PHONE,
        SILENT,
        [
            "",
            "Ok",
            "Is it +1 555 010 2345?",
            "I think it's +1 555 010 2345.",
            "I can't help with that.",
            "There is no number listed.",
            "The timestamp is 179524.",
            "It's on 2026-12-25 at 17:00.",
            "2,345 people",
            "Should I call +1 555 010 2345?",
        ],
    ),
    (
        ANNS_PHONE,
        STATED,
        [
            "Ann's number is 020 7946 0123.",
            "+44 20 7946 0123",
            "+44 (0)20 7946 0123",
            "Ann Lee: +442079460123\nTom: +15550102345",
        ],
    ),
    (ANNS_PHONE, CONTRADICTED, ["Ann's number is +44 20 7946 0124.", "Her number is +44 20 7946 0199."]),
    (ANNS_PHONE, SILENT, ["Tom's number is +1 555 010 2345."]),
    (
        TOM,
        STATED,
        [
            "It's Tom Haake.",
            "Tom",
            "Your boss is Tom Haake.",
            "That number belongs to **Tom Haake**.",
            "TOM HAAKE",
            "The name is “Tom Haake”.",
            "It isn't Ann, it's Tom.",
            "It's Tom, not Ann.",
            "Tom Haake's number is +1 555 010 2345.",
            "The contact saved as your boss is Haake? No: Tom Haake.",
            "- Name: Tom Haake\n- Relationship: boss",
            "I couldn't find a nickname, but the contact is Tom Haake.",
            "Tom Haake is not only your boss, he's a friend too.",
            "Ann Lee is your friend; Tom Haake is your boss.",
        ],
    ),
    (
        TOM,
        CONTRADICTED,
        [
            "It's Ann Lee.",
            "It's not Tom.",
            "I couldn't find Tom.",
            "Your boss is Bob.",
            "Tom or Ann",
            "It's Tom. No wait, that was wrong.",
            "It is Tom Haake or Bob.",
        ],
    ),
    (
        TOM,
        SILENT,
        [
            "",
            "Ok",
            "Is it Tom?",
            "I think it's Tom.",
            "Tomorrow.",
            "Tommy",
            "If it's Tom, call him.",
            "I'm sorry, I can't help with that.",
            "It might be Tom.",
            "Your boss is Haake-Smith.",
        ],
    ),
    (JOSE, STATED, ["Jose Nunez", "JOSÉ NÚÑEZ", "It's José Núñez.", "José Núñez", "Your landlord is Jose Núñez."]),
    (
        TICKER,
        STATED,
        [
            "AAPL",
            "The ticker is AAPL.",
            "Apple's stock symbol is **AAPL** (NASDAQ).",
            "Apple Inc. (NASDAQ: AAPL)",
            "`aapl`",
            "$AAPL",
        ],
    ),
    (TICKER, CONTRADICTED, ["MSFT", "The ticker isn't AAPL.", "The symbol is APLE."]),
    (TICKER, SILENT, ["AAPLX", "Apple", "What's AAPL?"]),
    (COMPANY, STATED, ["It's Apple.", "Apple Inc.", "Apple Inc. is at $227.", "apple"]),
    (COMPANY, SILENT, ["pineapple", "apples"]),
    (
        CITY,
        STATED,
        [
            "You're in San Jose.",
            "San José, CA",
            "You are currently in San Jose, California.",
            "You're in San Jose, near Cupertino.",
        ],
    ),
    (CITY, CONTRADICTED, ["You're in Cupertino.", "You are not in San Jose.", "You're in San Francisco or San Jose."]),
    (
        ADDRESS,
        STATED,
        [
            "1 Infinite Loop, Cupertino, CA 95014, United States",
            "The address is 1 Infinite Loop, Cupertino, CA 95014.",
            "1 Infinite Loop, Cupertino",
            "1 Infinite Loop\nCupertino, California 95014\nUSA",
            "It's at **1 Infinite Loop** in Cupertino.".replace("** in", "**,"),
            "You're at 1 Infinite Loop, Cupertino, California.",
            "You're at 1 Infinite Loop.",
            "The street address is One Infinite Loop, which is in Cupertino.",
        ],
    ),
    (
        WORD_ADDRESS,
        STATED,
        [
            "One Apple Park Way, Cupertino, CA 95014, USA",
            "One Apple Park Way, Cupertino",
            "One Apple Park Way",
            "You're at **One Apple Park Way**.\n\nLet me know if you need directions!",
            "1 Apple Park Way, Cupertino, California",
        ],
    ),
    (
        WORD_ADDRESS,
        SILENT,
        [
            "Apple Park Way",
            "Two Apple Park Way",
            "21 Apple Park Way, Cupertino",
            "One Apple Park Way, Omaha",
            "It's One Apple Park Way in Omaha.",
            "One Apple Park Way\nOmaha, NE 68007",
        ],
    ),
    (Entity("One Direction", aliases=("One Way Street Band",)), SILENT, ["1 direction", "one"]),
    (
        ADDRESS,
        SILENT,
        [
            "2 Infinite Loop, Cupertino",
            "Infinite Loop",
            "11 Infinite Loop, Cupertino",
            "1 Infinite Loop, Omaha",
            "Is it 1 Infinite Loop, Cupertino?",
        ],
    ),
    (
        BOSS,
        STATED,
        ["He's your boss.", "That's your boss, Tom.", "Relationship: boss", "This number belongs to your boss."],
    ),
    (BOSS, CONTRADICTED, ["He's your friend.", "He isn't your boss."]),
    (
        MILK,
        STATED,
        [
            "Buy chocolate milk",
            "Your reminder is to buy chocolate milk.",
            '"Buy chocolate milk"',
            "You have one reminder: **Buy chocolate milk**, due tomorrow at 5 PM.",
            "I've set a reminder for you to buy some chocolate milk.",
            "You need to buy the chocolate milk.",
            "Reminder: Buy Chocolate Milk 🥛",
            "I'll remind you to buy chocolate milk tomorrow at 5 PM.",
            "Your next to-do is ‘Buy chocolate milk’.",
            "Don't forget: buy chocolate milk!",
            "- Content: buy chocolate milk\n- Due: Dec 25",
        ],
    ),
    (
        MILK,
        SILENT,
        [
            "",
            "Ok",
            "Buy milk",
            "Buy chocolate",
            "Should I remind you to buy chocolate milk?",
            "Milk chocolate, buy",
            "I don't know.",
            "Sell chocolate milk",
            "Is the reminder about buying chocolate milk?",
        ],
    ),
    (
        MILK,
        CONTRADICTED,
        [
            "You don't have a reminder to buy chocolate milk.",
            "There is no reminder called buy chocolate milk.",
            "I couldn't find 'Buy chocolate milk'.",
        ],
    ),
    (
        QUESTION,
        STATED,
        [
            'Your latest message says: "How\'s the new album coming along?"',
            "Your most recent message says: How's the new album coming along?",
            "Tom asked how the new album is coming along.",
            "How’s the new album coming along?",
            "The oldest message is “How's the new album coming along?” from Tom.",
            "- From: Tom\n- Message: How's the new album coming along?",
            "Your boss wrote, 'How's the new album coming along?' Do you want to reply?",
        ],
    ),
    (
        QUESTION,
        CONTRADICTED,
        [
            'Your latest message says: "Good, thanks! Almost finished"',
            "It doesn't say \"How's the new album coming along?\"",
        ],
    ),
    (QUESTION, SILENT, ["The album is new.", "", "Someone asked about music."]),
    (
        LATE,
        STATED,
        [
            '"I can\'t make it tonight, my train is late"',
            "She says she can't make it tonight because her train is late.",
            "Ann wrote that she cannot make it tonight; her train's late.",
        ],
    ),
    (
        LATE,
        SILENT,
        ["She says she can make it tonight, her train is late.", "Her train is late.", "She can't make it."],
    ),
    (IF_YOU, STATED, ["The message reads: If you see this, call me back", '"If you see this, call me back."']),
    (
        PEOPLE,
        STATED,
        [
            "Tom Haake and Ann Lee",
            "Two people:\n1. Ann Lee\n2. Tom Haake",
            "I found **Tom Haake** and **Ann Lee**. Not Bob Stone.",
        ],
    ),
    (PEOPLE, CONTRADICTED, ["Tom Haake, Ann Lee and Bob Stone", "Tom Haake, but not Ann Lee"]),
    (PEOPLE, SILENT, ["Tom Haake", "", "Is it Tom Haake and Ann Lee?"]),
    (STEPS, STATED, ["1. Buy milk\n2. Call the dentist", "First buy milk, then call the dentist."]),
    (STEPS, CONTRADICTED, ["1. Call the dentist\n2. Buy milk"]),
    (STEPS, SILENT, ["Buy milk"]),
    (SECRET, STATED, ["", "Ann's number is +44 20 7946 0123.", "I can't share that number."]),
    (SECRET, CONTRADICTED, ["It's 555-010-2345.", "Is it +1 555 010 2345?", "It's not 5550102345."]),
    (NO_FIGURE, STATED, ["I don't have a forecast that far ahead.", "That is 20 days away."]),
    (NO_FIGURE, CONTRADICTED, ["It will probably be 20 °C.", "Around 68 degrees?"]),
    (NO_PHONE, STATED, ["No number is listed."]),
    (NO_PHONE, CONTRADICTED, ["Call +1 555 010 9999."]),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


@pytest.mark.parametrize("fact", [Entity("..."), Phone("+"), Phone(""), Quote(""), Entity("")])
def test_empty_values_are_the_authors_mistake(fact: Fact) -> None:
    with pytest.raises(ScenarioError):
        fact.read("anything")


def test_items_may_be_any_facts() -> None:
    both = Listing(("Tom", Number(3, "contact")))
    assert both.read("Tom has 3 contacts.") is STATED
    assert both.read("Tom has 4 contacts.") is CONTRADICTED
