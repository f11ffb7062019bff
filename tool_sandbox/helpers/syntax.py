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
    """Parses statements; nothing is run."""
    with _lock:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """Parses an expression; nothing is run."""
    return _remembered(text) if len(text) <= _SHORT else _expression(text)


def _expression(text: str) -> ast.expr:
    with _lock:
        return ast.parse(text, mode="eval").body


_remembered = functools.lru_cache(maxsize=64)(_expression)
