"""What tasks are made of."""

FLOW: tuple[tuple[str, int, int | None, str, tuple[int, ...]], ...] = (
    ("Agree on the date", 0, 30, "planning", ()),
    ("Ask three suppliers for quotes", 4, 90, "suppliers", (0,)),
    ("Book the room", 5, 30, "place", (0,)),
    ("Write the invitation", 7, 120, "guests", (0,)),
    ("Compare the quotes", 11, 60, "suppliers", (1,)),
    ("Have the invitation proofread", 11, 45, "guests", (3,)),
    ("Send the invitation", 13, 20, "guests", (2, 5)),
    ("Order from the supplier", 15, 30, "suppliers", (4,)),
    ("Pay the deposit", 18, 15, "suppliers", (7,)),
    ("Pay the deposit for the room", 19, 15, "place", (2,)),
    ("Collect the answers", 26, None, "guests", (6,)),
    ("Plan the seats", 30, 90, "place", (10, 2)),
    ("Check the delivery", 34, 40, "suppliers", (8,)),
    ("Print the programme", 35, 60, "guests", (10,)),
    ("Thank everybody", 44, 45, "planning", ()),
)
"""Title, days after the begin, minutes, label, and numbers of the tasks that come before."""

REVIEWED: tuple[tuple[str, int, int | None, str, tuple[int, ...]], ...] = (
    ("Gather the figures", 0, 180, "figures", ()),
    ("Draft the summary", 5, 240, "text", (0,)),
    ("Make the charts", 6, 150, "figures", (0,)),
    ("Check the sources", 9, 90, "text", (1,)),
    ("Write the final text", 13, 300, "text", (1, 2, 3)),
    ("Send it to the printer", 17, 30, "print", (4,)),
)
"""The same for reports that somebody reviews."""

CHORES: tuple[tuple[str, str, int], ...] = (
    ("Put the bins out", "weekly", 10),
    ("Water the plants", "weekly", 20),
    ("Pay the rent", "monthly", 10),
    ("Read the meters", "monthly", 15),
    ("Clean the bathroom", "weekly", 45),
    ("Check the smoke alarms", "yearly", 30),
)
"""Title, how often, minutes."""

REASONS = (
    "no answer from the supplier yet", "the budget is not approved yet", "the room is double-booked",
    "somebody is on holiday until next week", "the figures are wrong and come again",
)  # fmt: skip

REMARKS = (
    "I called them, they answer by Friday.", "Same as last time, please.", "This takes longer than we thought.",
    "Can somebody else take this?", "The old supplier was late last year, let us not take them again.",
    "I have the papers on my desk.", "Ask me before you send it.", "Done is better than perfect here.",
)  # fmt: skip

ERRANDS = (
    "Renew the library card", "Take the coat to the tailor", "Order new glasses", "Call the insurance about the bill",
    "Call the insurance about the car", "Return the drill", "Book the dentist", "Sell the old bicycle",
    "Sort the photos", "Buy a birthday present",
)  # fmt: skip

SUPPLIERS = (
    "the bakery on Mill Road", "the two brothers from the market", "the print shop at the bridge",
    "the caterer from last summer", "the family business in the old town", "the new people on the square",
)  # fmt: skip
