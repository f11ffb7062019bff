"""Nothing of an agent is left, however it or we end."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.together import together
from tool_sandbox.integrations.executors import (
    AgentProcess,
    Command,
    Limits,
    ProcessTimeoutError,
    Workspace,
    make_executor,
)

LONG = 60.0

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes by /proc")

FAMILY = {
    "child": "os.fork()",
    "deaf to signals": "[signal.signal(number, signal.SIG_IGN) for number in (1, 2, 3, 15)]; os.fork()",
    "own group": "os.fork() or os.setpgid(0, 0)",
    "own session": "os.fork() or os.setsid()",
    "daemon": "os.fork() or (os.setsid(), os.fork() and os._exit(0), os.chdir('/'))",
    "daemon without a name": "os.fork() or (os.setsid(), os.fork() and os._exit(0), clear())",
    "closed pipes": "os.fork() or (os.setsid(), os.closerange(0, 9))",
    "stopped": "os.fork() or os.kill(os.getpid(), signal.SIGSTOP)",
}
"""How descendants come into being that are hard to find or to kill."""

CODE = """
import os, signal, sys, time
def clear():
    # Its environment and its name are gone.
    os.execve(sys.executable, [sys.executable, '-S', '-c', 'import time; time.sleep(1000) #' + mark], {{}})
mark = {mark!r}
if os.fork() == 0:
    {how}
    time.sleep(1000)
time.sleep(0.3)
print('ready')
{then}
"""


def alive(mark: str) -> list[int]:
    """Processes with a word on their command line that are no zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line, state = (
                    (entry / "cmdline").read_bytes(),
                    (entry / "stat").read_text().rpartition(")")[2].split()[0],
                )
            except OSError:
                continue
            if mark.encode() in line and state != "Z":
                found.append(int(entry.name))
    return found


def gone(mark: str) -> bool:
    """Whether they are gone, soon: only those of a killed parent take a moment."""
    deadline = time.monotonic() + LONG
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(mark)


@pytest.fixture
def mark(request: pytest.FixtureRequest) -> Iterator[str]:
    """A word that only the processes of this test have on their command line."""
    word = f"mark_{os.getpid()}_{abs(hash(request.node.name))}_{time.monotonic_ns()}"
    yield word
    for pid in alive(word):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def start(mark: str) -> Iterator[Callable[[str, str], AgentProcess]]:
    with Workspace() as workspace:

        def start_code(how: str, then: str) -> AgentProcess:
            code = CODE.format(mark=mark, how=how, then=then)
            command = Command((sys.executable, "-S", "-u", "-c", code), stdin=True)
            return make_executor("subprocess").start(command, workspace, Limits(kill_after_s=0.1))

        yield start_code


@pytest.mark.sampled(4)
@pytest.mark.parametrize("how", FAMILY.values(), ids=FAMILY)
def test_killed_with_all_descendants(start: Callable[[str, str], AgentProcess], mark: str, how: str) -> None:
    process = start(how, "time.sleep(1000)")
    assert process.read_line(LONG) == "ready"
    assert len(alive(mark)) >= 2
    process.kill()
    assert alive(mark) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("how", FAMILY.values(), ids=FAMILY)
def test_an_ended_agent_leaves_no_process(start: Callable[[str, str], AgentProcess], mark: str, how: str) -> None:
    process = start(how, "os._exit(4)")
    assert process.read_line(LONG) == "ready"
    assert process.wait(LONG) == 4
    assert alive(mark) == []
    # The end of the output is seen, although a descendant had held it open.
    assert process.read_line(LONG) is None
    process.kill()


def test_stopping_one_that_ignores_everything(start: Callable[[str, str], AgentProcess], mark: str) -> None:
    process = start(
        "pass", "[signal.signal(number, signal.SIG_IGN) for number in (1, 2, 3, 15)]\nprint('deaf')\ntime.sleep(1000)"
    )
    assert [process.read_line(LONG), process.read_line(LONG)] == ["ready", "deaf"]
    process.stop()
    assert process.wait(0) == -9
    assert alive(mark) == []


@pytest.mark.parametrize("how", [FAMILY["child"], FAMILY["daemon"]], ids=["child", "daemon"])
def test_killing_the_supervisor_leaves_no_process(
    start: Callable[[str, str], AgentProcess], mark: str, how: str
) -> None:
    process = start(how, "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1000)")
    assert process.read_line(LONG) == "ready"
    process.wait(LONG)
    process.kill()
    assert alive(mark) == []


def test_a_request_to_the_supervisor_to_end(start: Callable[[str, str], AgentProcess], mark: str) -> None:
    process = start(FAMILY["daemon"], "time.sleep(1000)")
    assert process.read_line(LONG) == "ready"
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(LONG) == -9
    assert alive(mark) == []
    process.kill()


