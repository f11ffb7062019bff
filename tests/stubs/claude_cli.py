"""Stands in for ``claude``: the flags, the configuration and the events of Claude Code 2.1."""

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

MODEL = "claude-opus-5-5"
VERSION = "2.1.330"
_WITHOUT = ("-p", "--verbose", "--strict-mcp-config", "--bare")
_WITH = (
    *("--output-format", "--input-format", "--mcp-config", "--tools", "--allowedTools", "--permission-mode"),
    *("--setting-sources", "--system-prompt", "--model", "--effort", "--max-turns", "--max-budget-usd"),
    *("--session-id", "--resume"),
)
_NEEDED = {
    "-p": True,
    "--verbose": True,
    "--strict-mcp-config": True,
    "--output-format": "stream-json",
    "--input-format": "stream-json",
    "--tools": "",
    "--allowedTools": "mcp__sandbox",
    "--permission-mode": "dontAsk",
    "--setting-sources": "",
}


def main(config: Config) -> None:
    if sys.argv[1:] == ["--version"]:
        print(f"{config.get('version', VERSION)} (Claude Code)")
        return
    flags = _flags(sys.argv[1:])
    own = config.get("tools", [])
    needed = _NEEDED | {"--tools": ",".join(own), "--allowedTools": ",".join(("mcp__sandbox", *own))}
    assert {flag: flags.get(flag) for flag in needed} == needed, f"wrong flags: {flags}"
    check_environment("ANTHROPIC_API_KEY")
    for name in ("CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK", "CLAUDE_CODE_DISABLE_REFUSAL_RETRY"):
        assert os.environ[name] == "1"
    file = Path(flags["--mcp-config"])
    check_private(file)
    (server,) = json.loads(file.read_text())["mcpServers"].items()
    record(config, flags=flags, server=server[1])
    assert server[0] == "sandbox"
    assert server[1]["type"] == "http"
    session, memory = _session(flags)
    token = server[1]["headers"]["Authorization"].removeprefix("Bearer ")
    actor = Actor(config, memory)
    with tools_at(server[1]["url"], token) as client:
        listed = [f"mcp__sandbox__{tool.name}" for tool in client.tools()]
        for line in sys.stdin:
            message = json.loads(line)
            assert message["type"] == "user"
            _turn(config, session, actor, client, listed, message["message"]["content"])


def _flags(words: list[str]) -> dict[str, Any]:
    flags: dict[str, Any] = {}
    while words:
        flag = words.pop(0)
        if flag not in (*_WITHOUT, *_WITH):
            sys.exit(f"error: unknown option '{flag}'")
        flags[flag] = True if flag in _WITHOUT else words.pop(0)
    return flags


def _session(flags: dict[str, Any]) -> tuple[str, Path]:
    session = flags.get("--session-id") or flags.get("--resume")
    memory = Path(os.environ["HOME"]) / ".claude" / "projects" / f"{uuid.UUID(session)}.json"
    if "--resume" in flags and not memory.exists():
        print(f"No conversation found with session ID: {session}")
        sys.exit(1)
    assert "--resume" in flags or not memory.exists(), "the session id is taken"
    return session, memory


def _turn(config: Config, session: str, actor: Actor, client: Any, listed: list[str], text: str) -> None:
    kind = fault(config, actor.number)
    status = "failed" if kind == "unconnected" else "connected"
    own = [*config.get("tools", []), *(["Bash"] if kind == "own_tool" else [])]
    tools = [] if kind == "unconnected" else [*listed, *own]
    emit(
        {
            "type": "system",
            "subtype": "init",
            "session_id": session,
            "tools": tools,
            "mcp_servers": [{"name": "sandbox", "status": status}],
            "model": MODEL,
            "claude_code_version": config.get("version", VERSION),
        }
    )
    misbehave(kind)
    if kind == "fallback":
        emit(
            {
                "type": "system",
                "subtype": "model_refusal_fallback",
                "original_model": MODEL,
                "fallback_model": "claude-opus-4-8",
            }
        )
    elif kind in _ENDS:
        _message(session, [{"type": "text", "text": _ENDS[kind]["result"] or ""}], model="<synthetic>")
        _result(session, actor, **_ENDS[kind])
        return

    def call(name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        use = f"toolu_{uuid.uuid4().hex[:8]}"
        _message(session, [{"type": "tool_use", "id": use, "name": f"mcp__sandbox__{name}", "input": arguments}])
        words, is_error = client.call(name, arguments)
        result = {"type": "tool_result", "tool_use_id": use, "content": words, "is_error": is_error}
        emit({"type": "user", "session_id": session, "message": {"role": "user", "content": [result]}})
        actor.counts["requests"] = actor.counts.get("requests", 0) + 1
        return words, is_error

    said = actor.answer(text, call)
    actor.counts["requests"] = actor.counts.get("requests", 0) + 1
    actor.remember()
    _message(session, [{"type": "text", "text": said}])
    _result(session, actor, result=said)


_ENDS: dict[str, dict[str, Any]] = {
    "api_error": {"result": "API Error: 529 Overloaded", "is_error": True, "api_error_status": 529},
    "refusal": {"result": "API Error: the safeguards flagged this", "is_error": True, "stop_reason": "refusal"},
    "max_turns": {
        "result": None,
        "is_error": True,
        "subtype": "error_max_turns",
        "terminal_reason": "max_turns",
        "errors": ["Reached maximum number of turns (2)"],
    },
    "full": {"result": "Prompt is too long", "is_error": True, "terminal_reason": "prompt_too_long"},
}


def _message(session: str, content: list[Any], model: str = MODEL) -> None:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content}
    emit({"type": "assistant", "session_id": session, "message": message})


def _result(session: str, actor: Actor, **more: Any) -> None:
    """Tokens and cost are those of the whole session, as the real program reports them."""
    requests = actor.counts.get("requests", 0)
    used = {"inputTokens": 100 * requests, "outputTokens": 10 * requests, "cacheReadInputTokens": 5 * requests}
    event = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": session,
        "stop_reason": "end_turn",
        "total_cost_usd": 0.25 * requests,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {MODEL: {**used, "costUSD": 0.25 * requests}},
        "permission_denials": [],
    }
    event["terminal_reason"] = "api_error" if more.get("is_error") else "completed"
    emit({**event, **more})
