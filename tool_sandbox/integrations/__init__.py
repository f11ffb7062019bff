"""What other programs reach the sandbox through: tools over MCP, and the processes that agents run in."""
