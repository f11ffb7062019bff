"""What the tests of Claude's provider share."""

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.server import serve
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import RetryPolicy, ask
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.models.session import Session

KEY = "sk-ant-test-0123456789abcdef"
MODEL = "claude-opus-5-5"
NO_RETRIES = RetryPolicy(retries=0)
SCHEMA = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
TOOLS = tuple(
    {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": SCHEMA}}
    for name in ("set_wifi_status", "get_wifi_status")
)
HELLO = ModelRequest("Be brief.", (UserTurn("Hello"),), TOOLS)


def provider(url, model=MODEL, timeout_s=5.0, **settings):
    return AnthropicMessages(model, settings, Endpoint(url, KEY, timeout_s))


def play(moves, request=HELLO, *, policy=NO_RETRIES, dialect=None, **settings):
    with serve(dialect or AnthropicDialect(key=KEY), moves) as server:
        session = Session()
        reply = ask(provider(server.url, **settings), request, session, policy)
    return reply, server, session
