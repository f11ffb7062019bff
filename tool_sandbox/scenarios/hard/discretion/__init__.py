"""Telling each party only what it may know."""
