"""Names that may have been meant."""

from collections.abc import Iterable


def suggest(name: str, known: Iterable[str]) -> list[str]:
    """Known names that are close to a wrong one, best first, at most three."""
    from rapidfuzz import fuzz, process, utils

    # A part of a long name is enough; of three letters nearly any name has a part.
    scorer = fuzz.WRatio if len(name) > 3 else fuzz.ratio
    hits = process.extract(
        name, list(dict.fromkeys(known)), scorer=scorer, processor=utils.default_process, score_cutoff=60, limit=3
    )
    return [hit for hit, _, _ in hits]
