"""What the rows that fill a larger world are made of.

Texts are terse on purpose: they do without articles and other words that every request contains, because a row is
left out wherever one of its words resembles a word of the task.
"""

FIRST_NAMES = (
    "Aaliyah", "Agnes", "Alonzo", "Anselm", "Astrid", "Balthazar", "Barnaby", "Bridget", "Caspian", "Cedric", "Chiyo",
    "Cordelia", "Dashiell", "Cyprian", "Dorothea", "Eamon", "Edwina", "Elspeth", "Enzo", "Ephraim", "Farouk",
    "Fergus", "Florence", "Gemma", "Giovanni", "Greta", "Hamish", "Horatio", "Ignatius", "Ines", "Jarvis", "Joaquin",
    "Jolene", "Kalinda", "Kwame", "Lucinda", "Ludwig", "Mehmet", "Mirabel", "Nadezhda", "Odette", "Otis", "Penelope",
    "Ptolemy", "Rosalind", "Santiago", "Thandiwe", "Ulysses", "Winifred", "Xanthe",
)  # fmt: skip

LAST_NAMES = (
    "Abernathy", "Acheampong", "Bellweather", "Bianchi", "Birdwhistle", "Cartwright", "Chaudhry", "Dunleavy",
    "Dragomir", "Eastlake", "Escobedo", "Farnsworth", "Fitzgibbon", "Gallagher", "Grunewald", "Hargreaves",
    "Hernandez", "Ivanenko", "Jankowski", "Jefferson", "Kaplan", "Kirkpatrick", "Lamontagne", "Ludlow", "MacAllister",
    "Matsuda", "Nakagawa", "Ogilvie", "Olawale", "Papadakis", "Quigley", "Rasmussen", "Rutherford", "Schwarzkopf",
    "Silverstein", "Takahashi", "Thibodeaux", "Vandermeer", "Wainwright", "Yamaguchi",
)  # fmt: skip

AREA_CODES = (
    "216", "253", "303", "305", "314", "402", "404", "469", "505", "513", "602", "614", "678", "704", "786", "801",
    "813", "860", "919", "971",
)  # fmt: skip
"""Area codes that nobody else in the suite has."""

RELATIONS = ("customer", "classmate", "volunteer", "supplier", "bowling team", "alumni club", None, None)

EVENTS = (
    "Archery", "Badminton", "Bake sale", "Beekeeping", "Blood drive", "Book swap", "Bowling", "Canoe trip", "Carpool",
    "Charity auction", "Chess evening", "Crossfit", "Curling", "Fencing", "Fire drill", "Flea market", "Folk dance",
    "Fundraiser", "Gymnastics", "Harvest fair", "Ice skating", "Improv show", "Jazz brunch", "Judo", "Karaoke",
    "Kayaking", "Knitting circle", "Language exchange", "Matinee", "Museum tour", "Orchestra", "Origami", "Paintball",
    "Pilates", "Poetry slam", "Pottery", "Puppet theatre", "Quiz evening", "Rowing", "Sailing", "Scouts outing",
    "Squash", "Stargazing", "Swim class", "Table tennis", "Trivia", "Volleyball", "Yoga",
)  # fmt: skip

NEWS = (
    "cancelled, coach sick", "moved indoors", "starts half past eight", "sold out", "confirmed", "went smoothly",
    "needs helpers", "postponed again", "ran late", "is fully booked", "costs twelve bucks", "begins earlier",
    "gets new venue", "was brilliant", "lasts longer", "resumes in autumn", "pictures uploaded", "fee due soon",
    "registration closed", "schedule attached",
)  # fmt: skip

REPLIES = (
    "Noted", "Understood", "Splendid", "Alright", "Pity", "Thumbs up", "Lovely", "Hurray", "Sounds fun", "Works",
    "Cheers", "Count me in", "Sure thing", "Ok", "Hm, ok", "Oh no", "Appreciated", "Excellent",
)  # fmt: skip

CHORES = (
    "Auction off", "Clean", "Donate", "Dust", "Fix up", "Inspect", "Insure", "Lend out", "Measure", "Mend",
    "Photograph", "Polish", "Repaint", "Repair", "Scrub", "Sell", "Store away", "Swap", "Tidy", "Upgrade", "Varnish",
)  # fmt: skip

THINGS = (
    "accordion", "aquarium", "armchair", "barbecue", "bassinet", "birdhouse", "bookcase", "bunk bed", "camper van",
    "canoe", "chest freezer", "coat rack", "cradle", "crossbow", "cupboard", "deck chairs", "dinghy", "dog kennel",
    "dollhouse", "drum kit", "dumbbells", "fish tank", "footstool", "globe", "gramophone", "hammock", "hen coop",
    "jukebox", "kitchen stools", "laundry basket", "lawn mower", "mirrors", "patio set", "picnic table", "pool cue",
    "porch swing", "rocking horse", "sandpit", "scooter", "sewing machine", "snowblower", "sofa", "surfboard",
    "telescope", "toolbox", "treadmill", "trellis", "typewriter", "wardrobe", "wheelbarrow", "wine rack", "xylophone",
)  # fmt: skip
