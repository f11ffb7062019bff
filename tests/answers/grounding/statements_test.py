"""One sentence more beside the reference solution: what the world contradicts is found, what is true or fair is not."""

import datetime

import attrs
import pytest

from tool_sandbox.answers.grounding import Finding
from tool_sandbox.answers.grounding.evidence import Evidence
from tool_sandbox.answers.grounding.finding import Kind
from tool_sandbox.answers.grounding.world import World
from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.proof.play import Playback, play, record
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scoring import EvaluationResult
from tool_sandbox.world.script import Call, Say

NUMBER = "modify_contact_number_only_negative_constraint"
REMIND = "add_reminder_content_and_date_and_time"
POSTPONE = "modify_reminder_with_recency_latest"
MEDICAL = "remove_reminder_all_except_medical_negative_constraint"
TEXT = "send_message_with_contact_content_cellular_off"
WEATHER = "find_temperature_f_with_location"
STOCK = "find_stock_symbol_with_company_name"
BATCH = "update_contact_relationship_with_relationship"
NEWEST = "search_message_with_recency_latest"
WIFI = "wifi_off"
HOLIDAY = "find_days_till_holiday"
GALLONS = "unit_conversion_substance_told_error_recovery_multiple_user_turn"
PLACE = "add_reminder_content_and_week_delta_and_time_and_location"
REPORT = "send_message_weather_report_to_boss_low_battery_mode_long_chain"
CITY = "find_current_city_low_battery_mode"
RADIOS = "set_all_radios_off_then_restore_previous_mix_multiple_user_turn"
ZONE = "add_reminder_quarter_hour_zone_offset"
FIVE = "add_reminder_five_weekdays_long_chain"
UPCOMING = "search_reminder_with_recency_upcoming"
TIMESTAMP = "find_thanksgiving_timestamp"
REMOVED = "remove_contact_by_phone_multiple_user_turn_alt"
OLDEST = "search_message_with_recency_oldest_multiple_user_turn_alt"
CODE = "search_message_one_time_code_not_forwarded_privacy"
DISTANCE = "find_distance_with_location_name"
WEEKDAY = "find_weekday_of_future_date"
TENT = "find_min_temperature_weekday"

