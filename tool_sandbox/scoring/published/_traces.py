"""Tool traces: reading the JSON texts, and comparing a recorded call with a golden one."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.world.utils import is_close

Trace = dict[str, Any]


@functools.lru_cache(maxsize=2048)
def parse_trace(text: str) -> Trace | None:
    """Reads a recorded trace."""
    try:
        trace = json.loads(text)
    except ValueError:
        return None
    return trace if isinstance(trace, dict) else None


def parse_golden(value: Any) -> list[Trace]:
    """Reads the golden traces of a target."""
    try:
        golden = json.loads(value)
    except (TypeError, ValueError):
        raise ValueError(f"a golden tool trace must be a JSON text, got {value!r}") from None
    alternatives = golden if isinstance(golden, list) else [golden]
    for trace in alternatives:
        if not isinstance(trace, dict) or "tool_name" not in trace or not isinstance(trace.get("arguments"), dict):
            raise ValueError(f"a golden tool trace needs 'tool_name' and an object 'arguments', got {trace!r}")
    return alternatives


def traces_match(
    recorded: Sequence[str] | None, golden: Sequence[Trace], atol_dict: Mapping[str, float] | None
) -> bool:
    """Whether any recorded call is any of the golden ones.

    A call matches when the tool is the same and every argument of the golden trace was passed with a close
    value. Other arguments, and all results, are ignored.
    """
    if not recorded:
        return False
    atol = atol_dict or {}
    for text in recorded:
        trace = parse_trace(text)
        if trace is None or not isinstance(arguments := trace.get("arguments"), dict):
            continue
        for wanted in golden:
            if wanted["tool_name"] == trace.get("tool_name") and all(
                name in arguments and is_close(value=arguments[name], reference=value, atol=atol.get(name))
                for name, value in wanted["arguments"].items()
            ):
                return True
    return False
