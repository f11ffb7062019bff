"""Reproducible variation: numbers that depend on names and dates, and on nothing else."""

import hashlib
import math


def uniform(*key: object) -> float:
    """A number that looks random and is always the same for a key.

    Args:
        *key: Texts and whole numbers; their text form counts.

    Returns:
        A number in [0, 1).
    """
    digest = hashlib.blake2b("\x1f".join(map(str, key)).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def drift(time: float, period: float, *key: object) -> float:
    """A number that changes smoothly with time.

    Cosine interpolation between independent values at the multiples of ``period`` (value noise).

    Args:
        time: Any unit, for example days.
        period: Distance of the independent values, same unit.
        *key: What varies.

    Returns:
        A number in [-1, 1).
    """
    step = math.floor(time / period)
    weight = (1 - math.cos(math.pi * (time / period - step))) / 2
    before, after = uniform(*key, step), uniform(*key, step + 1)
    return 2 * (before + weight * (after - before)) - 1
