"""The world that tools act on: databases and their history, time, settings, and what tools are declared with."""
