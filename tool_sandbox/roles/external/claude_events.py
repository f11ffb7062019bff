"""What Claude Code prints in one turn (``--output-format stream-json``), and what it means.

Facts that are easy to get wrong: a failed request to the model ends with the subtype ``success``, so that ``is_error``
and ``terminal_reason`` decide; a server that could not be reached only shows in ``init``; cost and ``modelUsage`` are
those of the whole session, also where a new process continues it, while ``usage`` is that of the turn in some versions.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import StopReason, Usage
from tool_sandbox.models.plain import count, usd
from tool_sandbox.roles.external.agent import Reply
from tool_sandbox.world.errors import AgentError, InfrastructureError

SYNTHETIC = "<synthetic>"
"""In place of a model: the program has written the text itself."""

_MOST_MODELS = 64
_STOPS = {"max_tokens": StopReason.MAX_TOKENS, "refusal": StopReason.REFUSAL}
_LIMITS = {
    "max_turns": "has used up its turns (max_turns)",
    "error_max_turns": "has used up its turns (max_turns)",
    "budget_exhausted": "has used up its budget (max_budget_usd)",
    "error_max_budget_usd": "has used up its budget (max_budget_usd)",
    "prompt_too_long": "has a full context (prompt_too_long)",
}


@attrs.frozen
class Account:
    """What a session has used until some moment.

    Attributes:
        usage: Tokens.
        cost_usd: Cost by its own account.
    """

    usage: Usage = attrs.field(factory=Usage)
    cost_usd: float = 0.0

    @classmethod
    def of(cls, models: Mapping[str, Any]) -> "Account":
        """Adds up what the models of a program have used by its account."""
        total = cls()
        for used in filter(lambda value: isinstance(value, Mapping), models.values()):
            total = cls(total.usage + _usage(used), total.cost_usd + (usd(used.get("costUSD")) or 0.0))
        return total

    def since(self, before: "Account") -> "Account":
        """What was used between two accounts of the same session; all of it if the program has begun to count anew."""
        usage = self.usage.since(before.usage)
        is_new = usage == self.usage and before.usage != Usage()
        return Account(usage, self.cost_usd if is_new else max(0.0, self.cost_usd - before.cost_usd))


class ModelFailedError(Exception):
    """The model did not answer the program.

    Attributes:
        status: HTTP status, ``None`` if the program does not say.
    """

    def __init__(self, words: str, status: int | None) -> None:
        """Keeps the status beside the program's words."""
        super().__init__(words)
        self.status = status


