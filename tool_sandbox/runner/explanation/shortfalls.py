"""What one check misses in a conversation, in words."""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.answers.facts import Absent, AnswerSimilarity, Reading
from tool_sandbox.answers.facts._reading import read
from tool_sandbox.answers.facts._values import bind
from tool_sandbox.conversation.check_words import cells_in_words, fact_in_words, value_in_words
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.conversation.messages import parse_tool_call
from tool_sandbox.helpers.counting import counted
from tool_sandbox.scoring import SnapshotConstraint
from tool_sandbox.scoring.published.columns import cell_kernel
from tool_sandbox.scoring.side_effects import fits, matches
from tool_sandbox.world.table import INDEX_COLUMN

if TYPE_CHECKING:
    from tool_sandbox.scenarios.checks import Called, Changed, Failed

LONGEST_TEXT = 80
"""Characters of a text of the conversation that an explanation quotes."""

Row = Mapping[str, Any]


@attrs.frozen
class Shortfall:
    """What is missing.

    Attributes:
        why: In words.
        message_index: Where the conversation came closest.
    """

    why: str
    message_index: int


def shortfall(
    constraint: SnapshotConstraint, context: ExecutionContext, index: int, reference: int | None
) -> Shortfall:
    """Says what a check misses."""
    check = constraint.snapshot_constraint
    found = _check_shortfall(check, context, index)
    if found is None and constraint.target_dataframe is not None:
        found = _rows_missing(constraint, context, index, reference)
    if found is None and constraint.is_guardrail:
        found = Shortfall(f"{constraint.database_namespace} changed since message {reference}", index)
    return found or Shortfall("not met at any message", index)


def _check_shortfall(check: Any, context: ExecutionContext, index: int) -> Shortfall | None:
    """The same for a check that reads the trajectory; ``None`` for one that is not known here."""
    from tool_sandbox.scenarios.checks import Asked, Called, Changed, Failed, NotYet, Told

    match check:
        case AnswerSimilarity():
            return _answer_missing(check, context, index)
        case Changed():
            return _change_missing(check, context, index)
        case Called():
            return _call_missing(check, context, index)
        case Failed():
            return _failure_missing(check, context, index)
        case NotYet():
            return Shortfall("that change had been made already", index)
        case Asked() | Told():
            return _text_missing(check, context, index)
    alternatives = [_check_shortfall(each, context, index) for each in getattr(check, "checks", ())]
    known = [each for each in alternatives if each is not None]
    return Shortfall("; ".join(each.why for each in known), known[0].message_index) if known else None


# What the agent did not tell its user -------------------------------------------------------------------------------


def agent_texts(context: ExecutionContext, *, of_user: bool = False) -> list[tuple[int, str]]:
    """What the agent wrote to the user, with message indices, or what the user wrote to it."""
    parties = (RoleType.USER, RoleType.AGENT) if of_user else (RoleType.AGENT, RoleType.USER)
    return [
        (index, row["content"] or "")
        for index, row in _messages(context)
        if (row["sender"], row["recipient"]) == parties
    ]


def _text_missing(check: Any, context: ExecutionContext, index: int) -> Shortfall:
    """Says that a demanded question or text was not written."""
    texts = agent_texts(context)
    if not texts:
        return Shortfall("the agent wrote nothing to the user", index)
    what = "asked nothing that matches" if hasattr(check, "topic") else "wrote nothing that matches"
    return Shortfall(f"the agent {what} in {len(texts)} message{'s' * (len(texts) > 1)}", texts[-1][0])


def _answer_missing(check: AnswerSimilarity, context: ExecutionContext, index: int) -> Shortfall:
    """Says which facts no answer states, by the message that states most of them."""
    texts = agent_texts(context)
    if not texts:
        return Shortfall("the agent wrote nothing to the user", index)

    def missing(place: int, text: str) -> list[str]:
        said = []
        for fact in check.facts:
            bound, words = bind(fact, context, place), fact_in_words(fact)
            if bound is None:
                said.append(f"no tool result gives {words}")
            elif (reading := read(bound, text)) is Reading.CONTRADICTED:
                said.append(f"should not be said: {words}" if isinstance(fact, Absent) else f"said otherwise: {words}")
            elif reading is not Reading.STATED:
                said.append(f"{'unclear' if reading is Reading.UNCLEAR else 'not said'}: {words}")
        return said

    found = [(place, missing(place, text)) for place, text in texts]
    # Of equals the newest: what comes later has seen more.
    place, gaps = min(reversed(found), key=lambda entry: len(entry[1]))
    if gaps:
        return Shortfall("; ".join(gaps), place)
    if check.scope == "turn" and place == texts[-1][0]:
        return Shortfall("said, but the user did not continue", place)
    return Shortfall("said, but another message takes it back or says what must not be said", place)


# Which calls of tools are missing -----------------------------------------------------------------------------------


