"""What the models of conversations were asked, what they answered with, and what that cost."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from tool_sandbox.models.session import PAID
from tool_sandbox.records.result import Result
from tool_sandbox.records.usage import PartyUsage, Tokens

if TYPE_CHECKING:
    from tool_sandbox.models.session import CallRecord, Party, Session

PARTIES: "tuple[Party, ...]" = ("agent", "user", "judge")


def _keys(kind: Any) -> tuple[str, ...]:
    return tuple(key for key, hint in get_type_hints(PartyUsage).items() if hint == kind)


NUMBERS = (*_keys(int), *_keys(float))
"""Keys of what a party used that are numbers and never null."""

_MONEY = _keys(float | None)
_COUNTERS = _keys(get_type_hints(PartyUsage)["faults"])

_DATE = r"(?:[-@](?:\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4})|-latest|:latest)?"


def usage_of(session: "Session", model: str) -> PartyUsage:
    """Sums up the calls of one party in one conversation."""
    calls = session.calls
    answered = [call for call in calls if call.stop is not None]
    failures = [failure for call in calls for failure in call.failures]
    served = Counter(call.served_model for call in answered if call.served_model)
    attempts = len(failures) + len(answered)
    tokens, paid = _tokens(answered), _tokens([call for call in answered if call.origin in PAID])
    return {
        "model": model,
        "calls": len(calls),
        "attempts": attempts,
        "retries": attempts - len(calls),
        **tokens,
        "paid_tokens": paid["input_tokens"] + paid["output_tokens"],
        "latency_s": round(sum(call.latency_s for call in calls) + sum(each.latency_s for each in failures), 3),
        "wait_s": round(sum(call.wait_s for call in calls) + sum(failure.wait_s for failure in failures), 3),
        "cost_usd": _sum(call.cost_usd for call in answered),
        "paid_usd": _sum(call.cost_usd for call in answered if call.origin in PAID),
        "faults": _counts(str(failure.kind) for failure in failures),
        "origins": _counts(call.origin for call in answered),
        "stops": _counts(call.stop or "" for call in answered),
        "served_models": dict(sorted(served.items())),
        "substituted": bool(model) and any(not is_served_as_asked(model, name) for name in served),
    }


def _tokens(calls: "Iterable[CallRecord]") -> Tokens:
    used = [call.usage for call in calls if call.usage is not None]
    return {
        "input_tokens": sum(usage.input_tokens for usage in used),
        "cached_tokens": sum(usage.cached_tokens for usage in used),
        "cache_write_tokens": sum(usage.cache_write_tokens + usage.cache_write_1h_tokens for usage in used),
        "output_tokens": sum(usage.output_tokens for usage in used),
        "reasoning_tokens": sum(usage.reasoning_tokens for usage in used),
    }


def add_up(usages: Iterable[PartyUsage | None]) -> PartyUsage | None:
    """Sums the usage of several conversations or parties."""
    known: list[dict[str, Any]] = [{**usage} for usage in usages if usage is not None]
    if not known:
        return None
    total: dict[str, Any] = {name: sum(usage[name] for usage in known) for name in NUMBERS}
    total |= {name: round(total[name], 3) for name in ("latency_s", "wait_s")}
    total |= {name: _sum(usage[name] for usage in known) for name in _MONEY}
    for name in _COUNTERS:
        total[name] = dict(sorted(sum((Counter(usage[name]) for usage in known), Counter[str]()).items()))
    total["substituted"] = any(usage["substituted"] for usage in known)
    return cast(PartyUsage, total)


def used(result: Result, parties: "Iterable[Party]" = PARTIES) -> list[PartyUsage]:
    """What the models of some parties used in a conversation; a party that is no model is left out."""
    usage = result.get("usage")
    return [] if not usage else [each for party in parties if (each := usage.get(party)) is not None]


def is_served_as_asked(asked: str, served: str) -> bool:
    """Whether a provider answered with the model that was asked, or with a dated form of it."""
    # A vendor before the slash and a way of serving behind the colon name no other model.
    wanted, got = (name.lower().rpartition("/")[2] for name in (asked, served))
    if wanted == got or wanted.partition(":")[0] == got:
        return True
    return re.fullmatch(re.escape(wanted.removesuffix("-latest")) + _DATE, got) is not None


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _sum(amounts: Iterable[float | None]) -> float | None:
    known = list(amounts)
    # To a millionth of a cent, so that sums of the same calls are the same in any order.
    return None if None in known else round(sum(amount for amount in known if amount is not None), 8)
