"""What each generation of Claude models takes, so that a wrong setting is refused before the first paid call."""

import re
import sys
from collections.abc import Mapping
from typing import Any

import attrs

from tool_sandbox.models.anthropic_code import CALLING_MODES, MODES
from tool_sandbox.world.errors import ConfigurationError

EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "disabled", "between_tools", "off")
LEAST_BUDGET = 1024
"""Tokens of the smallest thinking budget."""

SAMPLING = ("temperature", "top_p", "top_k", "seed")

_FREE_CHOICES = ("auto", "none")
"""The values of ``tool_choice`` that do not force a call."""


@attrs.frozen
class ModelLimits:
    """What a model takes.

    Attributes:
        thinking: Types of thinking; ``enabled`` is the one with a budget of tokens.
        efforts: Levels of effort, empty if there are none.
        efforts_without_thinking: Levels of effort at which thinking can be turned off or down.
        forced_choice: Whether the model can be made to call a tool.
        thinks_when_forced: Whether it is refused a thinking budget then; other models skip thinking.
        max_output: Tokens of the longest reply.
        code_execution: Ways in which it can use Anthropic's code execution.
    """

    thinking: tuple[str, ...] = ("adaptive", "disabled", "between_tools", "enabled")
    efforts: tuple[str, ...] = EFFORTS
    efforts_without_thinking: tuple[str, ...] = EFFORTS
    forced_choice: bool = True
    thinks_when_forced: bool = False
    max_output: int = 128_000
    code_execution: tuple[str, ...] = MODES


_UNKNOWN = ModelLimits(max_output=sys.maxsize)
_WITHOUT_CODE = attrs.evolve(_UNKNOWN, code_execution=())
_UP_TO_HIGH = EFFORTS[:3]
_BUDGET_ONLY = ModelLimits(("disabled", "enabled"), (), thinks_when_forced=True, max_output=64_000)
_SWITCHED = ModelLimits(("adaptive", "disabled"))
_ALWAYS = ModelLimits(("adaptive",))
_ALWAYS_FREE = attrs.evolve(_ALWAYS, forced_choice=False)
_BOTH_KINDS = ModelLimits(("adaptive", "disabled", "enabled"), ("low", "medium", "high", "max"))

_LIMITS: Mapping[tuple[str, str], ModelLimits] = {
    ("haiku", "4-5"): attrs.evolve(_BUDGET_ONLY, code_execution=("alone",)),
    ("sonnet", "4-5"): _BUDGET_ONLY,
    ("opus", "4-5"): attrs.evolve(_BUDGET_ONLY, efforts=_UP_TO_HIGH),
    ("opus", "4-6"): _BOTH_KINDS,
    ("sonnet", "4-6"): _BOTH_KINDS,
    ("opus", "4-7"): _SWITCHED,
    ("opus", "4-8"): _SWITCHED,
    ("sonnet", "5"): _SWITCHED,
    ("opus", "5"): attrs.evolve(_SWITCHED, efforts_without_thinking=_UP_TO_HIGH),
    ("fable", "5"): _ALWAYS,
    ("mythos", "5"): _ALWAYS,
    ("fable", "5-1"): _ALWAYS_FREE,
    ("mythos", "5-1"): _ALWAYS_FREE,
    ("fable", "5-2"): _ALWAYS_FREE,
    ("mythos", "5-2"): _ALWAYS_FREE,
    ("opus", "5-5"): _ALWAYS_FREE,
    ("sonnet", "5-5"): ModelLimits(
        ("adaptive", "between_tools"), efforts_without_thinking=_UP_TO_HIGH, forced_choice=False
    ),
    ("haiku", "5-5"): _SWITCHED,
}
_FIRST_WITH_CODE = (4, 5)
"""Version of the first models with code execution."""

_ID = re.compile(r"claude-(?P<family>[a-z]+)-(?P<version>\d+(?:-\d{1,2})?)(?:-\d{8})?")
_OLD_ID = re.compile(r"claude-(?:instant|[23])\b")


def limits_of(model: str) -> ModelLimits:
    """What a model takes; everything, if it is not known."""
    known = _ID.fullmatch(model)
    if known is None:
        return _UNKNOWN if not _OLD_ID.match(model) else _WITHOUT_CODE
    is_old = tuple(map(int, known["version"].split("-"))) < _FIRST_WITH_CODE
    return _LIMITS.get((known["family"], known["version"]), _WITHOUT_CODE if is_old else _UNKNOWN)


