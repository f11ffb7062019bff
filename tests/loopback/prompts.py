"""Reads the prompts of four formats back into conversations, and writes what their models would answer.

Written from the formats, not from the code under test. A prompt that is not made of whole turns, or holds a mark where
only content may be, is refused.
"""

import ast
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tests.loopback.server import Answer, HeardTurn, require


@attrs.frozen
class Conversation:
    """What a prompt says; ``wants_words`` is about Command R: whether it is asked for an answer instead of actions."""

    system: str
    turns: tuple[HeardTurn, ...]
    tools: tuple[str, ...]
    wants_words: bool = False


_CHATML_TOKEN = re.compile(r"<\|\w+\|>|</?s>")
_COMMAND_TOKEN = re.compile(r"<\|\w+\|>|<\w+_TOKEN>")


def _tiles(pattern: str, prompt: str) -> list[re.Match[str]]:
    """Matches that cover a text without gaps."""
    matches, place = [], 0
    for match in re.finditer(pattern, prompt, re.DOTALL):
        require(match.start() == place, f"not a turn: {prompt[place : match.start()]!r}")
        matches.append(match)
        place = match.end()
    require(place == len(prompt), f"not a turn: {prompt[place:]!r}")
    return matches


def _text_of(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _calls(number: int, calls: Sequence[tuple[str, Any]]) -> tuple[tuple[str, str, Any], ...]:
    return tuple((f"{number}.{place}", name, arguments) for place, (name, arguments) in enumerate(calls))


def _result(turns: Sequence[HeardTurn], text: str, name: str | None) -> HeardTurn:
    """A result, known by its place after the calls."""
    place = 0
    while turns[-1 - place].role == "tool":
        place += 1
    asked = turns[-1 - place]
    require(len(asked.calls) > place, "a result without a call")
    call_id, called, _ = asked.calls[place]
    require(name in (None, called), f"result of {name}, but {called} was called")
    return HeardTurn("tool", text, call_id=call_id, name=called)


# Hermes --------------------------------------------------------------------------------------


def read_hermes(prompt: str) -> Conversation:
    open_turn = "<|im_start|>assistant\n"
    require(prompt.endswith(open_turn), "the prompt does not leave the word to the assistant")
    system, turns, tools = [], list[HeardTurn](), ()
    blocks = _tiles(r"<\|im_start\|>(\w+)\n(.*?)<\|im_end\|>\n", prompt.removesuffix(open_turn))
    for number, block in enumerate(blocks):
        role, content = block.groups()
        require(not _CHATML_TOKEN.search(content), f"a special token inside of a turn: {content!r}")
        if role == "system" and "<tools>" in content:
            require(number == 0, "the tools do not come first")
            listed = json.loads(content.partition("<tools>")[2].partition("</tools>")[0])
            listed = listed if isinstance(listed, list) else [listed]
            tools = tuple(tool["function"]["name"] for tool in listed)
        elif role == "system":
            system.append(content)
        elif role == "user":
            turns.append(HeardTurn("user", content))
        elif role == "tool":
            for response in _tiles(r"<tool_response>\n(.*?)\n</tool_response>\n?", content):
                body = json.loads(response[1])
                turns.append(_result(turns, _text_of(body["content"]), body["name"]))
        else:
            require(role == "assistant", f"unknown role {role}")
            said, *bodies = content.split("<tool_call>\n")
            require(all(body.rstrip("\n").endswith("\n</tool_call>") for body in bodies), "a call is not closed")
            calls = [json.loads(body.partition("\n</tool_call>")[0]) for body in bodies]
            pairs = [(call["name"], call["arguments"]) for call in calls]
            turns.append(HeardTurn("assistant", said.strip(), _calls(number, pairs)))
    return Conversation("\n".join(system), tuple(turns), tools)


def write_hermes(answer: Answer) -> str:
    calls = [
        f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {_json(arguments)}}}\n</tool_call>'
        for name, arguments in answer.calls
    ]
    return "\n".join(filter(None, [answer.text, *calls]))


