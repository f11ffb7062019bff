"""What tokens cost."""

import datetime
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.messages import Usage
from tool_sandbox.models.prices import load_prices
from tool_sandbox.world.errors import ConfigurationError

DAY = datetime.date(2026, 11, 21)
TABLE = load_prices(date=DAY)
MILLION = 1_000_000

# input, output, cache read, cache write of five minutes, of an hour
CLAUDE: dict[str, tuple[float, float, float | None, float | None, float | None]] = {
    "claude-fable-5-2": (8, 40, 0.20, 10, 16),
    "claude-mythos-5-2": (8, 40, None, None, None),
    "claude-opus-5-5": (4, 20, 0.20, 5, 8),
    "claude-sonnet-5-5": (2, 10, 0.10, 2.50, 4),
    "claude-haiku-5-5": (0.50, 2.50, 0.01, 0.125, 0.20),
    "claude-fable-5-1": (10, 50, 0.25, 12.50, 20),
    "claude-mythos-5-1": (10, 50, 0.25, 12.50, 20),
    "claude-opus-5": (5, 25, 0.50, 6.25, 10),
    "claude-sonnet-5": (2, 10, 0.20, 2.50, 4),
    "claude-fable-5": (10, 50, 1.00, 12.50, 20),
    "claude-mythos-5": (10, 50, 1.00, 12.50, 20),
    "claude-opus-4-8": (5, 25, 0.50, 6.25, 10),
    "claude-opus-4-7": (5, 25, 0.50, 6.25, 10),
    "claude-opus-4-6": (5, 25, 0.50, 6.25, 10),
    "claude-sonnet-4-6": (3, 15, 0.30, 3.75, 6),
    "claude-opus-4-5": (5, 25, 0.50, 6.25, 10),
    "claude-haiku-4-5": (1, 5, 0.10, 1.25, 2),
    "claude-sonnet-4-5": (3, 15, 0.30, 3.75, 6),
}


@pytest.mark.parametrize("model", CLAUDE)
def test_a_million_tokens_of_each_kind_cost_the_list_price(model: str) -> None:
    # A prompt of a million tokens is in the upper tier of Haiku 5.5.
    usages = (
        Usage(input_tokens=MILLION),
        Usage(output_tokens=MILLION, input_tokens=0),
        Usage(input_tokens=MILLION, cached_tokens=MILLION),
        Usage(input_tokens=MILLION, cache_write_tokens=MILLION),
        Usage(input_tokens=MILLION, cache_write_1h_tokens=MILLION),
    )
    expected = list(CLAUDE[model])
    if model == "claude-haiku-5-5":
        expected[1] = 0.50  # without a prompt it is the lower tier
    assert [TABLE("anthropic", model, usage) for usage in usages] == pytest.approx(expected)


def test_the_tier_is_chosen_by_the_size_of_the_whole_prompt() -> None:
    def cost(size: int, cached: int = 0) -> float | None:
        return TABLE(
            "anthropic", "claude-haiku-5-5", Usage(input_tokens=size, cached_tokens=cached, output_tokens=1000)
        )

    assert cost(100_000) == pytest.approx((100_000 * 0.10 + 1000 * 0.50) / MILLION)
    assert cost(100_001) == pytest.approx((100_001 * 0.50 + 1000 * 2.50) / MILLION)
    assert cost(100_001, cached=100_001) == pytest.approx((100_001 * 0.01 + 1000 * 2.50) / MILLION)


def test_prices_have_a_day_from_which_they_hold() -> None:
    usage = Usage(input_tokens=MILLION, cached_tokens=MILLION)
    cost = [
        TABLE.at(datetime.date(2026, *day))("anthropic", "claude-sonnet-5-5", usage)
        for day in ((9, 27), (9, 28), (10, 6), (10, 7))
    ]
    assert cost == [None, 0.20, 0.20, 0.10]
    assert TABLE.at(DAY) == TABLE


@pytest.mark.parametrize(
    ("provider", "model", "same_as"),
    [
        ("anthropic", "claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("openai", "gpt-6.1-sol-2026-09-29", "gpt-6.1-sol"),
        ("openai", "gpt-4o-2024-08-06", "gpt-4o"),
        ("openai", "gpt-5.6", "gpt-5.6-sol"),
        ("google", "models/gemini-3.8-flash", "gemini-3.8-flash"),
    ],
)
def test_dates_and_other_names_are_known(provider: str, model: str, same_as: str) -> None:
    usage = Usage(input_tokens=1000, output_tokens=100)
    assert TABLE(provider, model, usage) == TABLE(provider, same_as, usage)
    assert TABLE(provider, model, usage) is not None


def test_a_dated_model_can_have_a_price_of_its_own() -> None:
    usage = Usage(input_tokens=MILLION)
    assert TABLE("openai", "gpt-4o-2024-05-13", usage) == 5.0
    assert TABLE("openai", "gpt-4o-2024-11-20", usage) == 2.5


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-opus-9"),
        ("anthropic", "claude-3-haiku-20240307"),
        ("openrouter", "claude-opus-5-5"),
        ("openrouter", "anthropic/claude-opus-5-5"),
        ("openai-compatible", "gpt-6-luna"),
        ("ollama", "llama3.1:8b"),
        ("openai", "ft:gpt-4o:org::id"),
    ],
)
def test_what_is_unknown_costs_nothing_known(provider: str, model: str) -> None:
    assert TABLE(provider, model, Usage(input_tokens=1)) is None
    assert TABLE(provider, model, Usage()) is None


