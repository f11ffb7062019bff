"""Every app of this package is as an app has to be: documented, atomic, deterministic, in pages, within its rules."""

import re

import pytest

from tool_sandbox.apps.check import check_all, check_app
from tool_sandbox.apps.registry import built_in, find_app

UNREACHED = re.compile("never succeeded in|no call raised the|its pages cannot be checked")


@pytest.mark.sampled(4)
@pytest.mark.whole
@pytest.mark.parametrize("name", built_in())
def test_nothing_is_wrong_with_an_app(name: str) -> None:
    # What these few calls do not reach is asked for below.
    found = [each for each in check_app(find_app(name), calls=300).findings if not UNREACHED.search(each)]
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("name", built_in())
def test_nor_after_many_calls(name: str) -> None:
    assert check_app(find_app(name)).findings == []


def test_all_can_be_in_one_world() -> None:
    assert check_all(map(find_app, built_in())) == []
