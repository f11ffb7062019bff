"""The options of a custom class or function, as given behind its name on the command line."""

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_WORDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}
_KEY = re.compile(r"(?:^|_)(?:api_?key|key|secret|token|password|passwd)$", re.IGNORECASE)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def refuse_keys(name: str, options: Mapping[str, str]) -> None:
    """Refuses options that hold keys: a command is seen by everybody on the machine, and stands in ``run.json``.

    Raises:
        ConfigurationError: One does; its value is not quoted.
    """
    for option in options:
        if _KEY.search(option):
            raise ConfigurationError(
                f"{name}: keys do not stand on a command line; have it read {option} from the environment"
            )


def parameters_of(thing: Callable[..., Any], skip: int = 0) -> dict[str, inspect.Parameter]:
    """The parameters of a class or function, by name.

    Args:
        thing: The class or function.
        skip: How many of the first to leave out.
    """
    try:
        signature = inspect.signature(thing, eval_str=True)
    except (TypeError, ValueError):
        return {}
    except Exception:
        # An annotation that only a type checker can read.
        signature = inspect.signature(thing)
    return dict(list(signature.parameters.items())[skip:])


def read_options(name: str, parameters: Mapping[str, inspect.Parameter], options: Mapping[str, str]) -> dict[str, Any]:
    """Turns options as they were written into arguments.

    Args:
        name: What messages call the agent.
        parameters: What it takes.
        options: Option to value, as written.

    Returns:
        Parameter to value, converted as its annotation or its default says.

    Raises:
        UnknownNameError: It has no such option.
        ConfigurationError: A value of the wrong type, or an option is missing that it cannot do without.
    """
    known = {key: parameter for key, parameter in parameters.items() if parameter.kind in _NAMED}
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for option in options:
        if option not in known and not takes_all:
            offer = f"it takes {', '.join(known)}" if known else "it takes none"
            raise UnknownNameError(f"{name} has no option {option!r}; {offer}.", suggest(option, known))
    missing = [key for key, parameter in known.items() if parameter.default is parameter.empty and key not in options]
    if missing:
        example = ",".join(f"{key}=..." for key in missing)
        raise ConfigurationError(f"{name} needs the option {' and '.join(missing)}: write {name}:{example}")
    return {key: _converted(name, key, text, known[key]) if key in known else text for key, text in options.items()}


def _converted(name: str, option: str, text: str, parameter: inspect.Parameter) -> Any:
    wanted = _wanted(parameter)
    if typing.get_origin(wanted) is typing.Literal:
        choices = {str(choice): choice for choice in typing.get_args(wanted)}
        if text not in choices:
            raise ConfigurationError(f"option {option} of {name} has to be one of {', '.join(choices)}, got {text!r}")
        return choices[text]
    try:
        if wanted is bool:
            return _FLAGS[text.lower()]
        return wanted(text) if wanted in (int, float, Path) else text
    except (KeyError, ValueError):
        raise ConfigurationError(f"option {option} of {name} has to be {_WORDS[wanted]}, got {text!r}") from None


def _wanted(parameter: inspect.Parameter) -> Any:
    """The type that an option is to have: that of the annotation, else that of the default."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return type(parameter.default) if isinstance(parameter.default, bool | int | float | Path) else str
    if typing.get_origin(annotation) is typing.Literal:
        return annotation
    # `int | None` takes an integer, too.
    return next((part for part in typing.get_args(annotation) if part is not type(None)), annotation)
