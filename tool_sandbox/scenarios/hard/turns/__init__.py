"""Axis 14: ten user turns and more, with changes of mind, corrections, and questions in between."""
