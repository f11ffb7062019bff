"""How tests ask the command line."""

from typing import NamedTuple

import attrs
import pytest

from tool_sandbox.cli import main


class Printed(NamedTuple):
    """What a command wrote."""

    out: str
    err: str


@attrs.frozen
class Shell:
    """Runs commands, given word by word."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: object, code: int = 0) -> Printed:
        """Runs a command that ends with an exit code; gives what it printed."""
        self.capsys.readouterr()
        assert main([*map(str, words)]) == code
        return Printed(*self.capsys.readouterr())

    def complaint(self, *words: object) -> str:
        """Runs a command that is a mistake; gives the one line that it is answered with."""
        printed = self(*words, code=2)
        assert printed.out == ""
        assert len(printed.err.splitlines()) == 1, printed.err
        return printed.err
