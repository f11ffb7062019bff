"""Group rollouts in verifiers: each task several times, with the rewards of each and their advantages.

python docs/examples/verifiers_groups.py MODEL --base-url http://127.0.0.1:8000/v1 --scenarios wifi_off get_wifi
"""

import argparse
import asyncio
import statistics
import sys

try:
    import verifiers.v1 as vf
except ImportError:
    sys.exit("verifiers_groups.py needs the extra: pip install 'tool_sandbox[verifiers]'")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model")
parser.add_argument("--base-url", required=True)
parser.add_argument("--api-key-var", default="MODEL_KEY", help="variable with the key, default: %(default)s")
parser.add_argument("--scenarios", nargs="+", default=["wifi_off", "get_wifi"])
parser.add_argument("--size", type=int, default=4, help="rollouts of a group, default: %(default)s")
given = parser.parse_args()

taskset = {"id": "tool-sandbox", "split": "train", "scenarios": given.scenarios, "reward": "dense"}
env = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
client = vf.EvalClientConfig(base_url=given.base_url, api_key_var=given.api_key_var)
context = vf.ModelContext(client=client, model=given.model, sampling=vf.SamplingConfig(temperature=1.0))


async def group(task):
    """The traces of a task; one that failed through no fault of the model has no reward, and is left out."""
    episodes = await asyncio.gather(*(env.run_episode(task, context) for _ in range(given.size)))
    return [trace for episode in episodes for trace in episode.traces if trace.ok]


async def groups():
    tasks = list(env.taskset)
    async with env.serving():
        return list(zip(tasks, await asyncio.gather(*map(group, tasks)), strict=True))


print(f"{'task':40} {'reward':>7} {'advantage':>10}  outcome")
for task, traces in asyncio.run(groups()):
    rewards = [trace.reward for trace in traces]
    mean, spread = statistics.mean(rewards or [0.0]), statistics.pstdev(rewards or [0.0]) or 1.0
    for trace in traces:
        advantage = (trace.reward - mean) / spread
        print(f"{task.data.id:40} {trace.reward:7.3f} {advantage:+10.2f}  {trace.info['tool_sandbox']['outcome']}")
