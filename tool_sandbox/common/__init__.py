"""The engine: world state, messages, evaluation and tool plumbing. No I/O beyond what is asked for."""
