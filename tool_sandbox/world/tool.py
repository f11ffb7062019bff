"""What a tool is, and making one of a function."""

import functools
import inspect
import json
import typing
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from tool_sandbox.world.device import current_device
from tool_sandbox.world.enums import ToolBackend
from tool_sandbox.world.not_given import NOT_GIVEN
from tool_sandbox.world.schema import DatabaseNamespace, RoleType

ToolFunction = Callable[..., Any]
"""A function that is a tool, or is used as one."""

_Function = TypeVar("_Function", bound=ToolFunction)


@attrs.frozen
class Tool:
    """What is known about a tool.

    Attributes:
        function: Runs it.
        visible_to: Roles that may call it.
        backend: Which of several versions of the tool this is.
    """

    function: ToolFunction
    visible_to: tuple[RoleType, ...] = (RoleType.AGENT,)
    backend: ToolBackend = ToolBackend.DEFAULT

    @classmethod
    def of(cls, function: ToolFunction) -> "Tool":
        """The tool that a function is; one that was never registered is the agent's."""
        return cls(
            function,
            getattr(function, "visible_to", (RoleType.AGENT,)),
            getattr(function, "backend", ToolBackend.DEFAULT),
        )

    @staticmethod
    def is_registered(value: object) -> bool:
        """Whether something was made a tool by `register_as_tool`."""
        return bool(getattr(value, "is_tool", False))

    @property
    def docstring(self) -> str:
        """Its docstring without indentation, empty if it has none."""
        return inspect.getdoc(self.function) or ""

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Its parameters, with types in place of their names."""
        hints = typing.get_type_hints(self.function)
        parameters = inspect.signature(self.function).parameters.items()
        return [parameter.replace(annotation=hints.get(name, parameter.annotation)) for name, parameter in parameters]

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters that a call can name."""
        parameters = inspect.signature(self.function).parameters.values()
        return [each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def _trace_json(name: str, bound: inspect.BoundArguments, result: Any) -> str:
    arguments = {key: value for key, value in bound.arguments.items() if value is not NOT_GIVEN}
    return json.dumps(
        {"tool_name": name, "arguments": arguments, "result": result}, ensure_ascii=False, allow_nan=False
    )


def _append_trace(trace: str) -> None:
    context = current_device()
    if context.max_sandbox_message_index < 0:
        return
    newest = context.get_table(DatabaseNamespace.SANDBOX)
    context.set_message_fields(tool_trace=[*(newest.column("tool_trace")[-1] or ()), trace])


def add_tool_trace(f: Callable[..., Any], result: Any, *args: Any, **kwargs: Any) -> None:
    """Records a tool call on the newest message, if the current context traces tools.

    The trace is a JSON text with the keys ``tool_name``, ``arguments`` (by parameter name, defaults
    filled in, omitted ones left out) and ``result``.

    Args:
        f: The tool.
        result: What it returned.
        *args: Positional arguments of the call.
        **kwargs: Keyword arguments of the call.

    Raises:
        TypeError: Arguments or result cannot be written as JSON.
        ValueError: A number in them is not finite, or a text is not valid Unicode.
    """
    if current_device().trace_tool:
        bound = inspect.signature(f).bind(*args, **kwargs)
        bound.apply_defaults()
        _append_trace(_trace_json(f.__name__, bound, result))


def register_as_tool(
    visible_to: tuple[RoleType, ...] | None = None, backend: ToolBackend = ToolBackend.DEFAULT
) -> Callable[[_Function], _Function]:
    """Makes a function a tool.

    Arguments are bound before the body runs. A call either completes, with its trace, or leaves
    the world exactly as it was; one that leaves a table of an app in a state that it must not be
    in fails. Tools called by the body leave no trace of their own.

    Args:
        visible_to: Roles that may call the tool, by default the agent alone.
        backend: Which of several versions of the tool this is.

    Returns:
        The decorator.
    """

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def tool(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            context = current_device()
            savepoint, traced = context.savepoint(), context.trace_tool
            context.trace_tool = False
            try:
                result = function(*args, **kwargs)
                context.check_rules(savepoint)
                if traced:
                    bound.apply_defaults()
                    _append_trace(_trace_json(function.__name__, bound, result))
            except BaseException:
                context.restore(savepoint)
                raise
            finally:
                context.trace_tool = traced
            return result

        registered = Tool(tool, (RoleType.AGENT,) if visible_to is None else visible_to, backend)
        # The published benchmark has them as attributes of the function; inspection may not look through wrappers.
        marks = {"visible_to": registered.visible_to, "backend": registered.backend, "__signature__": signature}
        vars(tool).update(marks, is_tool=True)
        return typing.cast(_Function, tool)

    return decorate
