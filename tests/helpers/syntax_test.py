import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from tool_sandbox.helpers.syntax import parse_expression, parse_module

TEXT = "f(" + ",".join(f"a{number}=[{number},{{'k':[1,2,(3,)]}}]" for number in range(40)) + ")"


class Cycle:
    """Has the garbage collector run Python, during which other threads get their turn."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(200):
            pass


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change places, and garbage is collected, as often as possible."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50, 2, 2)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


@pytest.mark.slow
@pytest.mark.usefixtures("restless")
def test_threads_parse_at_once() -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(250):
                Cycle()
                Cycle()
                parse_expression(TEXT)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_what_is_no_python_is_refused() -> None:
    for parse in (parse_expression, parse_module):
        with pytest.raises(SyntaxError):
            parse("f(")
