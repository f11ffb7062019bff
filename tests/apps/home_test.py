"""What somebody relies on who lives in the home."""

import datetime
import zoneinfo
from collections.abc import Iterator

import pytest

from tool_sandbox.apps import add, change, rows_of, set_setting
from tool_sandbox.apps.home.devices import (
    restart_device_by_hand,
    search_home_devices,
    set_home_device,
    set_home_lights,
)
from tool_sandbox.apps.home.doors import (
    add_door_code,
    read_own_door_code,
    remove_door_code,
    search_door_codes,
    search_door_events,
    search_door_locks,
    unlock_door,
)
from tool_sandbox.apps.home.power import get_power_use, search_power_tariffs
from tool_sandbox.apps.home.scenes import create_home_scene, delete_home_scene, run_home_scene, set_scene_device
from tool_sandbox.apps.home.schedules import (
    create_home_schedule,
    delete_home_schedule,
    modify_home_schedule,
    search_home_schedule_runs,
    skip_home_schedule_date,
)
from tool_sandbox.apps.home.tables import CODES, DEVICES, LOCKS, READINGS, ROOMS, SCHEDULES, TARIFFS
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

LONG_AGO = "2025-05-01T00:00:00-07:00"


def at(*local: int) -> ExecutionContext:
    """An empty home at a time on the clock in Los Angeles."""
    zone = zoneinfo.ZoneInfo("America/Los_Angeles")
    clock = ScenarioClock(datetime.datetime(*local, tzinfo=zone).timestamp(), str(zone))  # type: ignore[arg-type, misc]
    return ExecutionContext(profile=Profile.STRICT, id_seed="home", clock=clock, apps=["home"])


def furnish() -> None:
    empty = {"degrees": None, "seen_at": LONG_AGO, "changed_at": LONG_AGO}
    for room in ("study", "hall"):
        add(ROOMS, room_id=room, name=room, floor="ground floor")
        cells = {"name": f"{room} lamp", "kind": "light", "power": "off", "level": 50}
        add(DEVICES, device_id=room, room_id=room, online=room == "study", **cells, **empty)


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """Wednesday, 14 May 2025, 10:24: a lamp in the study, and one in the hall that is offline."""
    with new_context(at(2025, 5, 14, 10, 24)) as context:
        furnish()
        yield context


def power(device_id: str) -> str:
    (found,) = [row for row in search_home_devices()["results"] if row["device_id"] == device_id]
    return str(found["power"])


def bright_scene() -> str:
    scene_id = create_home_scene("Bright", ["study"])
    set_scene_device(scene_id, "study", power="on", level=90)
    set_scene_device(scene_id, "hall", power="on")
    return scene_id


def test_only_what_can_be_reached_is_set() -> None:
    assert set_home_lights("on", level=80) == {"set": ["study lamp"], "offline": ["hall lamp"]}
    with pytest.raises(ConnectionError, match="hall lamp is offline since 2025-05-01T00:00; somebody at home"):
        set_home_device("hall", power="on")
    restart_device_by_hand("hall")
    set_home_device("hall", power="on")
    assert (power("study"), power("hall")) == ("on", "on")
    with pytest.raises(ValueError, match="hall lamp has no degrees, it has power, level"):
        set_home_device("hall", degrees=20.0)
    set_setting("wifi", on=False)
    with pytest.raises(ConnectionError, match="wifi is off, setting devices needs it"):
        set_home_device("study", power="off")


def test_a_scene_sets_what_can_be_reached_and_stays_while_a_schedule_runs_it() -> None:
    scene_id = bright_scene()
    assert power("study") == "off"
    assert run_home_scene(scene_id) == {"set": ["study lamp"], "offline": ["hall lamp"]}
    assert power("study") == "on"
    schedule = create_home_schedule("Evening", scene_id, "18:30", ["Friday", "Wednesday"])
    assert schedule["next_run"] == "2025-05-14T18:30:00-07:00"
    with pytest.raises(ValueError, match="the schedule 'Evening' runs the scene, delete it first"):
        delete_home_scene(scene_id)
    delete_home_schedule(schedule["schedule_id"])
    delete_home_scene(scene_id)


def test_what_a_schedule_has_done_is_seen_and_stays_when_the_schedule_goes() -> None:
    schedule_id = create_home_schedule("Morning", bright_scene(), "10:00", ["Wednesday"])["schedule_id"]
    assert power("study") == "off"
    change(SCHEDULES, schedule_id, changed_at=LONG_AGO, starts_on="2025-05-07")
    assert power("study") == "on"
    assert rows_of(DEVICES).get("study")["power"] == "off"  # type: ignore[index]
    assert power("hall") == "off"
    delete_home_schedule(schedule_id)
    assert power("study") == "on"
    assert rows_of(DEVICES).get("study")["changed_at"] == "2025-05-14T10:00:00-07:00"  # type: ignore[index]


