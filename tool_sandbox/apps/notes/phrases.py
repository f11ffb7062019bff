"""What notes are made of."""

PROJECTS = (
    "the new website", "the spring fair", "the office move", "the budget", "the customer survey", "the warehouse",
    "the summer party", "the training week", "the annual report", "the recycling pilot",
)  # fmt: skip

AGENDA = (
    "Schedule", "Costs", "Who does what", "Open questions", "Supplier", "Feedback so far", "Risks",
    "Room and equipment", "Invitations", "First draft",
)  # fmt: skip

OUTCOMES = (
    "agreed as proposed", "postponed by two weeks", "needs a second quote", "too expensive, look for another way",
    "nobody objected", "to be decided by the end of the month", "half of it is done", "we wait for the legal team",
    "handed over to the other team", "we try it on a small scale first",
)  # fmt: skip

DISHES = (
    "lentil soup", "mushroom risotto", "lemon chicken", "potato gratin", "chickpea curry", "plum cake", "fish pie",
    "bean salad", "onion tart", "beetroot stew", "rice pudding", "spinach dumplings", "rye bread", "pepper omelette",
    "carrot cake", "noodle soup",
)  # fmt: skip

INGREDIENTS = (
    "lentils", "butter", "rice", "mushrooms", "potatoes", "cream", "flour", "onions", "spinach", "carrots", "plums",
    "sugar", "chickpeas", "leeks", "cheese", "noodles",
)  # fmt: skip

STEPS = (
    "Fry the onions until they are golden.", "Add everything else and stir.", "Let it simmer on a low flame.",
    "Season with salt, pepper and lemon.", "Bake until the top is brown.", "Leave it to rest before serving.",
    "Whisk the eggs with a little milk.", "Soak overnight, then drain.",
)  # fmt: skip

CITIES = (
    "Lisbon", "Vancouver", "Oaxaca", "Kyoto", "Bergen", "Trieste", "Quebec", "Ghent", "Valparaiso", "Savannah", "Porto",
    "Santa Fe", "Galway", "Ljubljana",
)  # fmt: skip

SEASONS = ("spring", "summer", "autumn", "winter")

OPINIONS = (
    "Better than I expected.", "I would do it again at once.", "Once is enough.", "The first half was the best part.",
    "Worth every minute.", "Not for everybody.", "A little too long.", "Recommended to the whole family.",
)  # fmt: skip

PACKING = (
    "the travel adapter", "sunscreen", "a second pair of shoes", "the vaccination card", "earplugs", "a rain jacket",
    "copies of the tickets", "the water bottle",
)  # fmt: skip

HOTELS = ("Bellevue", "Harbour Inn", "Hotel Central", "Old Mill", "Corner House")

BOOKS = (
    "Last", "Patient", "Seventh", "Borrowed", "Glass", "Northern", "Quiet", "Unfinished", "Hollow", "Second", "Paper",
    "Distant", "Crooked", "Winter",
)  # fmt: skip

BOOK_SUBJECTS = (
    "Lighthouse", "Orchard", "Clockmaker", "Viaduct", "Garden", "Cartographer", "Harbour", "Letters", "Apprentice",
    "Bridge", "Inheritance", "Ferry", "Balcony", "Season",
)  # fmt: skip

AUTHORS = (
    "H. Marsden", "Ana Teller", "P. Okonjo", "Lena Fross", "R. Ibarra", "J. Quill", "Mina Sato", "T. Abara", "C. Weir",
    "O. Lund",
)  # fmt: skip

GIFTS = (
    "a linen scarf", "a cookbook", "concert tickets", "a fountain pen", "a houseplant", "a board game", "hiking socks",
    "a photo frame", "tea from the market", "a puzzle", "a pottery class", "a reading lamp",
)  # fmt: skip

HOUSE = (
    "boiler service", "kitchen tap", "balcony door", "roof gutter", "bathroom fan", "front door lock",
    "dishwasher pump", "hallway lights", "cellar wall", "garden fence",
)  # fmt: skip

TRADES = ("The plumber", "The electrician", "The joiner", "The heating engineer", "The locksmith")

LISTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Groceries",
        ("oat milk", "eggs", "two lemons", "brown rice", "coffee beans", "dish soap", "yoghurt", "apples",
         "paper towels", "parsley"),
    ),
    (
        "Packing for the weekend",
        ("passport", "charger", "rain jacket", "toothbrush", "book for the train", "walking shoes", "snacks", "tickets",
         "medicine"),
    ),
    (
        "Before the guests come",
        ("vacuum the hall", "make the spare bed", "buy flowers", "chill the drinks", "print the directions",
         "clean the bathroom", "set the table", "ask about allergies"),
    ),
    (
        "Papers for the tax return",
        ("salary statement", "bank interest", "receipts for the desk", "train tickets to clients", "donation receipts",
         "insurance letters", "last year's assessment"),
    ),
    (
        "Spring in the garden",
        ("prune the roses", "sow lettuce", "mend the hose", "order compost", "wash the pots", "oil the gate",
         "plant the tomatoes"),
    ),
    (
        "Moving the office",
        ("label the boxes", "cancel the coffee order", "tell the post office", "hand in the keys",
         "photograph the rooms", "book the van", "move the phone numbers"),
    ),
    (
        "Bicycle",
        ("pump the tyres", "oil the chain", "tighten the brakes", "replace the rear light", "clean the frame",
         "buy a new lock"),
    ),
    (
        "Course on Tuesday evenings",
        ("pay the fee", "buy the workbook", "read chapter one", "learn the first word list", "find the room",
         "ask who shares a car"),
    ),
)  # fmt: skip

PREFERENCES = (
    "I take window seats", "I would rather take the train than fly", "I like my reminders the evening before",
    "I take aisle seats now, since my knee hurts", "I prefer restaurants without loud music", "I drink tea, not coffee",
    "I drink coffee again", "I want answers in one or two sentences", "I like Italian food best",
    "I want prices with tax included",
)  # fmt: skip

HABITS = (
    "I swim on Monday mornings", "I swim on Wednesday mornings from now on", "I call my aunt on the first of the month",
    "I work from home on Fridays", "I water the plants on Sundays", "I do the shopping on Saturday mornings",
    "I go to the choir on Thursdays",
)  # fmt: skip

INSTRUCTIONS = (
    "Never send anything to the landlord without showing it to me first",
    "Ask me before you spend more than 100 dollars", "Do not plan anything before nine in the morning",
    "Write messages to my boss formally",
    "When I say the usual place, I mean the Corner House", "When I say the team, I mean Diego, Gudrun and Imani",
    "Put everything about the flat into the notes", "You may spend up to 150 dollars without asking me",
)  # fmt: skip

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

LOGGED = (
    ("Present for {first}", "What could I give {first}? Not more than {amount} dollars.",
     "{first} mentioned a good kettle twice, and there is one for less.", "The kettle, then. {other} pays half.",
     "I'll order it, and note that {other} pays half."),
    ("Dinner on {day}", "We are four on {day}. Not too loud, please.",
     "There is a quiet place near the station. Shall I ask for the table by the window?", "Always by the window, yes.",
     "By the window it is."),
    ("Moving a call with {first}", "{first} cannot on {day}. Find another time.", "{hour}:30 suits both of you.",
     "Good, but never after seven in the evening again.", "Understood: no calls after seven."),
    ("Trip to {city}", "How do I get to {city} with {first}?", "By train it takes half a day, with one change.",
     "The train. {first} wants to sit at the aisle, I at the window.", "One seat each, as you like them."),
    ("Who repairs the boiler", "The boiler drips again. Who came last time?", "{person} knows: a firm from {city}.",
     "Ask them, and tell them to ring at the back door.", "I've asked them to ring at the back door."),
    ("Money for the excursion", "{first} owes me {amount} dollars for the excursion. Has it come?", "Not yet.",
     "Remind {first} on {day}, and be friendly.", "I'll write a friendly reminder on {day}."),
    ("Watering while we are away", "{other} waters the plants while we are in {city}.", "Shall I send a list?",
     "Only the ferns every second day. The cactus not at all.", "Ferns every second day, nothing for the cactus."),
    ("Notes for the talk", "Keep what {first} said: three slides at most, and numbers on the first.",
     "Kept. Anything about the date?", "It was moved to {day}, {hour} o'clock.", "Then it is {day} at {hour}."),
    ("Shoes for {first}", "Which size does {first} take?", "You have not told me yet.",
     "Nine and a half, but a half more with this brand. {amount} dollars is fine.", "Thank you, I know it now."),
    ("A quiet hour", "Nobody gets through on {day} mornings, apart from {first}.", "Until when?",
     "Until {hour} o'clock at the latest.", "Only {first} gets through then."),
)  # fmt: skip
"""Subjects of earlier conversations, and what was said in turn, the user first."""
