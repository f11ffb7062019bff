"""A conversation: its world with tools on offer, its messages, and the console that runs its tool calls."""
