"""Runs one piece of an agent's code; the program of the separate process.

Started as a script by `code_process`, with nothing but the standard library on its path. It speaks
length-prefixed JSON over one socket. Whatever the code does to this process, the other side only
gets messages that it checks: an answer to show, and calls of tools that it may refuse.
"""

import ast
import builtins
import codeop
import contextlib
import importlib.util
import json
import os
import sys
import time
import types
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib would be a slow import here
_HEADER_BYTES = 4
_LARGEST_VALUE = 65_536
_LARGEST_STATE = 2**20
_SCALARS = (type(None), bool, int, float, str, bytes)


def _load(*path: str) -> types.ModuleType:
    """Imports a module of this package by its file, without making the package importable."""
    specification = importlib.util.spec_from_file_location(path[-1], os.path.join(_HERE, *path))  # noqa: PTH118
    if specification is None or specification.loader is None:
        raise ImportError(path[-1])
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


wire = _load("..", "conversation", "wire.py")


class _Channel:
    """Messages to and from the process that started this one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._secret = ""
        self._largest = 0

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(self._descriptor, count - len(data))
            if not part:
                os._exit(1)
            data += part
        return data

    def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._read(int.from_bytes(self._read(_HEADER_BYTES), "big")))
        self._secret = self._secret or message["secret"]
        self._largest = self._largest or message["message_bytes"]
        return message

    def send(self, **message: object) -> None:
        data = json.dumps({"secret": self._secret, **message}).encode()
        if len(data) > self._largest:
            raise ValueError(f"too much data: {len(data)} bytes of at most {self._largest}")
        data = len(data).to_bytes(_HEADER_BYTES, "big") + data
        while data:
            data = data[os.write(self._descriptor, data) :]


class _Output:
    """Stands for ``sys.stdout``: keeps the first ``limit`` characters."""

    encoding = "utf-8"

    def __init__(self, limit: int) -> None:
        self.parts: list[str] = []
        self._left = limit
        self.cut = False

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept = text[: self._left]
        self.cut = self.cut or len(kept) < len(text)
        if kept:
            self.parts.append(kept)
            self._left -= len(kept)
        return len(text)

    def flush(self) -> None:
        """Nothing is buffered."""

    def isatty(self) -> bool:
        return False


class _Tools:
    """Stand-ins for the tools, which run in the other process."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel
        self._recorded: list[dict[str, Any]] | None = None

    def replay(self, outcomes: list[dict[str, Any]] | None) -> None:
        """Answers the next calls from a record; ``None`` ends that."""
        self._recorded = outcomes

    def stub(self, module: str, name: str) -> object:
        def tool(*args: object, **kwargs: object) -> object:
            if self._recorded is not None:
                outcome: dict[str, Any] = self._recorded.pop(0) if self._recorded else {"result": None}
            else:
                try:
                    arguments = [wire.encode(list(args)), wire.encode(kwargs)]
                except wire.NotPlainError as error:
                    raise TypeError(f"arguments of {name}() have to be plain values: {error}") from None
                self._channel.send(kind="call", name=name, arguments=arguments)
                outcome = self._channel.receive()
            if "error" in outcome:
                raise _remote_error(**outcome["error"])
            return wire.decode(outcome["result"])

        tool.__name__ = tool.__qualname__ = name
        tool.__module__ = module
        return tool

    def install(self, modules: dict[str, list[str]]) -> dict[str, object]:
        """Makes the tools importable from their modules."""
        stubs: dict[str, object] = {}
        for path, names in modules.items():
            parent: types.ModuleType | None = None
            parts = path.split(".")
            for depth in range(1, len(parts) + 1):
                dotted = ".".join(parts[:depth])
                module = sys.modules.setdefault(dotted, types.ModuleType(dotted))
                if parent is not None:
                    setattr(parent, parts[depth - 1], module)
                parent = module
            for name in names:
                stubs[name] = self.stub(path, name)
                setattr(sys.modules[path], name, stubs[name])
        return stubs


def _remote_error(module: str, name: str, base: str, message: str) -> BaseException:
    """An exception that looks like the one a tool raised in the other process."""
    parent = getattr(builtins, base, Exception)
    # Constructors differ (`UnicodeDecodeError` takes five arguments), so it is left out.
    attributes = {
        "__module__": module,
        "__qualname__": name,
        "__str__": lambda self: message,
        "__init__": lambda self: None,
    }
    kind = type(name.rpartition(".")[2], (parent,), attributes)
    error: BaseException = parent.__new__(kind)
    error.args = (message,)
    return error


def _describe(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)[:_LARGEST_VALUE]
    except BaseException:
        message = "<exception str() failed>"
    kind = type(error)
    return {"module": str(kind.__module__)[:200], "name": str(kind.__qualname__)[:200], "message": message}