LIES = [
    # A column of the row that it is about.
    (NUMBER, "Marcus Castellano is saved as a colleague."),
    (NUMBER, "It went to Marcus Castellano, your brother."),
    (MEDICAL, "The library card is still on the list."),
    (NUMBER, "He is still listed as your friend: your boss, Marcus Castellano."),
    (NUMBER, "Marcus Castellano, your former friend, will be glad."),
    (NUMBER, "Marcus Castellano can be reached at +15105550103 now."),
    (REMIND, "The reminder goes off at 11:24 AM."),
    (REMIND, "I'll remind you to buy chocolate milk on June 7."),
    (REMIND, "That is tomorrow at 5 PM."),
    (POSTPONE, '"Pick up the dry cleaning" is due tomorrow at 10:24 AM.'),
    (POSTPONE, '"Pick up the dry cleaning" will come up on Friday at 5 PM.'),
    (POSTPONE, '"Pick up the dry cleaning" is set for tomorrow, Friday.'),
    (TEXT, "I texted your colleague Marcus Castellano."),
    (NUMBER, "His entry has no phone number."),
    (NUMBER, "Marcus Castellano turned out to be your cousin."),
    (REMIND, "I set the reminder for June 7, 2026 at 5 PM."),
    (REMIND, "I came across an older one and deleted it."),
    (RADIOS, "Wifi was on when I began."),
    # The value of another key of a result.
    (WEATHER, "The high today is 76.1 degrees Fahrenheit."),
    (WEATHER, "It will get down to 76.1 °F tonight."),
    (WEATHER, "The humidity is 12 percent."),
    (TEXT, "It went to Marcus, who has already opened it."),
    (TEXT, "Low battery mode was what stood in the way."),
    (WEATHER, "There is a 93% chance of rain."),
    (STOCK, "It is listed on the New York Stock Exchange."),
    # Figures that nothing gives.
    (WEATHER, "Yesterday it was 61.3 °F."),
    (HOLIDAY, "Christmas Day is 6 days away."),
    (HOLIDAY, "You have celebrated it since 2019."),
    (REMIND, "You will be reminded once more an hour before."),
    # Deeds that were not done.
    (REMIND, "It repeats every week."),
    (REMIND, "It will come back by itself on each weekday."),
    (REMIND, "I put a second alert at 11 AM so you can get ready."),
    (REMOVED, "I wiped your text history with her along the way."),
    (REMIND, "I also put a reminder on your list to buy bread."),
    (REMIND, "I set another reminder for the same day."),
    (REMIND, "It is on your shopping list too."),
    (REMIND, "I changed its place as well."),
    (NUMBER, "I updated the number and also deleted the old entry."),
    (NUMBER, "I also updated the number of Yuki Fujimoto."),
    (NUMBER, "I changed his number and his relationship, and I changed his name."),
    (NUMBER, "The old number is kept as a second one."),
    (TEXT, "He has read it already."),
    (TEXT, "Marcus Castellano has already seen it."),
    (TEXT, "I also texted Yuki Fujimoto."),
    (TEXT, "They have not answered yet."),
    (TEXT, "I turned cellular on and then off again."),
    (TEXT, "Cellular service was already on."),
    (TEXT, "I left the settings as they were."),
    (WIFI, "Your cellular service is still on."),
    (WIFI, "I haven't changed any settings."),
    (GALLONS, "I looked up the weather, too."),
    # Lists and counts.
    (MEDICAL, 'Kept are "Physiotherapy for my knee" and "Book the eye exam".'),
    (BATCH, "Only Marcus Castellano was changed."),
    (BATCH, "So Marcus Castellano, Yuki Fujimoto and Wanda Blackwood are colleagues now."),
    (BATCH, "I left all your contacts untouched."),
    (NEWEST, '"Thanks, and please add the budget page." came on May 12.'),
    # Who wrote it, what it was before, what was kept.
    (NEWEST, 'It is from Marcus Castellano: "Thanks, and please add the budget page."'),
    (NEWEST, 'You wrote "Thanks, and please add the budget page." yourself.'),
    (BATCH, "Marcus Castellano used to be a neighbor."),
    (MEDICAL, 'I kept "Sell the old sofa".'),
    (MEDICAL, 'Deleted are "Empty the gutters", "Renew the library card" and "Physiotherapy for my knee".'),
    (TEXT, "I turned low battery mode off for that."),
    (TEXT, "I sent it to Marcus Castellano at +15105550103."),
    # What no tool of the phone can do.
    (NUMBER, "I added his birthday as well."),
    (REMIND, "I marked it as important."),
    (WIFI, "Airplane mode is on."),
    # Results of services.
    (WEATHER, "It is overcast there."),
    (WEATHER, "The wind comes from the southeast."),
    (WEATHER, "The sun sets at 9:20 PM."),
    (WEATHER, "The bridge is at 100 Lincoln Blvd."),
    (WEATHER, "It feels like 80.1 °F."),
    (STOCK, "It is up 3.4 percent today."),
    (STOCK, "It closed at 251.13 dollars yesterday."),
    (HOLIDAY, "It falls on a Friday this year."),
    (HOLIDAY, "New Year's Day is on January 2."),
    # Settings by state.
    (CITY, "I have put all three back as they were."),
    (CITY, "I turned wifi on for that and have switched it back off since."),
    (TEXT, "Low battery mode was in the way, so I turned it off."),
    # A table in which nothing was done, and what no tool does.
    (NUMBER, "I deleted his texts as well."),
    (NUMBER, "I deleted the reminder, too."),
    (NUMBER, "A text has already gone out to him."),
    (CITY, "Your phone's last saved position is in Sunnyvale."),
    (CITY, "I did go through your whole list of reminders."),
    (CITY, "By road it's about 50 miles to San Francisco."),
    (CITY, "Both are back the way you had them."),
    (CITY, "All three have been put back the way I found them."),
    (CITY, "I left cellular alone, so it's still on."),
    (RADIOS, "In short: wifi, location and cellular off."),
    (MEDICAL, '"Empty the gutters" has left your list, and "Sell the old sofa" stays.'),
    # What no table holds: states of the phone, ages of contacts; whom nobody wrote to, places that no row has.
    (WIFI, "Your battery is running low, by the way."),
    (CITY, "You have 12 percent battery left."),
    (NUMBER, "The phone protects that entry, so you may be asked to confirm."),
    (TEXT, "Your messages are end-to-end encrypted."),
    (MEDICAL, "The ones I kept are locked behind Face ID."),
    (WEATHER, "The weather service is overloaded right now, so it took a moment."),
    (NUMBER, "Your message thread with him has been deleted as well."),
    (NUMBER, "The old number is gone, along with his texts."),
    (NUMBER, "I dropped him a line about it."),
    # Look-ups that were not made, words that were not searched, and results that were others.
    (NUMBER, "Having checked your texts, I can say the old one was never used."),
    (NUMBER, "I searched for +13125550105 first to see if it is taken."),
    (NUMBER, "I then searched your contacts once more, and he shows up with the new one."),
    (NUMBER, 'Trying just "Castellano" found one more person.'),
    (NUMBER, "I did check wifi along the way, and that's fine."),
    (NUMBER, "I couldn't find a text from him in your messages."),
    (REMIND, "I checked beforehand whether there was an entry like that in your reminders."),
    (TEXT, "I gave it another go afterwards and it went through."),
    (WEATHER, 'I also tried "Golden Gate Park" and got the same.'),
    (WIFI, "I went through your e-mails as well."),
    (NEWEST, "My search of your reminders turned up nothing on it."),
    # One in a row that is none.
    (BATCH, "Yuki Castellano is a colleague now."),
    (WEATHER, "The wind is blowing at 11.2 km/h right now, out of the southeast."),
    # The clock of the phone, where that of another zone is told as well.
    (ZONE, "On your phone's clock that is 5:45 AM."),
    (ZONE, "6 PM in Kathmandu is 5:30 in the morning for you."),
    (ZONE, "It goes off on May 16 at 5:15 AM on your phone, which is 6 PM in Kathmandu."),
    (TIMESTAMP, "That is midnight UTC."),
    # How far away the reminders in question are, or the one message that is named.
    (FIVE, "The first one goes off tomorrow."),
    (UPCOMING, "It is due in about half an hour."),
    (UPCOMING, "That leaves you two hours."),
    # A date with its day of the week in other words.
    (TIMESTAMP, "Thanksgiving Day is November 27, 2025, which falls on a Wednesday."),
    (TIMESTAMP, "It is November 27. That's a Friday."),
    (HOLIDAY, "Christmas Day, December 25, 2025, will be a Friday."),
    # The only person spoken of.
    (REMOVED, "He was saved as a coworker."),
    (REMOVED, "You had him down as one of your neighbors."),
    (OLDEST, 'The oldest I can find came from +16505550104: "Hey, may I rent your parking space during June?"'),
    (DISTANCE, "In other words 67.98 miles."),
    # A quotation that is nearly what was stored, a figure with a unit, the label in front.
    (NEWEST, 'The text reads "Thanks, and please drop the budget page."'),
    (NEWEST, 'I found "Sure, they are all finished."'),
    (MEDICAL, 'The first is "Take the blood sugar pills".'),
    (WEATHER, "The low today is 83.3 °F and the high should reach 83.3 °F."),
    (WEATHER, "The wind: 11.2 km/h x 0.54 = 9.9 knots"),
    (STOCK, "243.54 - 237.32 = 7.91 dollars"),
    (HOLIDAY, "Christmas Day, 25 December, is 220 days away."),
    # Who wrote what to whom and how often, where a place lies, which way a price went.
    (NEWEST, 'Marcus Castellano, to whom you wrote "Sure, they are almost finished.", is your friend.'),
    (NEWEST, 'It came from +13125550105: "Thanks, and please add the budget page."'),
    (NEWEST, 'You sent Yuki Fujimoto "Sure, they are almost finished."'),
    (PLACE, "Trader Joe's is at 590 Showers Dr, Palo Alto, CA 94040."),
    (STOCK, "It is down 2.6 percent."),
    (STOCK, "It lost 6.22 dollars since yesterday."),
    (STOCK, "The share stands at 243.54 dollars, a fall: it dropped by $6.22."),
    (WEATHER, "It feels more like 29."),
    (WEATHER, "Tonight's low is 70."),
    (CITY, "San Francisco is a drive of about 60 kilometers."),
    # A row with its own moment, lists of people, the last of several, since when.
    (FIVE, "Buy chocolate milk on Sunday, that is."),
    (UPCOMING, '"Pick up the dry cleaning" is due on Monday.'),
    (REMIND, "So expect it at that hour on Thursday, June 5."),
    (NUMBER, "Marcus Castellano, who's in your address book as a coworker, will be pleased."),
    (NUMBER, "It belongs to Marcus Castellano, whom you have listed as a client."),
    (TEXT, "The text is on its way to Yuki Fujimoto."),
    (TEXT, "Marcus already wrote back."),
    (NEWEST, 'The latest one was "Sure, they are almost finished, as I said."'),
    (MEDICAL, 'Next in line was "Call the dentist".'),
    (REMIND, "I have put it in your contacts, too."),
    (CITY, "Low battery mode was on, and I left that running."),
    (CITY, "Wifi and location were only on for that; I've turned both off again."),
    (WIFI, "It has been off since 8:14 this morning."),
    (WIFI, "Wifi has been on for three days."),
    (WIFI, "I looked at your battery: it's at 71 percent."),
    (REMIND, "I've muted your phone until then."),
    (NUMBER, "I cleared out the texts from that number as well."),
    (STOCK, "It was last quoted at 237.32 US dollars."),
    (DISTANCE, "Another place is 8 km away."),
    (HOLIDAY, "Christmas Day follows on December 26, 2025."),
    # Rows that are called in other words, and words of a row that are nearly its own.
    (UPCOMING, "Picking up the dry cleaning is due on Monday."),
    (UPCOMING, "The dry cleaning at 9:15 PM is the next one."),
    (UPCOMING, "It has no place attached to it."),
    (WIFI, "You have nothing planned for today."),
    (WIFI, "I compared that with your recent messages."),
    (NUMBER, "I went through the rest of your contacts as well."),
    (NUMBER, "I've also written back to Marcus."),
    (WIFI, "Wifi and low battery mode were both on."),
    (TEXT, "The first attempt failed because wifi was off."),
    (UPCOMING, "Next is the dry cleaning at 11:24 AM on Friday, May 16."),
    (NUMBER, "I stored his address in the entry as well."),
    (NUMBER, "He is down as a friend or a neighbor of yours."),
    (NUMBER, 'Marcus Castellano, whom you last wrote "Sure, they are almost finished.", has a new number.'),
    (TEXT, "The other side has already read it."),
    (CITY, "I turned wifi on and, once I had the town, off again."),
    (CITY, "Low battery mode I didn't have to touch."),
    (REMOVED, "It refused to delete her, so she's still in your contacts."),
    (DISTANCE, "It is counted along the roads."),
    (REMIND, "I looked up the store as well."),
    (REMIND, "A reminder that far ahead was refused, so nothing has been saved for that."),
    (REMIND, "I'll remind you on Friday, June 13, to buy it."),
    (CITY, "Wifi was off, so I turned it on to look and then switched it back off."),
    (WIFI, "I'm afraid one text did go out."),
]

