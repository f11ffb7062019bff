"""An agent that is started anew for every turn, in plain Python: it switches wifi, over MCP.

tool_sandbox --agent "command: python docs/examples/one_shot_agent.py {prompt_file} {mcp_config}" --scenario wifi_off
"""

import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

prompt = Path(sys.argv[1]).read_text("utf-8")
server = next(iter(json.loads(Path(sys.argv[2]).read_text("utf-8"))["mcpServers"].values()))
session: dict[str, str] = {}


def post(method: str, params: dict, number: int | None = None) -> dict:
    """Sends one message to the MCP server. A real agent has a library for this."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = json.dumps(message if number is None else {**message, "id": number}).encode()
    request = Request(server["url"], body, {**headers, **server["headers"], **session})
    with urlopen(request) as response:
        if name := response.headers.get("Mcp-Session-Id"):
            session["Mcp-Session-Id"] = name
        text = response.read().decode()
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith(("data:", "{"))]
    answers = [json.loads(line) for line in lines if line.strip()]
    return next((answer for answer in answers if answer.get("id") == number), {})


client = {"name": "one-shot", "version": "1"}
post("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}, 1)
post("notifications/initialized", {})
request = prompt.strip().splitlines()[-1].lower()  # what the user says now comes last
wanted = not any(word in request for word in ("off", "disable"))
result = post("tools/call", {"name": "set_wifi_status", "arguments": {"on": wanted}}, 2)["result"]
text = result["content"][0]["text"] if result.get("content") else ""
print(f"That did not work: {text}" if result.get("isError") else f"Wifi is turned {'on' if wanted else 'off'}.")
