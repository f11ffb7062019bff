"""Agents with a loop of their own: other programs, SDKs, and plain Python."""
