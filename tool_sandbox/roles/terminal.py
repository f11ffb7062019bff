"""A plain terminal for people: coloured where there is one to colour, plain text elsewhere."""

import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

# Everything below a space but line breaks and tabs, and the C1 controls: texts of a model could
# otherwise move the cursor, change the title or hide what they say.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Terminal:
    """Prints to one stream and reads lines from another."""

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        """Opens nothing; streams are those of the process at the time of use."""
        self._source = source
        self._target = target
        self._rich: Console | None = None

    def show(self, text: str, style: str = "") -> None:
        """Prints lines of text as they are; nothing in them is markup."""
        text = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
        target = self._target or sys.stdout
        if not target.isatty():
            print(text, file=target, flush=True)
            return
        from rich.console import Console
        from rich.text import Text

        if self._rich is None or self._rich.file is not target:
            self._rich = Console(file=target, highlight=False)
        self._rich.print(Text(text, style=style))

    def ask(self, prompt: str) -> str:
        """Reads one line."""
        source, target = self._source or sys.stdin, self._target or sys.stdout
        try:
            if self._source is None and self._target is None:
                # With the line editing of the platform, where there is one.
                line = input(prompt)
            else:
                print(prompt, end="", file=target, flush=True)
                line = source.readline()
                if not line:
                    raise EOFError
        except EOFError:
            print(file=target, flush=True)
            raise
        if not source.isatty():
            # What was read does not appear by itself.
            print(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", line.rstrip("\n")), file=target, flush=True)
        return line.strip()
