"""The filter of system calls, carried out here for both machines, whichever this is."""

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("the filter is Linux's", allow_module_level=True)

from tool_sandbox.roles import code_process_calls

ALLOWED, FORBIDDEN, ABSENT = 0x7FFF0000, 0x00050001, 0x00050026
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def answer(machine: str, number: int, second: int = 0, third: int = 0, architecture: int | None = None) -> int:
    """What the kernel would do with a call."""
    program = code_process_calls._program(ARCHITECTURES[machine], list(ARCHITECTURES).index(machine))
    seen = {0: number, 4: architecture or ARCHITECTURES[machine], 24: second, 32: third}
    value, place = 0, 0
    while True:
        code, true, false, operand = program[place]
        place += 1
        match code:
            case 0x20:
                value = seen[operand]
            case 0x54:
                value &= operand
            case 0x15:
                place += true if value == operand else false
            case 0x35:
                place += true if value >= operand else false
            case 0x45:
                place += true if value & operand else false
            case 0x06:
                return operand


@pytest.mark.parametrize(
    ("x86_64", "aarch64", "second", "third", "expected"),
    [
        (0, 63, 0, 0, ALLOWED),  # read
        (268, 53, 0, 0, FORBIDDEN),  # fchmodat
        (260, 54, 0, 0, FORBIDDEN),  # fchownat
        (188, 5, 0, 0, FORBIDDEN),  # setxattr, first of its group
        (306, 267, 0, 0, FORBIDDEN),  # syncfs, last of its group
        (56, 220, 0, 0, FORBIDDEN),  # clone
        (157, 167, 0, 0, FORBIDDEN),  # prctl
        (435, 435, 0, 0, ABSENT),  # clone3
        (452, 452, 0, 0, ABSENT),  # fchmodat2
        (446, 446, 0, 0, ALLOWED),  # landlock_restrict_self
        (0x40000000, 0x40000000, 0, 0, FORBIDDEN),
        (257, 56, 0, 0o1000, FORBIDDEN),  # openat: O_RDONLY | O_TRUNC
        (257, 56, 0, 0o1003, FORBIDDEN),
        (257, 56, 0, 0o1101, ALLOWED),  # O_WRONLY | O_CREAT | O_TRUNC
        (257, 56, 0o1000, 0o2000000, ALLOWED),
        (72, 25, 8, 0, FORBIDDEN),  # fcntl: F_SETOWN
        (72, 25, 10, 0, FORBIDDEN),
        (72, 25, 1024, 0, FORBIDDEN),
        (72, 25, 4, 0o20000, FORBIDDEN),
        (72, 25, 4, 0o4000, ALLOWED),
        (72, 25, 1030, 0, ALLOWED),
        (16, 29, 0x5452, 0, FORBIDDEN),  # ioctl: FIOASYNC
        (16, 29, 0x8901, 0, FORBIDDEN),
        (16, 29, 0x5401, 0, ALLOWED),
    ],
)
def test_calls_are_judged_alike_on_both_machines(
    x86_64: int, aarch64: int, second: int, third: int, expected: int
) -> None:
    assert answer("x86_64", x86_64, second, third) == expected
    assert answer("aarch64", aarch64, second, third) == expected


def test_calls_of_another_architecture_are_refused() -> None:
    assert answer("x86_64", 0, architecture=0x40000003) == FORBIDDEN
    assert answer("aarch64", 0, architecture=0x40000028) == FORBIDDEN
    assert answer("x86_64", 2, 0o1000) == FORBIDDEN
