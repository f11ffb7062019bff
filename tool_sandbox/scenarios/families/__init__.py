"""The base scenarios, one family a module. A scenario is found by being in one of these modules."""
