"""Reading what this and earlier versions wrote: every reader sees the present shape, or one clear line.

Format 1 had no ``minefield_hit``, ``family``, ``base_name`` and ``augmentation`` in results at first. Format 2 adds
``replaced/`` (results that made way for new attempts) and ``floor.json`` to the directory. Format 3 has one record a
conversation (``tool_sandbox.play.record``) in the place of several files, and cuts long names of directories.
Results of other programs that write the published keys alone are read too.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tool_sandbox.helpers.printable import printable
from tool_sandbox.runner.shapes import check_shape
from tool_sandbox.runner.summary import Result
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.profile import Profile

RUN_FORMAT = 3
"""Version of the layout of a run directory, raised when an older reader would not understand it."""

USED_NUMBERS = (
    *("calls", "attempts", "retries", "paid_tokens", "latency_s", "wait_s"),
    *("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"),
)
"""Keys of what a party used that are numbers and never null."""

_HALF = re.compile("[\ud800-\udfff]")

_Check = tuple[str, Callable[[Any], bool]]
"""What a value has to be, in words, and whether it is."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole_text(value: Any) -> bool:
    # Half a character can be said by a model, but be no name: neither a path nor a fingerprint can be made of it.
    return isinstance(value, str) and not _HALF.search(value)


def _is_score(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1 + 1e-9  # sums of weights round


def _is_directory(value: Any) -> bool:
    # Files are read and written by this name, which must not lead anywhere else.
    return _is_whole_text(value) and value not in ("", ".", "..") and not re.search(r"[/\\\0]", value)


def _is_list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


_is_objects = _is_list_of(_is_mapping)


def _is_usage(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_number(value.get(key)) for key in USED_NUMBERS)
        and all(key in value and (value[key] is None or _is_number(value[key])) for key in ("cost_usd", "paid_usd"))
        and all(_is_mapping(value.get(key)) for key in ("faults", "origins", "stops", "served_models"))
        and isinstance(value.get("substituted"), bool)
    )


def _is_used(value: Any) -> bool:
    return value is None or _is_usage(value)


def _is_replay(value: Any) -> bool:
    return isinstance(value, dict) and _is_objects(value.get("divergences")) and _is_whole(value.get("unused"))


def _is_opinion(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "error" in value
        and _is_text(value.get("model"))
        and _is_objects(value.get("answers"))
    )


def _has(*keys: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and value.keys() >= {*keys}


def _is_model(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_text(value.get(key)) for key in ("provider", "model"))
        and _is_mapping(value.get("settings"))
    )


def _are_models(value: Any) -> bool:
    return isinstance(value, dict) and all(each is None or _is_model(each) for each in value.values())


def _are_services(value: Any) -> bool:
    return isinstance(value, dict) and _is_text(value.get("choice") or value.get("mode"))


def _or_null(check: _Check) -> _Check:
    return f"{check[0]} or null", lambda value: value is None or check[1](value)


_TEXT: _Check = ("a text", _is_text)
_NAME: _Check = ("a text of whole characters", _is_whole_text)
_FLAG: _Check = ("true or false", lambda value: isinstance(value, bool))
_SCORE: _Check = ("a number from 0 to 1", _is_score)
_WHOLE: _Check = ("a whole number", _is_whole)
_COUNT: _Check = ("a whole number, at least 0", lambda value: _is_whole(value) and value >= 0)
_MAPPING: _Check = ("an object", _is_mapping)
_TEXTS: _Check = ("a list of texts", _is_list_of(_is_text))
_OBJECTS: _Check = ("a list of objects", _is_objects)
_DIRECTORY: _Check = ("the name of a directory", _is_directory)
_OUTCOME: _Check = (f"one of {', '.join(Outcome)}", lambda value: value in list(Outcome))

_PUBLISHED: Mapping[str, _Check] = {
    "name": _TEXT,
    "categories": _TEXTS,
    "traceback": _or_null(_TEXT),
    "exception_type": _or_null(_TEXT),
    "milestone_similarity": _SCORE,
    "minefield_similarity": _SCORE,
    "similarity": _SCORE,
    "turn_count": ("a number", _is_number),
    "milestone_mapping": _MAPPING,
    "minefield_mapping": _MAPPING,
}
"""Keys that a result of any program has."""

_OURS: Mapping[str, _Check] = {
    "directory": _DIRECTORY,
    "seed": _WHOLE,
    "trial": _COUNT,
    "success": _FLAG,
    "minefield_hit": _FLAG,
    "outcome": _OUTCOME,
    "evaluated": _FLAG,
    "reason": _or_null(_TEXT),
    "fault": _or_null(_TEXT),
    "total_turn_count": _WHOLE,
    "side_effects": _OBJECTS,
    "unsupported": ("a list of findings", _is_list_of(_has("message", "kind", "said", "world"))),
    "unclear": ("a list of readings", _is_list_of(_has("message", "fact", "sentence", "is_stated"))),
    "score_interval": _or_null(
        ("two numbers from 0 to 1", lambda value: _is_list_of(_is_score)(value) and len(value) == 2)
    ),
    "tool_calls": _COUNT,
    "tool_errors": _COUNT,
    "invalid_calls": _COUNT,
    "usage": ("the usage of each party", lambda value: _is_mapping(value) and all(map(_is_used, value.values()))),
    "replay": _or_null(("what a replay has to say", _is_replay)),
    "user_findings": _or_null(("a list of findings", _is_list_of(lambda each: _is_mapping(each) and "kind" in each))),
    "judge": _or_null(("an opinion", _is_opinion)),
    "suite": _or_null(_MAPPING),
    "scenario_hash": _or_null(_MAPPING),
    "profile": _or_null(_TEXT),
    "family": _or_null(_TEXT),
    "base_name": _or_null(_TEXT),
    "augmentation": _or_null(_TEXT),
}
"""Keys that are checked where a result has them."""