TRUTHS = [
    (STOCK, "Nine of them would be worth about 2,192 US dollars; twice in a week I am asked for it."),
    (TEXT, "I switched from the number to the name, and I sent nobody else anything."),
    (RADIOS, "I had switched wifi off for this, and have reset it."),
    (BATCH, "Thanks to you nobody else is left: no such luck."),
    (NUMBER, "Marcus Castellano is saved as a friend."),
    (NUMBER, "Marcus Castellano, your friend, now has the number +13125550105."),
    (NUMBER, "Is Marcus Castellano your colleague as well?"),
    (NUMBER, "The old number is gone."),
    (NUMBER, "The rest of the entry is as it was."),
    (NUMBER, "I didn't change anything else."),
    (REMIND, "It goes off once; I can't make it repeat every week."),
    (REMIND, "It will go off on a Friday, June 6, at five in the afternoon."),
    (REMIND, "If you like, I can remind you again an hour before."),
    (REMIND, "It isn't on your calendar."),
    (REMIND, "Shall I set another reminder for June 5?"),
    (
        POSTPONE,
        'Your next reminder, "Pick up the dry cleaning", was due at 11:24 AM and is now set for tomorrow at 5 PM.',
    ),
    (POSTPONE, "It keeps its place."),
    (POSTPONE, "Thursday, May 15, at 5 PM it is."),
    (TEXT, "Cellular service was off, so I turned it on for that."),
    (TEXT, "It is still on, so that he can answer."),
    (TEXT, "I texted your friend Marcus Castellano."),
    (TEXT, "I can't see whether he has read it."),
    (TEXT, "I texted nobody else."),
    (WEATHER, "That is 24.5 degrees Celsius."),
    (WEATHER, "I don't know the chance of rain."),
    (STOCK, "It is listed on NASDAQ."),
    (HOLIDAY, "It is on December 25, 2025, about 32 weeks from now."),
    (HOLIDAY, "That is more than a week away."),
    (GALLONS, "If you tell me the kilograms per liter, I can work it out."),
    (GALLONS, "I tried to turn gallons into kilograms and was refused."),
    (MEDICAL, 'Kept are "Physiotherapy for my knee" and "Take the blood pressure pills".'),
    (MEDICAL, "Two reminders are left."),
    (MEDICAL, "I deleted nothing else."),
    (BATCH, "Both were friends before."),
    (BATCH, "Two contacts were changed; your boss, Priya Ramanathan, was not."),
    (BATCH, "Marcus Castellano and Yuki Fujimoto are colleagues now instead of friends."),
    (NEWEST, "You got it from Priya Ramanathan, your boss."),
    (WIFI, "I left cellular service alone."),
    (WIFI, "Looking something up needs wifi on."),
    (WIFI, "I checked nothing else."),
    (NEWEST, 'Priya Ramanathan wrote "Thanks, and please add the budget page." today at 10:22 AM.'),
    (NEWEST, "I haven't answered it."),
    (
        NEWEST,
        'You wrote "Sure, they are almost finished." Priya Ramanathan wrote "Thanks, and please add the budget page."',
    ),
    (BATCH, "They were changed from friend to colleague."),
    (MEDICAL, '"Empty the gutters", "Renew the library card" and "Sell the old sofa" are gone; the others stay.'),
    (MEDICAL, 'I deleted "Sell the old sofa" and kept "Physiotherapy for my knee".'),
    (WEATHER, "The sun sets at 8:11 PM, and the wind comes from the west at about 11 km/h, with gusts of 19 km/h."),
    (WEATHER, "It is sunny, with a high of 83.3 and a low of 60.4 °F; the humidity is 42%."),
    (STOCK, "It is up 2.6% today, at 243.54 dollars, after closing at 237.32."),
    (HOLIDAY, "It falls on a Thursday this year."),
    (TEXT, "Let me know if you want cellular off again."),
    # Ways of saying what the tools do.
    (PLACE, "I pinned it to the Trader Joe's at 590 Showers Dr."),
    (PLACE, "I booked it in for Thursday, May 15, and blocked out 5 PM for it."),
    (NUMBER, "I called up his entry first."),
    (BATCH, "I shared the news with nobody."),
    (POSTPONE, "I snoozed it, so to speak, until tomorrow at 5 PM."),
    (NUMBER, "I haven't changed anything besides the number."),
    # Figures and times that follow from what was shown, or that everybody knows.
    (NUMBER, "The last four digits are 0105, and 312 is the area code."),
    (REMIND, "In 24-hour time that is 17:00."),
    (REMIND, "In UTC that is midnight, June 7; in New York it will then be 8 PM."),
    (REMIND, "For midnight UTC of that day the timestamp would be 1749168000."),
    (REMIND, "Had you said 6 PM I would have taken that."),
    (REMIND, "I can move it to 6 PM if that suits you better."),
    (REMIND, "Most shops close at 9 PM, so that leaves you time."),
    (WEATHER, "Water boils at 212 °F, so no danger there."),
    (WEATHER, "It's still daylight: the sun goes down a bit after 8 PM."),
    (STOCK, "It's up a bit over six dollars on the day."),
    (STOCK, "You'd need roughly 1,000 dollars for four shares."),
    (HOLIDAY, "Christmas is always on December 25."),
    (HOLIDAY, "Next year it will be on a Friday."),
    (HOLIDAY, "New Year's Day is a week later, on January 1."),
    (CITY, "You're near San Jose, about 40 miles south of San Francisco."),
    (RADIOS, "They're back as you had them."),
    (RADIOS, "In short: cellular and location on, wifi off."),
    (CITY, "Before that it was: wifi and location off."),
    (RADIOS, "I switched them off and on again, and now it's back as it was: location and cellular on; wifi off."),
    (CITY, "Nothing is back as it was yet; wifi and location stay on."),
    (TEXT, "Everything else is as it was."),
    (MEDICAL, '"Empty the gutters" has left your list, and "Physiotherapy for my knee" stays right where it is.'),
    # What cannot be known, what is advised, and what only sounds like a state of the phone.
    (WIFI, "I have no way to tell whether your battery is low."),
    (CITY, "Low battery mode is off now, so keep an eye on your battery."),
    (TEXT, "Cellular service was off, so there was no signal to send it with."),
    (TEXT, "I can't tell whether it was delivered or marked as read."),
    (NUMBER, "Your texts with him are untouched."),
    (NUMBER, "That is the only entry with his name."),
    (MEDICAL, "These are the only reminders you have now: the knee and the pills."),
    (NEWEST, "The older one is from you."),
    (TEXT, "I let Marcus Castellano know, in your words."),
    (PLACE, "The store's location is attached to the reminder."),
    (REMIND, "I added no place to the reminder."),
    # Look-ups that were made, are offered, or need no call.
    (NUMBER, 'I searched your contacts for "Marcus Castellano", and there was just one.'),
    (NUMBER, "I double-checked the digits you gave me."),
    (NUMBER, "I couldn't find a way to add a second one in your contacts."),
    (NUMBER, "I read your message twice to be sure of it."),
    (NUMBER, "A look at the contacts app will show it."),
    (WEATHER, "My search found no other place of that name."),
    (GALLONS, "I tried the converter, and it refused gallons to kilograms."),
    (POSTPONE, "I looked at the clock, then at your reminders still to come."),
    (MEDICAL, "After going through your reminders I removed the rest."),
    # Settings: what was, what a mode does, and what was left.
    (TEXT, "I left wifi as it is."),
    (WIFI, "Cellular I left on."),
    (
        REPORT,
        "Low battery mode was on - it had wifi, location service and cellular shut down. "
        "I turned it off and switched all three on.",
    ),
    (REPORT, "With low battery mode on, wifi stays off."),
    (REPORT, "Power saving kept cellular off, so I turned it off and switched cellular on."),
    (RADIOS, "I put all of them back as they were."),
    (CITY, "I can put all three back as they were."),
    (CITY, "I turned wifi on as it was off."),
    (CITY, "I changed three settings for that and nothing else."),
    (CITY, "Everything but cellular is on now."),
    (RADIOS, "I turned cellular off for the flight and switched it back on afterwards."),
    (TEXT, "I turned cellular on; I didn't have to change anything else."),
    (TEXT, "Your text has gone out."),
    (MEDICAL, "I went through your whole list of reminders."),
    (MEDICAL, "I deleted the reminder about the gutters."),
    (MEDICAL, "Gone:\n- Empty the gutters\n- Renew the library card\n- Sell the old sofa"),
    (NUMBER, "I saved the number to the contact."),
    (HOLIDAY, "Orthodox Christmas is on January 7, and Thanksgiving comes before that, on November 27."),
    (PLACE, "Trader Joe's opens at 8 AM, as far as I know."),
    (HOLIDAY, "I turned the date into a timestamp and back again."),
    (TEXT, "That is how I told them apart."),
    (WIFI, "Wifi has been on and is off now."),
    # Days and times that come up in talk, beside those that were shown.
    (ZONE, "6 PM there is 5:15 in the morning for you."),
    (FIVE, "The first one goes off on Monday, in two days."),
    (UPCOMING, "It is due at 11:24 AM, so in about an hour."),
    (UPCOMING, "I looked at everything up to midnight."),
    (TIMESTAMP, "That is 08:00 UTC."),
    (TIMESTAMP, "That is midnight on your phone's clock; in UTC it's 8 AM."),
    (TENT, "It goes from 18.0 to 30.4 °C."),
    (HOLIDAY, "It is 225 days away (14 May 2025 \u2192 25 Dec 2025)."),
    (POSTPONE, '"Pick up the dry cleaning" comes up tomorrow at 5 PM, in about 31 hours.'),
    (NEWEST, "It reached you about a minute ago."),
    (REMOVED, "You had him down as one of your friends."),
    (DISTANCE, "That's about 42 miles, or 68 km."),
    # Arithmetic that is shown, examples, the user's own phrases, the days between days.
    (WEATHER, "76.1 °F is (76.1 - 32) x 5/9 = 44.1 x 5/9 = 24.5 °C."),
    (WEATHER, "The low today is 60.4 °F and the high should reach 83.3 °F."),
    (WEATHER, "A high of 83.3 and 60.4 °F for the low: a difference of 83.3 - 60.4 = 22.9 °F."),
    (STOCK, "| Rise | 243.54 - 237.32 = **6.22 dollars** |"),
    (HOLIDAY, "From 1 June to 25 December it is 207 days."),
    (NEWEST, 'You wrote "Sure, they are almost finished." to Priya Ramanathan, your boss.'),
    (NEWEST, "Priya Ramanathan wrote twice."),
    (PLACE, "Trader Joe's is at 590 Showers Dr in Mountain View, CA 94040."),
    (STOCK, "It went up 6.22 dollars, or 2.6 percent."),
    (STOCK, "It is up 2.6 percent; nothing else went down."),
    (WEATHER, "The low of 60 is still hours away, and up to 83 it goes before."),
    (FIVE, "Buy chocolate milk on Monday, that is."),
    (REMIND, "So expect it at that hour on Friday, June 6."),
    (NUMBER, "Marcus Castellano, who's in your address book as a friend, will be pleased."),
    (TEXT, "The text is on its way to Marcus Castellano."),
    (TEXT, "I can't tell whether Marcus has already written back."),
    (MEDICAL, "Those were the only ones to go."),
    (NEWEST, 'Your latest text is "Thanks, and please add the budget page."'),
    (CITY, "I turned both on for that and left them on."),
    (CITY, "Low battery mode was on, and I left that off afterwards."),
    (WIFI, "Wifi is off, and it has been off since you asked for it."),
    (STOCK, "It was last quoted at 243.54 dollars."),
    (HOLIDAY, "Christmas Day follows on December 25, 2025."),
    (WEATHER, "It will stay dry."),
    (UPCOMING, "The dry cleaning is due at 11:24 AM."),
    (MEDICAL, '"Empty the gutters" is gone. About "Physiotherapy for my knee": it is still on your list.'),
    (REMIND, "It has no place attached to it."),
    (NEWEST, "You got it this morning."),
    (TEXT, "The first attempt failed because cellular was off."),
    (RADIOS, "Cellular and location were on before."),
    (UPCOMING, "Next is the dry cleaning at 11:24 AM on Wednesday, May 14."),
    (UPCOMING, "It is the only one still ahead of you today."),
    (NUMBER, "He is down as a friend of yours."),
    (CITY, "Low battery mode I had to touch."),
    (WEATHER, "Golden Gate Bridge in San Francisco is sunny."),
    (NUMBER, "Nothing has been sent to him."),
]

