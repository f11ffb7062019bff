"""What answers say about device settings and other yes-or-no matters."""

import pytest

from tool_sandbox.common.facts import Boolean, Fact, Reading, Switch

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

WIFI_OFF = Switch("wifi", on=False)
WIFI_ON = Switch("wifi", on=True)
CELLULAR_OFF = Switch("cellular", on=False)
CELLULAR_ON = Switch("cellular_service", on=True)
LOCATION_ON = Switch("location_service", on=True)
POWER_SAVING_OFF = Switch("low_battery_mode", on=False)
POWER_SAVING_ON = Switch("low_battery_mode", on=True)
ASKED_WIFI_ON = Switch("wifi", on=True, yes=True)
ASKED_WIFI_OFF = Switch("wifi", on=False, yes=True)
SAVED = Boolean("Tom", ("saved", "in your contacts", "stored"), ("unsaved", "missing"), value=True)
WARMER = Boolean("Oslo", ("warmer", "hotter"), ("colder", "cooler"), value=True)

CORPUS = [
    (
        WIFI_OFF,
        STATED,
        [
            "Your Wi-Fi is now off.",
            "Wi-Fi has been turned off.",
            "I've turned off your Wi-Fi.",
            "I have turned your WiFi off for you.",
            "Done! The wifi is disabled.",
            "✅ **Wi‑Fi** is now **off**.",
            "Wi‑Fi: **Off**",
            "- Wi-Fi: disabled\n- Cellular: enabled",
            "| Setting | State |\n|---|---|\n| Wi-Fi | Off |\n| Cellular | On |",
            "Wireless has been switched off successfully.",
            "The wireless network is no longer active.",
            "Your phone's Wi-Fi isn't on.",
            "Wi-Fi is not enabled on your device right now.",
            "Your Wi-Fi is currently disabled on your phone.",
            "I checked, and Wi-Fi is off.",
            "It looks like your Wi‑Fi is currently turned off.",
            "Wi-Fi was on, so I turned it off.",
            "Wi-Fi was already off, so I didn't need to change anything.",
            "It's off now.",
            "Turned off.",
            "Wi-Fi off.",
            "Wifi off ✅",
            "I've gone ahead and disabled your wireless connection. Is there anything else I can help with?",
            "Wi-Fi is off. Would you like me to turn it back on?",
            "Wi-Fi is off, would you like me to turn it back on?",
            "Your Wi-Fi has been successfully deactivated. Let me know if you'd like it back on.",
            "The Wi-Fi on your phone has now been turned off. If you need it again, just ask me to turn it on.",
            "I was able to turn Wi-Fi off.",
            "Both Wi-Fi and cellular are off.",
            "I've turned off both Wi-Fi and cellular service.",
            "Wi-Fi and mobile data have been switched off.",
            "Neither Wi-Fi nor cellular is on.",
            "I've turned off Wi-Fi, but cellular is still on.",
            "Cellular is on, but Wi-Fi is off.",
            "Cellular is on and Wi-Fi is off.",
            "I turned on cellular service. Wi-Fi remains off.",
            "Wi-Fi is still off.",
            "Your phone is offline because Wi-Fi is disabled.",
            "I couldn't turn it off at first, but Wi-Fi is now off.",
            "Sorry, Wi-Fi is on. Correction: Wi-Fi is now off.",
            "I've just shut off the WiFi.",
            "Switched off Wi-Fi!",
            "As requested, I turned Wi-Fi off.",
            "You asked me to turn off Wi-Fi; it's now off.",
            "Your WiFi status is: off",
            "The status of your Wi-Fi is disabled.",
            "“Wi-Fi” is set to off.",
            "Sure thing — your Wi‑Fi’s off now.",
            "Certainly! I have successfully turned off the Wi-Fi on your device.",
            "No problem! Wi-Fi's been turned off.",
            "WIFI IS OFF",
            "Your Wi-Fi has been toggled off.",
            "Wi-Fi → Off",
            "Current settings:\n\n* **Wi-Fi** — off\n* **Location** — on",
            "I've disabled Wi-Fi for you so your phone will no longer connect to networks.",
            "You're all set: Wi-Fi is off and low power mode is on.",
            "Your Wi-Fi has been turned off since low battery mode was enabled.",
        ],
    ),
    (
        WIFI_OFF,
        CONTRADICTED,
        [
            "Your Wi-Fi is now on.",
            "Wi-Fi has been turned on.",
            "Wi-Fi is not off.",
            "Wi-Fi hasn't been turned off.",
            "I have not turned off Wi-Fi.",
            "I couldn't turn off Wi-Fi.",
            "I was unable to disable your Wi-Fi.",
            "I failed to turn Wi-Fi off.",
            "Your Wi-Fi is no longer off.",
            "Your Wi-Fi remains enabled.",
            "Wi-Fi is off. Wi-Fi is on.",
            "Wi-Fi is off. Actually, it's on.",
            "Wi-Fi is off. Sorry, that was wrong.",
            "I turned Wi-Fi off, and then I turned it back on.",
            "Wi-Fi is still on, while cellular is off.",
            "Cellular is off and Wi-Fi is on.",
            "The Wi-Fi can't be turned off.",
            "Wi-Fi isn't disabled.",
            "Wi-Fi: **On**",
        ],
    ),
    (
        WIFI_OFF,
        SILENT,
        [
            "",
            "Ok",
            "Done.",
            "I'm sorry, I can't help with that.",
            "Should I turn off Wi-Fi?",
            "Is your Wi-Fi off?",
            "Do you want me to turn the Wi-Fi off?",
            "I will turn off Wi-Fi.",
            "I'll turn Wi-Fi off now.",
            "Let me turn off your Wi-Fi.",
            "I can turn off Wi-Fi for you.",
            "I'm going to turn off Wi-Fi.",
            "If Wi-Fi were off, your phone could not go online.",
            "Please turn off Wi-Fi.",
            "You need to turn off Wi-Fi in Settings.",
            "To turn Wi-Fi off, open Settings.",
            "Wi-Fi should be off.",
            "I think Wi-Fi is off.",
            "Maybe Wi-Fi is off.",
            "Wi-Fi might be off.",
            "I'm not sure whether Wi-Fi is off.",
            "Cellular is off.",
            "I've turned off cellular service.",
            "Low power mode is off.",
            "The wireless setting controls the network connection.",
            "Wi-Fi can be turned on or off.",
            "Turning off Wi-Fi...",
            "Once Wi-Fi is off, your battery lasts longer.",
            "Wi-Fi needs to be turned off first.",
            "Wi-Fi on/off is controlled in Settings.",
            "You wanted Wi-Fi off?",
            "I tried to turn off Wi-Fi.",
            "The report is on your Wi-Fi drive.",
        ],
    ),
    (
        WIFI_ON,
        STATED,
        [
            "Wi-Fi is back on.",
            "Your Wi-Fi has been re-enabled.",
            "Low battery mode was on, so I turned it off and then turned on Wi-Fi.",
            "I've turned off low power mode and enabled Wi-Fi.",
            "I first had to disable Low Battery Mode; Wi‑Fi is now on.",
            "You're back online! I switched off battery saver and turned the Wi-Fi on.",
            "I couldn't turn on Wi-Fi at first because low power mode was on. I turned that off, and now Wi-Fi is on.",
            "To get you online I disabled low battery mode. Wi-Fi is now enabled.",
            "I've turned on the Wi-Fi since it was off.",
            "I've enabled Wi-Fi (it was disabled).",
            "I've turned off low battery mode to enable Wi-Fi. It's now on.",
            "Your internet connection is restored.",
            "You're now connected to Wi-Fi.",
            "Wi-Fi is up and running.",
            "Your Wi-Fi is on, and low power mode is off.",
            "All set! 📶 Wi-Fi is on.",
            "Wi-Fi, cellular and location services are all back on.",
            "I turned low power mode off, and Wi-Fi and cellular are both on now.",
            "I've reactivated your wireless connection.",
            "Wi-Fi is enabled.",
            "Your Wi-Fi is not off.",
            "Wi-Fi isn't disabled; it's on.",
            "I have enabled Wi-Fi on your phone. Low power mode had to be turned off first.",
            "**Wi-Fi**: On ✅\n**Low Power Mode**: Off",
            "I successfully turned your WiFi on after disabling low battery mode.",
            "Yes, your Wi-Fi is on.",
            "Your Wi-Fi is working again.",
        ],
    ),
    (
        WIFI_ON,
        CONTRADICTED,
        [
            "I couldn't turn on Wi-Fi because low power mode is on.",
            "Wi-Fi can't be enabled while low battery mode is on.",
            "Wi-Fi is still off.",
            "I turned off low power mode, but Wi-Fi is still off.",
            "I've turned on cellular but was unable to enable Wi-Fi.",
            "You're not connected to Wi-Fi.",
            "I haven't turned on your Wi-Fi.",
        ],
    ),
    (
        WIFI_ON,
        SILENT,
        [
            "I turned off low battery mode.",
            "Low power mode is on.",
            "Cellular is back on.",
            "Shall I switch Wi-Fi on?",
            "I'll need Wi-Fi to be on for that.",
            "This requires Wi-Fi to be enabled.",
            "Yes.",
            "I recommend turning on Wi-Fi.",
        ],
    ),
    (ASKED_WIFI_ON, STATED, ["Yes.", "Yes, it's on.", "Yep!", "Yes, Wi-Fi is enabled."]),
    (ASKED_WIFI_ON, CONTRADICTED, ["No.", "No, it's off.", "No, it isn't."]),
    (ASKED_WIFI_ON, SILENT, ["Yes? What can I do for you?", "Ok.", "Not sure."]),
    (ASKED_WIFI_OFF, STATED, ["No.", "Nope, it's off.", "No, Wi-Fi is not on."]),
    (
        CELLULAR_OFF,
        STATED,
        [
            "Cellular service has been turned off.",
            "I've turned off your mobile data.",
            "Your cellular service is now disabled.",
            "Cell service: off.",
            "Mobile data is off now 👍",
            "The cellular radio has been deactivated.",
            "I've switched cellular off. Wi-Fi is still on.",
        ],
    ),
    (
        CELLULAR_OFF,
        CONTRADICTED,
        ["Cellular service is enabled.", "I couldn't switch off cellular.", "Your mobile data is on."],
    ),
    (CELLULAR_OFF, SILENT, ["Wi-Fi is off.", "Your cell phone is charged.", "Do you want cellular off?"]),
    (
        CELLULAR_ON,
        STATED,
        [
            "You have reception again: cellular is back on.",
            "Your signal is restored.",
            "Cellular service is now active.",
            "I turned low power mode off and re-enabled cellular service, so your signal should be back shortly.",
            "Mobile data has been turned on.",
            "Your cellular service is on.",
            "I've turned on cellular service and sent the message.",
            "Cellular was off, so I switched it on before sending your text.",
        ],
    ),
    (
        CELLULAR_ON,
        CONTRADICTED,
        ["Cellular service is off.", "Cellular service couldn't be turned on.", "Your signal isn't back."],
    ),
    (
        LOCATION_ON,
        STATED,
        [
            "Location services are now on.",
            "I've enabled GPS.",
            "Location service has been turned on.",
            "I've turned off Low Power Mode and switched your location services back on.",
            "Positioning is active.",
            "Location access is enabled 📍",
            "Your phone's location is on.",
        ],
    ),
    (LOCATION_ON, CONTRADICTED, ["Location services are off.", "GPS couldn't be enabled.", "Location is disabled."]),
    (LOCATION_ON, SILENT, ["Your location is Cupertino.", "Should I enable location services?", "Wi-Fi is on."]),
    (
        POWER_SAVING_OFF,
        STATED,
        [
            "Low power mode is off.",
            "I've turned off battery saver.",
            "Your phone is no longer in low power mode.",
            "Power saving mode has been disabled.",
            "I switched off low-battery mode and turned on Wi-Fi.",
            "Low Battery Mode: Off",
            "The phone is out of low power mode.",
        ],
    ),
    (
        POWER_SAVING_OFF,
        CONTRADICTED,
        ["Low battery mode is on.", "Your phone is in low power mode.", "I couldn't turn off low battery mode."],
    ),
    (
        POWER_SAVING_ON,
        STATED,
        ["Your phone is in low power mode.", "Battery saver is on.", "I've enabled power saving."],
    ),
    (POWER_SAVING_OFF, SILENT, ["Your battery is low.", "Wi-Fi is off."]),
    (
        SAVED,
        STATED,
        [
            "Tom is saved.",
            "Yes, Tom is in your contacts.",
            "Tom isn't missing.",
            "I checked: Tom is stored in your address book.",
            "He is saved.",
        ],
    ),
    (
        SAVED,
        CONTRADICTED,
        ["Tom isn't saved.", "Tom is not in your contacts.", "Tom is missing.", "Tom is saved. Tom isn't saved."],
    ),
    (SAVED, SILENT, ["Is Tom saved?", "If Tom is saved, I can call him.", "", "Ok", "Maybe Tom is saved."]),
    (
        WARMER,
        STATED,
        ["Oslo is warmer than Bergen.", "It's hotter in Oslo.", "Oslo is currently the warmer place, at 20 °C."],
    ),
    (WARMER, CONTRADICTED, ["Oslo is colder.", "Oslo is not warmer."]),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


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
