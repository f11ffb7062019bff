"""ToolSandbox: a stateful, conversational, interactive benchmark for tool-using language models."""

__version__ = "0.1.0"

__all__ = ["__version__"]
