"""What the tests of Gemini share: a few tools, and requests to a loopback server."""

from typing import Any

from tests.loopback.gemini import KEY
from tests.loopback.gemini import Gemini as Dialect
from tests.loopback.server import Loopback, Move, serve
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    UserTurn,
)
from tool_sandbox.models.provider import Endpoint


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


TOOLS = (
    tool("search", days={"type": "integer", "description": "How\nmany."}, near={}, unit={"enum": ["C", "F"]}),
    tool("now"),
)
CALL = AssistantTurn("", (RequestedCall("1", "now", {}),))
HELLO = ModelRequest("Be kind.", (UserTurn("Hello?"),), TOOLS)


def gemini(server: Loopback, model: str = "gemini-3-pro", **settings: Any) -> Gemini:
    return Gemini(model, settings, Endpoint(server.url, KEY, 10.0))


def ask(provider: Gemini, request: ModelRequest = HELLO) -> ModelReply:
    return provider.read(provider.send(**provider.wire(request)))


def once(move: Move, request: ModelRequest = HELLO, **settings: Any) -> tuple[ModelReply, Loopback]:
    with serve(Dialect(), [move]) as server:
        reply = ask(gemini(server, **settings), request)
    return reply, server


def after(reply: ModelReply, *results: ToolResult) -> ModelRequest:
    turn = AssistantTurn(reply.text, reply.calls, (reply.raw,) if reply.raw is not None else ())
    return ModelRequest("Be kind.", (UserTurn("Hello?"), turn, ResultsTurn(results)), TOOLS)


def contents(server: Loopback) -> list[dict[str, Any]]:
    return server.seen[-1].body["contents"]
