"""Axis 11: guiding the user through steps that only the user can take, and noticing the wrong ones."""