_EPISODE: Mapping[str, _Check] = {
    "scenario_name": _NAME,
    "seed": _WHOLE,
    "trial": _COUNT,
    "directory": _DIRECTORY,
}

_RUN: Mapping[str, _Check] = {
    "agent": _TEXT,
    "user": _TEXT,
    "seeds": ("a list of whole numbers, at least one", lambda value: bool(value) and _is_list_of(_is_whole)(value)),
    "trials": ("a whole number above 0", lambda value: _is_whole(value) and value > 0),
    "profile": _or_null((f"one of {', '.join(Profile)}", lambda value: value in list(Profile))),
    "services": ("an object that says what stood behind the search tools", _are_services),
    "preferred_tool_backend": _NAME,
    "suite": _or_null(_MAPPING),
    "episodes": _OBJECTS,
}

_RUN_OPTIONAL: Mapping[str, _Check] = {
    "started": _TEXT,
    "package_version": _TEXT,
    "git_sha": _or_null(_TEXT),
    "agent_model": _or_null(_TEXT),
    "user_model": _or_null(_TEXT),
    "models": ("the model of each party or null", _are_models),
    "instruction": _MAPPING,
    "prices": _or_null(_MAPPING),
    "cache": _or_null(_TEXT),
    "judge": _or_null(_TEXT),
    "budget": _MAPPING,
    "published_files": _FLAG,
    "retries": _OBJECTS,
}


def current_run(value: Any, where: Path) -> dict[str, Any]:
    """The description of a run in the present shape.

    Args:
        value: Content of ``run.json``.
        where: The file, for the message.

    Returns:
        A copy, of the present format.

    Raises:
        ConfigurationError: It is of a newer version, or damaged.
    """
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where} does not describe a run")
    _check_format(value.get("format"), where)
    _check(value, _RUN, _RUN_OPTIONAL, where)
    for episode in value["episodes"]:
        _check(episode, _EPISODE, {}, where)
    value = {**value, "format": RUN_FORMAT}
    check_shape(value, "run", where, needs_keys=False)
    if len(set(value["seeds"])) * value["trials"] > max(1, len(value["episodes"])):
        raise ConfigurationError(f"{where} is damaged: seeds and trials make more conversations than 'episodes' has")
    described: dict[str, Any] = value
    return described


def current_result(value: Any, where: Path, directory: str | None = None) -> Result:
    """A result in the present shape.

    Args:
        value: The result in a record, or one entry of a summary.
        where: The file, for the message.
        directory: The directory that it has to say it is in, ``None`` for any or none.

    Returns:
        A copy; what it lacks of the keys that were added over time is filled in.

    Raises:
        ConfigurationError: It is damaged.
    """
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where} is no result of a conversation")
    if directory is not None and value.get("directory") != directory:
        raise ConfigurationError(f"{where} is not the result of the conversation in its directory")
    _check(value, _PUBLISHED, _OURS, where)
    check_shape(value, "result", where, needs_keys=False)
    filled = dict(value)
    if "minefield_hit" not in filled:
        # A hit costs the whole score; less than a whole minefield is no hit where several things make one.
        filled["minefield_hit"] = filled["minefield_similarity"] > 0 and filled["similarity"] == 0
    if "base_name" not in filled:
        from tool_sandbox.runner.lineage import installed_family, split_name

        base_name, augmentation = split_name(filled["name"])
        filled |= {"family": installed_family(base_name), "base_name": base_name, "augmentation": augmentation}
    return filled


def current_summary(value: Any, where: Path) -> dict[str, Any]:
    """The summary of a run in the present shape.

    Args:
        value: Content of ``result_summary.json``.
        where: The file, for the message.

    Raises:
        ConfigurationError: It is of a newer version, or damaged.
    """
    if not isinstance(value, dict) or not isinstance(value.get("per_scenario_results"), list):
        raise ConfigurationError(f"{where} is not the summary of a run")
    run = value.get("run", {})
    if not isinstance(run, dict):
        raise ConfigurationError(f"{where}: run is not an object")
    if "format" in run:
        _check_format(run["format"], where)
        value = {**value, "run": {**run, "format": RUN_FORMAT}}
    check_shape({**value, "per_scenario_results": []}, "result_summary", where, needs_keys=False)
    results = [current_result(result, where) for result in value["per_scenario_results"]]
    return {**value, "per_scenario_results": results}


def _check_format(number: Any, where: Path) -> None:
    if not _is_whole(number) or number < 1:
        raise ConfigurationError(f"{where} has no valid format number (format: {_shown(number)})")
    if number > RUN_FORMAT:
        raise ConfigurationError(
            f"{where} was written by a newer version of tool_sandbox (format {number}, this one reads up to "
            f"{RUN_FORMAT}); update tool_sandbox"
        )


def _check(value: Mapping[str, Any], needed: Mapping[str, _Check], known: Mapping[str, _Check], where: Path) -> None:
    for key, (words, is_right) in needed.items():
        if key not in value:
            raise ConfigurationError(f"{where} is damaged: {key!r} is missing")
        if not is_right(value[key]):
            raise ConfigurationError(f"{where} is damaged: {key!r} is not {words}: {_shown(value[key])}")
    for key, (words, is_right) in known.items():
        if key in value and not is_right(value[key]):
            raise ConfigurationError(f"{where} is damaged: {key!r} is not {words}: {_shown(value[key])}")


def _shown(value: Any) -> str:
    text = printable(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."
