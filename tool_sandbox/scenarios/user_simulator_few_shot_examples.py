"""Demonstrations for a model that plays the user: six conversations, each from its brief to its end.

Their people, numbers and places occur in no scenario.
"""

from typing import Any

from tool_sandbox.conversation.demonstrations import Demonstration
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.scenarios.prompts import USER_INSTRUCTION

_FOR_EVERY_TASK = "send_message_with_contact_content_cellular_off_multiple_user_turn"
"""Name of the demonstration that every scenario has."""

_DEMONSTRATIONS = {
    "search_message_with_recency_latest_multiple_user_turn": Demonstration(
        'You have just said: "Can you find a text for me?" You want exactly that.\n'
        'If you are asked for it, you say: "The one that came in last."',
        (
            "Can you find a text for me?",
            "Sure. Which one are you looking for?",
            "The one that came in last.",
            "Do you remember who it was from, or what it was about?",
            "no idea, just the one that came in last",
            'Your most recent text says: "The choir starts half an hour later tonight."',
        ),
    ),
    "modify_contact_with_message_recency_multiple_user_turn": Demonstration(
        'You have just said: "Who was the last person I wrote to?" You want exactly that.\n'
        'Once that is answered, you say: "They have a new number, +14155550173. Save that."',
        (
            "Who was the last person I wrote to?",
            "Your last text went to Ottilie Brandt.",
            "They have a new number, +14155550173. Save that.",
            "Should I replace the number of Ottilie Brandt with +14155550173?",
            "yes please",
            "Done, Ottilie Brandt is now saved with +14155550173.",
        ),
    ),
    "remove_contact_by_phone_multiple_user_turn": Demonstration(
        'You have just said: "Please take someone off my contacts." You want exactly that.\n'
        'If you are asked for it, you say: "It\'s whoever has the number +16175550186."',
        (
            "Please take someone off my contacts.",
            "Whom should I remove? A name would do.",
            "I don't have the name. It's whoever has the number +16175550186.",
            "I found +16175550186 in your contacts, it belongs to Kasimir Hale. Shall I remove that entry?",
            "Yes, go ahead.",
            "Kasimir Hale has been removed from your contacts.",
        ),
    ),
    _FOR_EVERY_TASK: Demonstration(
        'You have just said: "I\'d like to text somebody." You want exactly that.\n'
        'If you are asked for it, you say: "It\'s for Ludmila Pospisil."\n'
        'If you are asked for it, you say: "Write: Is the piano tuner coming?"',
        (
            "I'd like to text somebody.",
            "Who should get the text?",
            "It's for Ludmila Pospisil.",
            "And what would you like to write?",
            "Write: Is the piano tuner coming?",
            "I can't send it right now, because there is no connection.",
            "Then see what your tools can do. It's for Ludmila Pospisil: Is the piano tuner coming?",
            "Cellular service is off. May I turn it on?",
            "Sure, turn it on.",
            "Cellular service is on, and your text to Ludmila Pospisil has been sent.",
        ),
    ),
    "find_temperature_f_with_location_and_time_diff_multiple_user_turn": Demonstration(
        'You have just said: "How warm will it get in Tromso, in Fahrenheit?" You want exactly that.\n'
        'If you are asked for it, you say: "I mean the day after tomorrow."',
        (
            "How warm will it get in Tromso, in Fahrenheit?",
            "For which day do you want to know?",
            "I mean the day after tomorrow.",
            "The day after tomorrow it gets up to 41 degrees Fahrenheit in Tromso.",
        ),
    ),
    "find_temperature_low_battery_mode": Demonstration(
        'You have just said: "Is it cold outside? How many degrees?" You want exactly that.',
        (
            "Is it cold outside? How many degrees?",
            "I can't look that up while low battery mode is on. Is it okay if I turn it off?",
            "yeah that's fine",
            "Wifi and location are off as well. May I turn those on?",
            "Yes, do that.",
            "It is 9 degrees Celsius where you are.",
        ),
    ),
}


def demonstrations_for(name: str) -> tuple[Demonstration, ...]:
    """Demonstrations for a scenario: one of sending a message, and one near to its task if there is one."""
    near = [key for key in _DEMONSTRATIONS if name.startswith(key) and key != _FOR_EVERY_TASK]
    return tuple(_DEMONSTRATIONS[key] for key in (_FOR_EVERY_TASK, *near))


def named_user_simulator_few_shot_examples() -> dict[str, list[dict[str, Any]]]:
    """The demonstrations as rows of a message log that only the user sees."""
    return {name: _rows(demonstration) for name, demonstration in _DEMONSTRATIONS.items()}


def _rows(demonstration: Demonstration) -> list[dict[str, Any]]:
    speakers = (RoleType.USER, RoleType.AGENT)
    said = [
        _row(speakers[number % 2], speakers[1 - number % 2], text) for number, text in enumerate(demonstration.texts)
    ]
    return [
        _row(RoleType.SYSTEM, RoleType.USER, USER_INSTRUCTION + demonstration.task),
        *said,
        _row(RoleType.USER, RoleType.EXECUTION_ENVIRONMENT, "end_conversation()"),
    ]


def _row(sender: RoleType, recipient: RoleType, content: str) -> dict[str, Any]:
    return {"sender": sender, "recipient": recipient, "content": content, "visible_to": [RoleType.USER]}
