"""Answers in the manner of current assistants to questions about values and states: right ones and wrong ones."""

import datetime

from tool_sandbox.common.facts import Date, Entity, Fact, Listing, Number, Phone, Quote, Reading, Switch

# One entry a scenario: its fact, answers that state it, answers that do not.
ANSWERS: list[tuple[Fact, list[str], list[str]]] = [
    (
        Listing(("Marcus Castellano", "Yuki Fujimoto")),
        [
            "You have **2 contacts** saved as friends:\n\n| Name | Phone |\n|---|---|\n| Marcus Castellano | "
            "+16505550102 |\n| Yuki Fujimoto | +15105550103 |",
            "Marcus Castellano and Yuki Fujimoto are both saved as friends. Is there something you'd like to change?",
        ],
        ["The only friend saved in your contacts is Marcus Castellano (+16505550102)."],
    ),
    (
        Phone("+13125550105"),
        [
            "Your sister Diego's number is **+1 (312) 555-0105** 📱",
        ],
        [
            "I found two contacts named Diego. Your sister's number is +1 212 555 0104.",
            "I see more than one Diego in your contacts. Could you tell me the last name of your sister?",
        ],
    ),
    (
        Phone("+16505550102"),
        [
            "Here's the number for **Marcus Castellano**: [+1 650-555-0102](tel:+16505550102)\n\nWould "
            "you like to call "
            "or text him?",
            "Marcus Castellano can be reached at 650.555.0102.",
        ],
        ["I'm sorry, I couldn't find a phone number for Marcus Castellano in your contacts."],
    ),
    (
        Entity("Priya Ramanathan"),
        ["According to your contacts, your boss is **Priya Ramanathan** (📞 +14155550101)."],
        [
            "I don't have any information about your employer. Could you tell me who your boss is? Is it Priya "
            "Ramanathan?",
            "I wasn't able to find anyone marked as your boss in the contacts.",
        ],
    ),
    (
        Entity("boss"),
        [
            "The number +14155550101 is saved under **Priya Ramanathan**, your boss.",
            "That's Priya Ramanathan — she is listed as your *boss* in your contacts.",
        ],
        ["+14155550101 belongs to Priya Ramanathan, who is saved as your colleague."],
    ),
    (
        Number(1764230400),
        [
            "The start of Thanksgiving 2025 (November 27, 2025, 00:00 PT) corresponds to the POSIX timestamp "
            "**1764230400**."
        ],
        ["Thanksgiving 2025 is on November 27, 2025. Its POSIX timestamp is 1764201600."],
    ),
    (
        Number(224.5, "day", tolerance=0.5),
        [
            "🎄 There are **225 days** until Christmas Day (Thursday, December 25, 2025)!",
            "Christmas Day is 224 days away. Time flies, so start your shopping early! 🎁",
            "From today, May 14, 2025, it's 225 days until Christmas Day. That's a little over 7 months.",
        ],
        [
            "There are about 220 days left until Christmas.",
            "Christmas Day is on December 25, 2025, about 7 months away.",
        ],
    ),
    (
        Date(datetime.date(2025, 12, 25), datetime.date(2025, 5, 14), "America/Los_Angeles"),
        ["The next Christmas Day falls on **Thursday, December 25, 2025**. Want me to set a reminder?"],
        ["Christmas Day is next on Friday, December 26, 2025.", "Christmas is coming in about seven months."],
    ),
    (
        Entity("AAPL"),
        ["Apple Inc.'s stock symbol is **AAPL** (traded on NASDAQ). 📈"],
        ["Apple's stock symbol is APLE.", "I'm unable to search for stock symbols while Wi-Fi is off."],
    ),
    (
        Number(14739.46, "CNY", context=(2048,)),
        [
            "💱 **2,048 USD = 14,739.46 CNY**\n\n_(based on the current exchange rate of about 7.1970)_",
            "At today's rate, 2048 US dollars comes to approximately ¥14,739.46 (Chinese yuan).",
        ],
        ["2,048 USD is roughly 14,900 CNY. Please note that exchange rates fluctuate."],
    ),
    (
        Number(187.32, "GBP", context=(250,)),
        ["250 US dollars is worth about **£187.32**. Let me know if you meant another kind of dollar!"],
        ["Which dollars do you mean — US, Canadian, Australian? I'll convert once I know."],
    ),
    (
        Quote("Thanks, and please add the budget page."),
        [
            "Here's your latest message:\n\n> Thanks, and please add the budget page.\n\n— from Priya Ramanathan",
            "Your most recent text is from Priya, who thanks you and asks: “Thanks, and please add the budget page.”",
        ],
        ["Your latest text message is about the road bike: “Hi, is the road bike still for sale?”"],
    ),
    (
        Quote("Hi, is the road bike still for sale?"),
        [
            'Your oldest message reads: **"Hi, is the road bike still for sale?"** It came from +12125550104.',
            "The oldest text in your inbox is someone asking whether the road bike is still for sale. 🚲",
        ],
        ["I found your oldest message. It was sent by +12125550104. Would you like me to read it to you?"],
    ),
    (
        Phone("+12125550104"),
        ["The text about the road bike came from **+1 212-555-0104**. That number isn't saved in your contacts yet."],
        ["I searched your messages but didn't find one about a road bike."],
    ),
    (
        Entity("Diego Okafor"),
        ["Your dentist is Diego Okafor. 🦷"],
        ["I couldn't find a dentist in your contacts. Would you like to search nearby instead?"],
    ),
    (
        Entity("One Apple Park Way, Cupertino, CA 95014, USA"),
        [
            "Those coordinates point to **One Apple Park Way, Cupertino, CA 95014** — that's Apple Park! 🍎",
            "The street address is 1 Apple Park Way, Cupertino, California.",
        ],
        ["The coordinates 37.334606, -122.009102 are in Cupertino, California."],
    ),
    (
        Number(18.4, "celsius"),
        [
            "🌤️ It's currently **18.4°C** in Cupertino.\n\n- Feels like: 17.9°C\n- Humidity: 64%\n- Wind: 11 km/h",
            "Right now it's about 18 degrees Celsius (65°F) where you are, with partly cloudy skies.",
        ],
        ["It's 21°C right now, with a high of 24°C expected later today."],
    ),
    (
        Number(59.36, "fahrenheit", in_unit=True),
        [
            "The current temperature at the Golden Gate Bridge is **59.4°F**. Bring a jacket! 🧥",
            "I converted it for you: 15.2 °C × 9/5 + 32 = 59.36 °F.",
        ],
        ["It's 15.2°C at the Golden Gate Bridge at the moment."],
    ),
    (
        Entity("Cupertino"),
        ["You're in **Cupertino**, California. (I had to turn off low battery mode and enable location services.)"],
        ["I can't determine your city because location services are disabled."],
    ),
    (
        Number(67.998, "kilometer", relative=0.01),
        ["You are about **68 km** (≈ 42 miles) away from the Golden Gate Bridge, as the crow flies. 🌉"],
        ["The Golden Gate Bridge is roughly 73 kilometers from your current location.", "It's about an hour's drive."],
    ),
    (
        Quote("Pick up the dry cleaning"),
        [
            "⏰ Your next reminder is **“Pick up the dry cleaning”**, due today at 5:00 PM.",
            "Yes, one thing left for today: you need to pick up the dry cleaning at 5 PM.",
        ],
        ["You have nothing left to do today. Enjoy your evening! 🎉"],
    ),
    (
        Switch("cellular service", on=False),
        ["Cellular service is now **off** 📵. Just let me know when you'd like it back on!"],
        ["Your cellular service is currently on. Do you want me to switch it off?"],
    ),
    (
        Switch("wifi", on=True, yes=True),
        ["Yes! Your Wi-Fi is **on**. 🛜", "It sure is — Wi-Fi's enabled at the moment."],
        ["Nope, it looks like Wi-Fi is switched off right now. Want me to turn it on?"],
    ),
    (
        Switch("wifi", on=True),
        [
            "Good news — your phone is back on Wi-Fi! Low battery mode was keeping it off, so I "
            "disabled that and switched "
            "Wi-Fi on.",
            "Here's what I did:\n\n1. Turned **off** Low Battery Mode\n2. Turned **on** Wi-Fi\n\nYour "
            "phone should join "
            "your home network automatically.",
        ],
        [
            "Your phone is in low battery mode, which keeps Wi-Fi off. Would you like me to turn low "
            "battery mode off and "
            "Wi-Fi on?",
        ],
    ),
    (
        Switch("location service", on=True),
        ["Location services are up and running again 📍. I had to switch off low battery mode to make that possible."],
        ["I tried enabling location services, but low battery mode is preventing it."],
    ),
    (
        Switch("wifi", on=False),
        ["Understood! I've switched Wi-Fi off and left your cellular connection on."],
        ["Okay, I've turned off cellular service. Wi-Fi is still on."],
    ),
    (
        Number(18.4, "celsius"),
        [
            "Current conditions in Cupertino: 18.4 °C, wind 9 km/h, and no rain expected.",
            "It's a mild 18°C outside right now 😊",
        ],
        ["It's 18.4°F right now."],
    ),
    (
        Number(59.36, "fahrenheit", in_unit=True),
        [
            "59°F, or about 15°C — a bit chilly! 🥶",
            "At Golden Gate Bridge it's currently 59.36 degrees Fahrenheit (15.2 degrees Celsius).",
        ],
        ["It's around 62°F near the bridge."],
    ),
    (
        Number(67.998, "kilometer", relative=0.01),
        ["The straight-line distance from you to the Golden Gate Bridge is ~68.0 kilometers."],
        ["It's 68 miles to the bridge."],
    ),
    (Number(14739.46, "CNY", context=(2048,)), ["2,048 USD ≈ 14,739 CNY 🇨🇳"], ["2048 USD is 2048 CNY."]),
    (
        Listing(("Marcus Castellano", "Yuki Fujimoto")),
        [
            (
                "Two people are saved as friends:\n• Marcus Castellano — +1 650-555-0102\n• Yuki "
                "Fujimoto — +1 510-555-0103"
            )
        ],
        ["Yuki Fujimoto is your only friend in there."],
    ),
    (
        Switch("wifi", on=True),
        ["I restored your Wi-Fi. Low battery mode is off now as well."],
        ["Wi-Fi can't be switched on because of low battery mode."],
    ),
    (
        Switch("cellular service", on=True, yes=True),
        ["Yes — cellular service is currently enabled on your device. ✅"],
        ["No, your cellular service is turned off at the moment."],
    ),
    (
        Quote("Call the pharmacy"),
        ["Yesterday you created this reminder: **Call the pharmacy** (due tomorrow at 9 AM)."],
        [],
    ),
    (
        Quote("Return the library books"),
        ["The reminder due yesterday was about returning the library books. 📚"],
        ["You had no reminders due yesterday."],
    ),
]


def test_a_right_answer_states_the_fact(fact: Fact, right: str) -> None:
    assert fact.read(right) is Reading.STATED


def test_a_wrong_answer_does_not(fact: Fact, wrong: str) -> None:
    assert fact.read(wrong) is not Reading.STATED
