"""What is clearly told to be done, and what is not."""

import pytest

from tool_sandbox.answers.directions import place_told

TOPIC = r"(?:restart|reboot)\w* (?:the|your) router|power.cycl"


@pytest.mark.parametrize(
    "text",
    [
        "Please restart the router.",
        "Could you restart your router for me?",
        "Restart the router.",
        "Okay, now reboot the router, please.",
        "I need you to restart the router.",
        "I'd like you to reboot your router now.",
        "You'll need to restart the router.",
        "You should reboot the router once.",
        "Let’s restart the router.",
        "Try rebooting the router.",
        "I can't do that from here. If the light is red, restart the router.",
        "Once you are next to it, restart the router and tell me which light is on.",
        "1. Unplug the lamp\n2. Restart the router\n3. Tell me what you see",
        "Please unplug the lamp and restart the router.",
        "To fix this, restart the router.",
        "Next step: restart the router!",
        "**Step 2:** Restart the router.",
        "Would you mind power-cycling it?",
        "It looks as if somebody has to restart the router. Could you do that?",
        "I suggest restarting the router.",
        "Please check the cable, then restart the router.",
        "Go ahead and restart the router.",
    ],
)
def test_told(text: str) -> None:
    assert place_told(text, TOPIC) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I've restarted the router.",
        "I'll restart the router now, please wait.",
        "Shall I restart the router?",
        "Would you like me to restart the router?",
        "Did you restart the router?",
        "Have you rebooted the router already?",
        "Please don't restart the router.",
        "Please hold on while I restart the router.",
        "Please tell me after you restarted the router.",
        "Please confirm that you restarted the router.",
        "Restarting the router usually helps.",
        "You restarted the router, so the light should be green.",
        "I can't restart the router from here.",
        "Please press the button without restarting the router.",
        "Restart the router?",
        "I will check the cable and restart the router.",
        "The router needs a cable. Could you do that?",
        "Never restart the router.",
    ],
)
def test_not_told(text: str) -> None:
    assert place_told(text, TOPIC) is None


def test_places_are_in_the_order_of_the_text() -> None:
    text = "Please unplug the lamp. Then press the button and restart the router."
    places = [place_told(text, topic) for topic in ("unplug", "press", "restart the router")]
    assert None not in places
    assert places == sorted(places)