@attrs.frozen
class AgentCall:
    """A call of a tool by the agent.

    Attributes:
        index: Message of its answer.
        tool: Real name of the tool.
        arguments: What it was given.
        result: What it returned, ``None`` where it failed.
        error: How it failed, ``None`` where it did not.
    """

    index: int
    tool: str
    arguments: dict[str, Any]
    result: Any
    error: str | None


def agent_calls(context: ExecutionContext) -> list[AgentCall]:
    """Calls of the agent in order."""
    asked: dict[str | None, Any] = {}
    found = []
    for index, row in _messages(context):
        if row["sender"] == RoleType.AGENT and row["recipient"] == RoleType.EXECUTION_ENVIRONMENT:
            asked[row["openai_tool_call_id"]] = None
            with contextlib.suppress(ValueError):
                asked[row["openai_tool_call_id"]] = parse_tool_call(row["content"] or "")
        elif row["sender"] == RoleType.EXECUTION_ENVIRONMENT and row["recipient"] == RoleType.AGENT:
            if row["tool_call_exception"] is not None:
                call = asked.get(row["openai_tool_call_id"])
                if call is not None and isinstance(call.arguments, dict):
                    found.append(AgentCall(index, call.name, call.arguments, None, row["tool_call_exception"]))
                continue
            for trace in map(json.loads, row["tool_trace"] or ()):
                found.append(AgentCall(index, trace["tool_name"], trace["arguments"], trace["result"], None))
    return found


def _calls(context: ExecutionContext, tool: str) -> list[AgentCall]:
    return [call for call in agent_calls(context) if call.tool == tool]


def _call_missing(check: "Called", context: ExecutionContext, index: int) -> Shortfall:
    """Says how the closest call of a tool differs from the demanded one."""
    calls = _calls(context, check.tool)
    done = [call for call in calls if call.error is None]
    if not done:
        if calls:
            return Shortfall(f"{check.tool} failed: {_shortened(calls[-1].error or '')}", calls[-1].index)
        return Shortfall(f"{check.tool} was never called", index)
    best = min(reversed(done), key=lambda call: len(_differing(check.arguments, call.arguments)))
    place, result = best.index, best.result
    if gaps := _differing(check.arguments, best.arguments):
        return Shortfall(f"{check.tool} was called with {', '.join(gaps)}", place)
    if check.result is None or matches(check.result, result):
        return Shortfall(f"{check.tool} was called, but not with what would have been needed", place)
    return Shortfall(f"{check.tool} gave {_quoted(result)}", place)


def _failure_missing(check: "Failed", context: ExecutionContext, index: int) -> Shortfall:
    """Says how a tool that should have failed was used instead."""
    calls = _calls(context, check.tool)
    if not calls:
        return Shortfall(f"{check.tool} was never called", index)
    if failed := [call for call in calls if call.error is not None]:
        gaps = _differing(check.arguments, failed[-1].arguments)
        return Shortfall(f"{check.tool} failed with {', '.join(gaps)}", failed[-1].index)
    return Shortfall(f"{check.tool} did not fail", calls[-1].index)


# What a demanded change of the world misses -------------------------------------------------------------------------


Rows = dict[Any, dict[str, Any]]


def _change_missing(check: "Changed", context: ExecutionContext, index: int) -> Shortfall:
    """Says what a demanded change misses."""
    end = context.max_sandbox_message_index if check.lasts else index
    start = _rows(context, check.namespace, context.first_user_sandbox_message_index)
    now = _rows(context, check.namespace, end)
    place = _last_change(context, check.namespace, end)
    if check.kind == "added":
        why = _addition(check, start, now)
    elif check.kind == "removed":
        why = _removal(check, start, now)
    else:
        why = _update(check, start, now)
    return Shortfall(why, place)


def _rows(context: ExecutionContext, namespace: str, index: int) -> Rows:
    table = context.get_table(namespace, index)
    return {row[table.schema.key]: row for row in table}


def _last_change(context: ExecutionContext, namespace: str, end: int) -> int:
    """Newest message that touched the database, the end if none did."""
    first = context.first_user_sandbox_message_index
    indices = [index for index, _ in context.get_history(namespace) if first < index <= end]
    return max(indices, default=end)


def _addition(check: "Changed", start: Rows, now: Rows) -> str:
    added = [row for key, row in now.items() if key not in start]
    if not added:
        return f"no row was added to {check.namespace}"
    fitting = [row for row in added if fits(check.values, row)]
    others = [row for row in added if not fits(check.values, row)]
    if len(fitting) >= check.count:
        return f"{len(added)} rows were added to {check.namespace}, {check.count} wanted"
    if not others:
        return f"{len(fitting)} of {check.count} rows were added to {check.namespace}"
    return f"the row added to {check.namespace} has {', '.join(_closest(check.values, others)[1])}"


