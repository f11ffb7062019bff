"""What models used."""

from typing import NotRequired

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import Amount, Count, Counts


class Requests(TypedDict):
    """How often a model was asked."""

    model: NotRequired[str]
    """id of the model that was asked; not in sums"""
    calls: Count
    """requests to the model"""
    attempts: Count
    """HTTP requests, the failed ones among them"""
    retries: Count
    """attempts beyond the first of each call"""


class Tokens(TypedDict):
    """Tokens of prompts and replies."""

    input_tokens: Count
    """tokens of prompts, cached ones included"""
    cached_tokens: Count
    """those of them that were read from the provider's cache"""
    cache_write_tokens: Count
    """those of them that were written to it"""
    output_tokens: Count
    """tokens of replies, reasoning included"""
    reasoning_tokens: Count
    """those of them that were reasoning"""


class PartyUsage(Requests, Tokens):
    """What one party's model did in one conversation or in several."""

    paid_tokens: Count
    """tokens of prompts and replies of answers that came over the network"""
    latency_s: Amount
    """seconds waited for answers"""
    wait_s: Amount
    """seconds waited before retries"""
    cost_usd: Amount | None
    """list price of all answers; null if one has no known price"""
    paid_usd: Amount | None
    """list price of the answers that came over the network"""
    faults: Counts
    """failed attempts by kind"""
    origins: Counts
    """answers by where they came from: network, cache, replay"""
    stops: Counts
    """answers by why the model stopped"""
    served_models: Counts
    """answers by the model that gave them by its own account"""
    substituted: bool
    """whether another model answered than the one that was asked, or a dated form of it"""


class ReplacedUsage(TypedDict):
    """What replaced attempts had used; null for a party that is no model."""

    agent: PartyUsage | None
    user: PartyUsage | None
    judge: NotRequired[PartyUsage | None]


class UsageOfParties(TypedDict):
    """What each party used; null for one that is no model."""

    agent: PartyUsage | None
    user: PartyUsage | None
    judge: PartyUsage | None
