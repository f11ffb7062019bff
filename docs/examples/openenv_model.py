"""A model plays on a server of OpenEnv, through its client: only messages and tools cross the wire.

python docs/examples/openenv_model.py MODEL --server http://127.0.0.1:8000 --scenarios wifi_off get_wifi
"""

import argparse
import sys

from openai import OpenAI, OpenAIError

import tool_sandbox as ts

try:
    from tool_sandbox.openenv import ToolSandboxAction, ToolSandboxEnv
except ts.errors.MissingRequirementError as error:
    sys.exit(f"openenv_model.py: {error}")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model", help="of OPENAI_BASE_URL, with the key OPENAI_API_KEY")
parser.add_argument("--server", default="http://127.0.0.1:8000", help="default: %(default)s")
parser.add_argument("--scenarios", nargs="+", default=["wifi_off", "get_wifi"])
parser.add_argument("--seeds", type=int, default=1, help="worlds of each scenario, default: %(default)s")
given = parser.parse_args()


def play(env, client, scenario, seed):
    """The last result of a conversation, and how often the model was asked."""
    result = env.reset(scenario=scenario, seed=seed)
    tools, messages, asked = result.observation.tools, list(result.observation.messages), 0
    while not result.done:
        reply = client.chat.completions.create(model=given.model, messages=messages, tools=tools)
        message = reply.choices[0].message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        result = env.step(ToolSandboxAction(message=message))
        messages += [message, *result.observation.messages]
        asked += 1
    return result, asked


try:
    client = OpenAI()
    with ToolSandboxEnv(base_url=given.server).sync() as env:
        for scenario in given.scenarios:
            for seed in range(given.seeds):
                result, asked = play(env, client, scenario, seed)
                seen = result.observation
                score = "none" if seen.score is None else f"{seen.score:.2f}"
                print(f"{scenario:30} seed {seed}  score {score}  {seen.outcome}, {asked} requests")
except (OpenAIError, OSError, RuntimeError) as error:
    sys.exit(f"openenv_model.py: {error}")
