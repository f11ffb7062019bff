"""What the parsers of all commands share."""

import argparse
from typing import Any, NoReturn

from tool_sandbox.common.suggestions import suggest

_UNKNOWN = "unrecognized arguments: "


class _Formatter(argparse.HelpFormatter):
    """Wraps prose to the width of the terminal, and leaves what has line breaks (tables, examples) as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one line instead of the whole usage.

    Args:
        keywords: What ``ArgumentParser`` takes.
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **keywords})

    def error(self, message: str) -> NoReturn:
        """Ends the program with a line on standard error and exit code 2.

        Args:
            message: What is wrong.

        Raises:
            SystemExit: Always.
        """
        self.exit(2, f"{self.prog}: {message}{self._close(message)} (see {self.prog} --help)\n")

    def _close(self, message: str) -> str:
        """The flag that a wrong one looks like, as a question."""
        flag = next((word for word in message.removeprefix(_UNKNOWN).split() if word.startswith("--")), None)
        if flag is None or not message.startswith(_UNKNOWN):
            return ""
        known = (name for name in self._option_string_actions if name.startswith("--"))
        return "".join(f". Did you mean: {name}?" for name in suggest(flag.partition("=")[0], known)[:1])


def positive(text: str) -> int:
    """Reads a positive whole number, as a ``type`` of an argument.

    Raises:
        ArgumentTypeError: It is none.
    """
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return number


def amount(text: str) -> float:
    """Reads an amount of US dollars, as a ``type`` of an argument.

    Raises:
        ArgumentTypeError: It is none, or not above 0.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount in US dollars")
    return number


def share(text: str) -> float:
    """Reads a number from 0 to 1, as a ``type`` of an argument.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def open_share(text: str) -> float:
    """Reads a number between 0 and 1 that is neither, as a ``type`` of an argument.

    Raises:
        ArgumentTypeError: It is none, or one that nobody means: half of it is lost beside 1.
    """
    number = share(text)
    if not 1e-9 <= number <= 1 - 1e-9:
        where = "" if number in (0, 1) else ", or too near to one of them"
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1{where}")
    return number


def port(text: str) -> int:
    """The number of a port, for ``type=``.

    Args:
        text: What was typed.

    Raises:
        ArgumentTypeError: It is none.
    """
    number = int(text) if text.isdecimal() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number up to 65535 (0 for any that is free)")
    return number
