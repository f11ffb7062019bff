"""Home: rooms and devices, scenes and schedules, locks with codes, and what power costs."""

from tool_sandbox.apps import App
from tool_sandbox.apps.home.content import content
from tool_sandbox.apps.home.devices import (
    modify_home_device,
    restart_device_by_hand,
    search_home_devices,
    search_home_rooms,
    set_home_device,
    set_home_lights,
)
from tool_sandbox.apps.home.doors import (
    add_door_code,
    lock_door,
    read_own_door_code,
    remove_door_code,
    search_door_codes,
    search_door_locks,
    search_home_events,
    unlock_door,
)
from tool_sandbox.apps.home.power import get_power_use, search_power_tariffs
from tool_sandbox.apps.home.probes import PROBES
from tool_sandbox.apps.home.scenes import (
    create_home_scene,
    delete_home_scene,
    get_home_scene,
    remove_scene_device,
    run_home_scene,
    search_home_scenes,
    set_scene_device,
)
from tool_sandbox.apps.home.schedules import (
    create_home_schedule,
    delete_home_schedule,
    modify_home_schedule,
    search_home_schedule_runs,
    search_home_schedules,
    skip_home_schedule_date,
)
from tool_sandbox.apps.home.tables import (
    CODES,
    DEVICES,
    EVENTS,
    LOCKS,
    READINGS,
    ROOMS,
    SCENES,
    SCHEDULES,
    STEPS,
    TARIFFS,
)

APP = App(
    name="home",
    title="Home",
    tables=[ROOMS, DEVICES, SCENES, STEPS, SCHEDULES, LOCKS, CODES, EVENTS, TARIFFS, READINGS],
    tools=[
        search_home_rooms,
        search_home_devices,
        set_home_device,
        set_home_lights,
        modify_home_device,
        restart_device_by_hand,
        create_home_scene,
        search_home_scenes,
        get_home_scene,
        set_scene_device,
        remove_scene_device,
        run_home_scene,
        delete_home_scene,
        create_home_schedule,
        search_home_schedules,
        modify_home_schedule,
        skip_home_schedule_date,
        search_home_schedule_runs,
        delete_home_schedule,
        search_door_locks,
        lock_door,
        unlock_door,
        search_door_codes,
        add_door_code,
        remove_door_code,
        read_own_door_code,
        search_home_events,
        search_power_tariffs,
        get_power_use,
    ],
    content=content,
    words={
        ROOMS.name: ("room", "rooms"),
        DEVICES.name: ("device", "devices"),
        SCENES.name: ("scene", "scenes"),
        STEPS.name: ("device of a scene", "devices of scenes"),
        SCHEDULES.name: ("schedule", "schedules"),
        LOCKS.name: ("lock", "locks"),
        CODES.name: ("code", "codes"),
        EVENTS.name: ("event", "events"),
        TARIFFS.name: ("tariff", "tariffs"),
        READINGS.name: ("reading", "readings"),
    },
    needs=("wifi",),
    probes=PROBES,
)
