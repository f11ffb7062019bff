"""The collector is left as it was found."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_disabled_or_rarer_collection_is_left_alone():
    usual = gc.get_threshold()
    try:
        for wanted in (0, SELDOM + 1):
            gc.set_threshold(wanted)
            with seldom_collecting():
                assert gc.get_threshold()[0] == wanted
    finally:
        gc.set_threshold(*usual)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the size of the process from Linux")
def test_what_conversations_have_freed_goes_back():
    code = """
import os
from tool_sandbox.runner.collecting import return_memory
def size(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
blocks = [b"x" * 100_000 for _ in range(1_000)]
last = b"x" * 100_000
full = size()
del blocks
return_memory()
print(full - size())
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True)
    assert int(done.stdout) > 90_000_000


def test_what_somebody_else_has_frozen_stays_frozen() -> None:
    code = """
import gc
from tool_sandbox.runner.collecting import SELDOM, seldom_collecting
gc.freeze()
frozen = gc.get_freeze_count()
with seldom_collecting():
    assert gc.get_threshold()[0] == SELDOM
assert gc.get_freeze_count() == frozen > 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
