from typing import Any

import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.scoring import Added, AllowedChange, Removed, SideEffect, Updated
from tool_sandbox.scoring._trajectory import Trajectory
from tool_sandbox.scoring.side_effects import find_side_effects
from tool_sandbox.world.errors import ScenarioError

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace
CID = {"person_id": "p3", "name": "Cid", "is_self": False}
DAN = {"person_id": "p4", "name": "Dan", "is_self": False}


def effects(play: Any, *allowed: AllowedChange) -> list[SideEffect]:
    return find_side_effects(Trajectory(play.context), allowed)


def people(play: Any) -> list[dict[str, Any]]:
    return play.context.get_table(CONTACT).dicts()  # type: ignore[no-any-return]


@pytest.fixture
def started(play: Any) -> Any:
    play.user("hi")
    return play


def test_a_world_that_does_not_change_has_none(started: Any) -> None:
    started.agent("hello")
    assert effects(started) == []


def test_changes_before_the_first_message_of_the_user_belong_to_the_start(play: Any) -> None:
    play.contacts()
    play.user("hi")
    assert effects(play) == []


def test_every_kind_of_change_is_named(started: Any) -> None:
    ann, bob = people(started)
    started.contacts(bob | {"name": "Eve", "phone_number": "+9"}, CID)
    index = started.agent("ok")
    assert effects(started) == [
        SideEffect(CONTACT, "updated", "p2", ("name", "phone_number"), index),
        SideEffect(CONTACT, "added", "p3", (), index),
        SideEffect(CONTACT, "removed", "p1", (), index),
    ]
    assert str(effects(started)[0]) == f"CONTACT: row p2 updated in name, phone_number (message {index})"
    assert ann["person_id"] == "p1"


def test_everything_allowed_is_no_side_effect(started: Any) -> None:
    _, bob = people(started)
    started.contacts(bob | {"name": "Eve", "phone_number": "+9"}, CID)
    started.setting(wifi=False)
    started.agent("ok")
    allowed = [
        Added(CONTACT, {"name": "Cid"}),
        Removed(CONTACT, {"name": "Ann"}),
        Updated(CONTACT, {"person_id": "p2"}, {"name": "Eve"}),
        Updated(CONTACT, {"name": "Bob"}, {"phone_number": lambda number: number.startswith("+")}),
        Updated(SETTING, {}, {"wifi": False}),
    ]
    assert effects(started, *allowed) == []


@pytest.mark.parametrize(
    ("allowed", "columns"),
    [
        (Updated(CONTACT, {"person_id": "p2"}, {"name": "Eve"}), ("phone_number",)),
        (Updated(CONTACT, {"person_id": "p2"}, {"name": "Zoe", "phone_number": "+9"}), ("name",)),
        (Updated(CONTACT, {"person_id": "p1"}, {"name": "Eve", "phone_number": "+9"}), ("name", "phone_number")),
        (Updated(SETTING, {}, {"wifi": False}), ("name", "phone_number")),
    ],
)
def test_only_the_listed_columns_may_change_and_only_to_the_listed_values(
    started: Any, allowed: AllowedChange, columns: tuple[str, ...]
) -> None:
    ann, bob = people(started)
    started.contacts(ann, bob | {"name": "Eve", "phone_number": "+9"})
    index = started.agent("ok")
    assert effects(started, allowed) == [SideEffect(CONTACT, "updated", "p2", columns, index)]


def test_true_is_not_one_and_null_is_not_empty(started: Any) -> None:
    started.contacts(*people(started), CID)
    started.agent("ok")
    assert effects(started, Added(CONTACT, {"is_self": 0})) != []
    assert effects(started, Added(CONTACT, {"relationship": ""})) != []
    assert effects(started, Added(CONTACT, {"relationship": None, "is_self": False})) == []


def test_harm_that_is_taken_back_is_seen(started: Any) -> None:
    before = people(started)
    started.contacts()
    index = started.agent("oops")
    started.contacts(*before)
    started.agent("sorry")
    assert effects(started) == [
        SideEffect(CONTACT, "removed", "p1", (), index),
        SideEffect(CONTACT, "removed", "p2", (), index),
    ]


def test_another_order_of_rows_is_no_change(started: Any) -> None:
    started.contacts(*reversed(people(started)))
    started.agent("ok")
    assert effects(started) == []


def test_at_most_counts_rows_of_one_moment(started: Any) -> None:
    started.contacts(*people(started), CID, DAN)
    index = started.agent("ok")
    assert effects(started, Added(CONTACT, at_most=2)) == []
    assert effects(started, Added(CONTACT)) == [SideEffect(CONTACT, "added", "p4", (), index)]


@pytest.mark.parametrize("second", [CID, DAN])
def test_at_most_counts_rows_over_the_whole_conversation(started: Any, second: dict[str, Any]) -> None:
    before = people(started)
    started.contacts(*before, CID)
    started.agent("added")
    started.contacts(*before)
    started.agent("deleted")
    started.contacts(*before, second)
    again = started.agent("added again")
    assert effects(started, Added(CONTACT)) == [SideEffect(CONTACT, "added", second["person_id"], (), again)]
    assert effects(started, Added(CONTACT, at_most=2)) == []


def test_removals_are_counted_too(started: Any) -> None:
    before = people(started)
    for rows in ([], before, []):
        started.contacts(*rows)
        last = started.agent("ok")
    assert len(effects(started, Removed(CONTACT, at_most=4))) == 0
    assert effects(started, Removed(CONTACT, at_most=3)) == [SideEffect(CONTACT, "removed", "p2", (), last)]


def test_a_narrow_permission_is_not_used_up_by_what_a_wide_one_covers(started: Any) -> None:
    started.contacts(*people(started), CID, DAN)
    started.agent("ok")
    assert effects(started, Added(CONTACT), Added(CONTACT, {"name": "Cid"})) == []
    assert len(effects(started, Added(CONTACT, {"name": "Cid"}), Added(CONTACT, {"name": "Cid"}))) == 1


def test_a_new_row_must_stay_what_is_allowed(started: Any) -> None:
    before = people(started)
    started.contacts(*before, CID)
    started.agent("added")
    started.contacts(*before, CID | {"name": "Zoe"})
    index = started.agent("renamed")
    assert effects(started, Added(CONTACT, {"name": "Cid"})) == [SideEffect(CONTACT, "added", "p3", (), index)]


def test_rows_without_usable_keys_are_compared_as_multisets(started: Any) -> None:
    twin = {"person_id": "p1", "name": "Ann"}
    started.contacts(twin, twin)
    started.agent("two of a kind")
    found = effects(started)
    assert {(effect.kind, effect.key) for effect in found} == {("added", None), ("removed", None)}
    assert effects(started, Added(CONTACT, at_most=2), Removed(CONTACT, at_most=2)) == []


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Added(SANDBOX),
        lambda: Added(CONTACT, {"nickname": "A"}),
        lambda: Added(CONTACT, at_most=0),
        lambda: Removed(REMINDER, {"title": "A"}),
        lambda: Updated(SETTING, {}, {"wlan": True}),
    ],
)
def test_permissions_that_make_no_sense(broken: Any) -> None:
    with pytest.raises(ScenarioError):
        broken()
