"""Python literals as text, and back, without executing anything."""

import ast
import math
from typing import Any

from tool_sandbox.helpers.syntax import parse_expression


def to_literal(value: Any) -> str:
    """The text of a plain value, such that `from_literal` gives an equal one.

    This is ``repr``, except that numbers that are not finite, which have no literal, are written
    as ``float('nan')`` and the like.
    """
    text = repr(value)
    if "nan" not in text and "inf" not in text:
        return text
    return _finite_only(value)


def _finite_only(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, list):
        return f"[{', '.join(map(_finite_only, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_finite_only(key)}: {_finite_only(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and type(value) is tuple:
        items = ", ".join(map(_finite_only, value))
        return f"({items},)" if len(value) == 1 else f"({items})"
    return repr(value)


def from_literal(text: str) -> Any:
    """Reads a literal."""
    try:
        node = parse_expression(text.strip(" \t"))
        return evaluate_literal(node)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a Python literal: {error}") from error


def evaluate_literal(node: ast.expr) -> Any:
    """Value of a syntax tree that is a literal; nothing is called."""
    try:
        return ast.literal_eval(node)
    except TypeError as error:
        raise ValueError(str(error)) from error
    except ValueError:
        return _evaluate_calls_of_float(node)


def _evaluate_calls_of_float(node: ast.expr) -> Any:
    match node:
        case ast.List(elts=items):
            return [evaluate_literal(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(evaluate_literal(item) for item in items)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            try:
                return {evaluate_literal(key): evaluate_literal(value) for key, value in pairs if key is not None}
            except TypeError as error:
                raise ValueError(str(error)) from error
        case ast.Call(
            func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as number)], keywords=[]
        ):
            return float(number)
    raise ValueError(f"not a Python literal: {type(node).__name__}")
