"""Where the commands of the documentation are run."""

import contextlib
import glob
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import mock

from tool_sandbox.cli import main

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("tool_sandbox", "scripts/tool_sandbox")


class Place:
    """A directory in which ``tool_sandbox`` is that of this checkout, whose ``docs`` are there."""

    def __init__(self, path: Path, variables: Mapping[str, str]) -> None:
        self.programs = path / "bin"
        self.directory = path / "place"
        for program in (self.programs / "tool_sandbox", self.directory / "scripts" / "tool_sandbox"):
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tool_sandbox.cli "$@"\n')
            program.chmod(0o755)
        # No link: a virtual environment is found by the path of its interpreter.
        python = self.programs / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        (self.programs / "inspect").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inspect_ai "$@"\n')
        (self.programs / "inspect").chmod(0o755)
        (self.directory / "docs").symlink_to(ROOT / "docs")
        self.environment = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
        self.environment |= {"PATH": f"{self.programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **variables}

    def run(self, command: str | Sequence[str], more: Mapping[str, str] | None = None) -> str:
        """What a command prints that has to succeed: a line of a page, or the words of a process of its own.

        Lines that call nothing but the program are played in this process, which has imported everything already.
        """
        environment = {**self.environment, **(more or {})}
        words = self._words(command) if isinstance(command, str) else None
        if words is None:
            code, output, errors = self._in_a_process(command, environment)
        else:
            code, output, errors = self._in_this_process(words, environment)
        assert code == 0, f"{command}\n{output[-2000:]}\n{errors[-2000:]}"
        return output

    def _words(self, line: str) -> list[str] | None:
        """What a shell would hand to the program, ``None`` for what only a shell can run."""
        lexer = shlex.shlex(line, posix=False, punctuation_chars=True)
        lexer.whitespace_split = True
        first, *tokens = lexer
        if first not in PROGRAMS or any("$" in token or token[0] in "();<>|&" for token in tokens):
            return None
        words: list[str] = []
        for token in tokens:
            is_quoted = token[0] in "'\""
            files = [] if is_quoted else sorted(glob.glob(token, root_dir=self.directory))  # noqa: PTH207 - as a shell
            words += files or [token[1:-1] if is_quoted else token]
        return words

    def _in_this_process(self, words: list[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        output, errors = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, environment, clear=True),
            contextlib.chdir(self.directory),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            code = main(words)
        return code, output.getvalue(), errors.getvalue()

    def _in_a_process(self, command: str | Sequence[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        words = ["sh", "-c", command] if isinstance(command, str) else command
        done = subprocess.run(
            words, cwd=self.directory, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        return done.returncode, done.stdout, done.stderr
