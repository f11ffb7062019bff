"""What passes to and from the process of an agent, and what it may use."""

import errno
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tool_sandbox.integrations.executors import (
    AgentProcess,
    Command,
    Limits,
    ProcessEndedError,
    ProcessLimitError,
    ProcessTimeoutError,
    Workspace,
    first_line,
    make_executor,
)
from tool_sandbox.world.errors import AgentError, ConfigurationError

LONG = 60.0
"""Seconds that nothing here takes; only so that a mistake does not hang."""

MIB = 2**20

Start = Callable[..., AgentProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python code, and ends it after the test."""
    started: list[AgentProcess] = []

    def start_code(
        code: str, limits: Limits | None = None, *, stdin: bool = True, executor: str = "subprocess"
    ) -> AgentProcess:
        command = Command((sys.executable, "-S", "-u", "-c", code), stdin=stdin)
        started.append(make_executor(executor).start(command, workspace, limits or Limits()))
        return started[-1]

    with Workspace() as workspace:
        yield start_code
        for process in started:
            process.kill()


def all_lines(process: AgentProcess) -> list[str]:
    lines = []
    while (line := process.read_line(LONG)) is not None:
        lines.append(line)
    return lines


def test_lines_go_in_and_come_out(start: Start) -> None:
    process = start("import sys\nfor line in sys.stdin: print(line.strip()[::-1])")
    process.write_line("abc", LONG)
    assert process.read_line(LONG) == "cba"
    process.write_line("süß", LONG)
    assert process.read_line(LONG) == "ßüs"
    process.close_stdin()
    assert process.read_line(LONG) is None
    assert process.read_line(LONG) is None
    assert process.wait(LONG) == 0


def test_the_last_line_needs_no_end_and_bytes_that_are_no_text_are_replaced(start: Start) -> None:
    process = start(r"import os; os.write(1, b'a\xff\r\n\n\x00b'); os._exit(3)")
    assert all_lines(process) == ["a�", "", "\0b"]
    assert process.wait(LONG) == 3


def test_without_input_it_reads_an_end(start: Start) -> None:
    assert all_lines(start("import sys; print(repr(sys.stdin.read()))", stdin=False)) == ["''"]


def test_silence_is_a_timeout_and_no_end(start: Start) -> None:
    process = start("import sys; sys.stdin.readline(); print('late'); sys.stdin.readline()")
    with pytest.raises(ProcessTimeoutError):
        process.read_line(0.05)
    with pytest.raises(ProcessTimeoutError):
        process.wait(0.05)
    process.write_line("", LONG)
    assert process.read_line(LONG) == "late"


def test_who_does_not_read_cannot_make_us_wait(start: Start) -> None:
    process = start("import time; time.sleep(1000)")
    with pytest.raises(ProcessTimeoutError, match="did not read"):
        process.write_line("x" * MIB, 0.2)


def test_both_may_write_much_at_once(start: Start) -> None:
    code = f"import sys; print('o' * {MIB}); sys.stderr.write('e' * {MIB}); print(len(sys.stdin.readline()))"
    process = start(code)
    process.write_line("x" * MIB, LONG)
    assert process.read_line(LONG) == "o" * MIB
    assert process.read_line(LONG) == str(MIB + 1)
    assert process.wait(LONG) == 0


def test_writing_to_one_that_has_ended(start: Start) -> None:
    process = start("import os, sys; os.write(2, b'bye'); sys.exit(7)")
    assert process.wait(LONG) == 7
    with pytest.raises(ProcessEndedError):
        process.write_line("x", LONG)
    assert process.stderr_tail == "bye"


def test_of_errors_only_the_end_is_kept(start: Start) -> None:
    process = start("import sys; sys.stderr.write('a' * 5_000_000 + 'end')")
    assert process.wait(LONG) == 0
    assert process.stderr_tail.endswith("aend")
    assert len(process.stderr_tail) == 16_384


@pytest.mark.parametrize(
    "code", ["print('x' * 3_000_000)", "import sys; sys.stdout.write('x' * 3_000_000); sys.stdin.read()"]
)
def test_a_line_that_is_too_long(start: Start, code: str) -> None:
    process = start(code, Limits(line_bytes=MIB))
    with pytest.raises(ProcessLimitError, match="line of more than 1 MiB"):
        process.read_line(LONG)
    with pytest.raises(ProcessLimitError):
        process.wait(LONG)


def test_a_line_as_long_as_it_may_be(start: Start) -> None:
    assert all_lines(start("print('x' * 1023)", Limits(line_bytes=1024))) == ["x" * 1023]
    with pytest.raises(ProcessLimitError):
        all_lines(start("print('x' * 1024)", Limits(line_bytes=1024)))


def test_output_without_end(start: Start) -> None:
    process = start("while True: print('x' * 999)", Limits(output_bytes=4 * MIB))
    with pytest.raises(ProcessLimitError, match="printed more than 4 MiB"):
        all_lines(process)
    # Also where nobody reads the lines.
    process = start("while True: print('x' * 999)", Limits(output_bytes=4 * MIB))
    with pytest.raises(ProcessLimitError, match="printed more than 4 MiB"):
        process.wait(LONG)


def test_errors_without_end(start: Start) -> None:
    process = start("import os\nwhile True: os.write(2, b'x' * 999)", Limits(output_bytes=4 * MIB))
    with pytest.raises(ProcessLimitError, match="printed more than 4 MiB"):
        process.read_line(LONG)
    assert len(process.stderr_tail) == 16_384


FILL = "import os, sys\n{}\nfor _ in range(64): file = open(os.urandom(8).hex(), 'wb'); file.write(b'x' * 2**20)\n"


@pytest.mark.parametrize("hide", ["", "os.mkdir('a'); os.chdir('a')", "os.chdir('..'); os.chdir('home')"])
def test_too_much_on_the_disk(start: Start, hide: str) -> None:
    process = start(FILL.format(hide) + "file.close(); sys.stdin.read()", Limits(disk_bytes=16 * MIB))
    with pytest.raises(ProcessLimitError, match="filled its directory with more than 16 MiB"):
        process.read_line(LONG)


@pytest.mark.slow
def test_more_files_than_anybody_needs(start: Start) -> None:
    code = "import sys\nfor n in range(5000): open(str(n), 'w').close()\nsys.stdin.read()"
    with pytest.raises(ProcessLimitError, match="filled its directory"):
        start(code, Limits(disk_bytes=16 * MIB)).read_line(LONG)


def test_a_directory_without_bottom(start: Start) -> None:
    code = "import os, sys\nfor n in range(40): os.mkdir('x' * 200); os.chdir('x' * 200)\nsys.stdin.read()"
    with pytest.raises(ProcessLimitError, match="hid its size"):
        start(code, Limits(disk_bytes=16 * MIB)).read_line(LONG)


@pytest.mark.parametrize("executor", ["subprocess", "none"])
def test_a_file_is_held_to_its_limit_at_once(start: Start, executor: str, tmp_path: Path) -> None:
    code = f"""
with open({str(tmp_path / "large")!r}, "wb", buffering=0) as file:
    try:
        while file.write(b"x" * 2**20): pass
    except OSError as error: print(error.errno)
"""
    assert start(code, Limits(disk_bytes=16 * MIB), executor=executor).read_line(LONG) == str(errno.EFBIG)
    assert (tmp_path / "large").stat().st_size == 16 * MIB


def test_too_much_memory(start: Start) -> None:
    process = start("x = bytearray(300 * 2**20)\nimport sys; sys.stdin.read()", Limits(memory_bytes=128 * MIB))
    with pytest.raises(ProcessLimitError, match="more than 128 MiB of memory"):
        process.read_line(LONG)


def test_too_much_memory_in_a_child(start: Start) -> None:
    inner = "x = bytearray(300 * 2**20)\nimport time; time.sleep(1000)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {inner!r}])"
    with pytest.raises(ProcessLimitError, match="memory"):
        start(code, Limits(memory_bytes=128 * MIB)).read_line(LONG)


@pytest.mark.slow
def test_memory_that_processes_share_counts_once(start: Start) -> None:
    if not Path("/proc/self/smaps_rollup").exists():
        pytest.skip("this system does not say what processes share")
    code = (
        "import os, sys\nx = b'x' * (100 * 2**20)\n"
        "for _ in range(3):\n    if os.fork() == 0: sys.stdin.read(); os._exit(0)\n"
        "import time; time.sleep(1.5); print('fine')"
    )
    assert start(code, Limits(memory_bytes=220 * MIB)).read_line(LONG) == "fine"


def test_too_many_processes(start: Start) -> None:
    code = "import os, time\nfor _ in range(40):\n    if os.fork() == 0: time.sleep(1000)\ntime.sleep(1000)"
    with pytest.raises(ProcessLimitError, match="more than 20 processes"):
        start(code, Limits(processes=20)).read_line(LONG)


def test_one_within_its_limits_is_left_alone(start: Start) -> None:
    hungry = start("x = bytearray(300 * 2**20)\nimport sys; sys.stdin.read()", Limits(memory_bytes=128 * MIB))
    modest = start("import sys\nfor line in sys.stdin: print(line.strip())", Limits(memory_bytes=128 * MIB))
    with pytest.raises(ProcessLimitError):
        hungry.read_line(LONG)
    modest.write_line("here", LONG)
    assert modest.read_line(LONG) == "here"


@pytest.mark.parametrize("argv", [("no-such-program-anywhere",), ("/no/such/program",), ("/etc",), ("a\0b",)])
def test_what_cannot_be_started(argv: tuple[str, ...]) -> None:
    with Workspace() as workspace, pytest.raises(ConfigurationError, match="cannot be started") as raised:
        make_executor("subprocess").start(Command(argv), workspace, Limits())
    assert "\n" not in str(raised.value)


def test_how_a_signal_ends_it(start: Start) -> None:
    assert start("import os; os.kill(os.getpid(), 11)").wait(LONG) == -11


def test_stopping_gives_it_time(start: Start) -> None:
    process = start("import os, sys; sys.stdin.read(); os._exit(5)")
    process.stop()
    assert process.wait(LONG) == 5
    stubborn = start("import time; time.sleep(1000)", Limits(kill_after_s=0.1))
    stubborn.stop()
    assert stubborn.wait(LONG) == -9


def test_after_the_end_nothing_raises_but_writing(start: Start) -> None:
    process = start("import time; print('x'); time.sleep(1000)")
    process.kill()
    process.kill()
    process.stop()
    process.close_stdin()
    assert process.wait(0) == -9
    assert process.read_line(0) in (None, "x")
    with pytest.raises(AgentError):
        process.write_line("x", 0)


def test_versions() -> None:
    executor = make_executor("subprocess")
    assert first_line(executor.start, (sys.executable, "--version")) == f"Python {sys.version.split()[0]}"
    with pytest.raises(ConfigurationError, match=r"failed with exit code 3: nonsense"):
        first_line(executor.start, (sys.executable, "-c", "import sys; sys.stderr.write('nonsense'); sys.exit(3)"))
    with pytest.raises(ConfigurationError, match="printed nothing"):
        first_line(executor.start, (sys.executable, "-c", ""))
    with pytest.raises(ConfigurationError, match="cannot be started"):
        first_line(executor.start, ("no-such-program-anywhere", "--version"))
