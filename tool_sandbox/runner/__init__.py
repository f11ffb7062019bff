"""Plays many conversations and keeps their results: what to play, where, and what is left on the disk."""

DEFAULT_USER = "Scripted"
"""Who plays the user unless something else is asked for."""
