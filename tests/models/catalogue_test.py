"""Which models are still served."""

import datetime
import json
from importlib import resources

import pytest

from tool_sandbox.models import catalogue
from tool_sandbox.models.catalogue import (
    known_model,
    known_models,
    providers_of,
    refuse_retired,
    retirement,
    warning_about,
)
from tool_sandbox.world.errors import ConfigurationError

DAY = datetime.date(2026, 11, 21)


@pytest.mark.parametrize(
    ("provider", "model", "date", "successor"),
    [
        ("anthropic", "claude-3-opus-20240229", "2026-01-05", "claude-opus-5-5"),
        ("anthropic", "claude-3-sonnet-20240229", "2025-07-21", "claude-sonnet-5-5"),
        ("anthropic", "claude-3-haiku-20240307", "2026-04-19", "claude-haiku-5-5"),
        ("anthropic", "claude-3-5-sonnet-20240620", "2025-10-28", "claude-sonnet-5-5"),
        ("anthropic", "claude-3-5-haiku-latest", "2026-02-19", "claude-haiku-5-5"),
        ("anthropic", "claude-sonnet-4-0", "2026-06-15", "claude-sonnet-5-5"),
        ("anthropic", "claude-opus-4-1-20250805", "2026-08-05", "claude-opus-5-5"),
        ("anthropic", "claude-mythos-preview", "2026-06-30", "claude-mythos-5-2"),
        ("openai", "gpt-3.5-turbo-0125", "2026-10-23", "gpt-5.6-terra"),
        ("openai", "gpt-4-0125-preview", "2026-03-26", "gpt-5.6-sol"),
        ("openai", "gpt-4o-2024-05-13", "2026-10-23", "gpt-5.6-sol"),
        ("google", "gemini-1.0-pro", "2025-04-09", "gemini-3.8-flash"),
        ("google", "models/gemini-1.5-pro-001", "2025-05-24", "gemini-3.8-flash"),
        ("google", "gemini-1.5-flash-001", "2025-05-24", "gemini-3.8-flash"),
    ],
)
def test_a_retired_model_is_refused_with_date_and_successor(
    provider: str, model: str, date: str, successor: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        refuse_retired(provider, model, DAY)
    assert str(caught.value) == f"{provider}/{model} was retired on {date}; use {provider}/{successor} instead"
    # Nobody is sent from one grave to the next.
    refuse_retired(provider, successor, DAY)
    known = known_model(provider, successor)
    assert known is not None
    assert known.status(DAY) in ("current", "legacy")


def test_a_model_without_a_successor_is_refused_too() -> None:
    with pytest.raises(ConfigurationError, match=r"retired on 2025-07-21$"):
        refuse_retired("anthropic", "claude-2.1", DAY)


def test_the_last_day_is_the_one_before() -> None:
    end = datetime.date(2026, 11, 30)
    assert retirement("anthropic", "claude-sonnet-4-5") == catalogue.Retirement(end, "claude-sonnet-5-5")
    refuse_retired("anthropic", "claude-sonnet-4-5-20250929", end - datetime.timedelta(days=1))
    assert warning_about("anthropic", "claude-sonnet-4-5", DAY) == (
        "anthropic/claude-sonnet-4-5 ends on 2026-11-30; use anthropic/claude-sonnet-5-5 instead"
    )
    with pytest.raises(ConfigurationError):
        refuse_retired("anthropic", "claude-sonnet-4-5", end)
    assert warning_about("anthropic", "claude-sonnet-4-5", end) is None


def test_a_model_that_another_answers_for_is_warned_of() -> None:
    warning = warning_about("google", "gemini-3.7-flash", DAY)
    assert warning is not None
    assert "answers with gemini-3.8-flash" in warning


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-opus-5-5"),
        ("anthropic", "claude-of-next-year"),
        ("openai", "gpt-6-luna"),
        ("openai-compatible", "gpt-4o-2024-05-13"),
        ("openrouter", "anthropic/claude-3-opus-20240229"),
        ("vllm", "NousResearch/Hermes-2-Pro-Mistral-7B"),
    ],
)
def test_what_is_served_or_unknown_passes(provider: str, model: str) -> None:
    refuse_retired(provider, model, DAY)
    assert warning_about(provider, model, DAY) is None


def test_the_machine_is_asked_for_the_day_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "today", lambda: datetime.date(2024, 1, 1))
    refuse_retired("anthropic", "claude-3-opus-20240229")
    monkeypatch.setattr(catalogue, "today", lambda: datetime.date(2026, 1, 5))
    with pytest.raises(ConfigurationError):
        refuse_retired("anthropic", "claude-3-opus-20240229")


def test_the_file_is_consistent() -> None:
    content = json.loads((resources.files("tool_sandbox.models") / "data" / "models.json").read_text("utf-8"))
    assert set(content["sources"]) >= {entry["source"] for entry in content["models"]}
    names = [
        (entry["provider"], name) for entry in content["models"] for name in (entry["id"], *entry.get("aliases", ()))
    ]
    assert len(names) == len(set(names))
    for model in known_models():
        assert model.source
        if model.successor is not None:
            assert known_model(model.provider, model.successor) is not None, model
        if model.is_current:
            assert model.ends is None
            assert model.successor is None


def test_who_has_a_model_of_a_name() -> None:
    assert providers_of("gpt-4o") == ["openai"]
    assert providers_of("llama") == []
