"""``tool_sandbox doctor``: which providers are ready here, and whether a chosen model answers."""

import argparse
import json
import sys
import textwrap
from typing import Any

import attrs

from tool_sandbox.cli.tables import terminal_width, text_table
from tool_sandbox.conversation.console import Console
from tool_sandbox.helpers.printable import printable
from tool_sandbox.models.naming import without_options
from tool_sandbox.models.prices import PriceTable, load_prices
from tool_sandbox.models.readiness import ProviderReadiness, model_readiness, provider_readiness
from tool_sandbox.models.session import CallRecord
from tool_sandbox.roles.code_process import LAYERS, run_code
from tool_sandbox.roles.registry import look_up, writes_code
from tool_sandbox.runner.casting import Cast
from tool_sandbox.runner.replaying import Kind, replayed_run
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError


def doctor_command(arguments: argparse.Namespace) -> int:
    """Prints what is ready and what is missing."""
    choices: dict[Kind, str] = {}
    if arguments.agent:
        choices["agent"] = arguments.agent
    if arguments.user:
        choices["user"] = arguments.user
    if not choices:
        if arguments.call:
            raise ConfigurationError("--call needs a model: --agent PROVIDER/MODEL or --user PROVIDER/MODEL")
        return _report_providers(as_json=arguments.json)
    prices = load_prices(arguments.prices)
    parties = {kind: _party(choice, kind, prices, call=arguments.call) for kind, choice in choices.items()}
    for kind, choice in choices.items():
        if writes_code(choice, kind):
            parties[kind]["code"] = _code_layers()
    if arguments.json:
        print(json.dumps(parties, indent=2))
    else:
        for kind, party in parties.items():
            print("\n".join(map(printable, _lines(kind, party))))
    return 0 if all(party["ready"] for party in parties.values()) else 1


def _report_providers(*, as_json: bool) -> int:
    found = list(provider_readiness())
    if as_json:
        print(json.dumps([attrs.asdict(one) | {"ready": one.is_ready} for one in found], indent=2))
    else:
        cells = [[one.name, "yes" if one.is_ready else "no", _details(one)] for one in found]
        print(
            text_table(
                ["provider", "ready", "what it needs, or will be used with"], cells, left=3, width=terminal_width()
            )
        )
        print("", *_code_lines(_code_layers()), sep="\n")
        print("\ntool_sandbox doctor --agent PROVIDER/MODEL --call   send one short request to a model")
    return 0 if any(one.is_ready for one in found) else 1


def _code_layers() -> dict[str, list[str]]:
    """What holds back Python that a model writes, and what this machine lacks."""
    try:
        held = run_code("pass", Console(), {}, lambda name, arguments, keywords: None).layers
    except InfrastructureError:
        held = ()
    return {"holds": list(held), "missing": [layer for layer in LAYERS if layer not in held]}


def _code_lines(layers: dict[str, list[str]]) -> list[str]:
    if not layers["holds"]:
        return ["Python that a model writes (code:PROVIDER/MODEL) cannot be run here."]
    held = f"Python that a model writes (code:PROVIDER/MODEL) is isolated here by {', '.join(layers['holds'])}."
    width = terminal_width() or 1000
    said = [held, *(f"Missing: {layer} ({LAYERS[layer]})." for layer in layers["missing"])]
    return [line for each in said for line in textwrap.wrap(each, width, subsequent_indent="    ")]


def _details(one: ProviderReadiness) -> str:
    """What a provider still needs, or else what it will be used with."""
    if one.missing:
        return "; ".join(one.missing)
    used = [f"key from {one.key_variable}"] if one.key_variable else []
    used += [f"{one.package} {one.package_version}", f"at {one.address or 'the vendor’s address'}"]
    return ", ".join(used)


def _party(choice: str, kind: Kind, prices: PriceTable, *, call: bool) -> dict[str, Any]:
    """What was found out about one party, JSON-ready."""
    try:
        model = look_up(choice, kind).model if replayed_run(choice) is None else None
        if model is not None:
            if call and sys.stderr.isatty():
                # A model that has to be loaded first can take minutes.
                print(printable(f"asking {without_options(model)} ..."), file=sys.stderr)
            found = model_readiness(model, prices, call=call)
            return {
                "choice": found.choice,
                "ready": found.is_ready,
                "problem": found.problem,
                "warning": found.warning,
                "address": found.address,
                "price_known": found.has_price,
                "call": None if found.call is None else _call(found.call),
            }
        Cast.find(choice, kind)
    except ConfigurationError as error:
        return {"choice": without_options(choice), "ready": False, "problem": str(error)}
    return {"choice": choice, "ready": True, "problem": None}


def _call(record: CallRecord) -> dict[str, Any]:
    return {
        "served_model": record.served_model,
        "latency_s": round(record.latency_s, 3),
        "usage": None if record.usage is None else attrs.asdict(record.usage),
        "cost_usd": record.cost_usd,
        "stop": record.stop,
        "faults": [str(failure.kind) for failure in record.failures],
    }


def _lines(kind: str, party: dict[str, Any]) -> list[str]:
    state = "ready" if party["ready"] else f"not ready: {party['problem']}"
    lines = [f"{kind} {party['choice']}: {state}"]
    if party.get("warning"):
        lines.append(f"    note: {party['warning']}")
    if "price_known" in party and party["ready"]:
        price = "known" if party["price_known"] else "unknown, so costs will be left out (give them with --prices FILE)"
        lines.append(f"    address: {party['address'] or 'the vendor’s'}; price: {price}")
    if "code" in party:
        lines += _code_lines(party["code"])
    call = party.get("call")
    if call is not None and party["ready"]:
        usage = call["usage"]
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out" if usage else "tokens unknown"
        cost = "cost unknown" if call["cost_usd"] is None else f"{call['cost_usd']:.6f} USD"
        lines.append(f"    answered by {call['served_model'] or '?'} in {call['latency_s']:.2f} s: {tokens}, {cost}")
    return lines
