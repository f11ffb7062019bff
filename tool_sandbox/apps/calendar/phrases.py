"""What calendars are filled with."""

ROOM_LIST = (
    ("Cedar 1", "Main", 1, 6, ("screen",)),
    ("Cedar 2", "Main", 1, 6, ("screen", "video")),
    ("Maple", "Main", 2, 12, ("screen", "video", "whiteboard")),
    ("Board Room", "Main", 5, 20, ("screen", "video", "phone")),
    ("Willow", "Annex", 0, 4, ("whiteboard",)),
    ("Willow Large", "Annex", 0, 14, ("screen", "whiteboard")),
    ("Birch", "Annex", 1, 8, ("screen", "video")),
    ("Aspen", "Annex", 2, 30, ("screen", "video", "stage")),
)
CODED = "Board Room"

TOPICS = (
    "the new website", "the spring fair", "the office move", "the budget", "the customer survey", "the warehouse",
    "the training week", "the annual report", "the recycling pilot", "the price list",
)  # fmt: skip
MEETINGS = ("Planning of", "Review of", "Questions about", "Next steps for", "Handover of", "Kick-off of")
NOTES = (
    "Please read the draft before.", "Bring the figures of last month.", "We decide this time, so be there.",
    "Short, I promise.", "Agenda follows.", "As agreed last week.",
)  # fmt: skip
SERIES = (
    ("Work", "Team meeting", 0, 10, 60, "", "BYDAY=MO", "team", ""),
    ("Private", "Swimming", 2, 7, 60, "", "BYDAY=WE", "", "Pool on Elm Street"),
    ("Work", "One on one with the boss", 1, 15, 30, "", "INTERVAL=2;BYDAY=TU", "boss", "Corner office"),
    ("Work", "Call with the Berlin office", 3, 17, 30, "Europe/Berlin", "BYDAY=TH", "two", "Phone"),
    ("Private", "Choir", 3, 19, 90, "", "BYDAY=TH", "", "Parish hall"),
)
CLASHES = ((0, 10), (2, 7), (3, 19), (1, 13))
"""Weekdays and hours of invitations, of which all but the last one are in the way of a series."""

COMMENTS = (
    "Happy to.",
    "I may be ten minutes late.",
    "Can we keep it short?",
    "Only if the train is on time.",
    "Gladly.",
)
OWN_TIME = (
    ("Dentist, Dr. Kowalczyk", "Mill Street 4", 9, 45), ("Haircut", "Corner of Elm Street", 17, 45),
    ("Parents' evening", "School, room 12", 19, 90), ("Car inspection", "Garage on Dock Road", 8, 60),
    ("Concert", "City Hall", 20, 120), ("Physiotherapy", "Harbour Clinic", 16, 30),
)  # fmt: skip
TAKEN = ("Focus time", "Customer call", "Interview", "Team meeting", "Training", "Doctor", "Hiring round")
