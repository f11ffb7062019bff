"""What grows here."""

THIRSTY = ("fern", "fig")
