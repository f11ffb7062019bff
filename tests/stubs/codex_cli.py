"""Stands in for ``codex``: ``codex exec --json``, and ``resume``, with the configuration and the events of 0.169."""

import json
import os
import sys
import tomllib
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

MODEL = {
    "slug": "gpt-5.5",
    "tool_mode": "code_mode_only",
    "supports_search_tool": True,
    "apply_patch_tool_type": "freeform",
    "shell_type": "unified_exec",
    "experimental_supported_tools": ["clock"],
    "multi_agent_version": "v2",
    "context_window": 272000,
}

VERSION = "0.169.0"


def main(config: Config) -> None:
    if sys.argv[1:] == ["--version"]:
        print(f"codex-cli {config.get('version', VERSION)}")
        return
    if sys.argv[1:] == ["debug", "models", "--bundled"]:
        print(config.get("catalog", json.dumps({"models": [MODEL]})))
        return
    thread = _resumed(sys.argv[1:])
    check_environment("CODEX_API_KEY")
    home = Path(os.environ["CODEX_HOME"])
    check_private(home / "config.toml")
    settings = tomllib.loads((home / "config.toml").read_text())
    text = sys.stdin.read()
    record(config, settings=settings, prompt=text)
    assert settings["approval_policy"] == "never"
    assert settings["sandbox_mode"] == "read-only"
    assert settings["features"]["shell_tool"] is False
    (model,) = json.loads(Path(settings["model_catalog_json"]).read_text())["models"]
    assert (model["tool_mode"], model["supports_search_tool"]) == ("direct", False), "the tools are not shown as tools"
    assert (model["slug"], model["context_window"]) == (MODEL["slug"], MODEL["context_window"])
    server = settings["mcp_servers"]["sandbox"]
    assert server["default_tools_approval_mode"] == "approve", "nobody can approve calls"
    actor = Actor(config, home / "sessions" / f"{thread or 'new'}.json")
    if thread is not None and not actor.number:
        sys.exit(f"Error: no rollout found for thread id {thread}")
    kind = fault(config, actor.number)
    if kind == "unconnected":
        sys.exit("Error: thread/start failed: required MCP servers failed to initialize: sandbox: timed out")
    thread = thread or str(uuid.uuid4())
    emit({"type": "thread.started", "thread_id": thread})
    emit({"type": "turn.started"})
    misbehave(kind)
    _end_early(kind)
    if kind != "unlisted":
        with tools_at(server["url"], os.environ[server["bearer_token_env_var"]]) as client:
            client.tools()
            said = actor.answer(text.removesuffix("\n"), lambda name, arguments: _call(client, name, arguments))
    else:
        said = "I have no tools."
    actor.counts["turns"] = actor.counts.get("turns", 0) + 1
    actor.remember(home / "sessions" / f"{thread}.json")
    _item({"type": "agent_message", "text": "One moment."})
    _item({"type": "agent_message", "text": said})
    # Tokens of the whole thread, as the real program reports them.
    turns = actor.counts["turns"]
    usage = {"input_tokens": 1000 * turns, "cached_input_tokens": 100 * turns, "output_tokens": 10 * turns}
    emit({"type": "turn.completed", "usage": usage})


def _resumed(words: list[str]) -> str | None:
    assert words[0] == "exec"
    assert words[-1] == "-", "the prompt is not on the input"
    flags = [word for word in words if word.startswith("--")]
    assert sorted(flags) == ["--json", "--skip-git-repo-check"], f"unexpected flags: {flags}"
    rest = [word for word in words[1:-1] if not word.startswith("--")]
    assert rest[:1] in ([], ["resume"])
    return str(uuid.UUID(rest[1])) if rest else None


def _call(client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    item = {"type": "mcp_tool_call", "server": "sandbox", "tool": name, "arguments": arguments}
    emit({"type": "item.started", "item": {"id": "item_1", **item, "status": "in_progress"}})
    words, is_error = client.call(name, arguments)
    _item({**item, "result": {"content": [{"type": "text", "text": words}]}, "status": "completed"})
    return words, is_error


def _item(item: dict[str, Any]) -> None:
    emit({"type": "item.completed", "item": {"id": "item_1", **item}})


def _end_early(kind: str | None) -> None:
    if kind == "own_tool":
        _item({"type": "command_execution", "command": "ls", "aggregated_output": "", "status": "completed"})
    elif kind == "declined_tool":
        _item({"type": "command_execution", "command": "ls", "aggregated_output": "", "status": "declined"})
    elif kind == "hiccup":
        emit({"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"})
    elif kind in _FAILURES:
        emit({"type": "error", "message": _FAILURES[kind]})
        emit({"type": "turn.failed", "error": {"message": _FAILURES[kind]}})
        sys.exit(1)


_FAILURES = {
    "api_error": "unexpected status 429 Too Many Requests: slow down",
    "bad_request": '{"error": {"message": "no", "type": "invalid_request_error", "param": null, "code": null}}',
    "full": "Codex ran out of room in the model's context window. Start a new thread.",
}