def _plain_variables(namespace: dict[str, object], known: dict[str, object]) -> tuple[dict[str, object], bool]:
    """Plain variables, and whether they alone make up the state of the namespace."""
    plain: dict[str, object] = {}
    complete = True
    left = _LARGEST_STATE
    for name, value in list(namespace.items()):
        if not isinstance(name, str) or name in ("__builtins__", "__name__", "__doc__") or known.get(name) is value:
            continue
        try:
            encoded = wire.encode(value)
            size = len(json.dumps([name, encoded]))
            if size > min(_LARGEST_VALUE, left):
                raise ValueError(name)
        except (TypeError, ValueError, RecursionError, MemoryError):
            complete = False
            continue
        plain[name] = encoded
        left -= size
        complete = complete and isinstance(value, _SCALARS)
    return plain, complete


def _last_value_apart(source: str) -> tuple[types.CodeType, types.CodeType | None]:
    """The code, and apart from it the expression at its end, if there is one."""
    with contextlib.suppress(SyntaxError, RecursionError, MemoryError):
        tree = ast.parse(source, "<input>")
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            before = compile(ast.Module(tree.body[:-1], []), "<input>", "exec")
            return before, compile(ast.Expression(last.value), "<input>", "eval")
    # Trees may be less deep than source.
    return compile(source, "<input>", "exec"), None


def _execute(source: str, namespace: dict[str, object], *, shows_last_value: bool) -> None:
    """Runs code that compiles."""
    code, last = _last_value_apart(source) if shows_last_value else (compile(source, "<input>", "exec"), None)
    exec(code, namespace)  # noqa: S102 - this process is made for it
    value = None if last is None else eval(last, namespace)  # noqa: S307
    if value is not None:
        print(repr(value))


def _replay(job: dict[str, Any], namespace: dict[str, object], tools: _Tools) -> None:
    """Brings the namespace to where the messages before left it."""
    sleep, time.sleep = time.sleep, lambda seconds: None
    for entry in job["journal"]:
        if entry["source"]:
            tools.replay(entry["outcomes"])
            # What failed the first time was answered then, and fails again.
            with contextlib.suppress(BaseException):
                _execute(entry["source"], namespace, shows_last_value=job["shows_last_value"])
        for name in entry["removed"]:
            namespace.pop(name, None)
        for name, encoded in entry["values"].items():
            try:
                same = name in namespace and wire.encode(namespace[name]) == encoded
            except (TypeError, RecursionError):
                same = False
            # An equal value stays, because other names may refer to the same object.
            if not same:
                namespace[name] = wire.decode(encoded)
    tools.replay(None)
    time.sleep = sleep


def _compiles(channel: _Channel, source: str, *, may_go_on: bool) -> bool:
    """Whether code compiles; if not, says why. The beginning of a longer block is no mistake if it may go on."""
    try:
        code = (codeop.compile_command if may_go_on else compile)(source, "<input>", "exec")
    except SyntaxError as error:
        place = {"line": error.lineno, "column": error.offset, "text": error.text}
        channel.send(kind="invalid", **_describe(error), **place)
    except (OverflowError, ValueError, MemoryError, RecursionError) as error:
        channel.send(kind="invalid", **_describe(error), line=None, column=None, text=None)
    else:
        if code is None:
            channel.send(kind="incomplete")
        return code is not None
    return False


def main() -> None:
    """Receives one job, does it, and ends the process."""
    channel = _Channel(int(sys.argv[1]))
    job = channel.receive()
    limits = _load("code_process_limits.py")
    calls = _load("code_process_calls.py").only_harmless_calls
    package = os.path.dirname(_HERE)  # noqa: PTH120
    layers = limits.restrict(package, os.getcwd(), calls, **job["limits"])  # noqa: PTH109
    channel.send(kind="started", layers=layers)
    if _compiles(channel, job["source"], may_go_on=not job["shows_last_value"]):
        tools = _Tools(channel)
        stubs = tools.install(job["tools"])
        namespace: dict[str, object] = {"__name__": "__console__", "__doc__": None, **stubs}
        sys.stdout, sys.stderr = _Output(0), _Output(0)
        if job["journal"]:
            _replay(job, namespace, tools)
            channel.send(kind="ready")
        sys.stdout = output = _Output(job["output_characters"])
        error = None
        try:
            _execute(job["source"], namespace, shows_last_value=job["shows_last_value"])
        except BaseException as raised:
            error = _describe(raised)
        plain, complete = _plain_variables(namespace, stubs)
        state = {"values": plain, "complete": complete, "names": [name for name in namespace if name not in stubs]}
        channel.send(kind="done", output="".join(output.parts), cut=output.cut, error=error, **state)
    os._exit(0)


if __name__ == "__main__":
    main()
