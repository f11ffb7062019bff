"""Reads runs and says what they mean."""
