"""What files are made of."""

COSTS = (
    "Venue", "Printing", "Catering", "Equipment", "Travel", "Insurance", "Software", "Postage", "Outside help",
    "Decoration", "Photographer", "Reserve",
)  # fmt: skip

ROLES = ("budget", "suppliers", "schedule", "texts and pictures", "invitations", "technology", "safety")

PAPERS = ("Salary statement", "Bank interest", "Health insurance letter", "Tax assessment")

DISCARDED = ("Shopping", "Letter to the insurance (old)", "Guest list 2", "Old address list")

SHARED = (
    (
        "boss",
        "Team handbook",
        "editor",
        (
            ("Welcome", "Read this in your first week. Questions go to your team lead, not to the whole list."),
            ("How we file", "Minutes are named by date. Drafts get (draft) at the end. Budgets exist once a project."),
        ),
    ),
    (
        "landlord",
        "Flat papers",
        "viewer",
        (
            ("House rules", "Quiet from 22:00 to 07:00. Bicycles go into the yard, never into the hall."),
            ("Meter readings", "Read the meters on the last day of each month and send me the numbers."),
            ("Heating", "The boiler is serviced every October. Report faults on the day that you notice them."),
        ),
    ),
    (
        "sister",
        "Family party",
        "manager",
        (
            ("Guests", "Twenty-four so far. Aunt Wanda comes with a friend. Two do not eat meat, one no nuts."),
            ("Who brings what", "Salads: me. Cake: Felix. Drinks: you. Music: nobody yet."),
        ),
    ),
)
"""Relationship of the owner, name of the folder, role of the user, and documents from the oldest to the newest."""

POLICIES = (
    ("Travel policy", "Hotels up to 120.00 USD a night. First class is never paid.",
     "Hotels up to 145.00 USD a night. First class is paid on trains over four hours. It replaces all earlier rules."),
    ("Expense policy", "Receipts within 60 days. Over 200.00 USD ask before you buy.",
     "Receipts within 30 days. Over 150.00 USD ask before you buy. This replaces all earlier rules."),
)  # fmt: skip
"""Name of a rule book, what it said last year, and what it says now."""
