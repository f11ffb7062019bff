"""Plays reference solutions directly, over MCP, by a command, as code and in Python; says whether all end alike.

Usage: python scripts/parity.py [--markdown FILE]
Exit code 1 if one of them differs.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.loopback.ways import WAYS, Played, sample

HEAD = """# One solution, five interfaces

An agent uses the tools of a scenario in one of five ways: by direct tool calls of a model, over MCP, over the JSON
lines protocol of commands, from code that it writes, or from a program in Python that calls them, as agents built with
an SDK do. The score must not depend on the way. The reference solutions of eighty scenarios, ten of them with
augmentations and forty in apps, were played in all five: with an MCP client over HTTP, a process that speaks JSON
lines, a model server behind `code:` whose answers run in the process for code, and a class in Python.

`python scripts/parity.py --markdown docs/parity.md` writes this page, and a test checks it. *Same world* means equal
rows in every table at the end, those of apps included and apart from the second at which something was written; *same
traces* that every tool ran with the same arguments and results in the same order.

"""
COLUMNS = ["Scenario", *WAYS, "Same world", "Same traces", "Messages"]


def compared(names: Iterable[str]) -> dict[str, dict[str, Played]]:
    """Scenario to way to how it ended."""
    return {name: {way: play(name) for way, play in WAYS.items()} for name in names}


def is_same(played: Mapping[str, Played], what: str) -> bool:
    """Whether something is the same in all ways."""
    values = [getattr(each, what) for each in played.values()]
    return all(value == values[0] for value in values)


def differing(found: Mapping[str, Mapping[str, Played]]) -> list[str]:
    """Scenarios that did not end alike, and in what."""
    fields = [field.name for field in attrs.fields(Played) if field.name != "messages"]
    return [f"{name}: {field}" for name, played in found.items() for field in fields if not is_same(played, field)]


def page(found: Mapping[str, Mapping[str, Played]]) -> str:
    """The table as Markdown."""
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for name, played in found.items():
        scores = [f"{played[way].score:.3f}" for way in WAYS]
        same = ["yes" if is_same(played, what) else "**no**" for what in ("world", "traces")]
        counts = sorted({each.messages for each in played.values()})
        rows.append([f"`{name}`", *scores, *same, " or ".join(map(str, counts))])
    total = sum(not any(problem.startswith(f"{name}:") for problem in differing(found)) for name in found)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{HEAD}{total} of {len(found)} scenarios have the same result in all ways.\n\n{lines}\n\n{TAIL}"


TAIL = """If the number of messages differs, parallel calls in one way are sequential in another.
"""


def main() -> int:
    """Prints the table, or writes it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="where to write the page")
    arguments = parser.parse_args()
    found = compared(sample())
    if arguments.markdown is not None:
        arguments.markdown.write_text(page(found), "utf-8")
    else:
        print(page(found))
    for problem in differing(found):
        print(problem, file=sys.stderr)
    return bool(differing(found))


if __name__ == "__main__":
    sys.exit(main())
