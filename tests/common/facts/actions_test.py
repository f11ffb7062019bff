"""What answers say about things done, and about things that cannot be done."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import Cannot, CannotReason, Done, Fact, Reading

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

SENT = Done("sent", about=("message", "text", "Tom"))
REMINDED = Done("added", about=("reminder",))
ADDED = Done("added", about=("contact", "Tom", "Tom Haake"))
REMOVED = Done("removed", about=("contact", "Tom", "number"))
UPDATED = Done("updated", about=("number", "Tom", "contact"))
MOVED = Done("moved", about=("reminder", "meeting"))
RESTORED = Done("restored", about=("Wi-Fi", "settings", "wifi"))

NO_TOOL = Cannot(CannotReason.TOOL_MISSING)
NO_DELETION = Cannot(CannotReason.TOOL_MISSING, task="removed")
NO_BOB = Cannot(CannotReason.NOT_FOUND, terms=("Bob", "contact"))
NO_REMINDER = Cannot(CannotReason.NOT_FOUND, terms=("milk", "reminder"), task="removed")
NO_FORECAST = Cannot(CannotReason.NOT_FOUND)
BLOCKED = Cannot(CannotReason.SETTING_BLOCKED, terms=("low_battery_mode",), task="sent")
FAILED = Cannot(CannotReason.SERVICE_FAILED)
MISSING = Cannot(CannotReason.INFORMATION_MISSING, terms=("phone number", "number"))

REFUSALS = [
    "I'm sorry, I can't help with that.",
    "Sorry, I can't do that.",
    "I'm unable to assist with that request.",
    "I cannot fulfill this request.",
    "I'm afraid that's not possible.",
    "Unfortunately, I'm not able to complete this task at the moment.",
    "As an AI assistant, I can't help with this. Please let me know if there is anything else.",
]
CONTENTLESS = [
    "",
    "Ok",
    "Okay.",
    "Sure!",
    "Hello",
    "Got it.",
    "Understood.",
    "Thanks",
    "Hmm.",
    "👍",
    "...",
    "No problem!",
    "Great question!",
]

CORPUS = [
    (
        SENT,
        STATED,
        [
            "Done!",
            "All set.",
            "Your message has been sent.",
            "I've sent the message to Tom.",
            "Message sent ✅",
            'I sent "I will be late" to Tom Haake at +1 555 010 2345.',
            'I texted Tom: "How are you?"',
            "The text was delivered to Tom.",
            "I've let Tom know you're running late.",
            "Your message is on its way!",
            "I turned on cellular service and sent your message.",
            "I couldn't send it at first because cellular service was off, so I turned it on and sent the message.",
            "Done — I've messaged Tom. Is there anything else you'd like me to send?",
            "That's taken care of! Tom has been told.",
            "I successfully sent your message to Tom.",
            'Your message to Tom ("Can you call me?") was sent successfully.',
            "It's sent.",
            "Sent!",
            "Okay, it's been sent.",
            "I've forwarded it to Tom.",
            "The message “I can't make it” has been sent to Tom.",
            "I've passed your message along to Tom.",
            "Message delivered to Tom. No further action is needed.",
            "Mission accomplished: the message went out.",
            "I've gone ahead and sent the text.",
            '**Message sent!**\n- To: Tom Haake\n- Text: "Don\'t wait for me"',
            "Yes, done.",
            "I've let Ann Lee know.",
        ],
    ),
    (
        SENT,
        CONTRADICTED,
        [
            "I couldn't send the message.",
            "I was unable to send it.",
            "The message was not sent.",
            "I failed to send your text.",
            "Your message hasn't been sent.",
            "I haven't sent the message yet.",
            "Message not sent.",
            "I tried to send the message, but it failed.",
            "Something went wrong and the message couldn't be sent.",
            "I sent the message. Sorry, that was wrong, it did not go out.",
            "Done! Actually, I couldn't send it.",
            "I can't send messages.",
            "I've sent the message. Actually, I didn't do that.",
        ],
    ),
    (
        SENT,
        SILENT,
        [
            *CONTENTLESS,
            "Should I send the message?",
            "I'll send the message now.",
            "I will send it.",
            "Let me send that message.",
            "Would you like me to send the message to Tom?",
            "Once the message is sent, I'll tell you.",
            "If I had sent the message, you'd know.",
            "I'm going to text Tom.",
            "What would you like the message to say?",
            "Please send the message yourself.",
            "I've removed the contact.",
            "I think the message was sent.",
            "Is it done?",
            "Shall we call it done?",
            "To get this done, I need his number.",
            "I'm ready to send the message.",
        ],
    ),
    (
        REMINDED,
        STATED,
        [
            "I've set a reminder for tomorrow at 5 PM.",
            "Your reminder has been created.",
            "Reminder added!",
            "You'll be reminded tomorrow at 5 PM to buy milk.",
            "I'll remind you to buy milk tomorrow at 5 PM.",
            "I've scheduled a reminder to buy milk.",
            "All set! Your reminder to buy milk is saved.",
            "You're all set — I'll remind you.",
            "The reminder has been added successfully.",
            "Done. I created the reminder, but I can't send messages.",
            "I've added the reminder, but I was unable to send the text.",
            "Reminder set: buy milk, Dec 25, 5:00 PM.",
            "I've added it to your reminders.",
        ],
    ),
    (
        REMINDED,
        CONTRADICTED,
        [
            "I couldn't add the reminder.",
            "The reminder was not created.",
            "I wasn't able to set the reminder.",
            "No reminder was added.",
        ],
    ),
    (
        REMINDED,
        SILENT,
        [
            "I'll add a reminder.",
            "When should the reminder go off?",
            "Ok",
            "Do you want me to set a reminder?",
            "I can set a reminder for you.",
        ],
    ),
    (
        ADDED,
        STATED,
        [
            "I've added Tom Haake to your contacts.",
            "Tom has been saved with the number +1 555 010 2345.",
            "Contact added: Tom Haake.",
            "Tom Haake is now in your contacts.",
            "I created a new contact for Tom.",
            "New contact saved 👍",
            "You now have Tom Haake in your address book.",
            "Tom Haake is now part of your contacts.",
        ],
    ),
    (ADDED, CONTRADICTED, ["I couldn't add Tom.", "Tom wasn't added.", "I did not save the contact."]),
    (
        REMOVED,
        STATED,
        [
            "I've removed Tom from your contacts.",
            "The contact has been deleted.",
            "Tom is no longer in your contacts.",
            "Tom Haake's entry is gone.",
            "I deleted the number +1 555 010 2345 (Tom Haake).",
            "Done, the contact was removed.",
            "Successfully deleted Tom.",
            "It's been removed.",
            "The number no longer exists in your address book.",
            "I've gotten rid of that contact.",
            "Contact erased.",
            "I removed the contact, nothing else.",
            "I removed nothing but the contact.",
            "I've taken Tom Haake (+15550102345) off your contacts.",
        ],
    ),
    (
        REMOVED,
        CONTRADICTED,
        [
            "I couldn't remove Tom.",
            "The contact was not deleted.",
            "I'm not able to delete contacts.",
            "Tom hasn't been removed.",
            "I removed nothing.",
            "I've removed no contacts.",
            "I deleted none of your contacts.",
        ],
    ),
    (
        REMOVED,
        SILENT,
        [
            "Are you sure you want to delete Tom?",
            "I will delete Tom.",
            "Tom is in your contacts.",
            "Ok",
            "I can remove Tom. Shall I?",
            "Before the contact is removed, please confirm.",
        ],
    ),
    (
        UPDATED,
        STATED,
        [
            "I've updated Tom's number to +1 555 010 2345.",
            "Tom's number has been changed.",
            "Tom's number is now +1 555 010 2345.",
            "The contact has been modified.",
            "All your friends are now enemies. I updated each contact.",
            "I changed the number for Tom.",
            "Updated!",
            "Tom's contact now has the new number.",
            "I've saved the new number for Tom.",
            "I've gone ahead and reclassified Tom as a colleague.",
        ],
    ),
    (UPDATED, CONTRADICTED, ["I couldn't update Tom's number.", "Tom's number was not changed.", "The update failed."]),
    (
        UPDATED,
        SILENT,
        ["What's the new number?", "I'll update it.", "Ok", "You have Tom saved.", "Tom's number is currently saved."],
    ),
    (
        MOVED,
        STATED,
        [
            "I've moved your reminder to 5 PM.",
            "Your reminder has been rescheduled.",
            "The reminder is now set for Friday at 5 PM.",
            "I pushed the meeting back an hour.",
            "Done, the reminder was postponed.",
            "You'll now be reminded at 6 PM about the meeting.",
        ],
    ),
    (MOVED, CONTRADICTED, ["I couldn't reschedule the reminder.", "The reminder wasn't moved."]),
    (
        RESTORED,
        STATED,
        [
            "I've turned Wi-Fi back off as it was.",
            "Your settings have been restored.",
            "I switched wifi back on afterwards.",
        ],
    ),
    (
        NO_TOOL,
        STATED,
        [
            "I'm sorry, but I don't have a tool to delete contacts.",
            "I don't have the ability to remove contacts.",
            "Unfortunately I don't have access to a function that can do that.",
            "I can't do that because none of my tools can change contacts.".replace(
                "none of my tools can change", "there is no tool for changing"
            ),
            "Deleting contacts is not possible with my current tools.",
            "I'm unable to delete contacts: there's no tool for it.",
            "That isn't something I can do with the tools I have.",
            "I do not have the capability to send messages.",
            "Sorry, removing contacts isn't one of my capabilities.",
            "The tool for deleting contacts is not available to me.",
            "I can't delete contacts directly; you can do it yourself in the Contacts app.",
            "I have no way to look up the current time.",
            "I currently lack the tools needed to determine your location.",
            "I'm not able to access your contacts.",
            "My tools don't allow me to delete a contact.",
            "I’m afraid I don’t currently have any way of removing contacts from your phone.",
            "There's no function available to me for that, so I can't remove it.",
            "I cannot look up contacts",
            "I can't look at your messages",
            "I have no way to delete contacts",
            "I'm not able to search your messages with the tools I have",
            "I can't delete or edit contacts.",
            "I'm not able to read your text messages.",
            "Unfortunately, I can't check the current date.",
            "I'm afraid I cannot send text messages.",
            "I'm sorry, but removing contacts is outside of what I can do here.",
            "Unfortunately, I can't look up live weather data. I'd suggest a weather app. 🌉",
        ],
    ),
    (
        NO_TOOL,
        SILENT,
        [
            *REFUSALS,
            *CONTENTLESS,
            "I couldn't find Tom.",
            "Do you have a tool for this?",
            "I used a tool.",
            "Low battery mode is on, so I can't.",
            "I can't send it because cellular is off.",
            "I can't send messages while cellular service is off.",
            "I can't see any contacts named Bob.",
            "I can't delete this.",
            "I was unable to update contacts.",
            "Can I not look up contacts?",
        ],
    ),
    (NO_TOOL, CONTRADICTED, ["Done!", "All set. The contact is gone.", "I don't have a tool for that... Done!"]),
    (NO_DELETION, CONTRADICTED, ["I've removed the contact.", "The contact has been deleted.", "Done."]),
    (
        NO_DELETION,
        STATED,
        [
            "I found the contact, but I don't have a tool to delete it.",
            "I can't delete contacts because I don't have that ability.",
        ],
    ),
    (
        NO_BOB,
        STATED,
        [
            "I couldn't find a contact named Bob.",
            "There's no contact named Bob in your address book.",
            "Bob isn't in your contacts.",
            "I searched your contacts, but no one named Bob came up.",
            'No contact named "Bob" was found.',
            "I was unable to locate Bob in your contacts, so the message was not sent.",
            "You don't have anyone named Bob saved as a contact.",
            "It looks like Bob is not saved in your contacts. Could you give me his number?",
            "I didn't find any matches for Bob.",
            "Bob does not exist in your contact list.",
            "I'm sorry, but I don't see a Bob in your contacts.",
            "There are no contacts that match “Bob”.",
            "I turned on cellular service, but I couldn't find Bob among your contacts.",
        ],
    ),
    (
        NO_BOB,
        SILENT,
        [*REFUSALS, *CONTENTLESS, "Should I look for Bob?", "I don't have a tool for that.", "There's no Alice."],
    ),
    (NO_BOB, CONTRADICTED, ["Done!", "All set, Bob has been notified."]),
    (
        NO_FORECAST,
        STATED,
        [
            "There is no forecast available for that date.",
            "I couldn't find a forecast that far ahead.",
            "No forecast is available for July 4.",
            "The search returned no results.",
            "I can't tell you the city: no address was found for your coordinates.",
            "That place has no listed phone number.",
            "There's nothing by that name on your list.",
            "That holiday is unknown to the lookup, so I can't set the reminder.",
            "I found no reminder about milk.",
            "There's nothing about milk in your reminders",
            "No contact by that name exists",
            "I found none that match.",
            "I'm not seeing anything by that name.",
        ],
    ),
    (
        NO_REMINDER,
        STATED,
        [
            "I found no reminder about milk, so I removed nothing.",
            "There's nothing about milk in your reminders, so I've deleted none of them.",
            "No reminder mentions milk; there is no such reminder. I removed no reminders.",
        ],
    ),
    (NO_REMINDER, CONTRADICTED, ["I found the reminder about milk and removed it.", "Done."]),
    (
        BLOCKED,
        STATED,
        [
            "I can't send the message because low battery mode is on and blocks cellular service.",
            "Cellular couldn't be turned on while Low Power Mode is enabled, so your message wasn't sent.",
            "Low battery mode is preventing me from turning on cellular, so I was unable to send the text.",
            "I'm unable to send it: power saving mode is active and I can't disable it.",
            "Your message could not be sent. Battery saver is on, which prevents cellular service from being enabled.",
        ],
    ),
    (
        BLOCKED,
        SILENT,
        [
            *REFUSALS,
            "Low battery mode is on.",
            "I can't send it because cellular is off.",
            "I don't have a tool for that.",
        ],
    ),
    (BLOCKED, CONTRADICTED, ["I've sent the message.", "Done!", "Message sent. Low battery mode is on."]),
    (
        FAILED,
        STATED,
        [
            "I couldn't convert the amount because the exchange-rate service failed.",
            "The currency converter returned an error, so I can't give you a figure.",
            "Sorry, I'm unable to get the rate: the service is currently unavailable.",
            "An error occurred while converting, so I couldn't complete it.",
            "I tried several times, but the conversion service isn't responding, so I can't give you the amount.",
            "There seems to be a technical issue with the conversion tool; I cannot convert this right now.",
            "The conversion keeps failing. I wasn't able to get a result.",
        ],
    ),
    (FAILED, SILENT, [*REFUSALS, *CONTENTLESS, "I don't have a tool for this.", "I couldn't find Bob."]),
    (
        MISSING,
        STATED,
        [
            "I need Bob's phone number to send the message. Could you provide it?",
            "Could you please tell me the phone number?",
            "I don't know Bob's number, so I can't text him.",
            "You haven't told me the number to send it to, so I can't send it.",
            "What is the phone number?",
            "I can't send it without the phone number.",
            "Please provide the phone number you'd like me to use.",
        ],
    ),
    (MISSING, SILENT, [*REFUSALS, *CONTENTLESS, "Is there anything else?", "Could you tell me your favourite colour?"]),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


@pytest.mark.parametrize("reason", list(CannotReason))
@pytest.mark.parametrize("text", [*REFUSALS, *CONTENTLESS])
def test_a_refusal_without_a_reason_says_nothing(reason: CannotReason, text: str) -> None:
    assert Cannot(reason).read(text) is SILENT


@pytest.mark.parametrize(
    "action", ["sent", "added", "removed", "updated", "moved", "set", "turned_on", "turned_off", "restored"]
)
@pytest.mark.parametrize("text", [*REFUSALS, *CONTENTLESS])
def test_a_refusal_confirms_nothing(action: str, text: str) -> None:
    assert Done(action).read(text) is not STATED


def test_synonyms_of_actions() -> None:
    assert Done("deleted") == Done("removed")
    with pytest.raises(ScenarioError, match="unknown action"):
        Done("levitated")
