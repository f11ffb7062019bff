"""The pages of reference say what signatures and docstrings say."""

import pytest

from scripts.make_reference import TARGET, pages

PAGES = pages()


def test_there_are_no_other_pages() -> None:
    assert {path.name for path in TARGET.iterdir()} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    assert (TARGET / name).read_text("utf-8") == PAGES[name], "run python scripts/make_reference.py"
