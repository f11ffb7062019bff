"""The proof of an app: what its documentation promises is kept, and nothing that a caller does breaks its tables."""

import contextvars
import hashlib
import inspect
import json
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

import attrs

from tool_sandbox.apps.app import App, check_together
from tool_sandbox.apps.calls import Caller
from tool_sandbox.apps.documentation import declared_errors
from tool_sandbox.apps.draw import SIZES, Draw, Size
from tool_sandbox.apps.registry import with_needed
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.device import CURRENT, DeviceState
from tool_sandbox.world.errors import ConfigurationError, ToolSandboxError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.rules import BrokenRuleError
from tool_sandbox.world.schema import DatabaseNamespace, RoleType
from tool_sandbox.world.table import Table
from tool_sandbox.world.tool import Tool, ToolFunction

CALLS = 2_000
SEEDS = range(3)
LONGEST_ERROR = 300
LONGEST_RESULT = 20_000
"""Characters of a result: about a twelfth of what a whole conversation may take."""

FEWEST_ROWS = 1_000
"""Rows that the large content of an app has at least, all tables together."""


@attrs.frozen
class Report:
    """What a check has found.

    Attributes:
        app: The app.
        findings: What is wrong, in one line each.
        calls: Number of calls that were made.
        succeeded: Number of those that returned.
    """

    app: App
    findings: list[str] = attrs.field(factory=list)
    calls: Counter[str] = attrs.field(factory=Counter)
    succeeded: Counter[str] = attrs.field(factory=Counter)


def check_app(app: App, calls: int = CALLS) -> Report:
    """Checks one app; what it needs is there, and not checked.

    Args:
        app: The app.
        calls: Number of random calls.

    Returns:
        What was found, the same every time.
    """
    report = Report(app)
    apps = with_needed([app])
    report.findings.extend(_wrong_content(app, apps))
    if report.findings:
        return report
    first, second = (contextvars.copy_context().run(_Run(app, apps).play, calls) for _ in range(2))
    report.calls.update(first.calls)
    report.succeeded.update(first.succeeded)
    found = [*first.findings, *_unreached(app, first), *_wrong_pages(app, apps)]
    if first.trail.hexdigest() != second.trail.hexdigest():
        found.append(
            "the same calls in the same world do not give the same results: something is not taken from the world"
        )
    report.findings.extend(dict.fromkeys(found))
    return report


def check_all(apps: Iterable[App]) -> list[str]:
    """What is wrong with apps taken together."""
    try:
        check_together(apps)
    except ConfigurationError as error:
        return [str(error)]
    return []


# Worlds --------------------------------------------------------------------------------------


def make_world(apps: Iterable[App], size: Size, seed: int = 0) -> DeviceState:
    """A world with apps and their content, at the moment and in the zone of the draws."""
    draws = {app.name: Draw(app.name, seed) for app in apps}
    first = next(iter(draws.values()))
    device = DeviceState(Profile.STRICT, ScenarioClock(first.start, first.zone, 5.0), id_seed=f"check {seed}")
    CURRENT.set(device)
    for app in apps:
        app.add_tables(device)
    for app in apps:
        app.fill(device, draws[app.name], size)
    _pass_time(device)
    return device


def _pass_time(device: DeviceState) -> None:
    message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    device.add_to_database(DatabaseNamespace.SANDBOX, [message])


def _tables(device: DeviceState, apps: Iterable[App]) -> list[Table]:
    return [device.get_table(schema.name) for app in apps for schema in app.tables]


def _wrong_content(app: App, apps: tuple[App, ...]) -> Iterator[str]:
    def numbers(size: Size, seed: int) -> list[int]:
        made = [_tables(contextvars.copy_context().run(make_world, apps, size, seed), [app]) for _ in range(2)]
        if made[0] != made[1]:
            raise ConfigurationError(f"content of size {size} and seed {seed} is not the same when drawn again")
        return list(map(len, made[0]))

    try:
        rows = {size: [numbers(size, seed) for seed in SEEDS] for size in SIZES}
    except ConfigurationError as error:
        yield str(error)
        return
    totals = [sum(rows[size][0]) for size in SIZES]
    if not totals[0] < totals[1] < totals[2]:
        yield f"content must grow from small to medium to large; it has {', '.join(map(str, totals))} rows"
    if totals[2] < FEWEST_ROWS:
        yield f"large content has {totals[2]} rows, at least {FEWEST_ROWS} are wanted"
    for schema, number in zip(app.tables, rows["medium"][0], strict=True):
        if not number:
            yield f"medium content has no row of {schema.name}"