def _json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# Gorilla -------------------------------------------------------------------------------------


def read_gorilla(prompt: str) -> Conversation:
    head, *parts = re.split(r"^### (Instruction|Response): ", prompt, flags=re.MULTILINE)
    require(
        head.startswith("You are an AI programming assistant, utilizing the Gorilla LLM model"), "no system sentence"
    )
    require(parts[-2:] == ["Response", ""], "the prompt does not leave the word to the model")
    turns, tools = list[HeardTurn](), ()
    for number, (kind, content) in enumerate(zip(parts[:-2:2], parts[1:-2:2], strict=True)):
        require(not re.search("###? ?(Instruction|Response):", content), f"a heading inside of a turn: {content!r}")
        content = content.removesuffix("\n")
        if kind == "Response":
            said, *calls = content.split("<<function>>")
            turns.append(HeardTurn("assistant", said, _calls(number, [_python_call(call) for call in calls])))
        elif content.startswith("<<result>>"):
            for result in content.split("<<result>>")[1:]:
                body = json.loads(result)
                turns.append(_result(turns, _text_of(body["content"]), body["name"]))
        else:
            functions, question, text = content.partition("<<question>>")
            require(
                question and not re.search("<<(function|question|result)>>", text), f"not one question: {content!r}"
            )
            if functions:
                require(functions.startswith("<<function>>"), "no functions before the question")
                listed = json.loads(functions.removeprefix("<<function>>"))
                tools = tuple(tool["function"]["name"] for tool in listed)
            turns.append(HeardTurn("user", text if functions else text.removeprefix(" ")))
    return Conversation(head.partition("\n")[2].strip(), tuple(turns), tools)


def _python_call(text: str) -> tuple[str, Any]:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    if node.args:
        return node.func.id, ast.literal_eval(node.args[0])
    arguments: dict[str, Any] = {}
    for word in node.keywords:
        arguments |= {word.arg: ast.literal_eval(word.value)} if word.arg else ast.literal_eval(word.value)
    return node.func.id, arguments


def write_gorilla(answer: Answer) -> str:
    calls = [
        f"<<function>>{name}({arguments if isinstance(arguments, str) else _keywords(arguments)})"
        for name, arguments in answer.calls
    ]
    return answer.text + "".join(calls)


def _keywords(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


# Mistral -------------------------------------------------------------------------------------

_MISTRAL = (
    r"(?P<tools>\[AVAILABLE_TOOLS\] (?P<listed>.*?)\[/AVAILABLE_TOOLS\])"
    r"|\[INST\] (?P<user>.*?)\[/INST\]"
    r"|\[TOOL_RESULTS\] (?P<result>.*?)\[/TOOL_RESULTS\]"
    r"|(?P<said> (?:(?!\[TOOL_CALLS\]|</s>).)*)?(?:\[TOOL_CALLS\] (?P<calls>.*?))?(?P<end></s>)"
)
_CONTROL = re.compile(r"\[/?(?:INST|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\]|</?s>")


def read_mistral(prompt: str) -> Conversation:
    turns, tools, ids, listed_at, is_right_after = list[HeardTurn](), (), list[str](), None, False
    for number, match in enumerate(_tiles(_MISTRAL, prompt)):
        part = match.groupdict()
        for content in (part["listed"], part["user"], part["result"], part["said"], part["calls"]):
            require(not _CONTROL.search(content or ""), f"a control token inside of a turn: {content!r}")
        if part["listed"]:
            tools, listed_at = tuple(tool["function"]["name"] for tool in json.loads(part["listed"])), number
        elif part["user"] is not None:
            require(not turns or turns[-1].role != "user", "two messages of the user in a row")
            turns.append(HeardTurn("user", part["user"]))
            is_right_after = listed_at == number - 1
        elif part["result"]:
            body = json.loads(part["result"])
            heard = _result(turns, _text_of(body["content"]), None)
            require(body["call_id"] == heard.call_id, f"result of {body['call_id']}, but {heard.call_id} was called")
            turns.append(heard)
        else:
            calls = tuple((call["id"], call["name"], call["arguments"]) for call in json.loads(part["calls"] or "[]"))
            require(all(re.fullmatch("[a-zA-Z0-9]{9}", call_id) for call_id, _, _ in calls), "ids have nine letters")
            ids += [call_id for call_id, _, _ in calls]
            turns.append(HeardTurn("assistant", (part["said"] or "").strip(), calls))
    require(len(set(ids)) == len(ids), "an id is used twice")
    require(listed_at is None or is_right_after, "the tools are not before the newest message of the user")
    newest = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=None)
    system = ""
    if newest is not None:
        system, _, text = turns[newest].text.rpartition("\n\n")
        turns[newest] = attrs.evolve(turns[newest], text=text)
    return Conversation(system, tuple(turns), tools)


