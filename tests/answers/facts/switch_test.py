"""What answers say about device settings and other yes-or-no matters."""

import pytest

from tool_sandbox.answers.facts import Reading, Switch

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT


@pytest.mark.parametrize("subject", ["wifi", "cellular", "location_service", "low_battery_mode"])
@pytest.mark.parametrize("state", [True, False])
def test_a_state_and_its_opposite_are_told_apart(subject: str, state: bool) -> None:
    word = {True: "on", False: "off"}
    name = subject.replace("_", " ")
    assert Switch(subject, on=state).read(f"Your {name} is {word[state]}.") is STATED
    assert Switch(subject, on=not state).read(f"Your {name} is {word[state]}.") is CONTRADICTED


def test_another_subject_can_be_named() -> None:
    assert Switch("Bluetooth", on=True).read("I've turned on Bluetooth and turned off Wi-Fi.") is STATED
    assert Switch("Bluetooth", on=True).read("Wi-Fi is on.") is SILENT
