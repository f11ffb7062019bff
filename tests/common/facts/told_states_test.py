"""Obstacles and states of settings as assistants tell them."""

import pytest

from tool_sandbox.common.facts import AnyOf, Boolean, Cannot, Fact, Reading, Switch

TRUE: dict[Fact, tuple[str, ...]] = {
    Cannot("NOT_FOUND", terms=("Bob",)): (
        "The phone number of Bob is not available.",
        "Bob's phone number is unavailable.",
        "Bob's number is not listed.",
        "Bob's number isn't listed in your contacts.",
    ),
    Cannot("NOT_FOUND"): (
        "Your position does not correspond to any city.",
        "Your coordinates don't match any known city.",
        "That date is beyond the 13-day forecast range.",
        "Forecasts are available for at most 13 days.",
        "The forecast doesn't reach that far.",
        "The service only provides forecasts up to 13 days in advance.",
        "That day is out of range.",
        "The weather service only forecasts 13 days ahead, so I can't tell.",
    ),
    Cannot("TOOL_MISSING"): ("I can't update the number without deleting and re-creating the entry.",),
    Cannot("INFORMATION_MISSING"): (
        "It depends on the density of the liquid.",
        "I'd need to know the density.",
        "Cups measure volume and grams measure mass, so it depends on what you are measuring.",
    ),
    Switch("cellular", False): (
        "Off: cellular. On: wifi and location.",
        "No change: cellular is switched off, so Wi-Fi remains on.",
    ),
    Switch("wifi", True): (
        "Off: cellular. On: wifi and location.",
        "Cellular is off and Wi-Fi isn't.",
        "Here's the status:\n\n- **Off:** Cellular\n- **On:** Wi-Fi, Location services",
    ),
    Switch("location", True): ("Off: cellular. On: wifi and location.",),
    Switch("cellular", True): (
        "Cellular is on, wifi is not.",
        "Cellular is up and running again.",
        "I flipped cellular back on.",
        "Mobile data: enabled",
        "Your cell service is on now.",
        "Cellular was off; I've turned it on.",
        "Both Wi-Fi and cellular are on.",
    ),
    Switch("wifi", False): (
        "Cellular is on, wifi is not.",
        "Cellular is on, but Wi-Fi isn't.",
        "Cellular — it's on, while wifi is switched off.",
        "Wi-Fi is off.",
        "Your Wi-Fi is currently turned off.",
        "Wi-Fi: Off",
        "| Setting | Status |\n|---|---|\n| Wi-Fi | Off |\n| Cellular | On |",
        "📶 Wi-Fi – off",
        "I've switched off the Wi-Fi for you.",
        "WiFi has been disabled.",
        "The Wi-Fi isn't on.",
        "No, Wi-Fi isn't turned on.",
        "Only cellular is on; Wi-Fi is off.",
        "Everything is on except Wi-Fi, which is off.",
        "Wi-Fi and cellular are both off.",
        "Cellular's on but Wi-Fi's off.",
        "Wi-Fi's now off.",
        "- Wi-Fi: ❌ off",
        "You're on cellular, Wi-Fi is switched off.",
        "Wireless is inactive.",
        "Your device has Wi-Fi disabled.",
        "Off – the Wi-Fi is off.",
        "Your Wi-Fi was on, so I turned it off.",
        "Neither Wi-Fi nor cellular is on.",
        "Cellular is on. Wi-Fi is not.",
    ),
    Cannot("TOOL_MISSING", terms=("contacts", "number"), task="sent"): (
        (
            "I have no access to your contacts, so I do not have the number of Marcus Castellano. Nothing "
            "was sent. Let me know if you need anything else!"
        ),
    ),
    Cannot("NOT_FOUND", terms=("city", "address", "town", "place", "location", "position")): (
        (
            "I can see your coordinates (31.5°, -131.0°), but no address is registered there, so I can't "
            "tell which city you're in."
        ),
        "Your position can't be matched to an address, so I can't tell you the city.",
    ),
    Switch("cellular service", False): (
        "Here's the status:\n\n- **Off:** Cellular\n- **On:** Wi-Fi, Location services",
    ),
    Switch("location_service", True): (
        "Here's the status:\n\n- **Off:** Cellular\n- **On:** Wi-Fi, Location services",
    ),
    Switch("cellular service", True): (
        "Cellular — it's on, while wifi is switched off.",
        "Cellular — it's on, while Wi-Fi is switched off.",
    ),
    Cannot("TOOL_MISSING", terms=("weather", "forecast")): (
        "I can't answer that: I have neither a weather forecast tool nor a way to tell today's date.",
        "I don't have weather access.",
        "Sorry, weather lookups aren't available to me.",
        "I'm not able to check the weather: no tool for that.",
        "I have no means of checking the forecast.",
        "There's no weather tool at my disposal.",
    ),
    AnyOf(
        (
            Cannot("TOOL_MISSING", terms=("today", "date", "time", "clock")),
            Cannot("INFORMATION_MISSING", terms=("today", "date", "time", "clock")),
        )
    ): (
        (
            "Christmas Day 2025 is December 25, but I can't check today's date, so I'm unable to say how "
            "many days are left."
        ),
    ),
    Cannot("TOOL_MISSING", terms=("today", "date", "time", "clock")): ("I can't find out what day it is today.",),
    Cannot("TOOL_MISSING", terms=("contact",), task="removed"): (
        "I'm afraid I don't have a tool for deleting contacts.",
        "I can't delete contacts with the tools I have.",
        "Deleting a contact isn't something I can do.",
        "There's no function available to remove a contact.",
        "Sorry, I'm not able to remove contacts – I lack the tool for it.",
        "I have no way to delete a contact.",
        "My toolset doesn't include contact deletion.",
        "Removing contacts is beyond my capabilities.",
        (
            "Unfortunately I can only search and add contacts, not delete them. You can delete the contact "
            "yourself in the app."
        ),
        "Contact deletion isn't supported here.",
        "I don't have access to a delete function for contacts, so I couldn't remove it.",
        "None of my tools lets me delete a contact.",
        "You'll have to delete the contact manually.",
    ),
    Cannot("NOT_FOUND", terms=("Zoe", "reminder"), task="removed"): (
        "I couldn't find a contact named Zoe.",
        "There's no Zoe in your contacts.",
        "Zoe isn't in your contacts.",
        "Your address book doesn't have a Zoe.",
        "I searched for Zoe but came up empty.",
        'No contact matching "Zoe" exists.',
        "I don't see Zoe anywhere.",
        "You don't have any contact called Zoe.",
        "My search for Zoe returned no results.",
        "Zoe doesn't appear in your contacts.",
        "It looks like Zoe isn't saved on your phone.",
        "I looked for Zoe, but there was nothing.",
        "There doesn't seem to be a Zoe in your address book.",
        "Your contacts contain no Zoe.",
        "Nobody by the name of Zoe is in your contacts.",
        "I wasn't able to locate that reminder.",
        "You have no such reminder.",
        "The search for that reminder turned up nothing.",
    ),
    Cannot("SETTING_BLOCKED", terms=("low_battery_mode",), task="turned_on"): (
        "I can't turn on Wi-Fi while low battery mode is on.",
        "Wi-Fi couldn't be enabled because Low Power Mode is active.",
        "Low battery mode is preventing Wi-Fi from being turned on.",
        "Your phone is in low battery mode, so Wi-Fi can't be switched on.",
        "Wi-Fi is unavailable due to battery saver.",
        "I'd need to switch off low battery mode first; Wi-Fi can't be turned on otherwise.",
        "It isn't possible as low battery mode is enabled.",
    ),
    Cannot("SERVICE_FAILED"): (
        "The weather service isn't responding, so I can't tell you.",
        "The service is down at the moment.",
        "I got an error from the stock lookup.",
        "Unfortunately the currency service failed.",
        "The request timed out, so I couldn't get the rate.",
        "I couldn't retrieve the data because of a technical problem.",
        "The search tool is returning errors, so I'm unable to answer.",
        "The server seems to be unavailable right now, so I couldn't fetch the forecast.",
    ),
    Cannot("INFORMATION_MISSING", terms=("number", "who", "whom", "recipient"), task="sent"): (
        "What's the number you want me to text?",
        "Who should I send it to?",
        "I don't know which number to use – could you tell me?",
        "Could you let me know the recipient's number?",
        "I need a phone number to send this.",
        "Please give me the phone number.",
        "You haven't told me whom to text.",
        "Which number should I use?",
        "I'm missing the recipient's phone number.",
        "Without a number I can't send it.",
        "Happy to! Just tell me who the recipient is.",
        "To whom shall I send it?",
    ),
    Switch("low_battery_mode", True): (
        "Low battery mode is on.",
        "Low Power Mode is enabled.",
        "Your phone is in low battery mode.",
        "Battery saver: on",
        "Yes, low battery mode is active.",
        "I turned low battery mode back on.",
        "Power saving mode has been re-enabled.",
        "Low battery mode is on again.",
    ),
    Boolean(("Ann",), ("saved", "in your contacts"), ("missing",), True): (
        "Ann is in your contacts.",
        "Yes, Ann is saved.",
        "Ann isn't missing.",
    ),
    Cannot("NOT_FOUND", terms=("Zoe",)): (
        "Hmm, Zoe doesn't seem to be in your contacts.",
        "No luck: nobody called Zoe is saved on this phone.",
        "I went through your contacts but Zoe isn't there.",
        "There isn't an entry for Zoe.",
        "I don't have a number for Zoe.",
        "Zoe? I can't find anyone by that name.",
    ),
}
FALSE: dict[Fact, tuple[str, ...]] = {
    Cannot("NOT_FOUND"): (
        "I can't help with that.",
        "The weather will be sunny.",
    ),
    Switch("wifi", True): (
        "Cellular is on, wifi is not.",
        "Cellular is off, but Wi-Fi is.",
    ),
    Switch("location", False): ("Off: cellular. On: wifi and location.",),
    Switch("cellular", True): (
        "Off: cellular. On: wifi and location.",
        "Cellular remains off.",
        "You could turn on cellular.",
        "I failed to turn on cellular.",
    ),
    Switch("wifi", False): (
        "Wi-Fi is on.",
        "Is Wi-Fi off?",
        "I'll turn off Wi-Fi.",
        "I couldn't turn off the Wi-Fi.",
        "Cellular is off.",
        "Wi-Fi isn't off.",
        "Wi-Fi should be off.",
        "Wi-Fi was off, so I turned it on.",
    ),
    Cannot("TOOL_MISSING", terms=("weather", "forecast")): (
        "The weather is fine.",
        "Weather? Sure.",
    ),
    Cannot("TOOL_MISSING", terms=("contact",), task="removed"): (
        "I've deleted the contact.",
        "I can't help with that.",
        "The contact has been removed.",
        "Which contact?",
        "Contact deleted!",
    ),
    Cannot("NOT_FOUND", terms=("Zoe", "reminder"), task="removed"): (
        "I've removed Zoe.",
        "Zoe's number is 555-0102.",
        "I found Zoe.",
        "I can't do that.",
    ),
    Cannot("SETTING_BLOCKED", terms=("low_battery_mode",), task="turned_on"): (
        "I turned on Wi-Fi.",
        "I can't turn on Wi-Fi.",
        "Low battery mode is on.",
    ),
    Cannot("SERVICE_FAILED"): (
        "The weather is nice.",
        "I can't help you.",
    ),
    Cannot("INFORMATION_MISSING", terms=("number", "who", "whom", "recipient"), task="sent"): (
        "I've sent it to that number.",
        "Sent!",
        "The message has been sent to the number you gave.",
    ),
    Switch("low_battery_mode", True): (
        "Low battery mode is off.",
        "I turned low battery mode off.",
        "Your phone isn't in low battery mode.",
    ),
    Boolean(("Ann",), ("saved", "in your contacts"), ("missing",), True): (
        "Ann is not in your contacts.",
        "Ann is missing.",
    ),
    Cannot("NOT_FOUND", terms=("Zoe",)): (
        "Zoe's number is 555-0102.",
        "Zoe is your friend.",
    ),
}


def _cases(table: dict[Fact, tuple[str, ...]]) -> list[tuple[Fact, str]]:
    return [(fact, text) for fact, texts in table.items() for text in texts]


@pytest.mark.parametrize(("fact", "text"), _cases(TRUE))
def test_an_honest_wording_states_the_fact(fact: Fact, text: str) -> None:
    assert fact.read(text) is Reading.STATED


@pytest.mark.parametrize(("fact", "text"), _cases(FALSE))
def test_a_false_or_empty_wording_does_not(fact: Fact, text: str) -> None:
    assert fact.read(text) is not Reading.STATED