def write_mistral(answer: Answer) -> str:
    if not answer.calls:
        return f" {answer.text}"
    entries = [f'{{"name": {json.dumps(name)}, "arguments": {_json(arguments)}}}' for name, arguments in answer.calls]
    return f"{answer.text}[TOOL_CALLS] [{', '.join(entries)}]"


# Command R -----------------------------------------------------------------------------------


def read_cohere(prompt: str) -> Conversation:
    open_turn = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    require(prompt.endswith(open_turn), "the prompt does not leave the word to the model")
    blocks = _tiles(
        r"<\|START_OF_TURN_TOKEN\|><\|([A-Z]+)_TOKEN\|>(.*?)<\|END_OF_TURN_TOKEN\|>", prompt.removesuffix(open_turn)
    )
    system, turns, tools, instruction = "", list[HeardTurn](), (), None
    for number, block in enumerate(blocks):
        role, content = block.groups()
        require(not _COMMAND_TOKEN.search(content), f"a special token inside of a turn: {content!r}")
        if role == "SYSTEM" and content.startswith("<results>\n"):
            require(
                content.endswith("</results>") and len(re.findall("</?results>", content)) == 2,
                f"not one result: {content!r}",
            )
            turns.append(_result(turns, content.removeprefix("<results>\n").removesuffix("</results>"), None))
        elif role == "SYSTEM" and content.startswith("Write 'Action:'"):
            instruction = number
        elif role == "SYSTEM":
            require(number == 0, "a standing instruction in the middle")
            preamble, _, listed = content.partition("\n\n## Available Tools\n")
            system = preamble.partition("# User Preamble\n")[2] or preamble
            tools = tuple(re.findall(r"^```python\ndef (.*?)\(", listed, re.MULTILINE))
        elif role == "USER":
            turns.append(HeardTurn("user", content))
        else:
            require(role == "CHATBOT", f"unknown role {role}")
            said, action, body = content.partition("Action: ```json\n")
            calls = json.loads(body.removesuffix("\n```")) if action else []
            pairs = [(call["tool_name"], call["parameters"]) for call in calls]
            turns.append(HeardTurn("assistant", said.strip(), _calls(number, pairs)))
    require(instruction in (None, len(blocks) - 1), "the instruction is not the last turn")
    return Conversation(system, tuple(turns), tools, wants_words=instruction is None)


def write_cohere(answer: Answer) -> str:
    if not answer.calls:
        return answer.text
    entries = [
        f'    {{\n        "tool_name": {json.dumps(name)},\n        "parameters": {_json(arguments)}\n    }}'
        for name, arguments in answer.calls
    ]
    action = "Action: ```json\n[\n" + ",\n".join(entries) + "\n]```"
    return f"{answer.text}\n{action}" if answer.text else action


READERS: dict[str, Callable[[str], Conversation]] = {
    "hermes": read_hermes,
    "gorilla": read_gorilla,
    "mistral": read_mistral,
    "cohere": read_cohere,
}
WRITERS: dict[str, Callable[[Answer], str]] = {
    "hermes": write_hermes,
    "gorilla": write_gorilla,
    "mistral": write_mistral,
    "cohere": write_cohere,
}
