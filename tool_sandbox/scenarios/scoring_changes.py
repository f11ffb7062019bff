"""What has changed between versions of the suite that can move a score."""

import fnmatch
from collections.abc import Iterable

import attrs


@attrs.frozen
class ScoringChange:
    """One change that can move scores.

    Attributes:
        version: First suite version that has it.
        scenarios: Patterns of the scenario names that it concerns.
        what: What changed, and why, in one sentence.
    """

    version: str
    scenarios: tuple[str, ...]
    what: str

    def concerns(self, name: str) -> bool:
        """Whether a scenario is among those that it concerns."""
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.scenarios)


SCORING_CHANGES = (
    ScoringChange("1.0.0", ("*",), "First version of the suite."),
    ScoringChange(
        "2.0.0",
        ("*",),
        "The pools of first and last names have twice as many entries, so instances of seeds other than 0 have other "
        "people.",
    ),
    ScoringChange(
        "2.0.0",
        ("*_alt*", "*_implicit*", "*_multiple_user_turn*"),
        "The canonical instance of a second wording draws other people, texts and places than the first wording, so "
        "that it is another problem and not only other words.",
    ),
    ScoringChange(
        "2.0.0",
        ("*",),
        "Facts understand more ways of saying a thing, and answers that they had misread are read correctly.",
    ),
    ScoringChange(
        "2.1.0",
        ("*",),
        "A model that plays the user is told more exactly how to behave, and is shown a conversation; scripted users "
        "are as before.",
    ),
    ScoringChange(
        "2.2.0",
        ("*",),
        "A deed is proven by the world, in whatever words it is told; a statement that contradicts the "
        "world is no success and caps the score at 0.5.",
    ),
    ScoringChange(
        "2.2.0",
        ("*",),
        "A conversation may have 40 turns of the agent, calls made in parallel being one, instead of 30 "
        "messages, and does not end between a call and its result.",
    ),
    ScoringChange(
        "2.2.0",
        ("send_message_refuse_number*", "search_contact_do_not_reveal*"),
        "The last four digits, or the first six, of a number that is to stay secret give it away, also in words.",
    ),
    ScoringChange(
        "2.2.0",
        (
            "search_reminder_with_*",
            "search_message_with_recency*",
            "*coreference_multiple_user_turn*",
            "update_contact_relationship_with_relationship*",
            "search_message_one_time_code*",
        ),
        "Naming another stored text, or another person, beside the one asked for is a wrong answer.",
    ),
    ScoringChange(
        "2.2.0",
        ("*holiday*", "*weekday*", "add_reminder_three_listed_items*"),
        "A holiday or a coming weekday that would be today is drawn again.",
    ),
    ScoringChange(
        "2.2.0",
        ("remove_contact_by_phone_no_remove_contact*",),
        "A correct refusal needs no look-up that could not help.",
    ),
    ScoringChange(
        "2.2.0",
        ("find_distance_without_own_position*",),
        "The user says around which coordinates to search, so that none have to be made up.",
    ),
    ScoringChange(
        "2.2.0",
        ("*",),
        'The unit converter takes "US gallon" and other American units for what they are.',
    ),
    ScoringChange(
        "2.3.0",
        ("*",),
        "A deed is only denied, never demanded in words: no verb has to be there, and settings are no exception.",
    ),
    ScoringChange(
        "2.3.0",
        ("*insufficient_information*",),
        "Saying that something named cannot be done is a reason; what depends on a condition is no statement.",
    ),
    ScoringChange(
        "2.3.0",
        ("*",),
        "More claims are held against the world: coordinated deeds, empty cells, invented people, roles and places, "
        "figures that nothing named gives.",
    ),
    ScoringChange(
        "2.3.0",
        ("unit_conversion_incompatible_units_error_recovery",),
        "The unit converter need not be tried where it can tell nothing.",
    ),
    ScoringChange(
        "2.3.0",
        ("send_message_with_contact_content_cellular_off_insufficient_information*",),
        "Nothing may be switched on for a message that cannot be sent.",
    ),
    ScoringChange(
        "2.3.0",
        ("convert_currency_target_changed_twice*",),
        "The user says which of two currencies it changes.",
    ),
    ScoringChange(
        "2.4.0",
        ("*",),
        "Rules about statements that caught nothing in 408 sabotaged conversations are gone; a false statement "
        "that may be meant otherwise leaves the score open and does not lower it.",
    ),
    ScoringChange(
        "2.4.0",
        ("*",),
        "What a sent message is said to say has to be what was sent.",
    ),
    ScoringChange(
        "2.4.0",
        ("*insufficient_information*",),
        "A refusal that names what cannot be done, in a reason of no known words, is unclear and not silent.",
    ),
    ScoringChange(
        "2.4.0",
        ("turn_on_*", "set_*", "*low_battery_mode*"),
        "When something cannot be switched on is not that it is not on.",
    ),
    ScoringChange(
        "2.4.0",
        ("unit_conversion_*error_recovery*",),
        "A gallon as such is no amount, and the user answers a question for the substance.",
    ),
    ScoringChange(
        "2.4.0",
        ("*multiple_user_turn*",),
        "The user answers a proposal that is in its way before it goes on with its next request.",
    ),
    ScoringChange(
        "2.5.0",
        ("write_note_page*", "wait_for_message_then_set_alarm*"),
        "There are 85 scenarios more, in thirteen apps and in worlds that change by themselves; means of the suite are "
        "others, scores of the older scenarios are as they were.",
    ),
    ScoringChange(
        "2.6.0",
        ("*",),
        "An amount is not held against the agent where more than 24 numbers were shown, as it may be a sum of several; "
        "nor is a figure that the task wants to be told. What the tools of apps do counts as bought, paid, moved and "
        'posted. Bare figures ("6 and 30") answer in the order of the question, a date may stand before a colon, a '
        'state that is set ("cancelled") is a deed, and a time that the description of a tool names is known.',
    ),
    ScoringChange(
        "2.7.0",
        ("*",),
        'In "12 of the 28 dates" 12 is the figure; "one" alone is one; bare figures may be said again; a date is '
        "called by its day of the week as the calendar has it. The discount of an order is spread over its lines by "
        "largest remainders. Asked what is next, the user goes on. In the hard tier a figure is answered for its turn "
        "where the user goes on to something else, rows of a long talk need each value in its turn, and a world that "
        "makes no fair task is drawn again.",
    ),
)
"""Oldest first. ``CHANGELOG.md`` tells the same to people; a test compares the two."""


def changes_since(version: str | None, changes: Iterable[ScoringChange] = SCORING_CHANGES) -> list[ScoringChange]:
    """The changes that a run of an earlier suite version lacks."""
    return [change for change in changes if version is None or _order(change.version) > _order(version)]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
