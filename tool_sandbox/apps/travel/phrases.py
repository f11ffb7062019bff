"""What content is made of: cities, lines, hotels."""

CITIES = {
    "San Francisco": ("United States", "America/Los_Angeles"),
    "Seattle": ("United States", "America/Los_Angeles"),
    "Los Angeles": ("United States", "America/Los_Angeles"),
    "Chicago": ("United States", "America/Chicago"),
    "New York": ("United States", "America/New_York"),
    "Boston": ("United States", "America/New_York"),
    "Vancouver": ("Canada", "America/Vancouver"),
    "London": ("United Kingdom", "Europe/London"),
    "Paris": ("France", "Europe/Paris"),
    "Lisbon": ("Portugal", "Europe/Lisbon"),
    "Tokyo": ("Japan", "Asia/Tokyo"),
    "Phoenix": ("United States", "America/Phoenix"),
}
"""Country and zone."""

LINES = (
    ("flight", "NW", "Northwell Air", "San Francisco", "Seattle", 130, 9_900),
    ("flight", "PK", "Pelikan Airways", "San Francisco", "Seattle", 135, 8_400),
    ("flight", "NW", "Northwell Air", "San Francisco", "Chicago", 255, 18_900),
    ("flight", "NW", "Northwell Air", "Chicago", "New York", 125, 12_400),
    ("train", "CL", "Coastline Rail", "San Francisco", "Los Angeles", 560, 6_200),
    ("flight", "PK", "Pelikan Airways", "San Francisco", "New York", 330, 31_900),
    ("flight", "PK", "Pelikan Airways", "San Francisco", "Vancouver", 145, 14_900),
    ("train", "HR", "Harbor Rail", "New York", "Boston", 235, 7_900),
    ("flight", "NW", "Northwell Air", "Chicago", "Boston", 140, 11_900),
    ("flight", "MZ", "Meridian Sky", "New York", "London", 420, 52_000),
    ("train", "EX", "Crossing Express", "London", "Paris", 140, 11_500),
    ("flight", "MZ", "Meridian Sky", "London", "Lisbon", 165, 13_900),
    ("train", "CL", "Coastline Rail", "Seattle", "Vancouver", 240, 4_800),
    ("flight", "NW", "Northwell Air", "Los Angeles", "Phoenix", 85, 7_400),
    ("flight", "MZ", "Meridian Sky", "San Francisco", "Tokyo", 660, 78_000),
    ("flight", "PK", "Pelikan Airways", "Seattle", "Chicago", 245, 17_400),
    ("flight", "MZ", "Meridian Sky", "San Francisco", "London", 630, 69_000),
)
"""Kind, letters of the number, carrier, cities, minutes, and lowest price in cents; each goes both ways."""

HOTELS = (
    ("Hotel Bellevue", "Seattle"), ("Harbour Inn", "Seattle"), ("Bellevue Garden Hotel", "Seattle"),
    ("Hotel Central", "New York"), ("Corner House", "Chicago"), ("Lakeside Rooms", "Chicago"),
    ("The Old Mill", "Boston"), ("Hotel Central Station", "New York"), ("Maple Court", "Vancouver"),
    ("Harbour View", "Vancouver"), ("Cactus Lodge", "Phoenix"), ("The Pier", "Los Angeles"),
    ("Canal House", "London"), ("Garden Square", "London"), ("Maison Verte", "Paris"), ("Casa do Largo", "Lisbon"),
    ("Miradouro", "Lisbon"), ("Lantern Hotel", "Tokyo"), ("Riverside Stay", "Tokyo"), ("Sunset Rooms", "Los Angeles"),
)  # fmt: skip

CURRENCIES = {"Canada": "CAD", "United Kingdom": "GBP", "France": "EUR", "Portugal": "EUR", "Japan": "JPY"}

AMENITIES = ("pool", "parking", "gym", "desk", "restaurant", "laundry", "pets allowed")

ROOMS = (
    ("single room", 1, 0),
    ("double room", 2, 3_500),
    ("double room with a view", 2, 6_000),
    ("family room", 4, 9_500),
)
"""Name, people, and what it costs more than a single room."""
