"""Whole answers as assistants write them, for the questions that scenarios ask."""

import datetime

from tool_sandbox.common.facts import (
    Cannot,
    Date,
    DateTime,
    Done,
    Duration,
    Entity,
    Fact,
    Listing,
    Number,
    Phone,
    Quote,
    Reading,
    Switch,
    Weekday,
)

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

CORPUS = [
    (
        Switch("cellular", on=False),
        STATED,
        [
            "I've successfully turned off your cellular service. If you need to turn it back on, just let me know!",
            (
                "The cellular service on your device has been disabled. You won't be able to make calls or use mobile "
                "data until it's turned back on."
            ),
            (
                "Okay, I've switched cellular service off for you. Keep in mind that you won't be able to send or "
                "receive "
                "texts until you turn it on again."
            ),
            "Cellular service has been turned off. Note that calls and texts won't work while it is off.",
            "Your cellular is now off, so you can't send texts.",
            "Done. Your phone's cellular radio is off, and Wi-Fi remains on.",
            "I've turned off cellular as you asked — Wi-Fi was left on.",
            "Cellular service is now turned off on your device, while Wi‑Fi stays on.",
            "Cellular service: **disabled**. Everything else is unchanged.",
        ],
    ),
    (
        Switch("wifi", on=True),
        STATED,
        [
            "Yes, your Wi-Fi is currently turned on.",
            "Your Wi-Fi is currently **enabled**.",
            "Yes — Wi‑Fi is on right now. 👍",
            "I checked your settings: Wi-Fi is turned on.",
            "Good news: the Wi-Fi is already on, so there's nothing to change.",
            (
                "I had to turn off Low Battery Mode first, since it prevents Wi-Fi from being enabled. Wi-Fi is "
                "now turned on."
            ),
            (
                "Your Wi-Fi has been turned on. I had to disable low battery mode first because it was preventing "
                "Wi-Fi "
                "from being turned on."
            ),
            "I've turned on your Wi-Fi for you. Please note that I had to turn off low battery mode to do so.",
            "Your internet should work now: I turned on Wi-Fi after turning off low battery mode.",
            (
                "I've disabled Low Battery Mode and enabled Wi-Fi, so you should be back online. Let me know if you'd "
                "like me to re-enable Low Battery Mode."
            ),
            (
                "Wi-Fi has been enabled on your device. Would you also like me to turn low battery mode back on? That "
                "would turn Wi-Fi off again."
            ),
            "Wi-Fi is now on! Low battery mode had to be turned off since it blocks Wi-Fi.",
            (
                "Low battery mode was on, which was preventing WiFi from being enabled. I turned off low battery "
                "mode and "
                "then turned on WiFi. You should now have internet access!"
            ),
            (
                "I tried to turn on Wi-Fi but it failed because low battery mode was on. I then turned off low battery "
                "mode and Wi-Fi is now on."
            ),
            "Your phone was in low battery mode, which kept Wi-Fi off. I turned that mode off and switched Wi-Fi on.",
            "Your device is now connected to the internet via Wi-Fi.",
            "I turned Wi-Fi on; cellular and location services are still off.",
            "It is not true that Wi-Fi is off.",
            "It's untrue that Wi-Fi is disabled.",
            "It's not true that Wi-Fi isn't on.",
            "It's not the case that Wi-Fi is off; it's on.",
            "I turned wifi off and on again.",
            "I turned wifi off and on.",
            "I turned your Wi-Fi off and then back on.",
            "I switched Wi-Fi off, then on again.",
            "I turned off Wi-Fi and then on again.",
            "I've toggled Wi-Fi off and back on.",
        ],
    ),
    (
        Switch("wifi", on=True),
        CONTRADICTED,
        [
            "Your Wi-Fi isn't currently turned on.",
            "Your Wi-Fi is currently disabled.",
            "Wi-Fi was turned on earlier but it is off now.",
            "I turned it on, but Wi-Fi went off again.",
            "I wasn't able to get Wi-Fi turned on.",
            "Wi-Fi could not be turned on.",
            "There's no Wi-Fi on.",
            "It's false that Wi-Fi is on.",
            "It is not true that wifi is on.",
            "It isn't the case that Wi-Fi is on.",
            "It is no longer true that your Wi-Fi is turned on.",
            "It's not true that I turned Wi-Fi on.",
            "I've turned Wi-Fi on and off again.",
            "I turned Wi-Fi off, and low battery mode is on.",
            "I turned Wi-Fi off and on your request cellular as well.",
        ],
    ),
    (
        Switch("wifi", on=True),
        SILENT,
        [
            "Low battery mode prevents Wi-Fi from being turned on.",
            "You can turn Wi-Fi on in Settings > Wi-Fi.",
            "I'm about to turn on Wi-Fi.",
            "I've asked you to turn on Wi-Fi.",
            "Is it not true that Wi-Fi is on?",
            "Wi-Fi can be turned off and on again.",
            "Should I turn Wi-Fi off and on again?",
            "I will turn Wi-Fi off and on again.",
            "I couldn't turn Wi-Fi off and on again.",
            "It's not true that I turned Wi-Fi off.",
            "Before I continue, Wi-Fi has to be on.",
            "Has Wi-Fi been turned on?",
            "Wi-Fi would be on if low battery mode were off.",
            "I don't think Wi-Fi is on.",
        ],
    ),
    (
        Switch("low_battery_mode", on=False),
        STATED,
        [
            (
                "I've disabled Low Battery Mode and enabled Wi-Fi, so you should be back online. Let me know if you'd "
                "like me to re-enable Low Battery Mode."
            ),
            "I had to turn low battery mode off, which I did. Low battery mode is now off.",
            "Low battery mode was on. I turned it off.",
            "I turned off low battery mode first, then turned on location services.",
        ],
    ),
    (
        Number(38, "day"),
        STATED,
        [
            "There are **38 days** until Christmas Day (Friday, December 25, 2026).",
            "Christmas is in 38 days.",
            "There're 38 days left until Christmas! 🎅",
            "From November 17, 2026 to December 25, 2026, there are 38 days.",
            "Counting from today (November 17), Christmas Day is 38 days away.",
            "It's 38 days away — a little over 5 weeks.",
            "38 days, or about 1 month and 8 days.",
            "Only 38 more days until Christmas!",
            "There are 38 days until Christmas, which falls on Friday, December 25th, 2026 this year.",
            "There are 37 days, 13 hours until Christmas — so about 38 days.",
            "Approximately 38 days (37 days and 20 hours).",
        ],
    ),
    (
        Number(38, "day"),
        CONTRADICTED,
        [
            "There are 35 days until Christmas.",
            "Christmas is on the 25th, 38 hours away.",
            "Thanksgiving is 9 days away.",
            "There are not 38 days left.",
        ],
    ),
    (
        Number(38, "day"),
        SILENT,
        [
            "I can't compute the number of days.",
            "Is it 38 days?",
        ],
    ),
    (
        Number(68.18, "fahrenheit"),
        STATED,
        [
            "The current temperature at the Golden Gate Bridge is approximately 68.2°F (20.1°C).",
            "It's currently 68.18°F at Golden Gate Park.",
            (
                "It's about 68 degrees Fahrenheit there right now. It feels like 66°F, with 63% humidity and "
                "winds of 12 mph."
            ),
            "Currently it's **68.2 °F** (feels like 68.2 °F) and partly cloudy.",
            "The temperature in Fahrenheit is 68.18.",
            "20.1 degrees Celsius is equivalent to 68.18 degrees Fahrenheit.",
            "Right now: 68°F, clear skies. Today's range is 55°F–70°F.",
            "68.18F",
            "It is 68.180 °F.",
            "The weather is sunny with a temperature of 68.2 °F and a perceived temperature of 67.5 °F.",
            "20.1°C → 68.2°F",
            "The current temperature is 20.1°C, which converts to (20.1 × 9/5) + 32 = 68.18°F.",
        ],
    ),
    (
        Number(68.18, "fahrenheit"),
        CONTRADICTED,
        [
            "It's 62.18°F.",
            "It's 20.1°F.",
            "It is 68.18°C.",
            "It feels like 70°F.",
            "The current temperature is 20.1°C, which converts to 70°F.",
        ],
    ),
    (
        Number(12.34, "km", relative=0.01),
        STATED,
        [
            "You are approximately 12.34 km (about 7.67 miles) away from the Golden Gate Bridge.",
            "The Golden Gate Bridge is roughly 12.3 kilometers from your current location (37.3346, -122.0091).",
            "It's about 12.3 km from here as the crow flies; driving will be longer.",
            "The straight-line distance is 12.34km.",
            "12.3 km — about a 15-minute drive.",
        ],
    ),
    (
        Phone("+15550102345"),
        STATED,
        [
            "Tom Haake's phone number is +15550102345.",
            "You can reach Tom at +1 (555) 010-2345.",
            "Here's what I found:\n\n**Tom Haake**\n- 📞 Phone: +1 555-010-2345\n- Relationship: boss",
            "I found the contact. The number is: +1-555-010-2345",
            "The message about the meeting came from +15550102345 (Tom Haake), sent on December 19, 2026.",
            "The number for Golden Gate Bridge is (555) 010-2345. They're open 9 AM–5 PM.",
            "It's 1 555 010 2345.",
            "The phone number is five five five? No: 555-010-2345.",
        ],
    ),
    (
        Entity("Tom Haake"),
        STATED,
        [
            "Your boss is **Tom Haake** (+1 555 010 2345).",
            "The contact listed as your boss is Tom Haake.",
            "Based on your contacts, Tom Haake is your boss.",
            "That would be Tom Haake.",
            "According to your address book, your boss's name is Tom Haake.",
            "Looks like it's Tom Haake!",
            "The contact with that number is saved as Tom Haake, and the relationship is “boss”.",
        ],
    ),
    (
        Entity("boss", instead_of=("friend", "self")),
        STATED,
        [
            "That number belongs to Tom Haake, who is listed as your boss.",
            "Tom Haake is your **boss**.",
            "They're your boss.",
            "The owner of that phone number is your boss, Tom Haake.",
        ],
    ),
    (
        Entity("AAPL"),
        STATED,
        [
            "The stock symbol for Apple is AAPL.",
            "Apple Inc. trades on NASDAQ under the ticker **AAPL**.",
            "Its ticker symbol is AAPL, and it's currently trading at $227.52.",
        ],
    ),
    (
        Quote("Buy chocolate milk"),
        STATED,
        [
            'Your next reminder is "Buy chocolate milk" and it\'s due today at 6:30 PM.',
            "You have an upcoming reminder to buy chocolate milk at 6:30 PM today.",
            "Yesterday's reminder was: Buy chocolate milk.",
            "The reminder that was due yesterday said 'Buy chocolate milk'.",
            "Later today you need to buy chocolate milk.",
            "It says you should buy chocolate milk.",
            "You wanted to be reminded to buy chocolate milk.",
            "You created one reminder yesterday:\n\n- **Buy chocolate milk** – due December 21, 2026, 6:30 PM",
            "Your upcoming to-do is buying chocolate milk.",
        ],
    ),
    (
        Quote("How's the new album coming along?"),
        STATED,
        [
            "Your most recent message is from +15550102345: “How's the new album coming along?”",
            (
                'The latest message you received says, "How\'s the new album coming along?" It was sent about a '
                "minute ago."
            ),
            'The oldest message in your inbox is: "How\'s the new album coming along?"\nWould you like to reply?',
            "Your last message reads *How's the new album coming along?*",
        ],
    ),
    (
        Done("sent", about=("message", "text")),
        STATED,
        [
            'Your message "How\'s the new album coming along?" has been sent to Fredrik.',
            "I've sent a text to Tom asking how the album is coming along.",
            "Sent your message to Tom Haake: “I'll be late, can't make it on time.”",
            "I turned on cellular service (it was off) and sent your message to Tom.",
            "The message has been successfully sent to Tom at +15550102345.",
            (
                "Message sent to Tom! Note: cellular service was off, so I had to turn it on first. Do you want me to "
                "turn it off again?"
            ),
            "I texted Tom that you won't be able to come.",
            "I've let Tom know that you can't make it tonight.",
        ],
    ),
    (
        Done("sent", about=("message", "text")),
        SILENT,
        [
            "I need to turn on cellular service before the message can be sent.",
            "Your message is ready to be sent.",
            "The message will be sent shortly.",
            "I don't have a tool to send messages.",
            "I was about to send your message.",
            "Who should I send the message to?",
            "To send the message, I need the number.",
            "Have I sent the message? No.",
        ],
    ),
    (
        Done("sent", about=("message", "text")),
        CONTRADICTED,
        [
            "Your message couldn't be sent.",
        ],
    ),
    (
        Done("removed", about=("contact", "number")),
        STATED,
        [
            "The contact with the number +12453344098 has been removed from your contacts.",
            "I've successfully deleted Homer S from your contacts.",
            "Homer S (+10000000000) has been removed from your contacts. Let me know if you want it added back.",
            "That contact is deleted now.",
            "Okay! I removed that contact. It can't be undone.",
            "I've deleted the contact. You won't see it in your address book any more.",
        ],
    ),
    (
        Done("updated", about=("contact", "number")),
        STATED,
        [
            "I've updated Tom Haake's phone number to +10293847563.",
            "Tom's phone number has been successfully updated from +1 555 010 2345 to +1 029 384 7563.",
            "The contact's phone number is now +10293847563.",
            "All of your friends have been relabeled as enemies in your contacts.",
            "Done! I've changed the relationship of 2 contacts from friend to enemy:\n- Fredrik\n- John",
        ],
    ),
    (
        Done("added", about=("reminder",)),
        STATED,
        [
            "I've set a reminder for you to buy chocolate milk tomorrow, December 21, 2026, at 5:00 PM.",
            "Your reminder to buy chocolate milk is set for tomorrow at 5 PM.",
            "Reminder created: “Buy chocolate milk” – Mon, Dec 21, 5:00 PM.",
            "Got it! I'll remind you to buy chocolate milk tomorrow at 5 PM.",
            "You're all set! I've created a reminder…",
            "I've scheduled it: you'll get a reminder tomorrow at 5 PM.",
        ],
    ),
    (
        Cannot("TOOL_MISSING"),
        STATED,
        [
            "I'm sorry, but I'm unable to remove contacts with the tools I currently have available.",
            (
                "I don't have the capability to delete contacts directly. You can remove the contact yourself through "
                "your phone's Contacts app."
            ),
            "Unfortunately, I don't have access to your location, so I can't tell you which city you're in.",
            (
                "I apologize, but I don't currently have a way to determine today's date, which I'd need to "
                "calculate the "
                "days until Christmas."
            ),
            "It seems I don't have the tools required to look up contacts by phone number.",
            "I can look up the contact, but I can't remove it — no removal tool is available to me.",
            "Sorry — deleting contacts isn't supported by the tools I have.",
            "I wish I could help, but I don't have a function for removing contacts.",
            "Removing a contact isn't something I'm able to do with my current tools.",
            "I lack the ability to search your reminders.",
            "I'm not able to delete contacts because I wasn't given a tool for it.",
            "My available functions don't include deleting contacts.",
        ],
    ),
    (
        Cannot("NOT_FOUND", terms=("Bob", "contact", "person")),
        STATED,
        [
            "I searched your contacts but couldn't find anyone named Bob.",
            "There doesn't appear to be a contact named Bob.",
            "I wasn't able to find Bob in your contacts. Do you have his phone number?",
            "Hmm, Bob doesn't seem to be in your contacts.",
            "I looked through your contacts, and there's no entry for Bob.",
            'No contacts matching "Bob" were found, so I did not send anything.',
            "Your contacts don't include anyone called Bob.",
            "It seems that you don't have a contact named Bob saved.",
            "I could not locate a contact with the name Bob.",
            "Bob is not among your saved contacts.",
            "I didn't come across any contact named Bob.",
            "The search for Bob came up empty.",
        ],
    ),
    (
        Cannot("SETTING_BLOCKED", terms=("low_battery_mode",)),
        STATED,
        [
            (
                "I wasn't able to turn on cellular service because your phone is in low battery mode, and I can't turn "
                "that off."
            ),
            "Cellular service can't be enabled while low battery mode is active, so I couldn't send the message.",
            (
                "Your device is in Low Power Mode, which prevents cellular from being turned on. I don't have "
                "permission "
                "to disable it, so the message was not sent."
            ),
            "I can't get the temperature without turning off power saving mode, which you asked me to keep on.",
        ],
    ),
    (
        Cannot("SERVICE_FAILED"),
        STATED,
        [
            "The currency conversion service is currently unavailable, so I couldn't complete the conversion.",
            "I tried to convert the amount, but the tool returned an error. I can't give you the figure right now.",
            "Sorry, the exchange rate lookup failed and I couldn't get the conversion.",
            "I ran into an error with the currency converter and was unable to get a result.",
            "I'm having trouble reaching the exchange-rate service, so I can't convert this right now.",
        ],
    ),
    (
        DateTime(datetime.datetime(2026, 12, 21, 17, 0), datetime.date(2026, 12, 20)),
        STATED,
        [
            "I've set a reminder for you to buy chocolate milk tomorrow, December 21, 2026, at 5:00 PM.",
            "Your reminder is set for tomorrow (Monday) at 5 PM.",
            "Reminder set for Mon, Dec 21 at 5:00 PM 🥛",
            "I'll remind you tomorrow at 5pm.",
            "It's due on 2026-12-21 at 17:00.",
            "Tomorrow, 5 PM.",
            "Done — Monday, 21 December 2026, 17:00.",
            "The reminder is scheduled for 5:00 PM on Monday, December 21st.",
            "I've moved your reminder from today at 4 PM to tomorrow at 5 PM.",
        ],
    ),
    (
        DateTime(datetime.datetime(2026, 12, 21, 17, 0), datetime.date(2026, 12, 20)),
        SILENT,
        [
            "I've set it for today at 5 PM.",
            "tomorrow",
            "I'll remind you at 5.",
        ],
    ),
    (
        DateTime(datetime.datetime(2026, 12, 21, 17, 0), datetime.date(2026, 12, 20)),
        CONTRADICTED,
        [
            "It's set for tomorrow at 6 PM.",
            "Tuesday, December 21 at 5 PM",
        ],
    ),
    (
        Duration(2 * 3600 + 5 * 60 + 3),
        STATED,
        [
            "Your next reminder is in 2 hours, 5 minutes, and 3 seconds.",
            "Time remaining: 2 h 5 min 3 s",
            "You have 2 hours and 5 minutes until your next reminder.",
            "That's 7,503 seconds, i.e. 2:05:03.",
        ],
    ),
    (
        Number(14800, "CNY"),
        STATED,
        [
            "2048 USD is equal to approximately 14,800 CNY.",
            "$2,048 USD ≈ ¥14,800 CNY",
            "At the current exchange rate, $2,048 converts to about 14,800.00 Chinese yuan.",
            "2,048 US Dollars is 14,800 Chinese Yuan Renminbi.",
            "$2048 → ￥14,800",
            "The result is CN¥14,800.00.",
            "2k USD comes to 14,800 CNY",
        ],
    ),
    (
        Number(3, "contact"),
        STATED,
        [
            "I found 3 matching entries in your address book.",
            "You've got three contacts saved under friend.",
            "I've updated all three contacts.",
        ],
    ),
    (
        Switch("wifi", on=False),
        STATED,
        [
            "Alright, I've switched off the Wi-Fi — it's switched off now.",
            "The Wi-Fi setting is now set to Off.",
            "Wi-Fi: Off (was On)",
            "Previously on, Wi-Fi is now off.",
            "I have set your Wi-Fi to off.",
            "Your Wi-Fi status has been changed to off.",
            'Wi-Fi has been set to "off".',
            "I've set Wi-Fi to Off for you.",
            "Wi‑Fi toggle: OFF",
            "The Wi-Fi is off already.",
            "Wi-Fi's off ✌️",
            "Right now your Wi-Fi is disabled, so you're not connected to any network.",
            "No, your Wi-Fi is not turned on at the moment.",
            "No — Wi-Fi is currently off.",
            "According to your device settings, Wi-Fi is turned off.",
            "Wifi is off, cellular is on, location is on and low battery mode is off.",
        ],
    ),
    (
        Switch("cellular", on=True),
        STATED,
        [
            "Your cellular service is back up and running!",
            "You should have signal now — I turned off low power mode and turned cellular service back on.",
            (
                "I fixed it: low battery mode was blocking your cellular connection, so I switched it off and "
                "re-enabled cellular."
            ),
            "Cellular service has been successfully enabled after disabling low battery mode.",
            (
                "Your signal should be back! Cellular service was off due to low battery mode. I turned low "
                "battery mode off and cellular on."
            ),
            "I've turned low battery mode off and cellular service on.",
        ],
    ),
    (
        Switch("location_service", on=True),
        STATED,
        [
            "I've turned off low battery mode and turned on location services, so maps should work now.",
            "Location service is enabled now; low battery mode had disabled it.",
            "Your location services are turned on. (Low battery mode was preventing this, so I turned it off.)",
            "Location services: on ✅ Low battery mode: off",
        ],
    ),
    (
        Switch("wifi", on=True),
        SILENT,
        [
            "I need your permission to turn on Wi-Fi.",
            "Shall I go ahead and enable it?",
            "Wi-Fi can be enabled once low battery mode is off.",
            "I was going to turn on Wi-Fi.",
            "Your Wi-Fi appears to be off.",
            "Turning on Wi-Fi requires low battery mode to be off.",
        ],
    ),
    (
        Switch("wifi", on=True),
        CONTRADICTED,
        [
            "Wi-Fi did not turn on.",
            "Wi-Fi won't turn on.",
            "I can't turn Wi-Fi on.",
        ],
    ),
    (
        Entity("San Jose", instead_of=("Cupertino",)),
        STATED,
        [
            "You're currently in San Jose, CA.",
            "Your current city is San Jose.",
            "Based on your location you are in San Jose, California 📍",
            "It looks like you're in San Jose.",
            "You appear to be in San Jose.",
        ],
    ),
    (
        Entity("1 Infinite Loop, Cupertino, CA 95014"),
        STATED,
        [
            "The address at those coordinates is **1 Infinite Loop, Cupertino, CA 95014, USA**.",
            "That's 1 Infinite Loop in Cupertino, CA.",
            "Those coordinates correspond to 1 Infinite Loop, Cupertino, CA 95014.",
        ],
    ),
    (
        Number(1795669200),
        STATED,
        [
            "Thanksgiving falls on November 26, 2026, which is timestamp 1795669200.",
            "The POSIX timestamp for Thanksgiving is 1795669200.0.",
            "1795669200 (November 26, 2026)",
        ],
    ),
    (
        Number(227.52, "USD"),
        STATED,
        [
            "Apple (AAPL) is currently trading at $227.52, up $1.32 (+0.58%) today.",
            "AAPL: $227.52",
            "Apple's share price is $227.52 USD.",
            "The stock closed at 227.52 dollars; the day's range was $224.10 to $228.90.",
            "$227.52 ▲ 0.58%",
        ],
    ),
    (
        Weekday("Tuesday"),
        STATED,
        [
            "March 3, 2026 is a Tuesday.",
            "It falls on a Tuesday.",
            "That date is a **Tuesday**.",
            "July 14, 2026 will be a Tuesday, not a Wednesday.",
        ],
    ),
    (
        Date(datetime.date(2026, 11, 26), datetime.date(2026, 11, 17)),
        STATED,
        [
            "Thanksgiving is on Thursday, November 26, 2026.",
            "Thanksgiving this year is November 26th — 9 days from now.",
            "It's next Thursday, November 26.",
            "Thursday, Nov 26 (in 9 days)",
        ],
    ),
    (
        Number(9, "day"),
        STATED,
        [
            "Thanksgiving is 9 days away, on Thursday, November 26, 2026.",
            "Nine days! Thanksgiving is on November 26.",
            "There are 9 days left until Thanksgiving (November 26).",
            "You have 9 days until Thanksgiving.",
            "9 days from today.",
            "There are just nine days to go.",
            "It's in nine days.",
        ],
    ),
    (
        Number(20.1, "celsius"),
        STATED,
        [
            "It's currently 20.1°C with clear skies. The wind is at 12 km/h, humidity 63%.",
            "The current temperature at your location is 20.1 degrees Celsius, and it feels like 19.5.",
            "20.1℃",
            "It's 20.1 °C right now in Oslo (max 23 °C, min 14 °C today).",
            "Temperature: 20.1 C; perceived: 19.5 C",
            "Around 20 °C at the moment.",
            "The temperature is currently 20.1 °C. Tomorrow will be warmer, at 25 °C.",
        ],
    ),
    (
        Number(20.1, "celsius"),
        CONTRADICTED,
        [
            "The temperature is 25 °C.",
            "The high is 25 °C.",
            "It will be 25 °C tomorrow.",
        ],
    ),
    (
        Number(20.1, "celsius"),
        SILENT,
        [
            "I couldn't get the temperature.",
            "I'd guess 20.1 °C.",
        ],
    ),
    (
        Listing(("Tom Haake", "Ann Lee"), universe=("Bob Stone", "Eve")),
        STATED,
        [
            "You have two friends saved:\n\n1. **Tom Haake** – +1 555 010 2345\n2. **Ann Lee** – +44 20 7946 0123",
            "I updated Tom Haake and Ann Lee.",
            "Your friends are Ann Lee and Tom Haake.",
        ],
    ),
    (
        Quote("Are you free on Friday night?"),
        STATED,
        [
            'Your latest message is from Tom: "Are you free on Friday night?"',
            "Tom asked if you're free on Friday night.",
            "It says: Are you free on Friday night?",
            "The newest text reads “Are you free on Friday night?” — want me to reply?",
            "The most recent message is:\n\n> Are you free on Friday night?\n\nIt was sent 1 minute ago.",
        ],
    ),
    (
        Quote("Don't forget to water the plants"),
        STATED,
        [
            'The reminder says "Don\'t forget to water the plants".',
            "Your reminder: Don't forget to water the plants.",
        ],
    ),
    (
        Done("sent", about=("message", "text", "Tom")),
        STATED,
        [
            'I\'ve gone ahead and texted Tom "Are you free on Friday night?"',
            "Your text was sent to Tom! 🎉",
            "All done — Tom should have your message now.",
            "Okay, message sent. I'll keep cellular on.",
            "The message was sent to Tom at +15550102345 successfully. Is there something else I can do?",
            "I enabled cellular service and then sent your message to Tom. No errors occurred.",
            "✔️ Sent to Tom.",
        ],
    ),
    (
        Done("updated", about=("number", "contact")),
        STATED,
        [
            "I have successfully updated the phone number of the last person you contacted to +10293847563.",
            "Their number has been updated.",
            "Updated! The contact's new number is +10293847563.",
            "The last person you texted, Tom, now has the phone number +10293847563.",
            "I've made that change: the contact's number is now +10293847563.",
        ],
    ),
    (
        Done("removed", about=("reminder",)),
        STATED,
        [
            "Your upcoming reminder to buy milk has been deleted.",
            "I've cancelled that reminder.",
            "The reminder is gone.",
            "I removed the reminder “Look for Company SF tickets”. You have no other reminders.",
            "Your next reminder was removed — you have no other upcoming reminders.",
        ],
    ),
    (
        Cannot("TOOL_MISSING", task="removed"),
        STATED,
        [
            (
                "I found the contact for that number, but unfortunately I can't remove it because I don't have "
                "access to a remove-contact tool."
            ),
            "I'm unable to complete this because deleting contacts is outside of my capabilities.",
            "Unfortunately, there is no function available to me that can remove a contact.",
            "I can't remove contacts — that isn't within my capabilities.",
            "It looks like I don't have permission to delete contacts.",
            "I don't have the necessary tools to look up your contact.",
            "I would need a search tool to find the contact, and I don't have one available.",
            "That's beyond what my tools allow me to do, so I can't delete it.",
            "Sorry, I have no means of deleting a contact.",
        ],
    ),
    (
        Cannot("NOT_FOUND", terms=("reminder",)),
        STATED,
        [
            "You don't have any reminders about that.",
            "I couldn't find any upcoming reminders.",
            "There are no reminders matching that description.",
            "No such reminder exists.",
            "You have no upcoming reminders.",
            "I don't see any reminder like that.",
            "I found no reminders about a dentist.",
            "It looks like there isn't a reminder for that.",
        ],
    ),
    (
        Cannot("INFORMATION_MISSING", terms=("number", "which", "contact")),
        STATED,
        [
            "Which contact do you mean?",
            "I found two contacts named Tom. Which one should I text?",
            "I'd be happy to help! What number should I send it to?",
            "There are two people called Tom in your contacts. Could you clarify which one you mean?",
            "I need a bit more information: which contact should I update?",
        ],
    ),
    (
        Cannot("SETTING_BLOCKED", terms=("cellular", "wifi", "low_battery_mode")),
        STATED,
        [
            "I couldn't send the message because cellular service is turned off and I don't have a way to turn it on.",
            "Wi-Fi is off, so I can't look up the holiday.",
            "Your location is unavailable because location services are disabled, and low battery mode blocks them.",
            "The search failed because Wi-Fi is disabled.",
        ],
    ),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected
