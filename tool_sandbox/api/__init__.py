"""The public Python API: what ``import tool_sandbox as ts`` offers, on top of what the command line uses."""
