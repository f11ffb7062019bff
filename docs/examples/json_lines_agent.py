"""An agent that speaks JSON lines, in plain Python: it switches the settings of a phone on and off.

tool_sandbox --agent "command: python docs/examples/json_lines_agent.py" --scenario wifi_off
"""

import json
import sys

SETTINGS = {
    "wifi": "wifi",
    "cellular": "cellular_service",
    "location": "location_service",
    "battery": "low_battery_mode",
}


def send(**message: object) -> None:
    """Writes one message, on a line of its own."""
    print(json.dumps(message), flush=True)


def receive() -> dict:
    """Waits for the next message."""
    return json.loads(sys.stdin.readline() or '{"type": "end"}')


def call(name: str, arguments: dict) -> dict:
    """Calls one tool. Several calls in one message would be made at once."""
    send(type="tool_calls", calls=[{"id": "1", "name": name, "arguments": arguments}])
    return receive()["results"][0]


def answer(text: str, tools: set[str]) -> str:
    """Does what the user asks, and says what became of it."""
    words = text.lower().replace("wi-fi", "wifi")
    setting = next((name for word, name in SETTINGS.items() if word in words), None)
    tool = f"set_{setting}_status"
    if tool not in tools:
        return "I can only switch settings on and off."
    wanted = not any(word in words.split() for word in ("off", "off.", "disable"))
    result = call(tool, {"on": wanted})
    if result["is_error"]:
        return f"That did not work: {result['content']}"
    return f"{setting} is turned {'on' if wanted else 'off'}."


tools: set[str] = set()
while (message := receive())["type"] != "end":
    if message["type"] == "start":
        tools = {tool["function"]["name"] for tool in message["tools"]}
        send(type="log", text=f"{len(tools)} tools")
    elif message["type"] == "user_message":
        send(type="message", text=answer(message["text"], tools))
