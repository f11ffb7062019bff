"""A world that moves while the agent works: things arrive, prices move, rooms are taken, payments settle."""
