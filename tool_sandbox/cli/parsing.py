"""What the parsers of all commands share."""

import argparse
import itertools
import re
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.records.kinds import AMOUNT, POSITIVE, Kind

_UNKNOWN = "unrecognized arguments: "


class _Formatter(argparse.HelpFormatter):
    """Wraps to the width of the terminal, between words only: names, paths and flags stay whole."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Fills paragraphs; in a list or table, which is indented, each line is wrapped by itself."""
        blocks = itertools.groupby(text.splitlines(), lambda line: line[:1].strip() != "")
        filled = [
            line
            for is_prose, lines in blocks
            for block in ([" ".join(lines)] if is_prose else lines)
            for line in _row(block, width)
        ]
        return "\n".join(filled) + "\n"

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        return f"{text}; - is standard output" if action.type is OutputFile else text


def _wrapped(text: str, width: int, indent: str = "", more: str = "") -> list[str]:
    quoted = re.sub(r'"[^"]*"', lambda match: match.group().replace(" ", "\0"), text)
    wrapper = textwrap.TextWrapper(width, indent, more or indent, break_on_hyphens=False, break_long_words=False)
    return [line.replace("\0", " ") for line in wrapper.wrap(quoted)]


def _row(line: str, width: int) -> list[str]:
    """A line of a list, or of a table with two columns, wrapped within its column; a command can be copied."""
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    gap = re.search(r"(?<=\S) {2,}(?=\S)", line)
    column = gap.end() if gap is not None else len(line)
    first, second = line[:column], line[column:]
    if column <= width // 2:
        return _wrapped(second, width, first, " " * column)
    is_command = first.startswith("  tool_sandbox")
    lines = _wrapped(first.strip(), width - 2 * is_command, indent, indent and f"{indent}  ")
    lines = [f"{each} \\" for each in lines[:-1]] + lines[-1:] if is_command else lines
    return lines + (_wrapped(second, width, indent + "    ") if second else [])


class Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one line instead of the whole usage."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **keywords})
        self.register("action", None, Once)
        self.register("action", "store", Once)

    def error(self, message: str) -> NoReturn:
        """Ends the program with a line on standard error and exit code 2."""
        self.exit(2, f"{self.prog}: {message}{self._close(message)} (see {self.prog} --help)\n")

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """The flags that a prefix may stand for: two spellings of one flag are no ambiguity."""
        found: list[Any] = super()._get_option_tuples(option_string)
        return list({id(each[0]): each for each in reversed(found)}.values())

    def _close(self, message: str) -> str:
        """The flag that a wrong one looks like, as a question."""
        flag = next((word for word in message.removeprefix(_UNKNOWN).split() if word.startswith("--")), None)
        if flag is None or not message.startswith(_UNKNOWN):
            return ""
        known = (name for name in self._option_string_actions if name.startswith("--"))
        return "".join(f". Did you mean: {name}?" for name in suggest(flag.partition("=")[0], known)[:1])


class Once(argparse._StoreAction):
    """A flag with one value, or with all its values at once; another one would have the first forgotten in silence."""

    hint = ""
    _given: str | None = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Stores the value."""
        given = " ".join(map(str, values)) if isinstance(values, list) else str(values)
        if option_string is not None and self._given not in (None, given):
            raise argparse.ArgumentError(self, f"{self._given} and {given} contradict each other{self.hint}")
        self._given = given
        super().__call__(parser, namespace, values, option_string)


class OncePerRun(Once):
    """As `Once`, for an option that a sweep takes several values of."""

    hint = "; to play several: tool_sandbox sweep"


def of_kind(kind: Kind) -> Callable[[str], Any]:
    """What reads values of a kind, as a ``type`` of an argument; it raises an ``ArgumentTypeError`` for others."""

    def read(text: str) -> Any:
        try:
            return kind.parse(text)
        except (TypeError, ValueError):
            raise argparse.ArgumentTypeError(f"{text!r} is not {kind.words}") from None

    return str if kind.convert is None else read


positive: Callable[[str], int] = of_kind(POSITIVE)
amount: Callable[[str], float] = of_kind(AMOUNT)


def share(text: str) -> float:
    """Reads a number from 0 to 1, as a ``type`` of an argument."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def open_share(text: str) -> float:
    """Reads a number between 0 and 1 that is neither, as a ``type`` of an argument."""
    number = share(text)
    if not 1e-9 <= number <= 1 - 1e-9:
        where = "" if number in (0, 1) else ", or too near to one of them"
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1{where}")
    return number


def port(text: str) -> int:
    """The number of a port, for ``type=``."""
    number = int(text) if text.isdecimal() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number up to 65535 (0 for any that is free)")
    return number
