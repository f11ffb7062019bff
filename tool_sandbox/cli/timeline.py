"""One conversation as lines for a terminal."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from tool_sandbox.analysis.scored import CheckView, ScoredNode
from tool_sandbox.analysis.tool_use import EnvironmentAnswer, EnvironmentCall
from tool_sandbox.analysis.views import ConversationView, MessageView
from tool_sandbox.analysis.world_changes import WorldChange
from tool_sandbox.cli.tables import money
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable, printable_lines
from tool_sandbox.runner.verdicts import is_evaluated

LONGEST_TEXT = 500
"""Characters of a text that are shown unless all are asked for."""

MOST_LINES = 8
"""The same for its lines."""

_NAMES = {"EXECUTION_ENVIRONMENT": "TOOLS"}
_STYLES = {"SYSTEM": "dim", "USER": "bold cyan", "AGENT": "bold", "EXECUTION_ENVIRONMENT": "magenta"}
_SIGNS = {"added": "+", "removed": "-", "updated": "~"}


def conversation(view: ConversationView, run: str, *, full: bool = False) -> RenderableType:
    """Renders a conversation."""
    opening = [message for message in view.messages if message.index < view.opening]
    proper = [message for message in view.messages if message.index >= view.opening]
    parts: list[RenderableType] = list(_head(view, run))
    if full:
        parts.append(_title("before the conversation"))
        parts.extend(_message(message, full=True) for message in opening)
    parts.append(_title("conversation"))
    parts.extend(_message(message, full=full) for message in proper)
    if view.milestones:
        parts.append(_title("milestones"))
        parts.extend(_node(node, "met", "not met") for node in view.milestones)
    if view.minefields:
        parts.append(_title("minefields"))
        parts.extend(_node(node, "HIT", "not hit") for node in view.minefields)
    parts.extend(_remarks(view))
    return Group(*parts)


def _title(text: str) -> RenderableType:
    return Rule(Text(text, style="dim"), align="left", style="dim", characters="-")


def plain(text: str, style: str = "") -> Text:
    """A line or lines of text that are shown as they are."""
    return Text(printable_lines(text), style=style, overflow="fold")


def _indented(text: Text, width: int = 6) -> RenderableType:
    return Padding(text, (0, 0, 0, width), expand=False)


def shortened(text: str, *, full: bool) -> str:
    """A text without what is too long, with a remark on how much that is."""
    if full:
        return text
    lines = text[:LONGEST_TEXT].split("\n")[:MOST_LINES]
    kept = "\n".join(lines)
    return kept if len(kept) == len(text) else f"{kept} ... ({len(text) - len(kept):,} more characters, see --full)"


def score_style(similarity: float | None) -> str:
    """Colour of a score; the number says the same to those who do not see it."""
    if similarity is None:
        return "dim"
    return "green" if similarity >= 1 else "red" if similarity <= 0 else "yellow"


# Head ----------------------------------------------------------------------------------------


def _head(view: ConversationView, run: str) -> Iterator[RenderableType]:
    result = view.result
    yield plain(str(result["name"]), "bold")
    yield plain(f"{run}, seed {result.get('seed', 0)}, trial {result.get('trial', 0)}", "dim")
    score = Text("score ")
    similarity = result["similarity"] if is_evaluated(result) else None
    score.append("-" if similarity is None else f"{similarity:.3f}", score_style(similarity))
    score.append(printable(_verdict(result)))
    yield score
    if used := usage_in_words(result):
        yield plain(used)
    yield plain(f"goal: {view.goal}")


def _verdict(result: Mapping[str, Any]) -> str:
    outcome = result.get("outcome")
    facts = [str(outcome) if outcome else "", result.get("reason") or ""]
    facts += [counted(result["turn_count"], "turn")]
    if result.get("tool_calls") is not None:
        facts.append(f"{counted(result['tool_calls'], 'tool call')}, {result.get('tool_errors', 0)} failed")
    return "".join(f", {fact}" for fact in facts if fact)


def usage_in_words(result: Mapping[str, Any]) -> str:
    """Tokens, time and cost of the models, empty if none played."""
    parts = []
    for party, usage in (result.get("usage") or {}).items():
        if usage is not None:
            tokens = f"{usage['input_tokens']:,}+{usage['output_tokens']:,} tokens"
            parts.append(f"{party} {usage['model']}: {usage['latency_s']:.1f} s, {tokens}, {money(usage['cost_usd'])}")
    return "; ".join(parts)


# Messages ------------------------------------------------------------------------------------


def _message(message: MessageView, *, full: bool) -> RenderableType:
    names = [_NAMES.get(role, role) for role in (message.sender, message.recipient)]
    head = Text(f"[{message.index:>2}] ", style="dim")
    head.append(f"{names[0]} -> {names[1]}", _STYLES.get(message.sender, ""))
    if message.model is not None:
        head.append(f"  {_model(message)}", "dim")
    parts: list[RenderableType] = [head]
    if message.text:
        parts.append(_indented(plain(shortened(message.text, full=full))))
    if message.call is not None:
        parts.append(_indented(_call(message.call, full=full)))
    if message.answer is not None:
        parts.append(_indented(_answer(message.answer, full=full)))
    if message.changed_by:
        calls = ", ".join(f"[{index}]" for index in message.changed_by)
        parts.append(_indented(plain(f"changed by one or more of {calls}:", "dim")))
    parts.extend(_indented(plain(f"the world by itself: {told}", "yellow")) for told in message.happened)
    parts.extend(_indented(_change(change, full=full)) for change in message.changes)
    for kind, numbers in (("milestone", message.milestones), ("MINEFIELD", message.minefields)):
        style = "green" if kind == "milestone" else "bold red"
        parts.extend(_indented(Text(f"* {kind} {number}", style)) for number in numbers)
    return Group(*parts)


def _model(message: MessageView) -> str:
    model = message.model
    if model is None:
        return ""
    facts = [f"{model.latency_s:.1f} s"]
    if model.input_tokens is not None and model.output_tokens is not None:
        facts.append(f"{model.input_tokens:,}+{model.output_tokens:,} tokens")
    if model.cost_usd is not None:
        facts.append(money(model.cost_usd))
    if model.failures:
        facts.append(f"{model.failures} failed attempts")
    return ", ".join(facts)


def _call(call: EnvironmentCall, *, full: bool) -> Text:
    text = plain(call.tool or call.name, "bold blue")
    if call.tool is not None and call.tool != call.name:
        text.append(f" (seen as {printable(call.name)})", "dim")
    if isinstance(call.arguments, dict):
        for name, value in call.arguments.items():
            cell = shortened(json.dumps(value, ensure_ascii=False), full=full)
            text.append(f"\n  {printable(name)} = {printable(cell)}")
    else:
        text.append(f"\n  {printable_lines(shortened(call.arguments, full=full))}")
    return text


def _answer(answer: EnvironmentAnswer, *, full: bool) -> Text:
    if answer.error is not None:
        return plain(f"error: {shortened(answer.error, full=full)}", "red")
    return plain(shortened(answer.result or "", full=full) or "(nothing)")


def _change(change: WorldChange, *, full: bool) -> Text:
    text = plain(f"{_SIGNS[change.kind]} {change.database}", "yellow")
    if change.before is not None and change.after is not None:
        text.append(f" {printable(change.key or '')}")
        for name in change.columns:
            text.append(f"\n  {name}: {_cell(change.before.get(name), full)} -> {_cell(change.after.get(name), full)}")
        return text
    for name, value in (change.after or change.before or {}).items():
        if value is not None:
            text.append(f"\n  {name}: {_cell(value, full)}")
    return text


def _cell(value: Any, full: bool) -> str:
    return printable(shortened(json.dumps(value, ensure_ascii=False), full=full))


# Scores --------------------------------------------------------------------------------------


def _node(node: ScoredNode, met: str, missed: str) -> RenderableType:
    head = Text(f"{node.index:>2}  ", style="dim")
    is_met = bool(node.similarity)
    shown = "-" if node.similarity is None else f"{node.similarity:.2f}"
    good = is_met if met == "met" else not is_met
    head.append(shown, score_style(float(good) if met != "met" else node.similarity))
    where = f" at message {node.message_index}" if node.message_index is not None else ""
    head.append(f" {met if is_met else missed}{where}")
    facts = [] if node.weight == 1 else [f"weight {node.weight:.3g}"]
    facts += [f"after {', '.join(map(str, node.after))}"] if node.after else []
    head.append(f"  {'; '.join(facts)}" if facts else "", "dim")
    if node.name:
        head.append(f"  {printable(node.name)}")
    parts: list[RenderableType] = [head]
    parts.extend(_check(check, asks_why=met == "met") for check in node.checks)
    if node.why:
        parts.append(_indented(plain(f"why not: {node.why}", "red")))
    return Group(*parts)


def _check(check: CheckView, *, asks_why: bool) -> RenderableType:
    sign = {None: "?", 1.0: "+", 0.0: "-"}.get(check.similarity, "~")
    lines = Table.grid(padding=(0, 1))
    lines.add_row(sign if asks_why else " ", plain(check.text))
    if check.why and asks_why:
        place = "" if check.message_index is None else f" (message {check.message_index})"
        lines.add_row("", plain(f"why not: {check.why}{place}", "red"))
    return Padding(lines, (0, 0, 0, 6), expand=False)


def decision_text(doubt: Mapping[str, Any]) -> str:
    """What was decided about an unclear reading, by whom and when; empty if nothing was."""
    if (is_stated := doubt["is_stated"]) is None and doubt.get("by") is None:
        return ""
    what = {True: "decided: stated", False: "decided: not stated", None: "left open"}[is_stated]
    who = (
        f", by {'the judge ' if doubt.get('is_judge') else ''}{doubt['by']} at {doubt['at']}" if doubt.get("by") else ""
    )
    return f"; {what}{who}"


def _remarks(view: ConversationView) -> Iterator[RenderableType]:
    effects: Sequence[Mapping[str, Any]] = view.result.get("side_effects") or ()
    if effects:
        yield _title("changes that are not allowed")
        yield from (_indented(plain(str(effect["description"]), "red"), 4) for effect in effects)
    unclear: Sequence[Mapping[str, Any]] = view.result.get("unclear") or ()
    if unclear:
        low, high = view.result.get("score_interval") or [view.result["similarity"]] * 2
        yield _title(f"what is unclear: score {low:.3f} to {high:.3f}" if low < high else "what was unclear")
        for doubt in unclear:
            words = f"message {doubt['message']}: {doubt['sentence']}\nfact: {doubt['fact']}{decision_text(doubt)}"
            yield _indented(plain(words, "yellow"), 4)
    unsupported: Sequence[Mapping[str, Any]] = view.result.get("unsupported") or ()
    if unsupported:
        yield _title("statements that nothing shown supports")
        for said in unsupported:
            world = "" if said["world"] is None else f"; the world says: {said['world']}"
            words = f"message {said['message']}: {str(said['kind']).lower()}: {said['said']}{world}"
            yield _indented(plain(words, "yellow" if said["world"] is None else "red"), 4)
    judge: Mapping[str, Any] = view.result.get("judge") or {}
    if false := judge.get("false_statements"):
        yield _title("what the judge holds for false")
        for said in false:
            words = f"message {said['message_index']}: {said['sentence']}\n{said['reason']}"
            yield _indented(plain(words, "yellow"), 4)
    findings: Sequence[Mapping[str, Any]] = view.result.get("user_findings") or ()
    if findings:
        yield _title("what the simulated user did wrong")
        for finding in findings:
            words = f"message {finding.get('message_index')}: {finding['kind']}: {finding.get('detail') or ''}"
            yield _indented(plain(words, "yellow"), 4)
    if trace := view.result.get("traceback"):
        yield _title("what ended it")
        yield _indented(plain(shortened(str(trace)[-LONGEST_TEXT:], full=True), "red"), 4)
