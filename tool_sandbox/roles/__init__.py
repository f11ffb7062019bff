"""Who speaks in a conversation: agents, users, and the environment that runs tools."""
