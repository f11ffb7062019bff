"""What a tool acts on: a device with its databases, its time and the services behind it, and which one is current."""

import contextvars
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tool_sandbox.world.clock import Clock, default_clock
from tool_sandbox.world.invariants import broken_rules
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.rules import BrokenRuleError
from tool_sandbox.world.schema import DatabaseNamespace
from tool_sandbox.world.state import WorldState
from tool_sandbox.world.table import History, Table

TIME_TABLE = "world.time"
"""Name of the table that says how long a world has waited."""


class Savepoint(NamedTuple):
    """State of a device at one moment, for taking back what a failed tool did."""

    histories: dict[str, History]
    id_counter: int
    message_texts: dict[int, str]

    def table(self, name: str) -> Table:
        """The newest state of a table then."""
        history = self.histories[name]
        return history.tables[-1] if history.tables else history.schema.empty


class DeviceState(WorldState):
    """Databases of a conversation, and what else its tools see.

    Attributes:
        profile: Published or corrected behaviour of world and tools.
        clock: Source of time of this world.
        services: Backend of the search tools, ``None`` for the offline service.
        id_seed: Namespace of generated ids, ``None`` for random ids.
        trace_tool: Whether top-level tool calls are recorded on the newest message.
        message_texts: Text that an agent wrote beside a tool call, by message index.
        event_kinds: What the world can do by itself, see `tool_sandbox.world.events`.
        on_message: Called when a message has been added, ``None`` for nothing.
    """

    def __init__(
        self,
        profile: Profile = Profile.PUBLISHED,
        clock: Clock | None = None,
        services: Any = None,
        id_seed: str | None = None,
    ) -> None:
        """Creates a device with all of its services on, and nothing else; the time is `default_clock` by default."""
        super().__init__(profile)
        self.clock: Clock = clock if clock is not None else default_clock()
        self.services = services
        self.id_seed = id_seed
        self.trace_tool = False
        self.message_texts: dict[int, str] = {}
        self.event_kinds: Mapping[str, Any] = {}
        self.on_message: Callable[[DeviceState], None] | None = None
        self._id_counter = 0

    def now(self) -> float:
        """Current POSIX time of this world in seconds."""
        return self.clock.now(self.max_sandbox_message_index) + self.waited_s

    @property
    def waited_s(self) -> float:
        """How long the world has waited, in seconds, beside what its messages took."""
        if (history := self._histories.get(TIME_TABLE)) is None:
            return 0.0
        self._record(TIME_TABLE, write=False)
        rows = history.tables[-1].rows if history.tables else ()
        return float(rows[0][-1]) if rows else 0.0

    def add_to_database(self, namespace: str, rows: list[dict[str, Any]]) -> None:
        """Appends rows, see `WorldState`; after a message, what is due happens."""
        super().add_to_database(namespace, rows)
        if self.on_message is not None and namespace == DatabaseNamespace.SANDBOX:
            self.on_message(self)

    @property
    def timezone(self) -> Any:
        """Time zone of the device (``datetime.tzinfo``), ``None`` for the zone of the machine."""
        return self.clock.timezone

    def new_id(self) -> str:
        """A fresh identifier for a new row.

        Returns:
            A random UUID, or with an `id_seed` one derived from the seed and a counter, so that
            the same actions give the same ids.
        """
        if self.id_seed is None:
            return str(uuid.uuid4())
        self._id_counter += 1
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id_seed}/{self._id_counter}"))

    def savepoint(self) -> Savepoint:
        """Remembers the present state; see `restore`."""
        return Savepoint(self._share_histories(), self._id_counter, self.message_texts.copy())

    def restore(self, savepoint: Savepoint) -> None:
        """Takes the world back to a savepoint of this device, which is used up by it."""
        self._histories.update(savepoint.histories)
        self._owned = set()
        self._id_counter = savepoint.id_counter
        self.message_texts = savepoint.message_texts

    def check_rules(self, savepoint: Savepoint | None = None) -> None:
        """Checks that the tables of apps are as they were declared to be.

        Args:
            savepoint: A moment at which they were, so that only what has changed since is looked at.

        Raises:
            BrokenRuleError: They are not.
        """
        histories = {} if savepoint is None else savepoint.histories
        # A history that was not written to is the same object.
        written = [name for name, history in self._histories.items() if histories.get(name) is not history]
        names = [name for name in written if self._histories[name].schema.name]
        if not names:
            return
        before = {} if savepoint is None else {name: savepoint.table(name) for name in names}
        for line in broken_rules(self.app_schemas, names, before, self._newest, self.get_table):
            raise BrokenRuleError(line)

    def _newest(self, name: str) -> Table:
        # Not by `get_table`: whether it has changed is no reading of a table.
        history = self._histories[name]
        return history.tables[-1] if history.tables else history.schema.empty


CURRENT: contextvars.ContextVar[DeviceState] = contextvars.ContextVar("tool_sandbox_context")


def current_device() -> DeviceState:
    """The device of the running conversation, a new one on first use where there is none."""
    device = CURRENT.get(None)
    if device is None:
        device = DeviceState()
        CURRENT.set(device)
    return device
