"""A rule book, and a user who presses against it."""
