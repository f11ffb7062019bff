"""Plays many conversations and keeps their results: what to play, where, and what is left on the disk."""
