"""JSON Schemas of the files of a run."""

import json
from importlib import resources
from typing import Any

SCHEMAS = (
    *("conversation", "evaluation", "execution_context", "floor", "model_calls", "result", "result_summary"),
    *("run", "sweep"),
)
"""Files that have a schema, without ``.json``."""


def load_schema(name: str) -> dict[str, Any]:
    """Reads the JSON Schema (draft 2020-12) of one of the files in a run directory.

    Args:
        name: One of ``SCHEMAS``.

    Returns:
        The schema.

    Raises:
        ValueError: There is no schema of this name.
    """
    if name not in SCHEMAS:
        raise ValueError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}")
    file = resources.files("tool_sandbox.runner") / "schemas" / f"{name}.schema.json"
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema
