"""Group rollouts: several answers from one state, each compared with the others, as policy gradients like GRPO need."""

import random
import statistics

import tool_sandbox as ts

SIZE = 8
ACTIONS = [
    [("set_wifi_status", {"on": False})],
    [("set_wifi_status", {"on": True})],
    "Wifi is turned off.",
    "Wifi is on.",
]


def roll_out(env, size, draw):
    """Plays forks of one state to their ends, and returns what was done in each, and what it was worth."""
    pool = ts.EnvPool.forked(env, size)
    done, returns = [[] for _ in range(size)], [0.0] * size
    while live := [place for place, each in enumerate(pool.envs) if not each.is_over]:
        # A model answers all of them in one batch here.
        actions = {place: draw.choice(ACTIONS) for place in live}
        for place, observation in pool.step(actions).items():
            done[place].append(actions[place])
            returns[place] += observation.reward
    return done, returns


env = ts.Env("wifi_off")
env.reset()
done, returns = roll_out(env, SIZE, random.Random(1))
mean, spread = statistics.mean(returns), statistics.pstdev(returns) or 1.0
for actions, value in zip(done, returns, strict=True):
    print(f"return {value:.1f}, advantage {(value - mean) / spread:+.2f}: {len(actions)} actions")
