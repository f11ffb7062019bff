"""Parsing what is written like Python, from any number of threads."""

import ast
import threading

_lock = threading.RLock()
"""CPython 3.11 counts the depth of a tree once an interpreter: when a garbage collection lets another thread parse in
the middle, the first fails with ``SystemError: AST constructor recursion depth mismatch``."""


def parse_module(text: str) -> ast.Module:
    """Parses statements; nothing is run.

    Args:
        text: Source.

    Raises:
        SyntaxError: It is none.
        ValueError: It has null bytes, or an integer with too many digits.
        RecursionError: It is nested too deeply.
        MemoryError: Likewise.
    """
    with _lock:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """Parses an expression; nothing is run.

    Args:
        text: Source.

    Raises:
        SyntaxError: It is none.
        ValueError: It has null bytes, or an integer with too many digits.
        RecursionError: It is nested too deeply.
        MemoryError: Likewise.
    """
    with _lock:
        return ast.parse(text, mode="eval").body
