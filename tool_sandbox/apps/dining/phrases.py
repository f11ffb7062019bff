"""What content is made of: restaurants, notes."""

NAMES = (
    ("Trattoria Lina", "Italian"), ("The Olive Press", "Mediterranean"), ("Saffron Court", "Indian"),
    ("Trattoria Linda", "Italian"), ("Bamboo Lantern", "Chinese"), ("Corner Oyster", "Seafood"),
    ("Casa Marisol", "Mexican"), ("Kitsune Table", "Japanese"), ("Olive Press Bar", "Mediterranean"),
    ("Chez Colette", "French"), ("Green Fork", "Vegetarian"), ("Harbor Grill", "American"),
    ("Little Hanoi", "Vietnamese"), ("Old Mill Tavern", "American"), ("Meze House", "Turkish"),
    ("Saffron Garden", "Persian"),
)  # fmt: skip

NEIGHBOURHOODS = ("Mission", "North Beach", "Hayes Valley", "Sunset", "Richmond", "Castro")

FEATURES = ("terrace", "quiet", "wheelchair access", "parking", "children's menu", "live music", "open kitchen")

DIETS = ("vegetarian", "vegan", "gluten-free", "no nuts", "halal", "lactose-free")

WISHES = ("a quiet corner, please", "the table at the window", "a high chair", "we bring a birthday cake", None, None)

NOTES = (
    ("The lemon tart was the best part.", 5), ("Too loud to talk.", 2), ("Ask for the window next time.", 4),
    ("Slow, but friendly.", 3), ("The bill was wrong, they corrected it.", 2), ("Everybody liked it.", 5),
    ("Portions are small.", 3), (None, 4), (None, 3), (None, 4),
)  # fmt: skip
"""What is noted of a visit, and the rating that goes with it."""

REMARKS = ("eats early", "does not drink alcohol", "hates coriander", None, None)

REASONS = ("private party", "renovation", "inventory", "staff outing")
