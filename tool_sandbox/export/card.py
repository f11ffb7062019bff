"""The dataset card of an export: what the Hugging Face hub and its library ``datasets`` read about a data set."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tool_sandbox.export.tabular import SCHEMA
from tool_sandbox.helpers.printable import printable

DATA_FILE = "data/train-00000-of-00001.parquet"

_DTYPES = {pl.String: "string", pl.Int64: "int64", pl.Float64: "float64", pl.Boolean: "bool"}

_TEXT = """
# Trajectories of ToolSandbox

{conversations} conversations between a user and an agent that calls tools in a world with state, each scored.

| Agent | User | Suite | Conversations | Mean score |
|---|---|---|---|---|
{agents}

A row is a conversation:

- `messages`: what the agent saw, in the format of OpenAI's chat completions. `weight` is 1 for what the agent said and
  0 for everything else. `reward` of a message of the agent is what it added to the score; `error` is the error that a
  tool answered with.
- `rewards`: the rewards of the agent's messages in order. Their sum is the score.
- `tools`: the tools on offer as a JSON text, a list of OpenAI's function descriptions, as the agent saw them.
- `score` is from 0 to 1, `success` whether it is exactly 1, `outcome` how the conversation ended.
- Scores within a `family` are not independent: split by family, and never evaluate with a family that was trained on.
"""


def dataset_card(table: pl.DataFrame) -> str:
    """The file ``README.md`` of a data set."""
    lines = [
        "---",
        "pretty_name: ToolSandbox trajectories",
        "task_categories:",
        "- text-generation",
        "language:",
        "- en",
        "tags:",
        "- agents",
        "- function-calling",
        "- tool-use",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: train",
        "    path: data/train-*",
        "dataset_info:",
        "  features:",
        *(f"  {line}" for line in _features(SCHEMA)),
        "---",
    ]
    text = _TEXT.format(conversations=f"{table.height:,}", agents="\n".join(_agents(table)))
    return "\n".join(lines) + "\n" + text


def _features(columns: Mapping[str, Any]) -> Iterator[str]:
    for name, dtype in columns.items():
        yield f"- name: {name}"
        yield from (f"  {line}" for line in _feature(dtype))


def _feature(dtype: Any) -> Iterator[str]:
    match dtype:
        case pl.List():
            yield from _nested("list", dtype.inner)
        case pl.Struct():
            yield "struct:"
            yield from _features(dtype.to_schema())
        case _:
            yield f"dtype: {_DTYPES[dtype]}"


def _nested(kind: str, inner: Any) -> Iterator[str]:
    if isinstance(inner, pl.Struct):
        yield f"{kind}:"
        yield from _features(inner.to_schema())
    else:
        yield f"{kind}: {_DTYPES[inner]}"


def _agents(table: pl.DataFrame) -> Iterator[str]:
    names = ("agent", "user", "suite_version")
    scores: Counter[tuple[Any, ...]] = Counter()
    counts: Counter[tuple[Any, ...]] = Counter()
    for *row, score in table.select(*names, "score").iter_rows():
        who = tuple(row)
        counts[who] += 1
        scores[who] += score
    for who, count in sorted(counts.items(), key=str):
        yield _line([*map(_code, who), f"{count:,}", f"{scores[who] / count:.3f}"])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(name: str | None) -> str:
    """A name as code: nothing in it is markup."""
    told = printable(name or "-").replace("|", "¦").replace("`", "'")
    return f"`{told}`"