def thinking_type(thinking: str | int) -> str:
    """The provider's word for a value of the option ``thinking``."""
    if isinstance(thinking, int):
        return "enabled"
    return "disabled" if thinking == "off" else thinking


def check_settings(model: str, settings: Mapping[str, Any], default_max_tokens: int) -> None:
    """Refuses settings that a model is known not to take."""
    for problem in _problems(model, settings, default_max_tokens):
        raise ConfigurationError(problem)


def _problems(model: str, settings: Mapping[str, Any], default_max_tokens: int) -> list[str]:
    limits, max_tokens = limits_of(model), settings.get("max_tokens", default_max_tokens)
    problems = [
        f"anthropic takes no {name}: the API refuses it for every model; leave it out and repeat trials instead"
        for name in SAMPLING
        if name in settings
    ]
    if max_tokens > limits.max_output:
        problems.append(f"{model} writes at most {limits.max_output} tokens, got max_tokens={max_tokens}")
    effort = settings.get("effort")
    if effort is not None and effort not in limits.efforts:
        offer = f"it takes {', '.join(limits.efforts)}" if limits.efforts else "it has none; leave it out"
        problems.append(f"{model} does not take effort={effort}: {offer}")
    problems += _thinking_problems(model, limits, settings, max_tokens)
    problems += _code_problems(model, limits, settings)
    choice = settings.get("tool_choice", "auto")
    if choice not in _FREE_CHOICES and not limits.forced_choice:
        problems.append(f"{model} cannot be made to call a tool: tool_choice has to be auto or none, got {choice!r}")
    elif choice not in _FREE_CHOICES and isinstance(settings.get("thinking"), int) and limits.thinks_when_forced:
        problems.append(f"{model} cannot be made to call a tool while it has a thinking budget; leave out one of them")
    return problems


def _thinking_problems(model: str, limits: ModelLimits, settings: Mapping[str, Any], max_tokens: int) -> list[str]:
    problems: list[str] = []
    thinking, effort = settings.get("thinking"), settings.get("effort")
    # Where the settings name none, a display is one of the adaptive kind.
    kind = thinking_type(thinking) if thinking is not None else "adaptive" if "adaptive" in limits.thinking else None
    if thinking is not None and kind not in limits.thinking:
        words = [word for word in THINKING if word in limits.thinking]
        words += ["a budget of tokens"] * ("enabled" in limits.thinking)
        problems.append(f"{model} does not take thinking={thinking}: it takes {' or '.join(words)}")
    elif isinstance(thinking, int) and not LEAST_BUDGET <= thinking < max_tokens:
        problems.append(
            f"a thinking budget has {LEAST_BUDGET} tokens or more, fewer than max_tokens={max_tokens}, got {thinking}"
        )
    elif kind in ("disabled", "between_tools") and effort is not None and effort not in limits.efforts_without_thinking:
        problems.append(f"{model} takes thinking={thinking} only up to effort={limits.efforts_without_thinking[-1]}")
    if settings.get("display") is not None and kind not in ("adaptive", "enabled"):
        problems.append(f"display={settings['display']} needs thinking, adaptive or with a budget, on {model}")
    return problems


def _code_problems(model: str, limits: ModelLimits, settings: Mapping[str, Any]) -> list[str]:
    mode, choice = settings.get("code_execution"), settings.get("tool_choice", "auto")
    if mode is not None and "tool_search" in settings:
        return ["tool_search cannot be combined with code_execution"]
    if mode is None:
        is_idle = "code_execution_version" in settings
        return ["code_execution_version says nothing without code_execution=" + "|".join(MODES)] * is_idle
    problems: list[str] = []
    if mode not in limits.code_execution:
        offer = (
            f"it takes {' or '.join(limits.code_execution)}" if limits.code_execution else "it has none; leave it out"
        )
        problems.append(f"{model} does not take code_execution={mode}: {offer}")
    if mode in CALLING_MODES and settings.get("parallel") is False:
        problems.append(f"code_execution={mode} cannot be combined with parallel=false: code may call several at once")
    if mode in CALLING_MODES and choice not in _FREE_CHOICES:
        problems.append(f"code_execution={mode} needs tool_choice=auto or none, got {choice!r}: code cannot be forced")
    return problems
