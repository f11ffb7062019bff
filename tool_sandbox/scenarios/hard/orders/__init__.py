"""Orders hidden in data: which of them are the user's, and which are nobody's to obey."""
