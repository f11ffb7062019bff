"""What the clock's content is made of, and the cities that it knows."""

ZONES = {
    "Abidjan": "Africa/Abidjan", "Accra": "Africa/Accra", "Adelaide": "Australia/Adelaide",
    "Amsterdam": "Europe/Amsterdam", "Anchorage": "America/Anchorage", "Athens": "Europe/Athens",
    "Auckland": "Pacific/Auckland", "Bangkok": "Asia/Bangkok", "Beijing": "Asia/Shanghai", "Berlin": "Europe/Berlin",
    "Bogota": "America/Bogota", "Boston": "America/New_York", "Brisbane": "Australia/Brisbane",
    "Brussels": "Europe/Brussels", "Buenos Aires": "America/Argentina/Buenos_Aires", "Cairo": "Africa/Cairo",
    "Cape Town": "Africa/Johannesburg", "Caracas": "America/Caracas", "Chicago": "America/Chicago",
    "Copenhagen": "Europe/Copenhagen", "Dallas": "America/Chicago", "Delhi": "Asia/Kolkata",
    "Denver": "America/Denver", "Dhaka": "Asia/Dhaka", "Dubai": "Asia/Dubai", "Dublin": "Europe/Dublin",
    "Halifax": "America/Halifax", "Hanoi": "Asia/Ho_Chi_Minh", "Helsinki": "Europe/Helsinki",
    "Hong Kong": "Asia/Hong_Kong", "Honolulu": "Pacific/Honolulu", "Istanbul": "Europe/Istanbul",
    "Jakarta": "Asia/Jakarta", "Johannesburg": "Africa/Johannesburg", "Karachi": "Asia/Karachi",
    "Kathmandu": "Asia/Kathmandu", "Lagos": "Africa/Lagos", "Lima": "America/Lima", "Lisbon": "Europe/Lisbon",
    "London": "Europe/London", "Los Angeles": "America/Los_Angeles", "Madrid": "Europe/Madrid",
    "Manila": "Asia/Manila", "Melbourne": "Australia/Melbourne", "Mexico City": "America/Mexico_City",
    "Miami": "America/New_York", "Montreal": "America/Toronto", "Mumbai": "Asia/Kolkata", "Nairobi": "Africa/Nairobi",
    "New York": "America/New_York", "Oslo": "Europe/Oslo", "Paris": "Europe/Paris", "Perth": "Australia/Perth",
    "Phoenix": "America/Phoenix", "Prague": "Europe/Prague", "Reykjavik": "Atlantic/Reykjavik", "Rome": "Europe/Rome",
    "San Francisco": "America/Los_Angeles", "Santiago": "America/Santiago", "Sao Paulo": "America/Sao_Paulo",
    "Seattle": "America/Los_Angeles", "Seoul": "Asia/Seoul", "Shanghai": "Asia/Shanghai",
    "Singapore": "Asia/Singapore", "St. John's": "America/St_Johns", "Stockholm": "Europe/Stockholm",
    "Sydney": "Australia/Sydney", "Taipei": "Asia/Taipei", "Tokyo": "Asia/Tokyo", "Toronto": "America/Toronto",
    "Vancouver": "America/Vancouver", "Vienna": "Europe/Vienna", "Warsaw": "Europe/Warsaw",
    "Washington": "America/New_York", "Zurich": "Europe/Zurich",
}  # fmt: skip
"""Large cities to their time zones."""

ALARMS = (
    "Wake up", "Gym", "School run", "Take the pills", "Stand-up meeting", "Feed the cat", "Leave for work",
    "Water the balcony", "Swimming", "Choir", "Put the bins out", "Call home", "Night shift", "Tea for grandma",
)  # fmt: skip

TIMERS = (
    "Eggs", "Bread dough", "Laundry", "Parking meter", "Face mask", "Nap", "Meditation", "Pasta", "Steeping tea",
    "Hair dye", "Homework break", "Dishwasher",
)  # fmt: skip

RUNS = (
    "Lap around the park", "Walk to the station", "Stairs to the office", "Cold shower", "Swim, 500 metres",
    "Cycling to the lake", "Piano scales", "Rowing machine", "Puzzle of the day", "Drive to the airport",
)  # fmt: skip
