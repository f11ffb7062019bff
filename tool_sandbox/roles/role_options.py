"""The options of a class or function, as given behind its name on the command line: its parameters."""

import inspect
import math
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.models.parameters import Parameter, read_parameters
from tool_sandbox.world.errors import ConfigurationError

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parameters_of(thing: Callable[..., Any], skip: int = 0) -> dict[str, inspect.Parameter]:
    """The parameters of a class or function, by name."""
    try:
        signature = inspect.signature(thing, eval_str=True)
    except (TypeError, ValueError):
        return {}
    except Exception:
        # An annotation that only a type checker can read.
        signature = inspect.signature(thing)
    return dict(list(signature.parameters.items())[skip:])


def read_options(name: str, parameters: Mapping[str, inspect.Parameter], options: Mapping[str, str]) -> dict[str, Any]:
    """Turns options as they were written into arguments."""
    known = {key: parameter for key, parameter in parameters.items() if parameter.kind in _NAMED}
    others = [key for key in options if key not in known]
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    taken = [_as_option(parameter) for parameter in known.values()]
    taken += [Parameter(key, "") for key in others if takes_all]
    values = read_parameters(name, taken, options)
    missing = [key for key, parameter in known.items() if parameter.default is parameter.empty and key not in options]
    if missing:
        example = ",".join(f"{key}=..." for key in missing)
        raise ConfigurationError(f"{name} needs the option {' and '.join(missing)}: write {name}:{example}")
    return {key: _typed(value, known[key]) if key in known else value for key, value in values.items()}


def _as_option(parameter: inspect.Parameter) -> Parameter:
    wanted = _wanted(parameter)
    if typing.get_origin(wanted) is typing.Literal:
        return Parameter(parameter.name, "", choices=tuple(map(str, typing.get_args(wanted))))
    if wanted is bool:
        return Parameter(parameter.name, "", "flag")
    if wanted in (int, float):
        # Any number but NaN; what makes sense, the class says itself.
        return Parameter(parameter.name, "", "whole number" if wanted is int else "number", maximum=math.inf)
    return Parameter(parameter.name, "")


def _typed(value: Any, parameter: inspect.Parameter) -> Any:
    """A value of the type that is written there, where that is more than a text, a number or a flag."""
    wanted = _wanted(parameter)
    if typing.get_origin(wanted) is typing.Literal:
        return next(choice for choice in typing.get_args(wanted) if str(choice) == value)
    return Path(value) if wanted is Path else value


def _wanted(parameter: inspect.Parameter) -> Any:
    """The type that an option is to have: that of the annotation, else that of the default."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return type(parameter.default) if isinstance(parameter.default, bool | int | float | Path) else str
    if typing.get_origin(annotation) is typing.Literal:
        return annotation
    # `int | None` takes an integer, too.
    return next((part for part in typing.get_args(annotation) if part is not type(None)), annotation)
