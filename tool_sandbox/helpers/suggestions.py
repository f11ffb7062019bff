"""Names that may have been meant."""

from collections.abc import Iterable


def suggest(name: str, known: Iterable[str]) -> list[str]:
    """Known names that are close to a wrong one, best first, at most three."""
    from rapidfuzz import fuzz, process, utils

    hits = process.extract(
        name, list(known), scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=60, limit=3
    )
    return [hit for hit, _, _ in hits]