def test_tokens_without_a_price_make_the_cost_unknown() -> None:
    assert TABLE("anthropic", "claude-mythos-5-2", Usage(input_tokens=10, cached_tokens=5)) is None
    assert TABLE("google", "gemini-2.5-pro", Usage(input_tokens=200_001, output_tokens=1)) is None
    assert TABLE("google", "gemini-2.5-pro", Usage(input_tokens=200_001)) == pytest.approx(200_001 * 2.5 / MILLION)


def test_every_entry_of_the_table_names_its_source() -> None:
    assert all(" " in entry.source for entry in TABLE.entries)


MODELS = st.sampled_from(sorted({(entry.provider, name) for entry in TABLE.entries for name in entry.names}))
COUNTS = st.integers(0, 15_000)
"""Of three kinds in two prompts: below the lowest tier, of 100,000."""


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    plain, cached, written = draw(COUNTS), draw(COUNTS), draw(COUNTS)
    return Usage(plain + cached + written, cached, written, 0, draw(COUNTS))


@given(MODELS, usages(), usages())
def test_cost_is_additive_below_the_tiers(model: tuple[str, str], one: Usage, other: Usage) -> None:
    first, second, both = (TABLE(*model, usage) for usage in (one, other, one + other))
    if first is None or second is None:
        assert both is None
    else:
        assert both == pytest.approx(first + second)


@given(MODELS, usages(), st.integers(0, 400_000), st.integers(0, 1000))
def test_more_tokens_never_cost_less(model: tuple[str, str], usage: Usage, more_in: int, more_out: int) -> None:
    less, more = (TABLE(*model, one) for one in (usage, usage + Usage(more_in, output_tokens=more_out)))
    assert less is None or more is None or 0 <= less <= more


def test_the_table_goes_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE


def _file(path: Path, **entry: Any) -> Path:
    whole = {"provider": "openai", "model": "gpt-4o", "valid_from": "2026-01-01", "input": 1, "output": 2} | entry
    path.write_text(json.dumps({"prices": [whole]}))
    return path


def test_own_prices_replace_those_of_the_package_model_by_model(tmp_path: Path) -> None:
    usage = Usage(input_tokens=MILLION, output_tokens=MILLION)
    own = load_prices(_file(tmp_path / "own.json"), DAY)
    assert own("openai", "gpt-4o", usage) == 3.0
    assert own("openai", "gpt-4o-mini", usage) == TABLE("openai", "gpt-4o-mini", usage)
    # The cache had a price before; the entry of one's own is the whole truth.
    assert own("openai", "gpt-4o", Usage(input_tokens=1, cached_tokens=1)) is None
    assert own.version.startswith(f"{TABLE.version}+own-")
    mine = load_prices(_file(tmp_path / "local.json", provider="vllm", model="my/model"), DAY)
    assert mine("vllm", "my/model", usage) == 3.0


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"input": "1"}, "prices[0].input has to be a number from 0 to 1,000,000"),
        ({"output": -1}, "prices[0].output"),
        ({"input": True}, "prices[0].input"),
        ({"cache_read": float("nan")}, "prices[0].cache_read"),
        ({"valid_from": "soon"}, "prices[0].valid_from has to be a date"),
        ({"provider": None}, "prices[0].provider is missing"),
        ({"model": 7}, "prices[0].model has to be a text"),
        ({"aliases": [7]}, "prices[0].aliases has to be a list of texts"),
        ({"inptu": 1}, "prices[0] has no 'inptu'"),
        ({"above": [{"input": 1}]}, "prices[0].above[0].prompt_tokens is missing"),
        ({"above": [{"prompt_tokens": 10, "input": "x"}]}, "prices[0].above[0].input"),
        ({"above": ["x"]}, "prices[0].above[0] has to be an object"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path: Path, entry: dict[str, Any], says: str) -> None:
    path = _file(tmp_path / "own.json", **entry)
    with pytest.raises(ConfigurationError) as caught:
        load_prices(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"[]", "has to be an object"),
        (b"{}", "prices is missing"),
        (b'{"prices": {}}', "a list"),
        (b"\xff", "UTF-8"),
    ],
)
def test_what_is_no_price_file_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "own.json"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=says):
        load_prices(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot read prices"):
        load_prices(tmp_path / "none.json")
