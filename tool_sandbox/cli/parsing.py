"""What the parsers of all commands share."""

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with a line on standard error and exit code 2.

        Args:
            message: What is wrong.

        Raises:
            SystemExit: Always.
        """
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


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
