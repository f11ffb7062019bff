"""The check of many scenarios, spread over processes."""

import functools
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context

from tool_sandbox.helpers.orphans import end_with_parent
from tool_sandbox.proof.findings import Figures, Proof, ProofFinding
from tool_sandbox.proof.source import OWN, Source
from tool_sandbox.world.errors import InfrastructureError

WIDEST = "_all_tools"
"""Ending of the name of the augmentation that offers all tools."""

Instance = tuple[str, int]
"""Name of a scenario, and a seed."""


def check(
    instances: Sequence[Instance],
    processes: int = 1,
    listener: Callable[[Proof], None] = lambda proof: None,
    source: Source = OWN,
) -> list[Proof]:
    """Proves scenarios."""
    finished: dict[Instance, Proof] = {}
    for instance, proof in _proofs(list(dict.fromkeys(instances)), processes, source):
        finished[instance] = proof
        listener(proof)
    return [finished[instance] for instance in dict.fromkeys(instances)]


def _proofs(instances: Sequence[Instance], processes: int, source: Source) -> Iterator[tuple[Instance, Proof]]:
    prove_one = functools.partial(prove_instance, source=source)
    if min(processes, len(instances)) <= 1:
        yield from ((instance, prove_one(instance)) for instance in instances)
        return
    # Spawned, so that every process starts from nothing and gives the same results on every platform.
    strangers = set(active_children())
    pool = ProcessPoolExecutor(min(processes, len(instances)), get_context("spawn"), _begin_work)
    try:
        futures = {pool.submit(prove_one, instance): instance for instance in instances}
        while futures:
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                yield futures.pop(future), future.result()
    except BrokenProcessPool as error:
        raise InfrastructureError("a process of the check died; try again with --processes 1") from error
    except BaseException:
        # Interrupted: what is still being played is of no use to anybody.
        for process in set(active_children()) - strangers:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_work() -> None:
    # A killed process asks for nothing any more.
    end_with_parent()
    # An interrupt at the terminal reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
