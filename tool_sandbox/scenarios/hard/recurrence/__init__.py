"""Recurrence, time zones, daylight saving and business days."""
