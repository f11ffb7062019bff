"""The format that ShareGPT is known for, with the roles that LLaMA-Factory and Axolotl have added for tools.

LLaMA-Factory demands that ``human`` or ``observation`` and ``gpt`` or ``function_call`` take turns. So parallel calls
are one ``function_call`` with a JSON list, their results one ``observation`` with a JSON list, and messages of one side
that follow each other are joined by an empty line. Text beside a call has no place there and is left out.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from tool_sandbox.export.training import until_last_word
from tool_sandbox.export.trajectory import Entry, Trajectory


def sharegpt_line(trajectory: Trajectory) -> dict[str, Any] | None:
    """A conversation as an example to train with, ``None`` if the agent says nothing in it."""
    entries = until_last_word(trajectory)
    if not entries:
        return None
    return {
        "conversations": list(_turns(entries)),
        "tools": _json([tool["function"] for tool in trajectory.tools]),
        "metadata": dict(trajectory.metadata),
    }


def texts_beside_calls(trajectory: Trajectory) -> int:
    """How many texts are left out because they stand beside a call."""
    return sum(bool(entry.calls and entry.message["content"]) for entry in until_last_word(trajectory))


def _turns(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    # What the agent did not say stays apart from what it said: only one of them is trained on.
    for (speaker, weight), group in groupby(entries, lambda entry: (_speaker(entry), entry.weight)):
        together = list(group)
        rewards = [entry.reward for entry in together if entry.reward is not None]
        yield {
            "from": speaker,
            "value": _value(speaker, together),
            "train": bool(weight),
            "reward": sum(rewards) if rewards else None,
        }


def _speaker(entry: Entry) -> str:
    if entry.role == "assistant":
        return "function_call" if entry.calls else "gpt"
    return {"system": "system", "user": "human", "tool": "observation"}[entry.role]


def _value(speaker: str, entries: Sequence[Entry]) -> str:
    if speaker == "function_call":
        calls = [
            {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
            for entry in entries
            for call in entry.calls
        ]
        return _json(calls[0] if len(calls) == 1 else calls)
    texts = [str(entry.message["content"]) for entry in entries]
    if speaker == "observation":
        return texts[0] if len(texts) == 1 else _json(texts)
    return "\n\n".join(texts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