def test_killed_from_another_thread_during_a_wait(start: Callable[[str, str], AgentProcess], mark: str) -> None:
    process = start("pass", "time.sleep(1000)")
    assert process.read_line(LONG) == "ready"
    lines: list[object] = ["nothing"]
    waiting = threading.Thread(target=lambda: lines.append(process.read_line(LONG)))
    waiting.start()
    time.sleep(0.2)
    process.kill()
    waiting.join(LONG)
    assert lines == ["nothing", None]
    assert alive(mark) == []


def test_forking_all_the_time(start: Callable[[str, str], AgentProcess], mark: str) -> None:
    # Every process of it makes another one and ends; each in a session of its own.
    how = "\n    while True:\n        os.getsid(0) == os.getpid() or os.setsid()\n        os.fork() and os._exit(0)"
    process = start(how, "time.sleep(1000)")
    assert process.read_line(LONG) == "ready"
    process.kill()
    assert alive(mark) == []


OWNER = """
import os, signal, sys, time
from tool_sandbox.integrations.executors import *
code = {code!r}
workspace = Workspace()
command = Command((sys.executable, "-S", "-u", "-c", code), stdin=True)
process = make_executor("subprocess").start(command, workspace, Limits())
assert process.read_line(60) == "ready"
print("running", flush=True)
{then}
"""


def owned(directory: Path, code: str, then: str) -> "subprocess.Popen[bytes]":
    """A process that has an agent, and ends in some way."""
    # In a file, so that the mark is on the command lines of the agent alone.
    script = directory / "owner.py"
    script.write_text(OWNER.format(code=code, then=then), "utf-8")
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "TMPDIR": str(directory), "PYTHONPATH": path}
    return subprocess.Popen(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "how", [FAMILY["child"], FAMILY["deaf to signals"], FAMILY["daemon"]], ids=["child", "deaf", "daemon"]
)
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(0)", "raise KeyError", "sys.exit()"])
def test_we_end_without_a_word(mark: str, tmp_path: Path, how: str, end: str) -> None:
    code = CODE.format(mark=mark, how=how, then="time.sleep(1000)")
    owner = owned(tmp_path, code, end)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"running\n"
    owner.wait(LONG)
    owner.stdout.close()
    assert gone(mark)


def test_we_end_while_a_copy_of_us_lives_on(mark: str, tmp_path: Path) -> None:
    # The copy holds our end of the socket, so that the supervisor sees no end there.
    code = CODE.format(mark=mark, how="pass", then="time.sleep(1000)")
    then = "pid = os.fork()\nif pid == 0: time.sleep(600); os._exit(0)\nprint(pid, flush=True)\nos.kill(os.getpid(), 9)"
    owner = owned(tmp_path, code, then)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"running\n"
    copy = int(owner.stdout.readline())
    owner.wait(LONG)
    try:
        assert gone(mark)
    finally:
        os.kill(copy, signal.SIGKILL)
        owner.stdout.close()


def test_the_thread_that_started_it_may_end(start: Callable[[str, str], AgentProcess]) -> None:
    processes: list[AgentProcess] = []
    thread = threading.Thread(
        target=lambda: processes.append(start("pass", "sys.stdin.readline(); print('still here')"))
    )
    thread.start()
    thread.join(LONG)
    process = processes[0]
    assert process.read_line(LONG) == "ready"
    with pytest.raises(ProcessTimeoutError):
        process.read_line(0.3)
    process.write_line("", LONG)
    assert process.read_line(LONG) == "still here"
    process.kill()


def test_many_at_once(mark: str) -> None:
    executor, limits = make_executor("subprocess"), Limits()
    code = f"import sys\nfor line in sys.stdin: print(line.strip())\n#{mark}"
    failures: list[BaseException] = []

    def converse(number: int) -> None:
        try:
            with Workspace() as workspace:
                command = Command((sys.executable, "-S", "-u", "-c", code), stdin=True)
                with executor.start(command, workspace, limits) as process:
                    barrier.wait(LONG)
                    process.write_line(str(number), LONG)
                    assert process.read_line(LONG) == str(number)
        except BaseException as error:
            failures.append(error)

    count = 40
    barrier = threading.Barrier(count)
    together(converse, range(count), 2 * LONG)
    assert failures == []
    assert alive(mark) == []
    assert not [thread for thread in threading.enumerate() if thread.name == "agent-limits" and thread.join(LONG)]


def test_no_descriptor_is_left_open(start: Callable[[str, str], AgentProcess]) -> None:
    start("pass", "pass").kill()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        start("pass", "pass").kill()
    with Workspace() as workspace, pytest.raises(Exception, match="cannot be started"):
        make_executor("subprocess").start(Command(("no-such-program-anywhere",)), workspace, Limits())
    assert len(list(Path("/proc/self/fd").iterdir())) == before