def _removal(check: "Changed", start: Rows, now: Rows) -> str:
    left = [row for key, row in start.items() if key in now and fits(check.where, row)]
    if not left:
        return f"no such row was in {check.namespace} at the start"
    return f"still in {check.namespace}: {_shown(left[0], ())}"


def _update(check: "Changed", start: Rows, now: Rows) -> str:
    meant = [key for key, row in start.items() if fits(check.where, row)]
    if not meant:
        return f"no such row was in {check.namespace} at the start"
    there = [now[key] for key in meant if key in now and not fits(check.values, now[key])]
    if not there:
        return f"the row is no longer in {check.namespace}"
    row, gaps = _closest(check.values, there)
    state = "was left as it is" if row in start.values() else "was changed"
    return f"the row in {check.namespace} {state}: {', '.join(gaps)}"


# What rows miss that a milestone wants, as the published benchmark writes them --------------------------------------


Candidates = list[tuple[int, Row]]


def _rows_missing(
    constraint: SnapshotConstraint, context: ExecutionContext, index: int, reference: int | None
) -> Shortfall:
    """Says which wanted row resembles nothing, and how the closest row differs."""
    namespace = constraint.database_namespace
    target_rows = constraint.target_dataframe
    wanted: list[Row] = [] if target_rows is None else list(target_rows.to_dicts())
    candidates = _candidates(namespace, context, index, reference)
    if namespace != DatabaseNamespace.SANDBOX and not candidates and wanted:
        return Shortfall(f"nothing changed in {namespace}", index)
    worst: tuple[float, str, int] | None = None
    for target in wanted:
        scored = [(*_resemblance(constraint, target, row), place) for place, row in candidates]
        if not scored:
            continue
        best = max(scored, key=lambda entry: (entry[0], entry[2]))
        if worst is None or best[0] < worst[0]:
            worst = best
    if worst is None or not worst[1]:
        return Shortfall(f"{counted(len(candidates), 'row')} there, {len(wanted)} wanted", index)
    return Shortfall(worst[1], worst[2])


def _candidates(namespace: str, context: ExecutionContext, index: int, reference: int | None) -> Candidates:
    """Messages, or rows of a world database that are different at two moments (all rows without a reference)."""
    if namespace is DatabaseNamespace.SANDBOX:
        return list(_messages(context))
    now = context.get_table(namespace, index).dicts()
    if reference is None:
        return [(index, row) for row in now]
    before = context.get_table(namespace, reference).dicts()
    changed = [row for row in now if row not in before]
    return [(index, row) for row in changed or [row for row in before if row not in now]]


def _resemblance(constraint: SnapshotConstraint, target: Row, row: Row) -> tuple[float, str]:
    """Share of cells that are as wanted, by their measures, and the others in words."""
    measures: dict[str, Callable[..., Any]] = constraint.column_similarity_measure or {}
    names = [name for name in target if name != INDEX_COLUMN and name in measures]
    total, gaps = 0.0, []
    for name in names:
        kernel = cell_kernel(measures[name], name, target[name])[1]
        similarity = 1.0 if kernel is None else kernel(row.get(name)) or 0.0
        total += similarity
        if similarity < 1:
            gaps.append(f"{name} = {_quoted(row.get(name))} instead of {value_in_words(target[name])}")
    return total / max(1, len(names)), "; ".join(gaps)


# Words --------------------------------------------------------------------------------------------------------------


def _messages(context: ExecutionContext) -> Iterator[tuple[int, dict[str, Any]]]:
    """Message index and row, from the first message of the user on."""
    first = context.first_user_sandbox_message_index
    for index, table in context.get_history(DatabaseNamespace.SANDBOX):
        if index >= first:
            for row in table.dicts():
                yield index, row


def _shortened(text: str) -> str:
    """A text of the conversation on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}..."


def _quoted(value: Any) -> str:
    """A value that was found, as the words of a check would show it."""
    return f'"{_shortened(value)}"' if isinstance(value, str) else _shortened(value_in_words(value))


def _differing(wanted: Mapping[str, Any], found: Row) -> list[str]:
    """Cells that are not as wanted: each with what is there, and what was wanted in its place."""
    return [
        f"{name} = {_quoted(found[name]) if name in found else 'left out'} instead of {value_in_words(expected)}"
        for name, expected in wanted.items()
        if name not in found or not matches(expected, found[name])
    ]


def _shown(row: Row, wanted: Iterable[str]) -> str:
    """The cells of a row that tell it from others, those that matter first."""
    names = [name for name in wanted if name in row] or [name for name in row if not name.endswith("_id")]
    return cells_in_words({name: row[name] for name in names[:3]})


def _closest(wanted: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Row, list[str]]:
    """The row that misses the fewest cells, and what it misses; of equals the last."""
    return min(((row, _differing(wanted, row)) for row in reversed(rows)), key=lambda entry: len(entry[1]))
