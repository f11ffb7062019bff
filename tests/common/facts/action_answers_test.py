"""Answers in the manner of current assistants about what they did or could not do: right ones and wrong ones."""

from tool_sandbox.common.facts import Absent, AnyNumber, AnyOf, Cannot, Done, Fact, Reading

UNKNOWN_TEXTED = AnyOf(
    (
        Cannot("TOOL_MISSING", terms=("message", "messages", "texted"), task="updated"),
        Cannot("INFORMATION_MISSING", terms=("message", "messages", "texted"), task="updated"),
    )
)
UNKNOWN_NUMBER = AnyOf(
    (
        Cannot("TOOL_MISSING", terms=("contacts", "contact", "number"), task="sent"),
        Cannot("INFORMATION_MISSING", terms=("contacts", "contact", "number"), task="sent"),
    )
)
UNKNOWN_DATE = AnyOf(
    (
        Cannot("TOOL_MISSING", terms=("today", "today's", "date", "time")),
        Cannot("INFORMATION_MISSING", terms=("today", "today's", "date", "time")),
    )
)
SENT = Done("sent", about=("message", "text"))

# One entry a scenario: its fact, answers that state it, answers that do not.
ANSWERS: list[tuple[Fact, list[str], list[str]]] = [
    (
        Done("added", about=("Diego Okafor", "Diego", "contact", "number")),
        [
            "✅ **Contact saved!**\n\n- **Name:** Diego Okafor\n- **Phone:** +1 312-555-0105\n\nWould "
            "you like to add a "
            "relationship (e.g., friend, colleague)?",
            "Diego Okafor is now part of your contacts, with the number +13125550105. Anything else I can do for you?",
        ],
        ["It looks like Diego Okafor already exists in your contacts, so I haven't added a new entry."],
    ),
    (
        Done("updated", about=("contact", "number")),
        [
            "The phone number for that contact has been updated to **+1 312 555 0105**. 👍",
        ],
        [
            "I ran into an issue: there's no contact with the id "
            "`466adb8b-e48f-5a6a-887e-5326468ff2b0`, so nothing was "
            "changed.",
            "Sure! To update the contact, I'll call `modify_contact` with the new phone number. Shall I proceed?",
        ],
    ),
    (
        Done("updated", about=("Priya Ramanathan", "Priya", "contact", "number")),
        [
            "I looked at your most recent outgoing text, which went to Priya Ramanathan, and changed her number from "
            "+14155550101 to +13125550105.",
            "All set! Here's a quick summary:\n\n1. Found the last person you texted: **Priya Ramanathan**\n2. Updated "
            "her phone number to **+13125550105**\n\nLet me know if you need anything else! 😊",
        ],
        ["The last person you texted was Priya Ramanathan. Would you like me to update her number to +13125550105?"],
    ),
    (
        UNKNOWN_TEXTED,
        [
            "I'm sorry, but I'm not able to see your sent messages, so I can't tell who you texted "
            "last. Could you tell "
            "me the name of the contact?",
            "I'd be happy to update that number! However, I don't have a way to look through your message history to "
            "find out who you last texted. **Who should I update?**",
        ],
        ["I've updated the number of the last person you texted to +13125550105."],
    ),
    (
        Done("updated", about=("Marcus Castellano", "Yuki Fujimoto")),
        [
            "Done! I've changed the relationship for both of your friends to **colleague**:\n\n* Marcus Castellano\n* "
            "Yuki Fujimoto",
            "Both Marcus Castellano and Yuki Fujimoto are now listed as colleagues in your contacts. 🎉",
        ],
        [
            "You have two friends saved: Marcus Castellano and Yuki Fujimoto. Do you want me to change "
            "both to colleague?"
        ],
    ),
    (
        Done("removed", about=("contact",)),
        [
            "The contact with ID 466adb8b-e48f-5a6a-887e-5326468ff2b0 has been successfully removed from your address "
            "book.",
            "Got it — that contact has been deleted. If this was a mistake, I can help you add it back.",
        ],
        ["Removing a contact is permanent. Are you sure you want me to go ahead and delete it?"],
    ),
    (
        Done("removed", about=("Marcus Castellano", "Marcus", "contact", "number")),
        [
            "I found that +16505550102 belongs to Marcus Castellano, and I've removed him from your contacts.",
            "Marcus Castellano (+1 650-555-0102) is no longer in your contacts. ✔️",
        ],
        [
            "I found Marcus Castellano (+16505550102), your friend. **Before I delete the contact**, can you confirm?",
        ],
    ),
    (
        Done("removed", about=("Yuki Fujimoto", "Yuki", "contact", "number")),
        [
            "I'm sorry to hear about the falling out. 💙 I've taken Yuki Fujimoto (+15105550103) off your contacts, so "
            "you won't come across the number any more.",
            "That sounds hard, and I'm sorry. The number +15105550103 has been deleted from your "
            "contacts. Take care of "
            "yourself.",
        ],
        ["I'm so sorry you're going through this. Would it help to talk about it, or shall I delete the contact?"],
    ),
    (
        Cannot("TOOL_MISSING", terms=("remove", "removing", "delete", "deleting"), task="removed"),
        [
            "I found the contact — it's Marcus Castellano — but unfortunately I can't delete contacts. "
            "You can remove it "
            "manually from your Contacts app:\n\n1. Open **Contacts**\n2. Select Marcus Castellano\n3. Tap **Delete**",
            "Unfortunately, deleting contacts isn't something I can do right now. I can only look up, add or edit "
            "contacts.",
            "I apologize, but I currently do not have the ability to remove contacts. Is there anything else I can "
            "assist you with?",
        ],
        ["I have removed the contact with the number +16505550102 from your contacts."],
    ),
    (
        UNKNOWN_DATE,
        [
            "I don't have access to the current date, so I can't calculate how many days remain. If "
            "you tell me today's "
            "date, I'll work it out for you!",
            "To calculate this, I'd need to know today's date. What is the date today?",
            "Christmas Day is December 25, 2025. I can't check the current date, though. Could you tell me what day it "
            "is today?",
        ],
        ["Christmas is always on December 25! 🎄 Enjoy the holidays."],
    ),
    (
        Cannot("NOT_FOUND", terms=("Lantern Lighting Eve",), task="set"),
        [
            'I couldn\'t find a holiday called "Lantern Lighting Eve". Could you tell me the date it falls on? Then '
            "I'll set the reminder for noon.",
            "I'm not familiar with **Lantern Lighting Eve**, and my holiday lookup didn't return a date for it. Could "
            "you let me know which day you mean?",
        ],
        ["I've set a reminder to call home at noon on Lantern Lighting Eve. 🏮"],
    ),
    (
        Done("added", about=("Diego Okafor", "contact", "number")),
        ["Perfect! I've saved +12125550104 as **Diego Okafor** in your contacts."],
        ["I can save +12125550104 as Diego Okafor for you. Just say the word!"],
    ),
    (
        SENT,
        [
            'Your message has been sent! 📨\n\n**To:** +1 312 555 0105\n**Message:** "How is the new '
            'album coming along?"',
            "Cellular service was turned off, so I switched it on and then sent your text to Marcus Castellano.",
            "I've texted Yuki Fujimoto for you: *“How is the new album coming along?”* Let me know if "
            "they reply and you "
            "want to respond!",
        ],
        [
            "I wasn't able to send your message because cellular service is off. Would you like me to turn it on?",
            "Here's a draft of the text:\n\n> How is the new album coming along?\n\nReady to send it?",
        ],
    ),
    (
        UNKNOWN_NUMBER,
        [
            "I'm unable to look up contacts, so I don't have Marcus Castellano's number. Could you share his phone "
            "number with me?",
            "I can definitely help with that! What's Marcus Castellano's phone number?",
        ],
        ["Message sent to Marcus Castellano! ✅"],
    ),
    (
        Cannot("NOT_FOUND", terms=("Diego Okafor", "Diego"), task="sent"),
        [
            "I searched your contacts, but there doesn't seem to be an entry for Diego Okafor. Do you "
            "have a phone number "
            "I can use?",
            "Hmm, I'm not finding anyone by the name of Diego Okafor in your contacts 🤔. Could you "
            "double-check the name?",
        ],
        ["Your text is on its way to Diego Okafor!"],
    ),
    (
        Cannot("SETTING_BLOCKED", terms=("low_battery_mode",), task="sent"),
        [
            "I wasn't able to send the message. Your phone is in **Low Battery Mode**, which doesn't allow cellular "
            "service to be turned on. Please disable it in Settings, and I'll try again.",
            "Unfortunately, the text couldn't go out: cellular service is off and cannot be enabled while low battery "
            "mode is on.",
        ],
        ["Text sent! I had to leave low battery mode on."],
    ),
    (
        Cannot("NOT_FOUND", terms=("Quibbleforth Observatory",)),
        [
            "I searched for **Quibbleforth Observatory**, but nothing came up. Could it go by a different name?",
            "I'm afraid I couldn't locate a place called Quibbleforth Observatory, so I can't work out the distance.",
        ],
        ["Quibbleforth Observatory is 12 kilometers away."],
    ),
    (
        Absent(AnyNumber("kilometer")),
        ["I couldn't find Quibbleforth Observatory, so I can't give you a distance."],
        ["I couldn't find it exactly, but Quibbleforth Observatory should be about 30 km from you."],
    ),
    (
        Cannot("TOOL_MISSING", terms=("text", "texts", "message", "messages"), task="sent"),
        [
            "I've set your reminder to buy chocolate milk for tomorrow at 6 PM ✅. However, I can't "
            "send text messages, so "
            "you'll need to text Marcus Castellano yourself.",
            "The reminder is in place! As for the message to Marcus, I'm afraid texting isn't "
            "available to me — I have no "
            "tool for it.",
        ],
        ["Your reminder is set for tomorrow at 6 PM, and I've let Marcus Castellano know by text. 🥛"],
    ),
    (
        Cannot("NOT_FOUND", terms=("cake", "reminder", "reminders"), task="removed"),
        [
            "I looked through your reminders and found none about a birthday cake, so nothing was "
            "deleted. Your reminders "
            "are:\n\n- Pick up the dry cleaning\n- Call the pharmacy",
            "There isn't a reminder about buying a birthday cake. Perhaps it was already removed? 🎂",
        ],
        ["I've deleted the reminder about buying a birthday cake."],
    ),
    (
        Done("removed", about=("reminder",)),
        ["I've gone ahead and deleted your “Pick up the dry cleaning” reminder."],
        ["Your next reminder is to pick up the dry cleaning. Should I remove it once you're done?"],
    ),
    (
        Cannot("TOOL_MISSING", terms=("remove", "removing", "delete", "deleting"), task="removed"),
        [
            (
                "I located the contact (Marcus Castellano), however I don't have permission to delete "
                "contacts. Would you like instructions for doing it manually?"
            ),
            "I'm sorry, but removing contacts is outside of what I can do here.",
            "It seems contact deletion isn't supported, so I'm unable to remove +16505550102. 🙏",
        ],
        ["I'm unable to remove that contact at this time.", "Sure, I can delete the contact for you. Are you sure?"],
    ),
    (
        Cannot("TOOL_MISSING", terms=("weather", "temperature", "forecast")),
        [
            (
                "I'm afraid I don't have a weather tool available right now, so I can't check the "
                "temperature at the Golden Gate Bridge."
            ),
            ("Unfortunately, I can't look up live weather data. I'd suggest checking weather.gov or a weather app. 🌉"),
            "I don't currently have access to real-time weather information.",
        ],
        ["The weather at the Golden Gate Bridge is typically cool and foggy."],
    ),
    (
        Cannot("NOT_FOUND", terms=("cake", "reminder", "reminders"), task="removed"),
        [
            (
                "I checked your reminders, but none of them mention a birthday cake. 🎂 Would you like "
                "me to list what's there?"
            ),
            ("It doesn't look like you have a reminder about a birthday cake, so there was nothing to delete."),
            ("I wasn't able to find any reminder about buying a birthday cake. You currently have three reminders."),
        ],
        ["Your birthday cake reminder has been deleted! 🗑️", "Which reminder about the cake do you want me to delete?"],
    ),
    (
        Cannot("NOT_FOUND", terms=("Diego Okafor", "Diego"), task="sent"),
        [
            ("I looked but Diego Okafor isn't in your contacts. If you share the number, I'll happily send the text!"),
            "Your contacts have no one named Diego Okafor.",
            (
                "I could not find a phone number for Diego Okafor. Cellular service is now on, "
                "though, and I can send it as soon as I have the number."
            ),
        ],
        ["I texted Diego Okafor: “How is the new album coming along?”"],
    ),
    (
        Cannot("SETTING_BLOCKED", terms=("low_battery_mode",), task="sent"),
        [
            (
                "I can't send it just yet: cellular is off, and turning it on fails because the phone "
                "is in Low Battery Mode."
            ),
            (
                "Sending failed since cellular service is disabled by low power mode, and I have no "
                "tool to change that mode."
            ),
        ],
        ["Your message has been sent, since low battery mode is off."],
    ),
    (
        Done("sent", about=("message", "text")),
        [
            "Done! ✨ Your text to Marcus is on its way.",
            "Great, I sent it to the Marcus who is your colleague (+14085550106).",
            'Message successfully delivered to +13125550105: "How is the new album coming along?"',
        ],
        [
            "Which Marcus should I text — your friend or your colleague?",
            "Cellular service is off, so the text hasn't gone out yet. Shall I turn it on?",
        ],
    ),
    (
        Done("updated", about=("Gudrun Brennan", "Gudrun", "contact", "number")),
        ["Updated Gudrun Brennan's number ✅ +13125550105", "Gudrun's contact card now shows +1 312-555-0105."],
        ["Just to confirm: should I change Gudrun Brennan's number to +13125550105?"],
    ),
    (
        Done("updated", about=("Marcus Castellano", "Yuki Fujimoto")),
        [
            "I've gone ahead and reclassified Marcus Castellano and Yuki Fujimoto as colleagues.",
            ("Both contacts — Marcus Castellano and Yuki Fujimoto — have been changed from friend to colleague."),
        ],
        ["Marcus Castellano and Yuki Fujimoto are listed as friends."],
    ),
    (
        Done("removed", about=("reminder",)),
        ["Your dry cleaning reminder has been cleared. ✔️", "The reminder is now gone from your list."],
        ["I don't see an easy way to delete this; should I try?"],
    ),
    (
        Done("removed", about=("Marcus Castellano", "Marcus", "contact", "number")),
        [
            ("Marcus Castellano (colleague) was deleted; your friend Marcus Castellano is untouched."),
            "I deleted the Marcus saved as your colleague and kept the other one.",
        ],
        ["There are two people called Marcus Castellano. Which one should be deleted?"],
    ),
]


def test_a_right_answer_states_the_fact(fact: Fact, right: str) -> None:
    assert fact.read(right) is Reading.STATED


def test_a_wrong_answer_does_not(fact: Fact, wrong: str) -> None:
    assert fact.read(wrong) is not Reading.STATED
