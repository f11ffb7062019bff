"""Stands in for ``gemini``: headless mode with ``--output-format stream-json``, its settings and its events."""

import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from tests.stubs.acting import (
    Actor,
    Config,
    check_environment,
    check_private,
    emit,
    fault,
    misbehave,
    record,
    tools_at,
)

VERSION = "0.61.0"
MODEL = "gemini-3-pro"
REPEATED = {"type": "user", "content": [{"functionResponse": {"name": "mcp_sandbox_look", "response": {}}}]}


def main(config: Config) -> None:
    if sys.argv[1:] == ["--version"]:
        print(config.get("version", VERSION))
        return
    from tests.integrations.mcp.clients import SyncClient

    # The real one needs results as structured content, too.
    SyncClient.structured = True
    words = sys.argv[1:]
    flags = dict(zip(words[::2], words[1::2], strict=True))
    assert flags.pop("--output-format") == "stream-json"
    assert flags.pop("--approval-mode") == "default"
    resume = flags.pop("--resume", None)
    model = flags.pop("--model", MODEL)
    assert not flags, f"unexpected flags: {flags}"
    check_environment("GEMINI_API_KEY")
    home = Path(os.environ["HOME"]) / ".gemini"
    check_private(home / "settings.json")
    settings = json.loads((home / "settings.json").read_text())
    text = sys.stdin.read()
    system = Path(os.environ["GEMINI_SYSTEM_MD"]).read_text()
    record(config, settings=settings, prompt=text, system=system)
    # What is not named here is not offered to the model, tools over MCP included.
    assert settings["tools"]["core"] == ["mcp_sandbox_*"]
    assert settings["security"]["folderTrust"]["enabled"] is False
    server = settings["mcpServers"]["sandbox"]
    assert server["trust"] is True
    chats = home / "tmp" / "chats"
    if resume is not None and not (chats / f"{resume}.json").exists():
        sys.stderr.write("Error resuming session: Invalid session identifier\n")
        sys.exit(42)
    kept = home / "tmp" / "work" / "chats" / "session.jsonl"
    if resume is not None:
        # The results in it are known from the calls as well, and would be sent twice.
        assert [json.loads(line)["type"] for line in kept.read_text().splitlines()] == ["user", "gemini"]
    kept.parent.mkdir(parents=True, exist_ok=True)
    messages = ({"type": "user", "content": [{"text": text}]}, {"type": "gemini", "content": ""}, REPEATED)
    kept.write_text("".join(json.dumps(message) + "\n" for message in messages))
    session = resume or str(uuid.uuid4())
    actor = Actor(config, chats / f"{session}.json")
    kind = fault(config, actor.number)
    emit({"type": "init", "session_id": session, "model": model})
    emit({"type": "message", "role": "user", "content": text})
    misbehave(kind)
    _end_early(kind)
    if kind == "unlisted":
        said = "I have no tools."
    else:
        token = server["headers"]["Authorization"].removeprefix("Bearer ")
        with tools_at(server["httpUrl"], token) as client:
            client.tools()
            said = actor.answer(text.removesuffix("\n"), lambda name, arguments: _call(client, name, arguments))
    actor.remember()
    for part in (said[:4], said[4:]):
        emit({"type": "message", "role": "assistant", "content": part, "delta": True})
    stats = {"total_tokens": 1017, "input_tokens": 1000, "output_tokens": 10, "cached": 300, "input": 700}
    models = {model: dict(stats), "gemini-flash-router": {**stats, "output_tokens": 1, "total_tokens": 1001}}
    emit({"type": "result", "status": "success", "stats": {**stats, "models": models}})


def _call(client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    use = uuid.uuid4().hex
    emit({"type": "message", "role": "assistant", "content": "Let me see. ", "delta": True})
    emit({"type": "tool_use", "tool_name": f"mcp_sandbox_{name}", "tool_id": use, "parameters": arguments})
    words, is_error = client.call(name, {**arguments, "wait_for_previous": True})
    emit({"type": "tool_result", "tool_id": use, "status": "error" if is_error else "success", "output": words})
    return words, is_error


def _end_early(kind: str | None) -> None:
    if kind in ("own_tool", "refused_tool"):
        status = "success" if kind == "own_tool" else "error"
        emit({"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "x", "parameters": {"command": "ls"}})
        emit({"type": "tool_result", "tool_id": "x", "status": status, "output": ""})
    elif kind == "api_error":
        error = {"type": "Error", "message": "[API Error: quota exceeded (Status: 429)]"}
        emit({"type": "result", "status": "error", "error": error})
        sys.exit(1)
    elif kind == "nothing":
        emit({"type": "error", "severity": "error", "message": "The model returned an empty text response."})
        emit({"type": "result", "status": "error", "stats": {"total_tokens": 1}})
        sys.exit(0)
    elif kind == "locked_out":
        sys.exit(41)
    elif kind == "max_turns":
        sys.stderr.write("Reached max session turns for this session.\n")
        sys.exit(53)
