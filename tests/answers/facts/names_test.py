"""What answers say about names, phone numbers, stored texts and lists of them."""

import pytest

from tool_sandbox.answers.facts import Entity, Fact, Listing, Number, Phone, Quote, Reading
from tool_sandbox.world.errors import ScenarioError

STATED, CONTRADICTED = Reading.STATED, Reading.CONTRADICTED


@pytest.mark.parametrize("fact", [Entity("..."), Phone("+"), Phone(""), Quote(""), Entity("")])
def test_empty_values_are_the_authors_mistake(fact: Fact) -> None:
    with pytest.raises(ScenarioError):
        fact.read("anything")


def test_items_may_be_any_facts() -> None:
    both = Listing(("Tom", Number(3, "contact")))
    assert both.read("Tom has 3 contacts.") is STATED
    assert both.read("Tom has 4 contacts.") is CONTRADICTED


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("Yesterday you had to renew your passport and pay the bill.", CONTRADICTED),
        ("Renew my passport today; pay the bill.", CONTRADICTED),
        ("- Renew my passport\n- Pay the bill", CONTRADICTED),
        ("Renew my passport was due yesterday; Pay the bill is due today, so it does not count.", STATED),
        ('It says "Renew my passport". There is also "Pay the bill", but that one is not from yesterday.', STATED),
    ],
)
def test_another_stored_text_is_wrong_unless_it_is_told_to_be_elsewhere(text: str, reading: Reading) -> None:
    assert Quote("Renew my passport", instead_of="Pay the bill", elsewhere=("today", "not")).read(text) is reading


def test_a_stored_text_beyond_the_list_is_one_too_many() -> None:
    both = Listing((Quote("Renew my passport"), Quote("Sign the lease")), universe="Call my dentist")
    assert both.read("You have to renew your passport and sign the lease.") is STATED
    assert both.read("Renew your passport, sign the lease, and call your dentist.") is CONTRADICTED
