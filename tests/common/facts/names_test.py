"""What answers say about names, phone numbers, stored texts and lists of them."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import Entity, Fact, Listing, Number, Phone, Quote, Reading

STATED, CONTRADICTED = Reading.STATED, Reading.CONTRADICTED


@pytest.mark.parametrize("fact", [Entity("..."), Phone("+"), Phone(""), Quote(""), Entity("")])
def test_empty_values_are_the_authors_mistake(fact: Fact) -> None:
    with pytest.raises(ScenarioError):
        fact.read("anything")


def test_items_may_be_any_facts() -> None:
    both = Listing(("Tom", Number(3, "contact")))
    assert both.read("Tom has 3 contacts.") is STATED
    assert both.read("Tom has 4 contacts.") is CONTRADICTED
