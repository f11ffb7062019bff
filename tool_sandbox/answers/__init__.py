"""What an agent says: facts read from its answers, grounding in what it saw, and turns of a dialogue."""
