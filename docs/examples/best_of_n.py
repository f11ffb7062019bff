"""Best of n: at each turn, n actions are tried in forks of the world, and the best one is kept."""

import random

import tool_sandbox as ts

N = 8


def act(observation, draw):
    """One action. A model goes here: `client.chat.completions.create(model=..., **observation.as_openai())`."""
    functions = [tool["function"] for tool in observation.tools]
    texts = ["Wifi is turned off.", "I cannot do that."]
    calls = [
        [(function["name"], {name: draw.choice([True, False]) for name in function["parameters"]["properties"]})]
        for function in functions
    ]
    return draw.choice(calls + texts)


def best_of_n(env, n, draw):
    """Plays a conversation, and returns the environment in which it ended best."""
    while not env.observation.done:
        branches = [env.fork() for _ in range(n)]
        for branch in branches:
            branch.step(act(branch.observation, draw))
        env = max(branches, key=lambda branch: (branch.score(), not branch.is_over))
    return env


for n in (1, N):
    scores = []
    for seed in range(20):
        env = ts.Env("wifi_off")
        env.reset()
        scores.append(best_of_n(env, n, random.Random(seed)).score())
    print(f"best of {n}: {sum(scores) / len(scores):.2f}")
