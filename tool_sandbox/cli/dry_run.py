"""What ``--dry-run`` prints."""

from statistics import mean

from tool_sandbox.cli.reporting import describe_run
from tool_sandbox.cli.tables import money
from tool_sandbox.helpers.counting import counted
from tool_sandbox.runner.batches import DEFAULT_PATIENCE, asked_singly
from tool_sandbox.runner.estimate import SPREAD, RunEstimate, estimate
from tool_sandbox.runner.offer import CHARACTERS_PER_TOKEN
from tool_sandbox.runner.run import PreparedRun

SHOWN_SCENARIOS = 5


def print_dry_run(run: PreparedRun) -> None:
    """Prints what a run would play, ask and cost. Uses no network and writes nothing."""
    print(f"would play: {describe_run(run)}, {run.threads} at once")
    names = list(dict.fromkeys(episode.scenario_name for episode in run.episodes))
    more = f" and {len(names) - SHOWN_SCENARIOS} more" if len(names) > SHOWN_SCENARIOS else ""
    print(f"scenarios: {', '.join(names[:SHOWN_SCENARIOS])}{more}")
    _print_estimate(run, estimate(run))
    if run.models:
        print(f"budget: {run.budget}")
    print("nothing was sent or written")


def _print_offers(found: RunEstimate) -> None:
    """Says what the tools cost that the agent is offered, once a request."""
    if not found.offers:
        return
    tools, tokens = ([offer[key] for offer in found.offers] for key in ("tools", "tokens"))
    print(
        f"offered tools: {round(mean(tools))} in the mean, at most {max(tools)}; "
        f"about {round(mean(tokens)):,} tokens in every request of the agent, at most {max(tokens):,}"
    )


def _print_estimate(run: PreparedRun, found: RunEstimate) -> None:
    _print_offers(found)
    if run.agent.program is not None:
        print(f"agent {run.agent.label}: its own model calls are not in the estimate")
    if not run.models:
        if run.agent.program is None:
            print("no model plays, so this costs nothing")
        return
    if not found.sampled:
        print("calls and tokens cannot be estimated: the scenarios have no reference solution")
        return
    for party, asked in found.parties.items():
        if party in run.wiring.replays:
            print(f"{party} {asked.model}: about {counted(asked.calls, 'call')} from the stored run, without cost")
            continue
        cost = f"{money(asked.cost_usd)} to {money(asked.cost_usd * SPREAD)}" if asked.cost_usd is not None else "$?"
        print(
            f"{party} {asked.model}: ESTIMATE of {asked.calls:,} to {asked.calls * SPREAD:,} calls, "
            f"{asked.input_tokens:,} to {asked.input_tokens * SPREAD:,} tokens in, "
            f"{asked.output_tokens:,} to {asked.output_tokens * SPREAD:,} out, {cost}"
        )
    for model in dict.fromkeys(asked.model for asked in found.parties.values() if asked.cost_usd is None):
        print(f"price: unknown for {model}; check its name, or give the price with --prices FILE")
    _print_batches(run, found)
    prices = run.description["prices"] or {}
    print(
        f"estimated from {found.sampled} of {counted(found.conversations, 'conversation')}: the low end is the "
        f"reference solution with {CHARACTERS_PER_TOKEN} characters a token and nothing cached, the high end "
        f"{SPREAD} times that; prices of {prices.get('date', 'no day')}"
    )
    free = [] if "user" in run.models else [f"the user {run.user.label} and "]
    print(
        f"in it: {' and '.join(found.parties)}; {''.join(free)}the floors are played without a model and cost nothing"
    )


def _print_batches(run: PreparedRun, found: RunEstimate) -> None:
    if run.wiring.batches is None:
        return
    for told in asked_singly(run.wiring, run.models):
        print(f"not in batches: {told}")
    rounds, patience = found.rounds, run.description["batch_patience"] or DEFAULT_PATIENCE
    print(
        f"batches at half the price, which is in the estimate: {rounds:,} to {rounds * SPREAD:,} one after the other; "
        f"most are over within an hour, so expect up to {counted(rounds * SPREAD, 'hour')}; a request that has waited "
        f"for {patience} is sent by itself, at the full price"
    )
