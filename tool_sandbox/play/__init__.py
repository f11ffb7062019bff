"""Playing a scenario, and the record of what was played."""
