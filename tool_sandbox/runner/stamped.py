"""New directories whose names say what is in them and when it was begun."""

import datetime
import re
from pathlib import Path

from tool_sandbox.world.errors import ConfigurationError

SAFE = "A-Za-z0-9._=+@-"
"""Characters that such names consist of, as in a regular expression."""

_UNSAFE = re.compile(f"[^{SAFE}]+")


def readable(name: str) -> str:
    """A name as a part of that of a directory: what is unsafe in a path becomes ``-``, and it is not too long."""
    return _UNSAFE.sub("-", name).strip("-.")[:80] or "unnamed"


def make_stamped(base: Path, name: str, started: datetime.datetime) -> Path:
    """Makes a new directory."""
    stem = f"{name}_{started.strftime('%m_%d_%Y_%H_%M_%S')}"
    number = 1
    while True:
        path = base / (stem if number == 1 else f"{stem}_{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            if not base.is_dir():
                raise ConfigurationError(f"cannot write results to {base}: it is not a directory") from None
            number += 1
        except OSError as error:
            raise ConfigurationError(f"cannot write results to {base}: {error.strerror or error}") from error
        else:
            return path
