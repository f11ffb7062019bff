"""What the shop sells."""

from tool_sandbox.apps.shop.tables import Department

LINES_OF_GOODS = ("Tarn", "Fjord", "Bramble", "Harrow", "Solis", "Juno", "Pico", "Wren")
"""Invented makers, of which each makes many of the goods below; so that names are alike."""

CLOTHES_SIZES = ("S", "M", "L", "XL")
COLOURS = ("blue", "green", "grey", "red", "black", "cream")

GOODS: tuple[tuple[str, Department, str, tuple[str, ...], int, int, int], ...] = (
    ("coffee beans", "pantry", "Medium roast, whole beans.", ("250 g", "500 g", "1 kg"), 690, 1_290, 0),
    ("rain jacket", "clothing", "Waterproof, with a hood that can be taken off.", CLOTHES_SIZES, 6_900, 14_900, 30),
    ("kettle", "kitchen", "Steel, switches off by itself.", ("1.0 l", "1.5 l", "1.7 l"), 2_900, 6_900, 30),
    ("desk lamp", "electronics", "Dimmable, warm white.", COLOURS[2:5], 2_400, 7_900, 30),
    ("wool socks", "clothing", "Pack of three pairs.", ("36-38", "39-42", "43-46"), 1_190, 2_490, 14),
    ("puzzle", "toys", "Map of the world with little pictures.", ("500 pieces", "1000 pieces"), 1_490, 2_890, 30),
    ("garden hose", "garden", "With nozzle and tap connector.", ("15 m", "25 m", "50 m"), 2_190, 5_900, 30),
    ("green tea", "pantry", "Loose leaves.", ("100 g", "250 g"), 590, 1_690, 0),
    ("headphones", "electronics", "Over the ears, 30 hours of battery.", COLOURS[3:], 5_900, 17_900, 14),
    ("frying pan", "kitchen", "Cast iron, for all stoves.", ("24 cm", "28 cm"), 3_200, 7_400, 30),
    ("hiking shoes", "clothing", "Ankle high, with a firm sole.", ("38", "40", "42", "44"), 8_900, 18_900, 30),
    ("board game", "toys", "Two to five players, about an hour.", ("English", "travel size"), 1_990, 4_990, 14),
    ("olive oil", "pantry", "First cold pressing.", ("500 ml", "1 l", "3 l"), 890, 1_890, 0),
    ("pruning shears", "garden", "For branches up to 20 mm.", ("left-handed", "right-handed"), 1_690, 4_290, 30),
    ("backpack", "clothing", "With room for a laptop.", COLOURS[:4], 4_900, 11_900, 30),
    ("phone charger", "electronics", "USB-C, folds flat.", ("20 W", "45 W", "65 W"), 1_490, 3_990, 14),
    ("bath towel", "kitchen", "Organic cotton.", COLOURS[:3], 1_290, 3_490, 30),
    ("plant pot", "garden", "Glazed, with a saucer.", ("12 cm", "18 cm", "24 cm"), 790, 2_290, 30),
    ("swimming goggles", "clothing", "Clear lenses; cannot be returned.", ("adult", "child"), 1_190, 2_990, 0),
    ("bluetooth speaker", "electronics", "Splash-proof.", COLOURS[:2], 3_900, 9_900, 14),
    ("bread knife", "kitchen", "Serrated, 22 cm.", ("wood", "black"), 1_990, 5_400, 30),
    ("wooden train", "toys", "Engine and four wagons.", ("natural", "painted"), 2_290, 4_690, 30),
    ("bird feeder", "garden", "Hangs or stands.", ("small", "large"), 1_590, 3_790, 30),
    ("yoga mat", "clothing", "6 mm, does not slip.", COLOURS[:4], 1_990, 5_200, 14),
)
"""Name, department, description, options from the cheapest on, lowest and highest price, days for returning."""

STREETS = ("Alder Street", "Mill Lane", "Harbour Road", "Garden Terrace", "Station Square")
CITIES = (("94110", "San Francisco"), ("94607", "Oakland"), ("94301", "Palo Alto"))

COUPONS: tuple[tuple[str, str, int, int, Department | None, bool, int, int, int], ...] = (
    ("WELCOME5", "amount", 500, 2_000, None, False, 100, -2_000, 60),
    ("SPRING15", "percent", 15, 6_000, None, True, 1, -20, 5),
    ("KITCHEN20", "percent", 20, 4_000, "kitchen", False, 1, -3, 12),
    ("FREESHIP", "free shipping", 0, 1_500, None, False, 2, -40, 20),
    ("WINTER10", "percent", 10, 3_000, None, False, 1, -150, -60),
    ("SUMMER25", "percent", 25, 8_000, "garden", False, 1, 9, 60),
    ("TOYS7", "amount", 700, 3_500, "toys", True, 1, -10, 2),
)
"""Code, kind, value, minimum, department, only at full price, uses, and the days in which it is valid."""
