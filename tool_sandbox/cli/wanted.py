"""The suite and the scenarios that the flags of a command ask for."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.profile import Profile
from tool_sandbox.runner.selection import select

if TYPE_CHECKING:
    from tool_sandbox.runner.suites import Suite
    from tool_sandbox.scenarios import ScenarioInfo


def wanted_suite(arguments: argparse.Namespace) -> "Suite | None":
    """Loads the suite that the flags ask for, which runs its code.

    Args:
        arguments: Parsed flags, those of a listing among them.

    Returns:
        The suite, ``None`` for that of this package.

    Raises:
        ConfigurationError: It cannot be loaded, or a flag belongs to a suite and there is none.
    """
    if arguments.suite is None:
        for flag in ("clock", "suite_time"):
            if getattr(arguments, flag) is not None:
                raise ConfigurationError(f"--{flag} is about the suite of --suite; the scenarios here have their own")
        return None
    from tool_sandbox.runner.suites import load_suite

    profile = getattr(arguments, "profile", None)
    return load_suite(
        arguments.suite,
        clock=arguments.clock or "frozen",
        suite_time=arguments.suite_time,
        profile=profile and Profile(profile),
        services=getattr(arguments, "services", "offline"),
        preferred_tool_backend=getattr(arguments, "preferred_tool_backend", "DEFAULT"),
    )


def wanted_infos(
    arguments: argparse.Namespace, patterns: Sequence[str] | None, suite: "Suite | None"
) -> "list[ScenarioInfo]":
    """Finds the scenarios that names and filters ask for.

    Args:
        arguments: Parsed flags with the filters of a run or a listing.
        patterns: Names and patterns, ``None`` for all.
        suite: The suite to choose from, ``None`` for that of this package.

    Returns:
        The scenarios in order.

    Raises:
        ConfigurationError: Something of that name does not exist, or nothing is left.
    """
    return select(
        patterns,
        arguments.category,
        None if suite is None else suite.infos,
        families=arguments.family,
        augmentations=arguments.augmentation,
        opt_in=arguments.opt_in,
    )
