"""The stored files of one conversation, as far as they are there."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.table import INDEX_COLUMN

_TASK = "Your task: "


@attrs.frozen(slots=False)
class StoredConversation:
    """What a conversation left on the disk.

    Attributes:
        run: The run that it belongs to.
        result: Its result.
    """

    run: RunDirectory
    result: Mapping[str, Any]

    @classmethod
    def find(cls, run: Path, directory: str) -> "StoredConversation":
        """The conversation of a run."""
        stored = RunDirectory(run)
        # What is given may come from a web page: it must not lead out of the run.
        result = stored.read_result(directory) if Path(directory).name == directory != ".." else None
        if result is None:
            raise ConfigurationError(f"{run} has no finished conversation {directory!r}")
        return cls(stored, result)

    def read(self, part: str) -> Any:
        """A part of its record, ``None`` where a run does not have it."""
        return self.run.read_part(self.result["directory"], part)

    @property
    def path(self) -> Path:
        """Its directory."""
        return self.run.trajectory(self.result["directory"])

    @cached_property
    def context(self) -> dict[str, Any]:
        """The world with its whole history, empty where nothing was played."""
        return self.read("execution_context") or {"_dbs": {}}

    @cached_property
    def message_rows(self) -> list[dict[str, Any]]:
        """The message log."""
        rows = self.context["_dbs"].get(str(DatabaseNamespace.SANDBOX), ())
        return [row for row in rows if row["sender"] is not None]

    @property
    def world_rows(self) -> dict[str, list[dict[str, Any]]]:
        """World database to its stored rows."""
        return {name: rows for name, rows in self.context["_dbs"].items() if name != DatabaseNamespace.SANDBOX}

    @property
    def app_tables(self) -> Mapping[str, Mapping[str, Any]]:
        """Tables of apps as they are stored, see ``tool_sandbox.world.stored``."""
        tables: Mapping[str, Mapping[str, Any]] = self.extensions.get("tables", {})
        return tables

    @property
    def extensions(self) -> Mapping[str, Any]:
        """State of the world that the published format has no key for, see ``tool_sandbox.records.conversation``."""
        extensions: Mapping[str, Any] = self.context.get("extensions", {})
        return extensions

    @property
    def opening(self) -> int:
        """Index of the first message of the user that others see, 0 if there is none."""
        first = (row for row in self.message_rows if row["sender"] == RoleType.USER and not is_private(row))
        return next((int(row[INDEX_COLUMN]) for row in first), 0)

    @property
    def goal(self) -> str:
        """The task as the simulated user was told it; without one, what the user said first."""
        rows, told = self.message_rows, (RoleType.SYSTEM, RoleType.USER)
        briefs = [row["content"] for row in rows if (row["sender"], row["recipient"]) == told]
        if briefs and briefs[-1]:
            return str(briefs[-1]).rpartition(_TASK)[2].strip()
        return next((row["content"] or "" for row in rows if row[INDEX_COLUMN] == self.opening), "")

    @property
    def tools(self) -> list[str]:
        """Names of the tools on offer, as the agent saw them, in its order."""
        context = self.context
        if "tool_allow_list" not in context:
            return []
        if self.extensions.get("tool_search"):
            # They depend on what was found.
            return list(
                ExecutionContext.from_dict({**context, "interactive_console": None}).get_tools_of(RoleType.AGENT)
            )
        return list(
            _tool_names(
                _frozen(context["tool_allow_list"]),
                _frozen(context["tool_deny_list"]),
                _frozen(context["tool_augmentation_list"]) or (),
                _frozen(self.extensions.get("tool_order")),
                self.extensions.get("profile"),
                context["preferred_tool_backend"],
                tuple(self.extensions.get("apps", ())),
            )
        )


def is_private(row: Mapping[str, Any]) -> bool:
    """Whether a message is a demonstration that only the simulated user sees."""
    return bool(row["visible_to"] == [RoleType.USER])


def _frozen(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


@lru_cache(maxsize=4096)
def _tool_names(
    allowed: tuple[str, ...] | None,
    denied: tuple[str, ...] | None,
    augmentations: tuple[str, ...],
    order: tuple[str, ...] | None,
    profile: str | None,
    backend: str,
    apps: tuple[str, ...],
) -> tuple[str, ...]:
    empty = {
        "_dbs": {},
        "interactive_console": None,
        "tool_allow_list": None if allowed is None else list(allowed),
        "tool_deny_list": None if denied is None else list(denied),
        "trace_tool": True,
        "tool_augmentation_list": list(augmentations),
        "preferred_tool_backend": backend,
        "extensions": {"tool_order": None if order is None else list(order), "apps": list(apps)}
        | ({} if profile is None else {"profile": profile}),
    }
    return tuple(ExecutionContext.from_dict(empty).get_tools_of(RoleType.AGENT))
