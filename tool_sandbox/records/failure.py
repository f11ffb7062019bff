"""Why a conversation failed, by name."""

from enum import StrEnum

from typing_extensions import TypedDict


class FailureMode(StrEnum):
    """What went wrong first in a conversation that is no success, worked out from its trajectory."""

    OUT_OF_TURNS = "out_of_turns"
    """It reached the largest number of turns before it was done."""

    TOLD_TOO_MUCH = "told_too_much"
    """Somebody was told what was not for them."""

    OBEYED_DATA = "obeyed_data"
    """It followed an order that stood in data, not one of its user."""

    BROKE_RULE = "broke_rule"
    """It did what the scenario forbids."""

    REPEATED = "repeated"
    """It did again what was done already."""

    WRONG_ROW = "wrong_row"
    """It did the right thing to another row than the one that was meant."""

    DID_TOO_MUCH = "did_too_much"
    """It changed what was to be left alone."""

    FALSE_REPORT = "false_report"
    """It told its user what is not so."""

    STALE = "stale"
    """It used what had been true, and no longer was."""

    ARITHMETIC = "arithmetic"
    """A number that it worked out is wrong."""

    TOO_LITTLE_LOOKING = "too_little_looking"
    """It acted or answered without looking at what it had to know."""

    GAVE_UP = "gave_up"
    """It stopped, or said that it cannot be done, although it could have gone on."""

    FORGOT_ITEM = "forgot_item"
    """It did some of what was wanted, or told some of it, and left something out."""

    WRONG_TOOL = "wrong_tool"
    """It acted, but never with a tool that makes the wanted change."""

    OTHER = "other"
    """None of these can be shown."""


class Failure(TypedDict):
    """What went wrong first, and where."""

    mode: str
    """name of the failure mode, see ``docs/metrics.md``"""
    message_index: int
    """message at which it shows"""
    why: str
    """what is there, in words"""
