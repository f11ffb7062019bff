"""Readers prefer "unclear" to a guess, and an unclear answer is none until somebody decides that it is."""

import pytest

from tool_sandbox.answers.facts import AnyOf, Boolean, Done, Entity, Listing, Phone, Quote, Reading, Switch
from tool_sandbox.answers.facts._reading import is_foreign, read

ANN = Entity("Ann Lee", instead_of=("Tom Haake",))
MILK = Quote("Buy milk")
SENT = Done("sent", about=("Ann",))
NUMBER = Phone("+14155550100")
WIFI = Switch("wifi", on=True)
SAVED = Boolean("Tom", ("saved",), ("missing",), value=True)

UNCLEAR = [
    (ANN, "It's Ann Lee or Bob Ross."),
    (ANN, "It is either Ann Lee or Bob Ross."),
    (ANN, "Bob Ross or Ann Lee is your boss."),
    (ANN, "Ann Lee is your boss, or maybe Tom Haake."),
    (MILK, 'It says "Buy milk" or "Buy bread".'),
    (Listing((ANN, Entity("Eve"))), "Your friends are Eve and Ann Lee or Bob Ross."),
    (AnyOf((ANN, NUMBER)), "Ann Lee or Bob Ross."),
    (SENT, "I sent the message. It could not be delivered, it was not sent."),
    (WIFI, "Wi-Fi is on or off."),
    (WIFI, "Wi-Fi is on, or maybe off."),
    (WIFI, "Wi-Fi or cellular is on."),
    (WIFI, "Cellular and Wi-Fi are off. It is on now."),
    (SAVED, "Tom is saved or missing."),
    (NUMBER, "Ich habe die Nummer gefunden, und sie steht in der Liste von deinen Kontakten."),
    (NUMBER, "El número está en la lista de sus contactos, no hay más que hacer."),
    (NUMBER, "电话号码已经在您的联系人列表中找到了"),
]
CLEAR = [
    (ANN, "Ann Lee, or Ann for short, is your boss. You can text Ann Lee or add a note.", Reading.STATED),
    (ANN, "Your boss is Ann Lee. Should I text Ann Lee or Tom Haake?", Reading.STATED),
    (ANN, "It is Ann Lee or Tom Haake.", Reading.CONTRADICTED),
    (Entity("Ann Lee", aliases=("Annie",)), "It is Ann Lee or Annie.", Reading.STATED),
    (NUMBER, "It is +1 415 555 0100, or call by the app.", Reading.STATED),
    (SENT, "I could not send it at first, then I sent it to Ann.", Reading.STATED),
    (SENT, "I sent it. Actually, I could not send it.", Reading.CONTRADICTED),
    (SENT, "I sent it. I could not send it to Ann.", Reading.CONTRADICTED),
    (WIFI, "Wi-Fi or cellular can be turned on or off.", Reading.SILENT),
    (WIFI, "Cellular and Wi-Fi are off. They are on now.", Reading.STATED),
    (WIFI, "Low battery mode was on and Wi-Fi was off. I turned it on.", Reading.STATED),
    (SAVED, "Tom is missing. Actually, Tom is saved.", Reading.STATED),
    (NUMBER, "Tom, Bob Ross, Maria, Zoë Kravitz, Jim Beam, José Perez, Homer Simpson, Una Stubbs", Reading.SILENT),
    (NUMBER, "I have found the number that you asked for in the list of your contacts.", Reading.SILENT),
    (NUMBER, "Ich habe die Nummer: +14155550100, und sie steht in der Liste von Kontakten.", Reading.STATED),
]


@pytest.mark.parametrize(("fact", "text"), UNCLEAR)
def test_what_can_be_taken_either_way_is_unclear(fact, text):
    assert read(fact, text) is Reading.UNCLEAR


@pytest.mark.parametrize(("fact", "text", "reading"), CLEAR)
def test_what_is_clear_is_not(fact, text, reading):
    assert read(fact, text) is reading


def test_a_short_text_is_of_no_language():
    assert not is_foreign("Ja, das ist so.")
    assert is_foreign("Ja, das ist so, und es ist auch nicht anders.")
