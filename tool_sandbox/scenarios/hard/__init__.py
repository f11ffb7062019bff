"""The hard tier: a package for each axis of difficulty, with one family of scenarios a module."""
