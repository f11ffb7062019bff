"""The public face in Python: what ``import tool_sandbox as ts`` offers, over what the command line uses, too."""
