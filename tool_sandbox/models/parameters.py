"""The options of a model, as written after its name: which there are, and what each may be."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_KEY = re.compile(r"(?:^|_)(?:api_?key|key|secret|token|password|passwd)$", re.IGNORECASE)
_KINDS = {"number": float, "whole number": int}


@attrs.frozen
class Parameter:
    """One option of a provider.

    Attributes:
        name: Name of the option.
        help: What it does, in a few words.
        kind: What is written behind the equals sign.
        minimum: Smallest number allowed.
        maximum: Largest number allowed.
        choices: The words allowed, empty for any text; numbers stay allowed beside them for other kinds than text.
    """

    name: str
    help: str
    kind: Literal["text", "number", "whole number", "flag"] = "text"
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> Any:
        """Converts what was written."""
        if text in self.choices:
            return text
        if self.kind == "text" and not self.choices:
            return text
        if self.kind == "flag" and text.lower() in _FLAGS:
            return _FLAGS[text.lower()]
        if self.kind in _KINDS:
            try:
                number = _KINDS[self.kind](text)
            except ValueError:
                number = None
            if number is not None and self._is_in_range(number):
                return number
        raise ValueError(self.domain)

    def _is_in_range(self, number: float) -> bool:
        # Written so that it is false for a NaN.
        return (self.minimum is None or number >= self.minimum) and (
            number <= self.maximum if self.maximum is not None else number < float("inf")
        )

    @property
    def domain(self) -> str:
        """What the option may be, in words."""
        words = list(self.choices)
        if self.kind == "flag":
            words = ["true", "false"]
        elif self.kind in _KINDS:
            low, high = self.minimum, self.maximum
            bounds = f" from {low:g} to {high:g}" if low is not None and high is not None else ""
            if low is not None and high is None:
                bounds = f" of at least {low:g}"
            words.append(f"a {self.kind}{bounds}")
        return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0] if words else "a text"


COMMON = (
    Parameter("max_tokens", "largest number of tokens of a reply", "whole number", minimum=1),
    Parameter("timeout", "time limit of one attempt, in seconds", "number", minimum=0.001, maximum=86_400),
    Parameter("retries", "retries after a temporary error", "whole number", minimum=0, maximum=100),
    Parameter("base_url", "address of the server, instead of the provider's"),
    Parameter("api_key_env", "environment variable with the key, instead of the provider's"),
)
"""Options of every provider."""

CORE_OPTIONS = ("timeout", "retries", "base_url", "api_key_env")
"""Options that say how to reach a model; the others are sent to it."""


def refuse_keys(options: Iterable[str], instead: str) -> None:
    """Refuses options that hold keys: a command is seen by everybody on the machine, and stands in ``run.json``."""
    for option in filter(_KEY.search, options):
        raise ConfigurationError(
            f"a key ({option}) does not belong on the command line, where other users can read it; {instead}"
        )


def read_parameters(provider: str, known: Iterable[Parameter], options: Mapping[str, str]) -> dict[str, Any]:
    """Checks and converts options."""
    from tool_sandbox.helpers.suggestions import suggest

    by_name = {parameter.name: parameter for parameter in known}
    values: dict[str, Any] = {}
    for name, text in options.items():
        if name not in by_name:
            offer = f"it takes {', '.join(by_name)}" if by_name else "it takes none"
            raise UnknownNameError(f"{provider} has no option {name!r}; {offer}.", suggest(name, by_name))
        try:
            values[name] = by_name[name].read(text)
        except ValueError as error:
            raise ConfigurationError(f"option {name} of {provider} has to be {error}, got {text!r}") from None
    return values
