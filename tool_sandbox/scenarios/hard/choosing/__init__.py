"""Axis 12: the right one of many tools, and the right one of many rows that look alike."""
