"""Many conversations need many open files."""

import subprocess
import sys

import pytest

pytest.importorskip("resource")

CODE = """
import resource
from tool_sandbox.runner.descriptors import EACH, SPARE, allow_descriptors
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
most = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
def soft(): return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
allow_descriptors(1)
assert soft() == min(most, SPARE + EACH)
allow_descriptors(10_000)
assert soft() == most
allow_descriptors(1)
assert soft() == most
"""


def test_the_limit_is_raised_as_far_as_the_system_allows_and_never_lowered() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=60)
