"""The pages of reference say what signatures and docstrings say."""

import functools

import pytest

from scripts.make_reference import TARGET, pages

PAGES = sorted(path.name for path in TARGET.iterdir())

made = functools.cache(pages)


def test_there_are_no_other_pages() -> None:
    assert sorted(made()) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    assert (TARGET / name).read_text("utf-8") == made()[name], "run python scripts/make_reference.py"
