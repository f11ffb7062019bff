"""How well the readers read: precision, recall and the share of "unclear" on sentences nobody looked at.

    python scripts/readers.py            prints the table
    python scripts/readers.py --markdown writes it into docs/suite.md

The corpus lies in tests/data/statements, one row a line: the fact, what the sentence says about it, the sentence, and
under "misread" what readers are known to make of it. A quarter of the rows (by a hash of the sentence), and all of
fresh.jsonl, is held out: it is measured here and never looked at while readers are changed.
"""

import argparse
import ast
import datetime
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.answers import facts
from tool_sandbox.answers.facts import Fact

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "data" / "statements"
PAGE = ROOT / "docs" / "suite.md"
BEGIN, END = "<!-- readers: begin -->", "<!-- readers: end -->"
NOT_STATED = "not stated"


@attrs.frozen
class Row:
    """A sentence with its label.

    Attributes:
        fact: What is read for.
        reading: What the sentence says of it; "not stated" where it may deny it or be silent.
        text: The sentence.
        misread: What readers are known to make of it.
        held_out: Whether it is for measuring alone.
        fresh: Whether it never was for anything else.
    """

    fact: Fact
    reading: str
    text: str
    misread: str | None
    held_out: bool
    fresh: bool

    @property
    def kind(self) -> str:
        return type(self.fact).__name__

    def read(self) -> str:
        return self.fact.read(self.text).value.lower()

    def agrees(self, reading: str) -> bool:
        return reading != "stated" if self.reading == NOT_STATED else reading == self.reading


def fact_of(source: str) -> Fact:
    """A fact from the text of its constructor, without running anything else."""
    fact: Fact = _value(ast.parse(source, mode="eval").body)
    return fact


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(map(_value, node.elts))
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    owner, name = (facts, node.func.id) if isinstance(node.func, ast.Name) else (datetime, node.func.attr)  # type: ignore[attr-defined]
    return getattr(owner, name)(*map(_value, node.args), **{each.arg: _value(each.value) for each in node.keywords})


def rows() -> Iterator[Row]:
    """The corpus, file by file."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            fresh = path.stem == "fresh"
            held_out = fresh or hashlib.sha256(row["text"].encode()).digest()[0] % 4 == 0
            yield Row(fact_of(row["fact"]), row["reading"], row["text"], row.get("misread"), held_out, fresh)


def table() -> str:
    """What readers make of the part that is held out, by kind of fact."""
    lines = [
        "| Fact | Sentences | Precision | Recall | Contradictions seen | Unclear |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    read = [(row, row.read()) for row in rows() if row.held_out]
    kinds = sorted({row.kind for row, _ in read})
    parts = {kind: [pair for pair in read if pair[0].kind == kind] for kind in kinds}
    parts |= {"all": read, "all that are fresh": [pair for pair in read if pair[0].fresh]}
    for kind, of_kind in parts.items():
        found = [row.reading == "stated" for row, reading in of_kind if reading == "stated"]
        told = [reading == "stated" for row, reading in of_kind if row.reading == "stated"]
        denied = [reading == "contradicted" for row, reading in of_kind if row.reading == "contradicted"]
        unclear = [reading == "unclear" for _, reading in of_kind]
        cells = [_share(each) for each in (found, told, denied, unclear)]
        lines.append(f"| {kind} | {len(of_kind)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _share(hits: list[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f} % of {len(hits)}" if hits else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/suite.md")
    if not parser.parse_args().markdown:
        print(table())
        return
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