def test_what_somebody_sets_later_counts_more_than_the_schedule() -> None:
    schedule_id = create_home_schedule("Morning", bright_scene(), "10:00", ["Wednesday"])["schedule_id"]
    change(SCHEDULES, schedule_id, changed_at=LONG_AGO, starts_on="2025-05-07")
    set_home_device("study", power="off")
    (study,) = [row for row in search_home_devices(online=True)["results"] if row["device_id"] == "study"]
    assert (study["power"], study["level"]) == ("off", 90)


def test_one_date_is_skipped_and_put_back() -> None:
    schedule_id = create_home_schedule("Evening", bright_scene(), "18:30", ["Wednesday", "Friday"])["schedule_id"]
    with pytest.raises(ValueError, match="the schedule does not run on 2025-05-15, a Thursday"):
        skip_home_schedule_date(schedule_id, "2025-05-15")
    assert skip_home_schedule_date(schedule_id, "2025-05-14") == "2025-05-16T18:30:00-07:00"
    assert [run["runs_at"][:10] for run in search_home_schedule_runs(days=8)["results"]] == ["2025-05-16", "2025-05-21"]
    assert skip_home_schedule_date(schedule_id, "2025-05-14", skip=False) == "2025-05-14T18:30:00-07:00"
    assert modify_home_schedule(schedule_id, enabled=False) is None
    assert search_home_schedule_runs(days=8)["total"] == 0


def test_schedules_keep_to_the_clock_on_the_wall_when_it_is_changed() -> None:
    with new_context(at(2025, 10, 31, 12)):
        furnish()
        create_home_schedule("Evening", bright_scene(), "18:30", ["Saturday", "Sunday"])
        runs = [run["runs_at"] for run in search_home_schedule_runs(days=3)["results"]]
        assert runs == ["2025-11-01T18:30:00-07:00", "2025-11-02T18:30:00-08:00"]


def lock_up() -> None:
    cells = {"online": True, "state": "locked", "relock_minutes": 5, "battery_percent": 50}
    add(LOCKS, lock_id="front", name="Front door", **cells)
    for holder, code, is_owner, until in (("Nora", "1111", True, None), ("Omar", "2222", False, LONG_AGO)):
        times = {"valid_from": "2025-01-01T00:00:00-08:00", "valid_until": until}
        add(CODES, lock_id="front", holder=holder, code=code, is_owner=is_owner, **times)


def test_a_door_opens_with_a_code_that_is_valid_and_locks_itself() -> None:
    lock_up()
    with pytest.raises(PermissionError, match="the code does not open Front door now"):
        unlock_door("front", "2222")
    assert unlock_door("front", read_own_door_code("front")) == "2025-05-14T10:29:00-07:00"
    assert search_door_locks()["results"][0]["state"] == "unlocked"
    assert search_door_events()["results"][0]["holder"] == "Nora"
    change(LOCKS, "front", unlocked_at="2025-05-14T10:19:00-07:00")
    assert search_door_locks()["results"][0]["state"] == "locked"


def test_codes_are_given_and_taken_by_the_owner_alone() -> None:
    lock_up()
    made = add_door_code("front", "1111", "Omar", valid_until="2025-05-15T12:00")
    with pytest.raises(ValueError, match="'Omar' has a code of this lock already"):
        add_door_code("front", "1111", "Omar")
    with pytest.raises(PermissionError, match="only the code of the owner can do this"):
        add_door_code("front", made["new_code"], "Beth")
    unlock_door("front", made["new_code"])
    assert "code" not in search_door_codes(valid=True)["results"][0]
    assert search_door_codes(valid=True)["total"] == 2
    remove_door_code(made["code_id"], "1111")
    with pytest.raises(PermissionError, match="the code does not open"):
        unlock_door("front", made["new_code"])


def test_power_is_paid_at_the_tariff_of_the_time_and_the_parts_add_up() -> None:
    for tariff_id, name, begins, price in (("old", "day", "2025-01-01", 30), ("new", "day", "2025-05-10", 35)):
        cells = {"starts": "07:00", "ends": "22:00", "price_per_kwh": price, "currency": "USD"}
        add(TARIFFS, tariff_id=tariff_id, name=name, valid_from=begins, **cells)
    for device_id, day, tariff_id, used in (
        ("study", "2025-05-09", "old", 1_550),
        ("study", "2025-05-10", "new", 1_000),
        ("hall", "2025-05-10", "new", 10),
    ):
        add(READINGS, device_id=device_id, used_on=day, tariff_id=tariff_id, watt_hours=used)
    use = get_power_use("2025-05-01")
    assert (use["watt_hours"], use["cost"], [part["cost"] for part in use["tariffs"]]) == (2_560, 82, [47, 35])
    assert get_power_use("2025-05-10", "2025-05-10", room_id="hall")["watt_hours"] == 10
    assert [row["tariff_id"] for row in search_power_tariffs(valid_on="2025-05-09")["results"]] == ["old"]
    assert [row["tariff_id"] for row in search_power_tariffs(valid_on="2025-05-10")["results"]] == ["new"]
