"""Numbers of things in words."""

import ast
import re
from pathlib import Path

import pytest

import tool_sandbox
from tool_sandbox.helpers.counting import counted

NOUNS = "scenario|conversation|finding|trial|famil(?:y|ie)|turn"
PLAIN = re.compile(rf"\{{(?!counted\()[^{{}}]*\}} (?:{NOUNS})s\b")


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [(1, "scenario", "1 scenario"), (0, "scenario", "0 scenarios"), (1200, "family", "1,200 families")],
)
def test_one_or_several(number: int, noun: str, told: str) -> None:
    assert counted(number, noun) == told


def test_the_command_line_counts_in_words() -> None:
    """No text of a command puts a number before a plural by itself, where the number can be 1."""
    found = [
        f"{path.name}: {ast.unparse(node)}"
        for path in (Path(tool_sandbox.__file__).parent / "cli").glob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.JoinedStr) and PLAIN.search(ast.unparse(node))
    ]
    assert found == []
