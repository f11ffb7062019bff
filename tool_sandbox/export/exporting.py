"""Reads the conversations of runs and writes them in one format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.export.selecting import Selected, Selection, select
from tool_sandbox.export.writing import Target, json_line, written_whole
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.export.trajectory import Trajectory

Progress = Callable[[int, int], None]
"""Is told how many conversations have been read, and how many there are."""


@attrs.frozen
class Exported:
    """What was written.

    Attributes:
        files: The files; none for a stream.
        conversations: Number of conversations in them.
        excluded: Number of conversations that were left out because they say nothing about the agent.
        others: Number of those that were not wanted.
        empty: Number of those in which the agent says nothing.
        notes: What else has to be known about them.
    """

    files: Sequence[Path]
    conversations: int
    excluded: int
    others: int
    empty: int
    notes: Sequence[str] = ()


@attrs.define
class _Reading:
    """The conversations of an export, which are read while they are written.

    Attributes:
        selected: The runs.
        on_read: Is told about progress.
        read: Number of conversations that have been read.
    """

    selected: Sequence[Selected]
    on_read: Progress | None
    read: int = 0

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(len(run.results) for run in self.selected)

    def __iter__(self) -> "Iterator[Trajectory]":
        from tool_sandbox.export.trajectory import read_trajectory

        for run in self.selected:
            for result in run.results:
                trajectory = read_trajectory(run.path, run.description, result["directory"])
                self.read += 1
                if self.on_read is not None:
                    self.on_read(self.read, self.total)
                if trajectory is not None:
                    yield trajectory


Written = tuple[Sequence[Path], int, Sequence[str]]
"""Files, number of conversations, notes."""

Writer = Callable[[_Reading, Target], Written]


@attrs.frozen
class Format:
    """A format.

    Attributes:
        name: What it is called where nothing else is said: a file, or a directory.
        write: Writes it.
        is_directory: Whether it is a directory.
    """

    name: str
    write: Writer
    is_directory: bool = False


def format_named(name: str) -> Format:
    """One of `FORMATS`."""
    if name not in FORMATS:
        raise UnknownNameError(f"there is no format {name!r}; there are {', '.join(FORMATS)}.", suggest(name, FORMATS))
    return FORMATS[name]


def export_runs(
    runs: Sequence[Path],
    to: str,
    target: Target,
    selection: Selection | None = None,
    on_read: Progress | None = None,
) -> Exported:
    """Writes the conversations of runs in a format, in place of what was there.

    Args:
        runs: Directories of the runs.
        to: One of `FORMATS`.
        target: The file, or the directory where the format is one; or a stream.
        selection: Which conversations, by default all that say something about the agent.
        on_read: Is told about progress.

    Returns:
        What was written.

    Raises:
        ConfigurationError: There is nothing to export, a file of a run is damaged, or the target cannot be written.
    """
    made = format_named(to)
    selection = selection or Selection()
    selected = [select(path, selection) for path in runs]
    excluded, others = sum(run.excluded for run in selected), sum(run.others for run in selected)
    reading = _Reading(selected, on_read)
    if not reading.total:
        raise ConfigurationError(_nothing(excluded, others))
    files, count, notes = made.write(reading, target)
    return Exported(files, count, excluded, others, reading.total - count, notes)


def _nothing(excluded: int, others: int) -> str:
    if not excluded and not others:
        return "there is nothing to export: no conversation has been finished yet"
    return f"there is nothing to export: {excluded} excluded, {others} not selected"


def _openai(reading: _Reading, target: Target) -> Written:
    from tool_sandbox.export.openai_jsonl import openai_line, openai_metadata

    count = 0
    beside = target.with_suffix(".metadata.jsonl") if isinstance(target, Path) else None
    with ExitStack() as files:
        about = None if beside is None else files.enter_context(written_whole(beside))
        file = files.enter_context(written_whole(target))
        for trajectory in reading:
            if (line := openai_line(trajectory)) is None:
                continue
            count += 1
            file.write(json_line(line))
            if about is not None:
                about.write(json_line(openai_metadata(trajectory)))
        _check_count(count)
    return _paths(target, beside), count, ()


def _sharegpt(reading: _Reading, target: Target) -> Written:
    from tool_sandbox.export.sharegpt import sharegpt_line, texts_beside_calls

    count = left_out = 0
    with written_whole(target) as file:
        for trajectory in reading:
            if (line := sharegpt_line(trajectory)) is not None:
                count += 1
                left_out += texts_beside_calls(trajectory)
                file.write(json_line(line))
        _check_count(count)
    note = f"{left_out} texts beside tool calls are left out, because the format has no place for them"
    return _paths(target), count, (note,) if left_out else ()


def _otel(reading: _Reading, target: Target) -> Written:
    from tool_sandbox.export.otel import otel_line

    count = 0
    with written_whole(target) as file:
        for trajectory in reading:
            count += 1
            file.write(json_line(otel_line(trajectory)))
        _check_count(count)
    return _paths(target), count, ()


def _parquet(reading: _Reading, target: Target) -> Written:
    from tool_sandbox.export.tabular import conversations_table

    table = conversations_table(reading)
    _check_count(table.height)
    with written_whole(target) as file:
        table.write_parquet(file)
    return _paths(target), table.height, ()


def _hf(reading: _Reading, target: Target) -> Written:
    from tool_sandbox.export.card import DATA_FILE, dataset_card
    from tool_sandbox.export.tabular import conversations_table

    if not isinstance(target, Path):
        raise ConfigurationError("hf is a directory, which cannot be written to a stream; name it")
    card, data = target / "README.md", target / DATA_FILE
    _check_replaceable(target, {card, data})
    table = conversations_table(reading)
    _check_count(table.height)
    with written_whole(data) as file:
        table.write_parquet(file)
    with written_whole(card) as file:
        file.write(dataset_card(table).encode("utf-8", "backslashreplace"))
    return (card, data), table.height, ()


def _check_replaceable(directory: Path, files: set[Path]) -> None:
    """Refuses a directory with files that are not those of an export: they would become part of the data set."""
    if directory.is_file():
        raise ConfigurationError(f"{directory} is a file; hf is a directory")
    others = sorted({path for path in directory.rglob("*") if not path.is_dir()} - files)
    if others:
        raise ConfigurationError(f"{directory} has other files, such as {others[0]}; give a new directory")


def _check_count(count: int) -> None:
    if not count:
        raise ConfigurationError("there is nothing to export: in no conversation does the agent say anything")


def _paths(*targets: Target | None) -> Sequence[Path]:
    return [target for target in targets if isinstance(target, Path)]


FORMATS: Mapping[str, Format] = {
    "openai-jsonl": Format("openai.jsonl", _openai),
    "sharegpt": Format("sharegpt.jsonl", _sharegpt),
    "hf": Format("hf", _hf, is_directory=True),
    "otel": Format("traces.jsonl", _otel),
    "parquet": Format("conversations.parquet", _parquet),
}
"""Name of each format that `export_runs` writes."""
