"""What the user means by "as usual": found in history, where the last time was an exception."""
