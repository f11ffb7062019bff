"""Parsing what is written like Python, from any number of threads."""

import ast
import functools
import threading

_lock = threading.RLock()
"""CPython 3.11 counts the depth of a tree once an interpreter: when a garbage collection lets another thread parse in
the middle, the first fails with ``SystemError: AST constructor recursion depth mismatch``."""

_SHORT = 4_000
"""Characters of an expression up to which it is remembered: each party reads the same calls and results again."""


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

    Returns:
        Its tree, which is shared and must not be modified.

    Raises:
        SyntaxError: It is none.
        ValueError: It has null bytes, or an integer with too many digits.
        RecursionError: It is nested too deeply.
        MemoryError: Likewise.
    """
    return _remembered(text) if len(text) <= _SHORT else _expression(text)


def _expression(text: str) -> ast.expr:
    with _lock:
        return ast.parse(text, mode="eval").body


_remembered = functools.lru_cache(maxsize=64)(_expression)