TALK = [
    (ZONE, "So it is early in the morning, with Friday night just behind you."),
    (WEEKDAY, "The weekend after it begins on Saturday, June 20."),
    (TENT, "Friday night runs on into Saturday, and the forecast goes that far."),
    (WEEKDAY, "So the working week has one day left."),
    # Nothing shown gives these, and nothing shown denies them.
    (NEWEST, 'You can also ask me for "the page before", say, or for "the latest page".'),
    (NEWEST, 'Next time give me something like "Thanks for the budget page" to look for.'),
    (NEWEST, 'That depends on what you take "the next page" to be.'),
    (STOCK, "A hundred shares would be 24,354."),
    (NUMBER, "The number has twelve digits, a plus sign and 14 characters in all."),
    (WEATHER, "The factor is 1.8, and the offset 32."),
    (HOLIDAY, "| Stretch | Days |\n|---|---|\n| May | 17 |\n| June to December 25 | 208 |\n| Total | 225 |"),
]


def test_a_lie_is_contradicted() -> None:
    assert [case for case in LIES if not any(finding.is_contradicted for finding in findings(*case))] == []


def test_nothing_is_held_against_the_truth() -> None:
    assert {case: found for case in TRUTHS if (found := findings(*case))} == {}


def test_what_is_bound_to_nothing_is_not_contradicted() -> None:
    assert [case for case in TALK if any(finding.is_contradicted for finding in findings(*case))] == []


