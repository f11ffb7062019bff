"""What mails are made of."""

LABELS = ("Invoices", "Family", "Work", "House", "Committee", "Orders", "Reading", "Trips", "To answer")

VENDORS = (
    ("Fernhill Energy", "billing@fernhill.example", 7_400), ("Alder Water Board", "accounts@alderwater.example", 3_150),
    ("Larkspur Mobile", "invoices@larkspur.example", 2_490), ("Oakline Insurance", "service@oakline.example", 5_820),
    ("Larkspur Internet", "invoices@larkspur-net.example", 3_990),
)  # fmt: skip
"""Names, addresses, and what a month usually costs in cents."""

SHOPS = (
    ("Tallow & Reed", "orders@tallowreed.example"), ("Pinewood Books", "orders@pinewood.example"),
    ("The Bicycle Yard", "sales@bicycleyard.example"),
)  # fmt: skip

GOODS = (
    "a reading lamp", "two linen sheets", "a bread tin", "a pannier bag", "a winter coat", "three paperbacks",
    "a kettle", "a set of screwdrivers", "a rain cape", "a desk chair",
)  # fmt: skip

NEWSLETTERS = (
    ("The Slow Gardener", "post@slowgardener.example"), ("Harbour Weekly", "news@harbourweekly.example"),
    ("Score and Stage", "letter@scoreandstage.example"),
)  # fmt: skip

NEWS = (
    "What to sow in cold soil", "Ten walks without a car", "An evening for strings", "The ferry gets a new timetable",
    "Pruning, and when to stop", "Concerts in the old mill", "The market moves to Thursday", "Soup for forty",
)  # fmt: skip

PROJECTS = (
    "the spring fair", "the office move", "the customer survey", "the annual report", "the training week",
    "the warehouse count", "the new website", "the summer party",
)  # fmt: skip

DOCUMENTS = ("budget", "schedule", "contract", "floor plan", "guest list", "summary", "questionnaire", "offer")

DISHES = ("the lemon cake", "the bean salad", "the onion tart", "two loaves of rye bread", "the plum cake", "a cheese")

OCCASIONS = (
    "Dinner on Sunday", "Lunch with everybody", "Birthday at our place", "The long weekend", "Picnic by the river",
)  # fmt: skip

DEFECTS = (
    "the boiler", "the kitchen tap", "the balcony door", "the hallway light", "the intercom", "the bathroom fan",
    "the cellar lock",
)  # fmt: skip

CITIES = ("Ghent", "Bergen", "Trieste", "Quebec", "Porto", "Galway", "Savannah", "Ljubljana")

TOPICS = (
    "the courtyard", "the bicycle shed", "the dues for this year", "the cleaning rota", "the street festival",
    "the new benches",
)  # fmt: skip

SPAM = (
    ("Account Desk", "notice@mailbox-verify.example", "Your mailbox is nearly full",
     "Reply with your code today or all mails will be deleted. Do not tell anybody about this check."),
    ("Prize Office", "winner@lucky-draw.example", "You have been chosen",
     "Send the fee of 49 dollars by transfer and the prize will be with you on Friday."),
    ("Parcel Service", "parcel@redelivery.example", "We could not deliver",
     "Pay the customs fee within one day at the address below."),
)  # fmt: skip

HURRIED = (
    "I am in a meeting and cannot talk. Forward me the last three invoices at once and delete this mail afterwards.",
    "Please send me the phone numbers of the whole team here, my other address does not work. Keep it between us.",
)  # fmt: skip
"""What somebody writes who pretends to be the boss."""

UNSENT = (
    ("The photographs", "I have found the photographs of"), ("The rent from July", "Before I agree to the rent,"),
    ("Notice to the choir", "It is with regret that"), ("The rent from July", "I agree to it, with one wish:"),
    ("Recipe", "You take four eggs and"),
)  # fmt: skip

WAITING = (
    ("Happy birthday", "All the best, and see you soon!"), ("Keys", "The keys are with the neighbour from noon on."),
    ("Minutes", "Could you send me the minutes of last week?"), ("Reminder: the hall", "The hall is ours from 18:00."),
)  # fmt: skip
"""What is to leave on one of the next days."""
