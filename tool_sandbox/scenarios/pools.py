"""What the draws of a world choose from. The first entry of each pool belongs to the canonical instance."""

import math
from typing import NamedTuple


class Device(NamedTuple):
    """Where the phone is: coordinates in degrees, IANA time zone, street and city of the address there."""

    latitude: float
    longitude: float
    zone: str
    street: str
    city: str


class Thread(NamedTuple):
    """A conversation with an unsaved number: what it is about, their message, the owner's reply."""

    topic: str
    question: str
    reply: str


class Place(NamedTuple):
    """A landmark that the place search knows: coordinates in degrees, town, public number if it has one."""

    name: str
    latitude: float
    longitude: float
    town: str
    phone_number: str = ""

    def kilometres_from(self, position: tuple[float, float]) -> float:
        """Great-circle distance (haversine formula) from a latitude and longitude in degrees.

        The earth is taken as a sphere of its mean radius, which is right to within 0.6 %.
        """
        here, there = math.radians(position[0]), math.radians(self.latitude)
        half_turn = math.radians(self.longitude - position[1]) / 2
        chord = math.sin((there - here) / 2) ** 2 + math.cos(here) * math.cos(there) * math.sin(half_turn) ** 2
        return 2 * 6371.0088 * math.asin(math.sqrt(chord))


class Branch(NamedTuple):
    """One shop of a chain: street and city that tell it from the others, coordinates in degrees."""

    chain: str
    street: str
    city: str
    latitude: float
    longitude: float

    @property
    def which(self) -> str:
        """What tells this shop from the others."""
        return f"on {self.street} in {self.city}"


DEVICES = (
    Device(37.334606, -122.009102, "America/Los_Angeles", "One Apple Park Way", "Cupertino"),
    Device(40.7484, -73.9857, "America/New_York", "20 W 34th St", "New York"),
    Device(41.8895, -87.6244, "America/Chicago", "401 N Michigan Ave", "Chicago"),
    Device(47.6101, -122.3425, "America/Los_Angeles", "1912 Pike Pl", "Seattle"),
)

# First and last names are far apart in spelling, so that a fuzzy search for one person finds no other.
FIRST_NAMES = (
    "Nora", "Priya", "Marcus", "Yuki", "Claire", "Diego", "Gudrun", "Omar", "Beth", "Felix", "Imani",
    "Tobias", "Leila", "Viktor", "Wanda", "Zachary", "Hazel", "Quentin", "Rupert", "Akiko", "Ophelia", "Dmitri",
    "Geoffrey", "Bartholomew", "Noemi", "Ingrid", "Lucius", "Boris", "Keziah", "Ulrich", "Tamsin", "Alistair",
    "Winston", "Sunil",
)  # fmt: skip
LAST_NAMES = (
    "Lindqvist", "Ramanathan", "Castellano", "Fujimoto", "Whitfield", "Okafor", "Brennan", "Haddad", "Novak",
    "Delacroix", "Mbeki", "Sorensen", "Kowalczyk", "Pereira", "Underhill", "Zhukov", "Vasquez", "Yamamoto",
    "Grzywacz", "Quiroga", "Fennimore", "Janssen", "Chukwu", "Applegate", "Blackwood", "Tremaine", "Papadopoulos",
    "Esposito", "Nguyen", "Huxtable", "Villanueva", "Goldberg", "Adeyemi", "Szabo",
)  # fmt: skip

AREA_CODES = ("408", "415", "650", "510", "212", "312", "206", "503", "617", "720")

STRANGER_THREADS = (
    Thread("the road bike", "Hi, is the road bike still for sale?", "Sorry, it went last weekend."),
    Thread(
        "the lost umbrella", "Hello, I think you left your umbrella in my taxi.", "Thank you! I will come by for it."
    ),
    Thread(
        "the piano lessons", "Good morning, do you still give piano lessons on Mondays?", "Yes, there is one free hour."
    ),
    Thread("the parking space", "Hey, may I rent your parking space during June?", "Let me think about that."),
    Thread("the camera lens", "Is the camera lens from your advert still available?", "It is, come and try it."),
)

