"""What the content of the wallet is made of."""

from tool_sandbox.apps.wallet.tables import Category

EMPLOYER = "Ostrander Works"
ONLINE_SHOP = "Kestrel Row Online"
"""Card payments to it are what orders of the shop app are paid with."""

MERCHANTS: tuple[tuple[str, Category, tuple[str, ...], int, int, float], ...] = (
    ("Greenway Market", "groceries", ("weekly shop", "weekly shop", "fruit and milk"), 1_800, 9_600, 0.22),
    ("Greenway Market Cafe", "eating out", ("coffee", "lunch"), 450, 1_900, 0.06),
    ("Corner Grocer", "groceries", ("bread and eggs", "for the guests"), 500, 3_900, 0.14),
    ("Trattoria Fiorella", "eating out", ("dinner", "lunch"), 2_200, 7_800, 0.07),
    ("Noodle Bar Hoshi", "eating out", ("dinner", "takeaway"), 1_200, 5_400, 0.10),
    ("Metro Transit", "transport", ("day ticket", "ten rides"), 600, 3_200, 0.09),
    ("Willow Pharmacy", "health", ("prescription", "cold medicine"), 700, 4_800, 0.05),
    ("Lantern Cinema", "leisure", ("two tickets", "film and snacks"), 1_500, 4_200, 0.05),
    ("Paper Fox Bookshop", "gifts", ("book for a birthday", "gift wrap and cards"), 900, 5_600, 0.04),
    ("Trattoria Fiorella", "eating out", ("dinner, table of four",), 9_600, 21_000, 0.04),
    (ONLINE_SHOP, "shopping", ("online order",), 1_500, 18_000, 0.08),
)
"""Name, category, descriptions, smallest and largest amount, and how probable a payment on a day is."""

BILLS: tuple[tuple[str, Category, str, int, int, int], ...] = (
    ("Bay Power and Water", "utilities", "electricity and water", 8, 6_100, 11_900),
    ("Larkline Mobile", "utilities", "phone contract", 12, 3_500, 3_500),
    ("Moonlight Video", "leisure", "subscription", 19, 1_199, 1_199),
    ("Moonlight Music", "leisure", "subscription", 19, 999, 999),
    ("Cedar Insurance", "other", "household insurance", 22, 2_480, 2_480),
)
"""Name, category, description, day of the month, smallest and largest amount."""

COMPANIES = ("Riverside Gym", "Chamber Choir Northside", "T. Sorensen Joinery", "Hill Street Language School")

REASONS: tuple[tuple[str, Category, int, int], ...] = (
    ("my half of dinner", "eating out", 1_800, 5_200),
    ("concert tickets", "leisure", 3_000, 12_000),
    ("share of the birthday present", "gifts", 1_500, 4_000),
    ("petrol for the weekend", "travel", 2_000, 6_000),
    ("lunch on Friday", "eating out", 1_100, 2_600),
    ("furniture, my half", "shopping", 15_000, 32_000),
    ("repair of the shelf", "housing", 8_000, 24_000),
)

ABROAD: tuple[tuple[str, Category, str, int, int], ...] = (
    ("Pension Abendrot", "travel", "two nights", 14_000, 22_000),
    ("Osteria del Ponte", "eating out", "dinner", 2_400, 7_800),
    ("Rail Nord", "travel", "train tickets", 1_900, 9_400),
    ("Museo Civico", "leisure", "entrance", 800, 2_600),
)
