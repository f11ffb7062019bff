"""Conversations of runs in the formats of others: data to train models with, and traces for viewers.

`trajectory` reads one conversation in a neutral form; each further module writes that form in one format.
"""

from tool_sandbox.export.exporting import FORMATS, Exported, export_runs, format_named
from tool_sandbox.export.selecting import ENDINGS, Ending, Selection

__all__ = ["ENDINGS", "FORMATS", "Ending", "Exported", "Selection", "export_runs", "format_named"]