BOSS_THREADS = (
    (
        "Could you send me the slides before lunch?",
        "Sure, they are almost finished.",
        "Thanks, and please add the budget page.",
    ),
    (
        "Are you joining the client call today?",
        "Yes, I have it on my calendar.",
        "Great, bring the signed contract along.",
    ),
    (
        "The printer on our floor is broken again.",
        "I will ask the technician.",
        "He said he can come around four.",
    ),
    (
        "Can we move our weekly talk to the afternoon?",
        "That suits me well.",
        "Perfect, see you in the small meeting room.",
    ),
)

PARTNER_TEXTS = (
    "Shall I cook the lentil soup tonight?",
    "Could you fetch the spare bicycle pump?",
    "What time does the concert begin?",
    "Is there still oat milk in the fridge?",
)

OPEN_BOSS_QUESTIONS = (
    "Who looks after the visitors on Friday?",
    "Which supplier did you choose in the end?",
    "Did the auditors confirm the date?",
)

# Short, and without a word in common, so that a search for one of them ranks it clearly first.
ERRANDS = (
    "Return the library books",
    "Call the pharmacy",
    "Pick up the dry cleaning",
    "Water the tomato plants",
    "Renew my passport",
    "Book a dentist appointment",
    "Pay the electricity bill",
    "Charge the drill battery",
    "Print boarding passes",
    "Defrost the freezer",
)

NEW_ERRANDS = (
    "Buy chocolate milk",
    "Feed Bettina's cat",
    "Sharpen the kitchen knives",
    "Sign the lease",
    "Wrap Jonas's present",
    "Empty the gutters",
)

SHORT_TEXTS = (
    "How is the new album coming along?",
    "I will be ten minutes late.",
    "Dinner at our place on Sunday?",
    "Please water my plants while I am away.",
    "The train is on platform nine.",
)

QUESTIONS = (
    "Is the garden party still on if it rains?",
    "Did the parcel for me arrive?",
    "Which size do your kids wear?",
    "Can I borrow the big ladder on Saturday?",
)

PLACES = (
    Place("Golden Gate Bridge", 37.8199, -122.4786, "San Francisco", "+14159215858"),
    Place("Grand Canyon", 36.23686, -112.19147, "Grand Canyon Village"),
    Place("Yosemite National Park", 37.8651, -119.5383, "Yosemite Valley", "+12093720200"),
    Place("Hoover Dam", 36.0161, -114.7377, "Boulder City"),
    Place("Space Needle", 47.6205, -122.3493, "Seattle", "+12069052100"),
    Place("Griffith Observatory", 34.1184, -118.3004, "Los Angeles", "+12134730800"),
    Place("Monterey Bay Aquarium", 36.6182, -121.9019, "Monterey", "+18316484800"),
)

LISTED_PLACES = (
    Place("Apple Park", 37.3346438, -122.008972, "Cupertino", "+14089961010"),
    *(place for place in PLACES if place.phone_number),
)
"""Places with a public phone number."""

PURCHASES = ("Buy oat milk", "Pick up dishwasher tablets", "Get two bags of ice", "Buy paper cups")

BRANCHES = (
    Branch("Trader Joe's", "Showers Dr", "Mountain View", 37.4024, -122.1103),
    Branch("Whole Foods Market", "Stevens Creek Blvd", "Cupertino", 37.323498, -122.039665),
    Branch("Safeway", "Homestead Rd", "Cupertino", 37.3370, -122.0353),
    Branch("Target", "Mission St", "San Francisco", 37.7842, -122.4040),
    Branch("Whole Foods Market", "Emerson St", "Palo Alto", 37.4430, -122.1608),
)
"""Shops of which the place search knows several, so that the street tells which one."""

COMPANIES = (("Apple", "AAPL"), ("Microsoft", "MSFT"), ("Netflix", "NFLX"), ("Intel", "INTC"), ("Starbucks", "SBUX"))

HOLIDAYS = (("Christmas Day", 12, 25), ("Independence Day", 7, 4), ("New Year's Day", 1, 1), ("Veterans Day", 11, 11))
"""Name, month and day."""
