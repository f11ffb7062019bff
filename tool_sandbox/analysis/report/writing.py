"""Writes runs as one HTML file that opens from the disk and asks no network for anything."""

import base64
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.analysis.report.index import RunSnapshot, build_index, encode, figures
from tool_sandbox.analysis.report.page import page
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.play.trajectory_files import write_bytes
from tool_sandbox.records.result import Result
from tool_sandbox.runner.floor import floors_of
from tool_sandbox.runner.lineage import base_name_of, place_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.sweep_directory import sweep_label
from tool_sandbox.runner.verdicts import is_evaluated, is_success
from tool_sandbox.world.errors import ConfigurationError

MB = 1_000_000

DEFAULT_MB = 5
"""Size of a page of one run."""

MOST_DEFAULT_MB = 20
"""Size of a page of many runs: what a browser opens without a wait."""


PAGE_BYTES = 400_000
"""Uncompressed size at which a page of details is full: small enough to open at once, large enough to compress well."""


@attrs.frozen
class Written:
    """A page that was written.

    Attributes:
        path: The file.
        size: Its size in bytes.
        conversations: How many conversations it counts.
        detailed: How many of them it can show in full.
        limit_mb: The size it had to stay below, in MB.
    """

    path: Path
    size: int
    conversations: int
    detailed: int
    limit_mb: float


@attrs.frozen
class _Conversation:
    run: Path
    result: Result

    @property
    def rank(self) -> tuple[Any, ...]:
        """What is shown in full first: what failed, then first trials; kin stands together and compresses well."""
        has_failed = is_evaluated(self.result) and not is_success(self.result)
        name, seed, trial = place_of(self.result)
        return not has_failed, trial, self.result.get("family") or "", base_name_of(self.result), str(name), seed


def write_report(
    runs: Sequence[Path],
    target: Path,
    *,
    title: str | None = None,
    max_mb: float | None = None,
    on_read: Callable[[int, int], None] | None = None,
) -> Written:
    """Writes the page. The same runs give the same bytes."""
    limit = max_mb if max_mb is not None else min(DEFAULT_MB * len(runs), MOST_DEFAULT_MB)
    shown = [_read(path, name) for path, name in zip(runs, identifiers(runs), strict=True)]
    index = build_index(shown, title or default_title(shown))
    conversations = [_Conversation(path, one) for path, run in zip(runs, shown, strict=True) for one in run.results]
    frame = sum(len(piece.encode()) for piece in page(index["title"], {"index": compressed(index)}))
    # The index grows by the goals and the places of details.
    room = int(limit * MB) - frame - 24 * len(conversations) // 10 - 40_000
    goals: dict[str, str] = {}
    pages, places = pack(*_wanted(conversations, goals, on_read), room)
    for conversation in conversations:
        # Goals of scenarios none of whose conversations was read.
        base = base_name_of(conversation.result)
        if base not in goals:
            goals[base] = (_details(conversation) or {}).get("goal") or ""
    found = [places.get(number, (-1, 0)) for number in range(len(conversations))]
    index["rows"] |= {"page": [number for number, _ in found], "slot": [slot for _, slot in found]}
    index["goals"] = {base: goals[base] for base in sorted(goals)}
    index["details"] = {"kept": len(places), "total": len(conversations), "limit_mb": limit}
    data = {"index": compressed(index), **{f"page-{number}": text for number, text in enumerate(pages)}}
    content = "".join(page(index["title"], data)).encode()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, content)
    except OSError as error:
        raise ConfigurationError(f"cannot write {target}: {error.strerror or error}") from error
    return Written(target, len(content), len(conversations), len(places), limit)


def identifiers(runs: Sequence[Path]) -> list[str]:
    """Names of runs in links: those of their directories, with a number where two are called alike."""
    names: list[str] = []
    for path in runs:
        name = path.resolve().name
        number = sum(known == name or known.startswith(f"{name}~") for known in names)
        names.append(f"{name}~{number + 1}" if number else name)
    return names


def default_title(runs: Sequence[RunSnapshot]) -> str:
    """A heading that names the agents."""
    agents = list(dict.fromkeys(str(run.description.get("agent")) for run in runs))
    return ", ".join(agents[:3]) + (f" and {len(agents) - 3} more" if len(agents) > 3 else "")


def _read(path: Path, identifier: str) -> RunSnapshot:
    directory = RunDirectory(path)
    results = directory.read_results()
    return RunSnapshot(identifier, directory.read_run(), results, figures(results, floors_of(path)), sweep_label(path))


def _wanted(
    conversations: Sequence[_Conversation], goals: dict[str, str], on_read: Callable[[int, int], None] | None
) -> tuple[Sequence[int], Callable[[int], Any]]:
    """Numbers of conversations, most wanted first, and what reads one."""
    done = 0

    def read(number: int) -> Any:
        nonlocal done
        conversation = conversations[number]
        details = _details(conversation)
        done += 1
        if on_read is not None:
            on_read(done, len(conversations))
        if details is not None:
            goals.setdefault(base_name_of(conversation.result), details["goal"] or "")
        return details

    return sorted(range(len(conversations)), key=lambda number: conversations[number].rank), read


def _details(conversation: _Conversation) -> dict[str, Any] | None:
    """A conversation in full; ``None`` if its files are damaged, which is no reason to show nothing at all."""
    result = conversation.result
    try:
        return read_conversation(conversation.run, str(result.get("directory") or result["name"])).as_dict()
    except ConfigurationError:
        return None


def compressed(value: Any) -> str:
    """A JSON value as a gzip file in base64; equal values give equal texts."""
    return base64.b64encode(gzip.compress(encode(value), 9, mtime=0)).decode("ascii")


def pack(keys: Sequence[int], read: Callable[[int], Any], limit: int) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """Packs details, most wanted first, until the limit is reached.

    Returns:
        Pages, each a JSON list as `compressed` has it; and key of a conversation to number of the page and position in
        it. Those that did not fit are missing.
    """
    pages: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for entries in _pages(keys, read):
        text = compressed([details for _, details in entries])
        if limit < len(text):
            break
        limit -= len(text)
        places.update({key: (len(pages), slot) for slot, (key, _) in enumerate(entries)})
        pages.append(text)
    return pages, places


def _pages(keys: Iterable[int], read: Callable[[int], Any]) -> Iterator[list[tuple[int, Any]]]:
    page: list[tuple[int, Any]] = []
    size = 0
    for key in keys:
        details = read(key)
        if details is None:
            continue
        length = len(encode(details))
        if page and size + length > PAGE_BYTES:
            yield page
            page, size = [], 0
        page.append((key, details))
        size += length
    if page:
        yield page
