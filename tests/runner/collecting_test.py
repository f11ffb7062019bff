"""The collector is left as it was found."""

import gc
import subprocess
import sys

from tool_sandbox.runner.collecting import SELDOM, seldom_collecting

CODE = """
import gc
from tool_sandbox.runner.collecting import SELDOM, seldom_collecting
usual, frozen = gc.get_threshold(), gc.get_freeze_count()
try:
    with seldom_collecting():
        assert gc.get_threshold() == (SELDOM, *usual[1:])
        assert gc.get_freeze_count() > frozen
        with seldom_collecting():
            pass
        assert gc.get_threshold()[0] == SELDOM
        raise KeyError
except KeyError:
    pass
assert gc.get_threshold() == usual
assert gc.get_freeze_count() == 0
"""


def test_settings_come_back():
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=60)


def test_whoever_collects_nothing_or_less_is_left_alone():
    usual = gc.get_threshold()
    try:
        for wanted in (0, SELDOM + 1):
            gc.set_threshold(wanted)
            with seldom_collecting():
                assert gc.get_threshold()[0] == wanted
    finally:
        gc.set_threshold(*usual)
