"""Partly impossible: what can be done is done, and what was not is told with its reason."""