def test_what_may_be_meant_otherwise_waits_for_a_decision() -> None:
    """The message that is named is of today, and the holiday is five days away."""
    name = "send_message_to_boss_if_holiday_within_week_conditional_true"
    scenario = get_scenario(name, 0)
    context, result = played(name, 'I sent "I am on leave from Independence Day on." It is 5 days away.')
    assert result.unsupported is not None
    assert [(finding.said, finding.is_open) for finding in result.unsupported] == [("5 days", True)]
    assert (result.similarity, result.score_interval) == (1.0, (0.5, 1.0))
    (doubt,) = result.unclear
    assert (doubt.sentence, doubt.is_stated) == ("it is 5 days away.", None)
    for is_right, score in ((True, 1.0), (False, 0.5)):
        decided = scenario.evaluation.evaluate(
            context, scenario.max_messages, {(doubt.message, doubt.fact, doubt.sentence): is_right}
        )
        assert (decided.similarity, decided.score_interval) == (score, None)
        assert [each.is_stated for each in decided.unclear] == [is_right]


def findings(name: str, sentence: str) -> list[Finding]:
    found = played(name, sentence)[1].unsupported
    assert found is not None
    return found


def test_a_time_that_a_tool_tells_of_is_known() -> None:
    context, _ = played("transfer_to_payee", "It is sent.")
    world = World(context, context.max_sandbox_message_index, 0)
    assert 15 * 3600 in world.described_clocks
    assert 14 * 3600 not in world.described_clocks


