"""The rule book, and what the rest of the desk is made of."""

RULE_LIST = (
    (1, "identity", 400, "Nothing of an account is changed or paid before the customer has given the right PIN."),
    (2, "identity", 400, "A PIN counts for 30 minutes and for the account to which it belongs, for no other of the "
     "same name."),
    (3, "identity", 400, "Never say a PIN or a part of one, nor whether it was nearly right."),
    (4, "identity", 400, "Somebody who calls for a customer must be the representative in the entry, and give the "
     "PIN."),
    (5, "identity", 400, "After three wrong PINs within an hour the account is not touched until the hour is over."),
    (6, "refunds", 700, "A monthly charge is refunded within 60 days of the charge, not later."),
    (6, "refunds", 90, "A monthly charge is refunded within 30 days of the charge, not later. Rules 9 and 13 go "
     "before this."),
    (7, "refunds", 400, "A refund of more than 50.00 needs the approval code of a supervisor. It is not split to "
     "stay below."),
    (8, "refunds", 400, "A customer gets at most two goodwill refunds in 180 days. Rules 9 and 13 are no goodwill."),
    (9, "refunds", 400, "For an outage, a thirtieth of the monthly price is refunded for each whole day, rounded "
     "down to the cent in all."),
    (10, "refunds", 400, "A late fee is refunded once in twelve months, and only if it came with a charge paid "
     "within 10 days of its due date."),
    (11, "refunds", 400, "Roaming is not refunded, unless the description says that no notice was sent."),
    (12, "refunds", 400, "Refunds go back as they were paid. Credit only if the customer asks for it."),
    (13, "refunds", 400, "Of two charges of the same kind, amount and date, the later one is a mistake and is "
     "refunded in full."),
    (14, "plans", 400, "A dearer plan holds at once, a cheaper one from the next renewal. Say so before you change "
     "it."),
    (15, "plans", 400, "A retired plan cannot be chosen. Whoever has one may keep it; warn before it is given up for "
     "good."),
    (16, "plans", 400, "A cheaper plan within the commitment costs 25.00. The customer must have said yes to that."),
    (17, "plans", 400, "One pause a year, of two months at most, and none within the commitment."),
    (18, "plans", 400, "Whoever cancels within 14 days pays nothing. Later, half of each month that is left of the "
     "commitment is due."),
    (19, "plans", 400, "No change of plan while something is owed that is due."),
    (20, "devices", 400, "Before an exchange, reset the device and note in the ticket what was tried."),
    (21, "devices", 400, "A replacement is not replaced again. A technician has to come; assign the ticket to that "
     "team."),
    (22, "devices", 500, "Warranty lasts 12 months from the day of purchase."),
    (22, "devices", 200, "Warranty lasts 24 months from the day of purchase. What the books say counts, not the "
     "box."),
    (23, "devices", 400, "A reset loses all settings. Ask for a clear yes before it, each time."),
    (24, "devices", 400, "Update the firmware before anything else is done about a fault."),
    (25, "tickets", 400, "Urgent is only for no service at all, high for customers with a business plan. Anger is no "
     "reason."),
    (26, "tickets", 400, "Answer urgent tickets within 4 hours, high ones within 8, normal ones within 24, low ones "
     "within 72."),
    (26, "tickets", -7, "Answer urgent tickets within 2 hours, all others within 12."),
    (27, "tickets", 400, "Solved is what the customer calls so, or what nobody answered for three days. Closed "
     "tickets stay closed."),
    (28, "tickets", 400, "Two tickets about the same thing are merged; the older one stays."),
    (29, "tickets", 400, "Internal notes are for colleagues. Neither quote them to customers nor say that there are "
     "any."),
    (30, "tickets", 400, "Who speaks of lawyers or courts gets no answer about the matter: assign the ticket to the "
     "legal team."),
    (31, "tickets", 400, "A complaint about a colleague goes to a supervisor, never to the colleague."),
)  # fmt: skip
"""Number, section, days ago from which a version is valid, and text."""

PLAN_LIST = (
    ("Home 50", 2490, 50, "home", 12, False), ("Home 100", 3490, 100, "home", 12, False),
    ("Home 100 Flex", 3990, 100, "home", 0, False), ("Home 250", 4990, 250, "home", 24, False),
    ("Home 100 (2021)", 2990, 100, "home", 0, True), ("Business 250", 7990, 250, "business", 24, False),
    ("Business 500", 11990, 500, "business", 24, False), ("Business 250 Start", 5990, 250, "business", 12, True),
)  # fmt: skip
REGIONS = ("North Bay", "Harbour", "Old Town", "Hill Side", "South Shore")
CAUSES = ("cut cable", "power failure", "flooded cabinet", "failed update")
MODELS = ("Router R2", "Router R2 Plus", "Router R4", "TV box T1")
FIRST_NAMES = (
    "Ana", "Anna", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hana", "Ivo", "Jonas", "Katya", "Lars",
    "Mila", "Nuno", "Olga", "Pavel", "Rosa", "Samir", "Tove",
)  # fmt: skip
LAST_NAMES = (
    "Costa", "Lund", "Petrov", "Adeyemi", "Brandt", "Castillo", "Duarte", "Eriksen", "Ferrari", "Gomez", "Hoffman",
    "Ito", "Jansen", "Keller", "Moreau", "Novotny",
)  # fmt: skip
CASES = (
    ("billing", "Charged twice", "I see the same amount twice on the same day.",
     "I look at your charges and write again."),
    ("billing", "Late fee", "Why is there a late fee? I paid a few days later only.",
     "I check when the charge was paid."),
    ("billing", "Money back for the outage", "We had no internet for days.", "I look up the days of the outage."),
    ("technical", "Router drops the line", "The line light turns red every evening.",
     "Please keep it plugged in, I check it."),
    ("technical", "No internet at all", "Nothing works since this morning.", "Is the power light on?"),
    ("technical", "Slow in the evening", "It is half as fast after eight.", "Which plan do the tests show?"),
    ("account", "Cheaper plan", "What would a smaller plan cost me?", "A smaller one would hold from the next "
     "renewal."),
    ("account", "Moving house", "I move at the end of the month.", "Please tell me the new region."),
    ("delivery", "Router has not come", "It should have been here on Friday.", "I ask where the parcel is."),
)  # fmt: skip
NOTES = (
    "Was friendly, wants a call after six.", "Second time this quarter, see the other ticket.", "Reset done.",
    "Do not promise anything before billing has looked.", "Name is common, check the PIN.",
)  # fmt: skip
