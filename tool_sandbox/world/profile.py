"""The two behaviours of the engine: as published, or corrected."""

import enum


class Profile(enum.StrEnum):
    """The set of rules that a world or an evaluation follows.

    ``PUBLISHED`` follows the rules of the published benchmark, known defects included where a
    correction could move a score. ``STRICT`` is corrected throughout and is what the scenarios of
    this package use. Corrections that cannot move a published score apply in both.
    """

    PUBLISHED = "published"
    STRICT = "strict"
