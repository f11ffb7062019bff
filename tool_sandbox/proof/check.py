"""The check of many scenarios."""

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence

from tool_sandbox.helpers.spreading import HERE, Spread
from tool_sandbox.proof.findings import Figures, Proof, ProofFinding
from tool_sandbox.proof.source import OWN, Source

WIDEST = "_all_tools"
"""Ending of the name of the augmentation that offers all tools."""

Instance = tuple[str, int]
"""Name of a scenario, and a seed."""


def check(
    instances: Sequence[Instance],
    spread: Spread = HERE,
    listener: Callable[[Proof], None] = lambda proof: None,
    source: Source = OWN,
) -> list[Proof]:
    """Proves scenarios."""
    finished: dict[Instance, Proof] = {}
    prove_one = functools.partial(prove_instance, source=source)
    for instance, proof in spread(prove_one, dict.fromkeys(instances)):
        finished[instance] = proof
        listener(proof)
    return [finished[instance] for instance in dict.fromkeys(instances)]


def prove_instance(instance: Instance, source: Source = OWN) -> Proof:
    """Builds and proves one scenario."""
    from tool_sandbox.proof.prove import prove

    name, seed = instance
    base_names = {info.name: info.base_name for info in source.infos}
    base_name, wide_name = base_names.get(name, name), f"{name}{WIDEST}"
    try:
        scenario = source(name, seed)
        widest = source(wide_name, seed) if name == base_name and wide_name in base_names else None
    except Exception as error:
        command = f"tool_sandbox scenarios show {name}{f' --seed {seed}' if seed else ''}{source.flags}"
        happened = f"{type(error).__name__}: {error}"
        return Proof(None, (ProofFinding(name, "definition", "a scenario that can be built", happened, command),))
    return prove(scenario, seed, base_name, widest, source)


def suite_findings(bases: Sequence[Figures], flags: str = "") -> list[ProofFinding]:
    """Base scenarios that score the same thing as one of another family.

    Variants inside a family may share a graph: that is what a family is. Across families, two graphs that are
    equal once names, numbers and texts are left out make one problem of two if tools, start and tags are the same too.
    """
    findings = []
    for attribute, likeness in (("graph", "what another scores"), ("shape", "what another scores, names aside")):
        groups: dict[str, dict[str, str]] = defaultdict(dict)
        for one in bases:
            groups[getattr(one, attribute)].setdefault(one.family, one.name)
        findings += [
            ProofFinding(
                names[0],
                "near-duplicate",
                f"nothing that scores {likeness}",
                f"{', '.join(names[1:])} of another family does",
                f"tool_sandbox scenarios show {names[0]}{flags}",
            )
            for names in (list(families.values()) for families in groups.values())
            if len(names) > 1
        ]
    return findings