# Random calls --------------------------------------------------------------------------------


class _Run:
    """Random calls in one world."""

    def __init__(self, app: App, apps: tuple[App, ...]) -> None:
        self._app, self._apps = app, apps
        self.findings: list[str] = []
        self.calls, self.succeeded = Counter[str](), Counter[str]()
        self.raised: set[tuple[str, str]] = set()
        self.trail = hashlib.sha256()

    def play(self, calls: int) -> "_Run":
        """Makes so many calls, in worlds that begin anew now and then, and then some with one wrong argument each."""
        chance = random.Random(f"calls of {self._app.name}")
        for part in range(4):
            device = make_world(self._apps, "small", part)
            caller = Caller(self._app, self._apps, chance)
            for _ in range(calls // 4):
                function, arguments = caller.call(device)
                result = self._call(device, function, arguments)
                if isinstance(result, dict) and isinstance(cursor := result.get("next_cursor"), str):
                    caller.cursors[function.__name__] = cursor
                if chance.random() < 0.3:
                    _pass_time(device)
        device = make_world(self._apps, "small")
        caller = Caller(self._app, self._apps, chance)
        for function in self._app.tools:
            for arguments in caller.one_wrong(device, function):
                # Only one thing is to be wrong at a time: what was deleted is there again.
                savepoint = device.savepoint()
                self._call(device, function, arguments)
                device.restore(savepoint)
        for probe in self._app.probes:
            self._probe(probe)
        return self

    def _call(self, device: DeviceState, function: ToolFunction, arguments: dict[str, Any]) -> Any:
        name, before = function.__name__, device.savepoint()
        self.calls[name] += 1
        result = None
        try:
            result = function(**arguments)
            self.succeeded[name] += 1
            self.trail.update(repr(result).encode("utf-8", "backslashreplace"))
            self._judge_result(function, arguments, result)
        except Exception as error:
            self.trail.update(f"{type(error)} {error}".encode("utf-8", "backslashreplace"))
            self._judge_error(function, arguments, error)
            if not _is_unchanged(device, before):
                self._find(function, arguments, "failed, and left something behind")
        try:
            device.check_rules()
        except BrokenRuleError as error:
            self._find(function, arguments, f"broke a rule: {error}")
        return result

    def _find(self, function: ToolFunction, arguments: dict[str, Any], what: str) -> None:
        shown = ", ".join(f"{name}={value!r:.60}" for name, value in arguments.items())
        line = f"tool {function.__name__} {what}".replace("\n", " ")
        # One example of each kind of thing.
        if not any(known.startswith(line) for known in self.findings):
            self.findings.append(f"{line} [{function.__name__}({shown})]")

    def _judge_result(self, function: ToolFunction, arguments: dict[str, Any], result: Any) -> None:
        try:
            text = json.dumps(result, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            self._find(function, arguments, f"returned what has no JSON form: {error}")
            return
        if json.loads(text) != result:
            self._find(function, arguments, "returned other than plain lists, dictionaries, texts and numbers")
        if len(text) > LONGEST_RESULT:
            self._find(
                function, arguments, f"returned more than {LONGEST_RESULT} characters; it needs pages or an excerpt"
            )

    def _judge_error(self, function: ToolFunction, arguments: dict[str, Any], error: Exception) -> None:
        kind, text = type(error).__name__, str(error)
        codes = _codes(error)
        has_begun = inspect.unwrap(function).__code__ in codes
        if has_begun:
            self.raised.add((function.__name__, kind))
        if isinstance(error, BrokenRuleError):
            self._find(function, arguments, f"leaves it to a rule to refuse a call: {error}")
        elif isinstance(error, ToolSandboxError):
            self._find(function, arguments, f"raised {kind}, which is about no caller: {error}")
        elif kind not in (*(() if has_begun else ("TypeError", "ValueError")), *declared_errors(function)):
            self._find(function, arguments, f"raised {kind}, which its documentation does not name")
        if isinstance(error, ValueError) and text.startswith("column "):
            self._find(function, arguments, f"speaks of columns, not of its parameters: {text[:120]}")
        if not text.strip() or "\n" in text or len(text) > LONGEST_ERROR:
            self._find(function, arguments, f"raised a {kind} whose message is not one line: {text[:80]!r}")

    def _probe(self, probe: Callable[[], object]) -> None:
        make_world(self._apps, "small")
        codes = {inspect.unwrap(function).__code__: function.__name__ for function in self._app.tools}
        try:
            probe()
        except Exception as error:
            self.raised |= {(codes[code], type(error).__name__) for code in _codes(error) if code in codes}
        else:
            self.findings.append(f"probe {probe.__name__} raised nothing")


def _codes(error: Exception) -> list[CodeType]:
    """Code that an error came through; arguments that no tool takes are refused before that of the tool is reached."""
    return [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]


def _is_unchanged(device: DeviceState, before: Any) -> bool:
    now = device.savepoint()
    same = all(now.table(name) is before.table(name) for name in device.table_names(log=True))
    return same and now.id_counter == before.id_counter


def _unreached(app: App, run: _Run) -> Iterator[str]:
    for function in app.tools:
        name = function.__name__
        if not run.succeeded[name]:
            yield f"tool {name} never succeeded in {run.calls[name]} calls; name its parameters after columns and keys"
        for kind in declared_errors(function):
            if (name, kind) not in run.raised:
                yield f"tool {name}: no call raised the {kind} that its documentation names; add a probe that does"


# Pages ---------------------------------------------------------------------------------------


def _wrong_pages(app: App, apps: tuple[App, ...]) -> Iterator[str]:
    for function in app.tools:
        if "cursor" in Tool.of(function).parameter_names:
            yield from contextvars.copy_context().run(_wrong_pages_of, function, app, apps)


def _wrong_pages_of(function: ToolFunction, app: App, apps: tuple[App, ...]) -> list[str]:
    found = []
    device = make_world(apps, "medium")
    caller = Caller(app, apps, random.Random(function.__name__))
    arguments = _long_search(caller, device, function)
    if arguments is None:
        return [f"tool {function.__name__}: no search with it finds three results; its pages cannot be checked"]
    whole = _all_pages(function, arguments, 50, lambda: None)

    def disturb() -> None:
        _pass_time(device)
        for schema in app.tables:
            device.remove_rows(schema.name, list(device.get_table(schema.name).keys)[::2])

    if _all_pages(function, arguments, 2, disturb) != whole:
        found.append(f"tool {function.__name__}: its pages are not of one moment when the world moves in between")
    if len({json.dumps(row, sort_keys=True) for row in whole}) < len(whole):
        found.append(f"tool {function.__name__}: the same result stands on its pages twice")
    return found


def _long_search(caller: Caller, device: DeviceState, function: ToolFunction) -> dict[str, Any] | None:
    """Arguments of a search that finds more than two rows."""
    required = {each.name for each in Tool.of(function).parameters if each.default is each.empty}
    for _ in range(200):
        arguments = caller.arguments(device, function, sanity=1.0)
        arguments = {name: value for name, value in arguments.items() if name in required}
        try:
            if function(**arguments, limit=2)["next_cursor"] is not None:
                return arguments
        except Exception:  # noqa: S112 - drawn arguments may be refused
            continue
    return None


def _all_pages(
    function: ToolFunction, arguments: dict[str, Any], limit: int, after_first: Callable[[], None]
) -> list[dict[str, Any]]:
    page = function(**arguments, limit=limit)
    rows = list(page["results"])
    after_first()
    while page["next_cursor"] is not None and len(rows) <= page["total"]:
        page = function(**arguments, limit=limit, cursor=page["next_cursor"])
        rows += page["results"]
    return rows
