"""Whether the models of a run can be asked in batches, and how long it waits for them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tool_sandbox.models.batch_lane import BatchPolicy
from tool_sandbox.models.session import Party
from tool_sandbox.records.kinds import seconds_of
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.models.provider import Provider
    from tool_sandbox.runner.wiring import Wiring

DEFAULT_PATIENCE = "24h"
"""As long as the services take at most."""


def policy_of(batch: bool, patience: str | None) -> BatchPolicy:
    """How long a run waits in batches."""
    if not batch:
        raise ConfigurationError("--batch-patience is for runs with --batch")
    return BatchPolicy(patience_s=seconds_of(patience or DEFAULT_PATIENCE))


def check_batches(
    wiring: "Wiring", models: "Mapping[Party, Provider]", *, processes: int | None, is_cluster: bool
) -> None:
    """Refuses batches where none of the models can be asked in them."""
    if is_cluster or (processes or 1) > 1:
        raise ConfigurationError("--batch is for one process of this machine: it waits, and does not compute")
    asked = [party for party in models if party not in wiring.replays]
    if not asked:
        raise ConfigurationError("--batch is for models, and no model is asked here")
    others = asked_singly(wiring, models)
    if len(others) == len(asked):
        raise ConfigurationError(f"--batch cannot be used: {'; '.join(others)}")


def asked_singly(wiring: "Wiring", models: "Mapping[Party, Provider]") -> list[str]:
    """The models of a run that cannot be asked in batches, each with the reason, in one line."""
    return [
        f"{party} {model.name}/{model.model}: {reason}"
        for party, model in models.items()
        if party not in wiring.replays and (reason := model.no_batches()) is not None
    ]
