"""The console of a world: what code has left behind, as a journal that can be copied and stored.

Set-up code of a scenario runs in this process, like in any `code.InteractiveConsole`. Code from an
agent or a user never does: it runs in a separate process (`tool_sandbox.roles.code_process`), which
replays the journal first and reports back plain variables only.
"""

import ast
import code
import codeop
import contextlib
import copy
import functools
import importlib
import json
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from tool_sandbox.conversation import wire
from tool_sandbox.helpers.syntax import parse_module

_SHARED = (
    types.ModuleType,
    types.BuiltinFunctionType,
    types.MethodType,
    type,
    str,
    bytes,
    int,
    float,
    bool,
    type(None),
)
_ADOPTED = "_tool_sandbox_console"
_ORIGIN = {"__name__": "__console__", "__doc__": None}


@attrs.frozen
class JournalEntry:
    """One thing that happened in a console.

    Attributes:
        kind: ``import`` for import statements of the scenario, ``host`` for other trusted code,
            ``code`` for code that ran in the separate process, ``call`` for a single tool call.
        source: Text to run again when the state is rebuilt, empty if `values` say everything.
        outcomes: Results of the tools that the code called, in order, for the replay.
        values: Plain variables that were set; never modified.
        removed: Names of variables that were deleted.
    """

    kind: Literal["import", "host", "code", "call"]
    source: str = ""
    outcomes: tuple[dict[str, Any], ...] = ()
    values: Mapping[str, Any] = attrs.field(factory=dict)
    removed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The entry as JSON, the values encoded by `wire`."""
        return {
            "kind": self.kind,
            "source": self.source,
            "outcomes": list(self.outcomes),
            "values": _encoded(self.values),
            "removed": list(self.removed),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "JournalEntry":
        """Inverse of `as_json`."""
        values = {str(name): wire.decode(value) for name, value in data["values"].items()}
        return cls(data["kind"], str(data["source"]), tuple(data["outcomes"]), values, tuple(data["removed"]))


@functools.lru_cache(maxsize=256)
def parse_imports(source: str) -> tuple[tuple[str, str | None, str], ...] | None:
    """Reads a text that consists of import statements."""
    try:
        statements = parse_module(source).body
    except (SyntaxError, ValueError):
        return None
    imports: list[tuple[str, str | None, str]] = []
    for statement in statements:
        match statement:
            case ast.Import(names=names):
                # `import a.b` binds `a`, `import a.b as c` binds the submodule.
                imports += [(item.name, None, item.asname or "") for item in names]
            case ast.ImportFrom(module=str(module), level=0, names=names) if names[0].name != "*":
                imports += [(module, item.name, item.asname or item.name) for item in names]
            case _:
                return None
    return tuple(imports) or None


def _imported_names(source: str) -> list[str]:
    return [bound or path.partition(".")[0] for path, _, bound in parse_imports(source) or ()]


def resolve_imports(source: str) -> dict[str, Any] | None:
    """Does what the import statements of a trusted text say, without executing the text."""
    imports = parse_imports(source)
    if imports is None:
        return None
    found: dict[str, Any] = {}
    for path, name, bound in imports:
        module = sys.modules.get(path) or importlib.import_module(path)
        if name is None:
            top = path.partition(".")[0]
            found[bound or top] = module if bound else sys.modules[top]
        elif hasattr(module, name):
            found[bound] = getattr(module, name)
        else:
            try:
                found[bound] = importlib.import_module(f"{path}.{name}")
            except ModuleNotFoundError:
                raise ImportError(f"cannot import name {name!r} from {path!r}") from None
    return found


class Console(code.InteractiveConsole):
    """A console whose state is a journal.

    Code given to `runsource`, `runcode` or `push` is trusted and runs in this process. Making a
    console and forking it is cheap; variables are put together when `locals` is first read.

    Attributes:
        journal: What happened, oldest first.
        set_up: Indices of the set-up messages that were run.
    """

    local_exit = False

    def __init__(self, locals: dict[str, Any] | None = None, filename: str = "<console>") -> None:
        """Creates an empty console."""
        # The parent's constructor builds a compiler, which most consoles never need.
        self.filename = filename
        self.buffer: list[str] = []
        self.journal: tuple[JournalEntry, ...] = ()
        self.set_up: frozenset[int] = frozenset()
        self._namespace = locals
        self._source = ""
        if locals is not None:
            self._note("", {})

    @functools.cached_property
    def compile(self) -> codeop.CommandCompiler:  # type: ignore[override]
        """Compiler that remembers ``__future__`` imports."""
        return codeop.CommandCompiler()

    # Variables -------------------------------------------------------------------------------

    @property
    def locals(self) -> dict[str, Any]:
        """Variables that trusted code can see: its own, and plain ones of an agent's code."""
        if self._namespace is None:
            self._namespace = namespace = dict(_ORIGIN)
            for entry in self.journal:
                _apply(entry, namespace)
        return self._namespace

    @locals.setter
    def locals(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    @classmethod
    def adopt(cls, console: code.InteractiveConsole) -> "Console":
        """The journal-keeping console over the variables of any other."""
        if isinstance(console, cls):
            return console
        adopted: Console | None = console.__dict__.get(_ADOPTED)
        if adopted is None:
            adopted = console.__dict__[_ADOPTED] = cls(console.locals)
        return adopted

    def sync(self) -> None:
        """Journals plain variables that host code put into `locals`, or took out of it, directly."""
        if self._namespace is not None:
            self._note("", _encoded(self._journaled()))

    def _journaled(self) -> dict[str, Any]:
        """Plain variables as the journal has them."""
        values: dict[str, Any] = {}
        for entry in self.journal:
            for name in entry.removed:
                values.pop(name, None)
            values.update(entry.values)
        return values

    def plain_names(self) -> set[str]:
        """Names of the plain variables that the journal sets."""
        names: set[str] = set()
        for entry in self.journal:
            names.difference_update(entry.removed)
            names.update(entry.values)
        return names

    def may_define(self, name: str) -> bool:
        """Whether anything that happened could have given a name a meaning; errs towards yes."""
        return any(
            name in (_imported_names(entry.source) if entry.kind == "import" else entry.source) or name in entry.values
            for entry in self.journal
        )

    # Running trusted code --------------------------------------------------------------------

    def runsource(self, source: str, filename: str = "<input>", symbol: str = "single") -> bool:
        """Compiles and runs trusted code in this process."""
        self._source = source
        try:
            return super().runsource(source, filename, symbol)
        finally:
            self._source = ""

    def runcode(self, code: types.CodeType) -> None:
        """Runs trusted code in this process; an exception is shown, not raised."""
        before = _encoded(self.locals)
        try:
            super().runcode(code)
        finally:
            self._note(self._source or (code if isinstance(code, str) else ""), before)

    def execute(self, source: str) -> None:
        """Runs set-up code of a scenario in this process."""
        compiled = compile(source, "<input>", "exec")
        before = _encoded(self.locals)
        try:
            exec(compiled, self.locals)  # noqa: S102 - written by the author of the scenario
        finally:
            self._note(source, before)

    def _note(self, source: str, before: dict[str, Any]) -> None:
        after = _encoded(self.locals)
        changed = {
            name: wire.decode(value) for name, value in after.items() if name not in before or before[name] != value
        }
        removed = tuple(name for name in before if name not in after)
        if not (source or changed or removed):
            return
        self.journal = (*self.journal, JournalEntry("host", source, values=changed, removed=removed))

    def add_imports(self, source: str) -> bool:
        """Does the imports of a trusted text."""
        found = resolve_imports(source)
        if found is None:
            return False
        self.journal = (*self.journal, JournalEntry("import", source))
        if self._namespace is not None:
            self._namespace.update(found)
        return True

    # Journal ---------------------------------------------------------------------------------

    def record(self, entry: JournalEntry) -> None:
        """Appends what happened elsewhere, and shows its variables in `locals`."""
        self.journal = (*self.journal, entry)
        if self._namespace is not None:
            _apply(entry, self._namespace)

    def fork(self) -> "Console":
        """An independent console in the same state."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.buffer = self.buffer.copy()
        twin.__dict__.pop("compile", None)
        if "compile" in self.__dict__:
            twin.compile.compiler.flags = self.compile.compiler.flags
        if self._namespace is not None:
            twin._namespace = _copy_namespace(self._namespace)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "Console":
        return self.fork()

    __copy__ = fork

    def to_bytes(self) -> bytes:
        """The journal as JSON, with plain variables that were set directly."""
        self.sync()
        journal = [entry.as_json() for entry in self.journal]
        return json.dumps({"journal": journal, "set_up": sorted(self.set_up)}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Console":
        """Inverse of `to_bytes`.

        Nothing runs here. When `locals` is read, imports and definitions of trusted code are made
        again, other statements of it are not.
        """
        try:
            state = json.loads(data)
            console = cls()
            console.set_up = frozenset(state["set_up"])
            console.journal = tuple(JournalEntry.from_json(entry) for entry in state["journal"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("these bytes are not the state of a console") from error
        return console

    def __reduce__(self) -> tuple[Callable[[bytes], "Console"], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)


def _encoded(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The plain variables among some, encoded."""
    plain: dict[str, Any] = {}
    for name, value in namespace.items():
        if name not in _ORIGIN and not isinstance(value, (types.FunctionType, types.ModuleType)):
            try:
                plain[name] = wire.encode(value)
            except wire.NotPlainError:
                continue
    return plain


def _apply(entry: JournalEntry, namespace: dict[str, Any]) -> None:
    """Shows in a namespace what an entry says, without running anything but trusted definitions."""
    if entry.kind == "import":
        # A stored console may name modules that are not installed here.
        with contextlib.suppress(ImportError):
            namespace.update(resolve_imports(entry.source) or {})
    elif entry.kind == "host" and entry.source:
        _define(entry.source, namespace)
    for name in entry.removed:
        namespace.pop(name, None)
    for name, value in entry.values.items():
        # The entry's own value stays as it was, whatever happens to the variable.
        namespace[name] = copy.deepcopy(value)


def _define(source: str, namespace: dict[str, Any]) -> None:
    definitions = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    try:
        tree = parse_module(source)
        tree.body = [statement for statement in tree.body if isinstance(statement, definitions)]
        exec(compile(tree, "<input>", "exec"), namespace)  # noqa: S102 - trusted when it first ran
    except Exception:  # noqa: S110 - what cannot be defined here is simply not there
        pass


def _copy_namespace(namespace: dict[str, Any]) -> dict[str, Any]:
    twin: dict[str, Any] = {}
    memo: dict[int, Any] = {}
    for name, value in namespace.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is namespace:
            # A function of the console looks its globals up in the console it belongs to.
            function = types.FunctionType(value.__code__, twin, value.__name__, value.__defaults__, value.__closure__)
            function.__kwdefaults__ = value.__kwdefaults__
            function.__dict__.update(value.__dict__)
            twin[name] = function
        elif isinstance(value, (*_SHARED, types.FunctionType)):
            twin[name] = value
        else:
            try:
                twin[name] = copy.deepcopy(value, memo)
            except Exception:
                twin[name] = value
    return twin
