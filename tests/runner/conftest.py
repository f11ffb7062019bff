"""What tests of runs share."""

from collections.abc import Iterator

import pytest

from tests.bucket import serving_bucket


@pytest.fixture
def bucket() -> Iterator[str]:
    pytest.importorskip("moto")
    pytest.importorskip("s3fs")
    with serving_bucket() as address:
        yield address