@attrs.define
class ClaudeTurn:
    """Reads the events of one turn.

    Attributes:
        name: The agent, for error texts.
        server: Name of our MCP server.
        tools: The tools that the program may have, as it names them, and no others.
        before: What the session had used before the turn.
        account: What it had used after the turn.
        needed: Those that it has to have, ``None`` for all.
        models: Models that have written something, in order, each once; the first of them, if there are many.
        version: Version by its own account.
    """

    name: str
    server: str
    tools: frozenset[str]
    before: Account = attrs.field(factory=Account)
    account: Account = attrs.field(factory=Account)
    needed: frozenset[str] | None = None
    models: list[str] = attrs.field(factory=list)
    version: str | None = None
    _texts: list[str] = attrs.field(factory=list)
    _has_begun: bool = False

    def take(self, event: Mapping[str, Any]) -> Reply | None:
        """Reads one event; those of unknown types mean nothing."""
        kind, subtype = event.get("type"), event.get("subtype")
        if kind == "system" and subtype == "init":
            self._check_begin(event)
        elif kind == "system" and subtype == "model_refusal_fallback":
            raise InfrastructureError(
                f"{self.name}: the program went from {event.get('original_model')} on to another model, "
                f"{event.get('fallback_model')}, after a refusal"
            )
        elif kind == "assistant":
            self._note_message(event.get("message"))
        elif kind == "result":
            return self._finish(event)
        return None

    def _check_begin(self, event: Mapping[str, Any]) -> None:
        self._has_begun = True
        version = event.get("claude_code_version")
        self.version = version if isinstance(version, str) else None
        servers = [server for server in _list(event, "mcp_servers") if isinstance(server, Mapping)]
        status = next((server.get("status") for server in servers if server.get("name") == self.server), "absent")
        if status != "connected":
            raise InfrastructureError(f"{self.name}: the program has not reached the tools: MCP server {status}")
        has = {tool for tool in _list(event, "tools") if isinstance(tool, str)}
        needed = self.tools if self.needed is None else self.needed
        if not needed <= has <= self.tools:
            more, less = sorted(has - self.tools), sorted(needed - has)
            wrong = [f"does not have {', '.join(less)}"] * bool(less) + [f"has {', '.join(more)}, too"] * bool(more)
            raise InfrastructureError(one_line(f"{self.name}: wrong tools: the program {' and '.join(wrong)}"))

    def _note_message(self, message: Any) -> None:
        if not isinstance(message, Mapping):
            return
        model = message.get("model")
        if model == SYNTHETIC:
            return
        if isinstance(model, str) and model not in self.models and len(self.models) < _MOST_MODELS:
            self.models.append(model)
        for block in _list(message, "content"):
            if isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str):
                self._texts.append(block["text"])

    def _finish(self, result: Mapping[str, Any]) -> Reply:
        used = self._used(result)
        self._check_denials(result)
        words = str(result.get("result") or "; ".join(map(str, _list(result, "errors"))))
        subtype, reason = str(result.get("subtype")), str(result.get("terminal_reason"))
        stop = str(result.get("stop_reason"))
        reply = Reply(
            words,
            used.usage,
            used.cost_usd,
            self.models[-1] if self.models else None,
            _STOPS.get(stop, StopReason.END),
            f"{subtype}, {reason}, {stop}",
            str(result["session_id"]) if result.get("session_id") else None,
        )
        if stop == "refusal":
            # The result is what the program says about it; the model may have said something itself.
            return attrs.evolve(reply, text="\n".join(self._texts) or words)
        if not result.get("is_error"):
            if not self._has_begun:
                raise AgentError(f"{self.name}: the program answered without saying which tools it has")
            return reply
        if limit := _LIMITS.get(reason) or _LIMITS.get(subtype):
            raise AgentError(f"{self.name}: the agent {limit}")
        if reason == "api_error":
            status = result.get("api_error_status")
            raise ModelFailedError(words, status if isinstance(status, int) else None)
        raise AgentError(one_line(f"{self.name}: the program failed ({reason}): {words}"))

    def _check_denials(self, result: Mapping[str, Any]) -> None:
        denials = [denial for denial in _list(result, "permission_denials") if isinstance(denial, Mapping)]
        if ours := sorted({str(denial.get("tool_name")) for denial in denials} & self.tools):
            raise InfrastructureError(f"{self.name}: the program did not let the agent call {', '.join(ours)}")

    def _used(self, result: Mapping[str, Any]) -> Account:
        models, turn = result.get("modelUsage"), result.get("model_usage_since_last_result")
        self.account = Account.of(models) if isinstance(models, Mapping) else self.before
        if isinstance(turn, Mapping):
            return Account.of(turn)
        return self.account.since(self.before)


def _list(event: Mapping[str, Any], name: str) -> list[Any]:
    value = event.get(name)
    return value if isinstance(value, list) else []


def _usage(used: Mapping[str, Any]) -> Usage:
    def tokens(name: str) -> int:
        return count(used.get(name))

    read, written = tokens("cacheReadInputTokens"), tokens("cacheCreationInputTokens")
    hour = min(tokens("cacheCreationEphemeral1hInputTokens"), written)
    return Usage(
        input_tokens=tokens("inputTokens") + read + written,
        cached_tokens=read,
        cache_write_tokens=written - hour,
        cache_write_1h_tokens=hour,
        output_tokens=tokens("outputTokens"),
        reasoning_tokens=tokens("thinkingTokens"),
    )
