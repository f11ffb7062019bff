"""A score does not depend on how an agent reaches its tools."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from scripts.parity import compared, differing, page
from tests.loopback.ways import WAYS, Played, directly, sample

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "parity.md").read_text("utf-8")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", range(8))
def test_all_ways_end_alike_as_the_page_says(part: int) -> None:
    names = sample()[part::8]
    found = compared(names)
    assert differing(found) == []
    assert all(played.success and played.score == 1 for ways in found.values() for played in ways.values())
    rows = [line for line in page(found).splitlines() if line.startswith("| `")]
    assert len(rows) == 10
    assert [row for row in rows if row not in PAGE] == []


def test_the_page_is_about_the_sample() -> None:
    assert len(sample()) == len(set(sample())) == 80
    assert [line.split("`")[1] for line in PAGE.splitlines() if line.startswith("| `")] == sample()
    assert "80 of 80 scenarios" in PAGE


@pytest.mark.parametrize(
    ("field", "value"), [("score", 0.5), ("success", False), ("world", {}), ("traces", ("another",))]
)
def test_a_difference_is_seen(field: str, value: Any) -> None:
    played = directly("wifi_off")
    other: Played = attrs.evolve(played, **{field: value})
    found = {"wifi_off": {**dict.fromkeys(WAYS, played), "code": other}}
    assert differing(found) == [f"wifi_off: {field}"]
    assert "0 of 1 scenarios" in page(found)