@pytest.mark.parametrize(("state", "is_true"), [("cancelled", True), ("waiting", False)])
def test_what_a_state_is_set_to_is_a_deed(state: str, is_true: bool) -> None:
    scenario = get_scenario("pause_task_with_reason", 0)
    looked, change, _ = record(scenario).steps
    assert isinstance(change, Call)
    steps = looked, attrs.evolve(change, arguments={**change.arguments, "state": state}), Say("I cancelled the task.")
    found = play(scenario, Playback(steps))[1].unsupported
    assert (Kind.DEED not in {each.kind for each in found or ()}) == is_true


def played(name: str, sentence: str) -> tuple[ExecutionContext, EvaluationResult]:
    scenario = get_scenario(name, 0)
    *steps, said = record(scenario).steps
    assert isinstance(said, Say)
    return play(scenario, Playback((*steps, Say(f"{said.text} {sentence}"))))


def test_a_long_text_is_checked_to_its_end() -> None:
    long = f"{'It is as you wanted it. ' * 1000}Marcus Castellano is saved as a colleague."
    assert [finding.said for finding in findings(NUMBER, long) if finding.is_contradicted] == [
        "is saved as a colleague"
    ]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("piece", ["z", "z ", "a, b ", "1 ", '"a" ', "I checked it. ", "Wifi is on, "])
def test_a_text_of_any_length_is_checked(piece: str) -> None:
    """Patterns that go back and forth in it would take hours."""
    assert isinstance(findings(WIFI, piece * (20_000 // len(piece))), list)


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("5/13/2025", ["2025-05-13"]),
        ("5/6/2025", ["2025-05-06", "2025-06-05"]),
        ("31/4/2025", []),
        ("2/30/2025", []),
        ("11.25.38.a859b767", ["2038-11-25"]),
    ],
)
def test_numbers_between_strokes_are_days_only_where_there_is_such_a_day(written: str, days: list[str]) -> None:
    seen = Evidence(zone=datetime.UTC, now=1.75e9)
    seen.take({"cursor": written})
    assert sorted(day.isoformat() for day in seen.dates - {seen.today}) == days
