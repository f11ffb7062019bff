"""What answers say about things that were rightly left undone."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import NotDone, Reading

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

DRY = NotDone("sent", about=("message", "text", "Ann"), because=("rain", "dry"))
KEPT = NotDone("removed", about=("reminder", "dentist"))
ON = NotDone("turned_off", about="wifi")
SAME_HOUR = NotDone("moved", about="dentist")
SOLD = NotDone("added", about="reminder", because=("limit", "price"))
NEITHER = NotDone(("added", "set"), about="reminder")

CORPUS = [
    (
        DRY,
        STATED,
        [
            "I did not send it because no rain is expected.",
            "No rain is expected, so I haven't texted Ann.",
            "There was no need to text Ann: it will stay dry.",
            "It stays dry, so no message was sent.",
            "I held off on the message, as there is no rain in sight.",
            "No message needed: no rain.",
            "Dry all day, so I left Ann alone.",
            "As it is going to be dry I decided not to send anything.",
            "Since no rain is expected, Ann was not notified.",
            "I skipped the text since it will be dry.",
            "It stays dry. I didn't text Ann; I told Tom instead.",
        ],
    ),
    (
        DRY,
        CONTRADICTED,
        [
            "I texted Ann because rain is expected.",
            "I did not send it at first. Then rain was forecast, so I sent it.",
            "I did not text Ann, it stays dry. Actually, that is not true.",
        ],
    ),
    (DRY, SILENT, ["Okay.", "Done!", "It will be dry.", "I haven't sent it.", "Shall I text Ann? It will be dry."]),
    (
        KEPT,
        STATED,
        [
            "I kept the dentist reminder.",
            "The reminder stays where it is.",
            "Okay, I've left it as it is.",
            "I won't delete it.",
            "I have not removed the reminder.",
            "All right, the reminder is still there.",
            "Nothing was deleted.",
            "I deleted nothing.",
            "No changes were made.",
            "**Not** deleted: the dentist reminder is unchanged.",
        ],
    ),
    (KEPT, CONTRADICTED, ["The dentist reminder has been deleted.", "I've removed it.", "I deleted the reminder."]),
    (KEPT, SILENT, ["", "Sure.", "I kept Tom's number.", "If you like, I'll leave the reminder as it is."]),
    (
        KEPT,
        STATED,
        [
            "I've kept the reminder on your list.",
            "Deletion of the reminder cancelled.",
            "The reminder remains in place.",
        ],
    ),
    (
        ON,
        STATED,
        ["I left wifi on.", "Wi-Fi stays on.", "Wifi is still on.", "I didn't turn off wifi because cellular is off."],
    ),
    (
        ON,
        CONTRADICTED,
        [
            "Wifi is off.",
            "I turned wifi off.",
            "Wifi off, cellular stays on.",
            "Cellular stays on; I have turned off wifi.",
        ],
    ),
    (SAME_HOUR, STATED, ["The dentist reminder stays at 9:00.", "I didn't touch the dentist reminder."]),
    (SAME_HOUR, CONTRADICTED, ["I moved the dentist reminder."]),
    (SAME_HOUR, SILENT, ["I moved the other reminder; everything else remains the same."]),
    (
        SOLD,
        STATED,
        [
            "It is below the limit, so I've done nothing.",
            "Price too low: no reminder.",
            "Your condition isn't met (the price is below the limit), therefore I took no action.",
        ],
    ),
    (SOLD, SILENT, ["I have taken no action.", "The price is below the limit."]),
    (NEITHER, STATED, ["There was no need to add the reminder, so I didn't. What you want is 729 euros."]),
    (NEITHER, CONTRADICTED, ["I have set a reminder.", "The reminder was added."]),
]


def test_reading(fact: NotDone, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


def test_actions_are_checked() -> None:
    assert NotDone("deleted") == NotDone(("removed",))
    with pytest.raises(ScenarioError, match="unknown action"):
        NotDone(("sent", "levitated"))
