"""What command-line agents can be told, whichever program they are."""

from typing import TYPE_CHECKING

import attrs

from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import Limits

_MIB = 2**20


@attrs.frozen
class CliOptions:
    """What every such agent can be told.

    Attributes:
        model: Model as the program names it, its default if ``None``.
        executor: How it is isolated: none, subprocess or docker.
        image: Image for docker.
        version: The only version to be accepted, any if ``None``.
        binary: Name of the program, or the path to it.
        base_url: Where its model is, the vendor's place if ``None``.
        timeout_s: Seconds that a turn may take, tools included.
        memory_mb: Memory of all its processes together.
        output_mb: What one process may print.
    """

    model: str | None
    executor: str
    image: str | None
    version: str | None
    binary: str
    base_url: str | None
    timeout_s: float
    memory_mb: int
    output_mb: int

    def __attrs_post_init__(self) -> None:
        """Refuses what is impossible."""
        for name in ("timeout_s", "memory_mb", "output_mb"):
            positive(name, getattr(self, name))
        if not self.binary.strip():
            raise ConfigurationError("option binary has to name a program")
        if self.image is not None and self.executor != "docker":
            raise ConfigurationError("option image needs executor=docker")

    def limits(self) -> "Limits":
        """The limits of each of its processes."""
        from tool_sandbox.integrations.executors import Limits

        output, line = self.output_mb * _MIB, Limits().line_bytes
        return Limits(memory_bytes=self.memory_mb * _MIB, output_bytes=output, line_bytes=min(output, line))


def one_of(option: str, value: str | None, known: tuple[str, ...]) -> None:
    """Refuses a value that an option cannot have."""
    if value is not None and value not in known:
        raise ConfigurationError(f"option {option} has to be one of {', '.join(known)}, got {value!r}")


def positive(option: str, value: float | None) -> None:
    """Refuses zero and less."""
    if value is not None and not value > 0:
        raise ConfigurationError(f"option {option} has to be greater than 0, got {value:g}")
