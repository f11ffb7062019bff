"""How much a table, a text or a tool trace resembles a target: what only milestones of the published kind ask."""
