"""Whether a reference solution can be known from what was shown: each name and text in its calls has a source.

A text counts as known if it stands in what the agent had been told or shown by then, or if all its words do. Numbers,
dates and times are left out, as these can be worked out.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.conversation.messages import parse_tool_call
from tool_sandbox.conversation.tool_schemas import function_description
from tool_sandbox.proof.play import Reference

_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 5
"""Letters by which words are told apart: "refunded" is known from "refund"."""

_COMMON = frozenset(
    _WORD.findall(
        """
    about after again also because been before between both could does done each even every have here instead into just
    know last left like made make many more most much must need next only other over part please same should since some
    still take than thank thanks that their them then there these they this those through until very want well were
    what when where which while will with without would your yours dear hello kind regards best sorry
    """
    )
)
"""Words that need no source."""


def unknown_texts(reference: Reference) -> list[str]:
    """Texts in calls of a reference solution with words that nothing shown has, each with its call."""
    context = reference.context
    shown = [_described(context)]
    found = []
    for message in _messages(context):
        content = message["content"] or ""
        if (message["sender"], message["recipient"]) == (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT):
            call = parse_tool_call(content)
            known = _stems(" ".join(shown))
            for text in _texts(call.arguments if call is not None else None):
                if missing := sorted(word for word in _words(text) if word[:_STEM] not in known):
                    found.append(f"{', '.join(missing)} in {text[:60]!r} of {call.name if call else 'a call'}")
        if message["recipient"] == RoleType.AGENT or message["sender"] == RoleType.AGENT:
            # Results show a new line in a text as an escape, which is no letter of the next word.
            shown.append(content.replace("\\n", " "))
    return found


def _described(context: ExecutionContext) -> str:
    """What the descriptions of the tools say, which every agent is shown."""
    tools = context.get_tools_of(RoleType.AGENT).items()
    return json.dumps([function_description(context, name, tool) for name, tool in tools], ensure_ascii=False)


def _messages(context: ExecutionContext) -> Iterator[dict[str, Any]]:
    for _, table in context.get_history(DatabaseNamespace.SANDBOX):
        yield from table.dicts()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)} - _COMMON


def _stems(text: str) -> set[str]:
    return {word.casefold()[:_STEM] for word in _WORD.findall(text)}
