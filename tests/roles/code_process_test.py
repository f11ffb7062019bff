"""The separate process for code: what it may do, and that it never harms or outlives its parent."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.together import together
from tool_sandbox.conversation.console import Console
from tool_sandbox.roles.code_process import CodeError, CodeLimits, CodeResult, run_code
from tool_sandbox.world.errors import InfrastructureError

QUICK = CodeLimits(wall_seconds=20.0, cpu_seconds=1)
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="uses what only Linux offers")


def run(source: str, console: Console | None = None, limits: CodeLimits = QUICK, **tools: Any) -> CodeResult:
    def call(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return tools[name](*args, **kwargs)

    return run_code(source, console or Console(), tools, call, limits)


@pytest.fixture(scope="module")
def layers() -> tuple[str, ...]:
    """Protections that this machine offers."""
    return run("pass").layers


@pytest.fixture(autouse=True)
def _nothing_is_left_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Every test ends without a process and without a temporary directory."""
    shelter = tmp_path / "shelter"
    shelter.mkdir()
    monkeypatch.setattr("tool_sandbox.roles.code_process.shelter", lambda: shelter)
    before = _children_and_descriptors()
    yield
    after = _children_and_descriptors()
    assert list(shelter.iterdir()) == []
    assert after[0] <= before[0]
    assert after[1] <= before[1]


def _children_and_descriptors() -> tuple[set[str], int]:
    """Processes below this one, zombies included, and the number of open files; nothing where there is no /proc."""
    process = Path("/proc/self")
    children = {child for task in process.glob("task/*/children") for child in task.read_text().split()}
    return children, len(list(process.glob("fd/*")))


class TestResult:
    def test_output_error_and_journal(self) -> None:
        result = run("print('a')\nx = 1\nraise KeyError('k')")
        assert result.output == "a\n"
        assert result.error == CodeError("KeyError", "'k'")
        assert result.entry is not None
        assert result.entry.values == {"x": 1}

    def test_scalars_need_no_replay(self) -> None:
        entry = run("x = 1").entry
        assert entry is not None
        assert entry.source == ""
        entry = run("x = [1]").entry
        assert entry is not None
        assert entry.source == "x = [1]"

    def test_values_that_are_not_finite(self) -> None:
        entry = run("x = float('inf')\ny = (1, {2: b'3'})").entry
        assert entry is not None
        assert entry.values == {"x": float("inf"), "y": (1, {2: b"3"})}

    def test_nothing_runs_that_does_not_compile(self) -> None:
        result = run("x = = 1")
        assert result.compile_error is not None
        assert (result.compile_error.line, result.compile_error.column) == (1, 5)
        assert run("if x:").incomplete
        assert run("x = '\ud800'").compile_error is not None

    @pytest.mark.parametrize("source", ["a\0b", "x = " + "9" * 10_000])
    def test_errors_without_a_place(self, source: str) -> None:
        result = run(source)
        assert result.compile_error is not None
        assert result.entry is None

    def test_order_of_sets_is_reproducible(self) -> None:
        source = "print({'a', 'b', 'c', 'd', 'e'})"
        assert run(source).output == run(source).output

    def test_library_is_there_and_packages_are_not(self) -> None:
        assert run("import json, re, math, datetime, collections, decimal, statistics, random").error is None
        result = run("import polars")
        assert result.error is not None
        assert result.error.name == "ModuleNotFoundError"


class TestTools:
    def test_arguments_and_results_are_values(self) -> None:
        def echo(*args: Any, **kwargs: Any) -> Any:
            return [args, kwargs]

        echo.__module__ = "tool_sandbox.tools.echo"
        source = (
            "from tool_sandbox.tools.echo import echo as e\nimport tool_sandbox.tools.echo\nprint(e(1, a=(None, 2.5)))"
        )
        assert run(source, echo=echo).output == "[(1,), {'a': (None, 2.5)}]\n"

    def test_only_values_cross(self) -> None:
        result = run("echo(print)", echo=print)
        assert result.error is not None
        assert result.error.name == "TypeError"

    def test_number_of_calls_is_bounded(self) -> None:
        calls: list[int] = []
        result = run("while True:\n    tick()", limits=CodeLimits(tool_calls=5), tick=lambda: calls.append(1))
        assert len(calls) == 5
        assert result.error is not None
        assert "more than 5 tools" in result.error.message

    def test_arguments_are_bounded_in_a_call_and_in_sum(self) -> None:
        seen: list[int] = []
        source = (
            "refused = []\ndef call(size):\n    try:\n        tick('x' * size)\n    except ValueError as error:\n"
            "        refused.append(str(error))\ncall(2**20 + 1)\nfor _ in range(6):\n    call(10**6)\n"
            "print(len(refused), refused[0], refused[1], sep='\\n')"
        )
        result = run(source, tick=lambda text: seen.append(len(text)))
        assert result.output.splitlines() == [
            "4",
            "the call of tick has arguments of more than 1,048,576 characters",
            "the call of tick has arguments of more than 4,194,304 bytes in one program",
        ]
        assert seen == [10**6] * 3

    def test_faults_of_ours_are_raised(self) -> None:
        def down() -> None:
            raise InfrastructureError("down")

        with pytest.raises(InfrastructureError):
            run("try:\n    down()\nexcept BaseException:\n    pass", down=down)

    @pytest.mark.parametrize(
        "error", [UnicodeDecodeError("utf-8", b"x", 0, 1, "why"), FileNotFoundError(2, "gone"), KeyError("k")]
    )
    def test_errors_are_caught_by_class_and_keep_their_text(self, error: Exception) -> None:
        def fail() -> None:
            raise error

        source = f"try:\n    fail()\nexcept {type(error).__name__} as e:\n    print(str(e))\nfail()"
        result = run(source, fail=fail)
        assert result.output == f"{error}\n"
        assert result.error == CodeError(type(error).__name__, str(error))


class TestHarm:
    """Each of these is answered with an error and leaves nothing behind."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("source", "name"),
        [
            ("while True: pass", "TimeoutError"),
            ("import time\ntime.sleep(1000)", "TimeoutError"),
            ("import os\nos._exit(0)", "RuntimeError"),
            ("import os\nos.abort()", "RuntimeError"),
            ("import ctypes\nctypes.string_at(0)", "RuntimeError"),
            ("import os\nos.closerange(0, 10_000)", "RuntimeError"),
            ("import sys\nsys.exit('bye')", "SystemExit"),
            ("def f(): f()\nf()", "RecursionError"),
            ("x = 'a' * 10**10", "MemoryError"),
            ("input()", "EOFError"),
            ("open('f', 'w').write('a' * 10**8)", "OSError"),
            ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "E"),
        ],
    )
    def test_is_answered(self, source: str, name: str) -> None:
        limits = CodeLimits(wall_seconds=1.5, cpu_seconds=1) if "sleep" in source else QUICK
        error = run(source, limits=limits).error
        assert error is not None
        assert error.name == name

    def test_output_is_cut(self) -> None:
        result = run("print('x' * 10**6)\nprint('y')", limits=CodeLimits(output_characters=100))
        assert result.output == "x" * 100 + "\n[output cut after 100 characters]"
        assert result.error is None

    def test_errors_and_variables_are_cut(self) -> None:
        result = run("x = 'v' * 10**6\ny = 1\nraise ValueError('m' * 10**6)", limits=CodeLimits(output_characters=100))
        assert result.error is not None
        assert result.error.message == "m" * 100
        assert result.entry is not None
        assert result.entry.values == {"y": 1}

    def test_long_and_deep_code_is_refused(self) -> None:
        for source in ("x" * 200_000, "(" * 50_000, "-" * 50_000 + "1", "x" + ".a" * 40_000, "1" + "+1" * 40_000):
            result = run(source)
            assert result.error is not None or result.compile_error is not None
            assert result.entry is None

    def test_environment_is_empty(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        result = run("import os\nprint(dict(os.environ), open('/proc/self/environ').read())")
        assert "secret-key" not in result.output
        assert "secret-key" not in run("import os\nprint(os.environ)").output

    def test_environment_of_the_parent_is_out_of_reach(
        self, monkeypatch: pytest.MonkeyPatch, layers: tuple[str, ...]
    ) -> None:
        if not {"namespaces", "files"} & set(layers):
            pytest.skip("this kernel offers neither user namespaces nor Landlock")
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        for path in ("environ", "mem", "maps", "cmdline"):
            result = run(f"import os\nprint(open(f'/proc/{{os.getppid()}}/{path}', 'rb').read(100))")
            if path in ("environ", "mem") or "files" in layers:
                assert result.error is not None

    def test_files_elsewhere_are_out_of_reach(self, tmp_path: Path, layers: tuple[str, ...]) -> None:
        if "files" not in layers:
            pytest.skip("this kernel has no Landlock")
        secret = tmp_path / "secret"
        secret.write_text("x")
        for source in (f"open({str(secret)!r})", f"import os\nos.listdir({str(tmp_path)!r})", "open('/etc/passwd')"):
            error = run(source).error
            assert error is not None
            assert error.name in ("PermissionError", "FileNotFoundError")
        for source in (
            f"open({str(tmp_path / 'new')!r}, 'w')",
            f"import os\nos.remove({str(secret)!r})",
            f"import os\nos.symlink({str(secret)!r}, 'link')\nopen('link')",
        ):
            assert run(source).error is not None
        assert {path.name for path in tmp_path.iterdir()} == {"secret", "shelter"}

    def test_own_directory_is_empty_and_writable(self) -> None:
        result = run("import os\nprint(os.listdir('.'))\nopen('f', 'w').write('x')\nprint(open('f').read())")
        assert (result.output, result.error) == ("[]\nx\n", None)

    def test_files_stay_in_memory_and_small(self, layers: tuple[str, ...]) -> None:
        if "scratch" not in layers:
            pytest.skip("this kernel does not let the process mount a file system of its own")
        error = run("for i in range(100):\n    open(f'f{i}', 'w').write('a' * 10**6)").error
        assert error is not None
        assert error.name == "OSError"

    @pytest.mark.parametrize(
        "source",
        [
            "import os\nwhile True: os.fork()",
            "import subprocess\nsubprocess.run(['true'])",
            "import os\nos.execv('/bin/true', ['true'])",
            "import threading\nthreading.Thread(target=print).start()",
            "import socket\nsocket.socket()",
            "import socket\nsocket.create_connection(('127.0.0.1', 1))",
            "import os\nos.kill(os.getppid(), 0)",
            "import os\nos.setsid()",
            "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
            "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))",
            "import resource, os\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
        ],
    )
    def test_processes_and_network_are_forbidden(self, source: str, layers: tuple[str, ...]) -> None:
        if "calls" not in layers:
            pytest.skip("this kernel or machine has no filter of system calls")
        error = run(source).error
        assert error is not None
        assert error.name in ("PermissionError", "BlockingIOError", "RuntimeError", "ValueError", "OSError")

    @ON_LINUX
    def test_a_child_is_killed_with_it_where_it_can_be_made(self) -> None:
        # What a filter of system calls forbids elsewhere is cleaned up here.
        run("import os, time\nif os.fork() == 0:\n    time.sleep(1000)\nos._exit(0)")


WRITE = """
for descriptor in range(3, 20):
    try:
        os.write(descriptor, {})
    except OSError:
        pass
"""
FORGE = """
import gc, json, os
channel = next(o for o in gc.get_objects() if type(o).__name__ == '_Channel')
"""
RAW = """
def send(text):
    data = b'{"secret": "%s", %s}' % (channel._secret.encode(), text.encode())
    while True:
        os.write(channel._descriptor, len(data).to_bytes(4, 'big') + data)
        os.read(channel._descriptor, 1)
"""
_DONE = '"kind": "done", "output": "", "cut": false, "error": null, "complete": true, "names": [], "values": '
RAW_MESSAGES = [
    '"kind": "invalid", "name": "E", "message": "m", "line": 1e999, "column": 1, "text": "t"',
    '"kind": "invalid", "name": "E", "message": "m", "line": -1, "column": 1, "text": "t"',
    '"kind": "invalid", "name": "E", "message": "m", "line": 1, "column": 1, "text": NaN',
    _DONE + '{"x": {"float": []}}',
    _DONE + '{"x": {"bytes": 1}}',
    _DONE + '{"x": {"set": [{"dict": []}]}}',
    _DONE + '{"x": {"dict": [[[], 1]]}}',
    _DONE + '{"x": {"dict": 7}}',
    _DONE + '{"x": ' + "9" * 5000 + "}",
    _DONE + '{"x": ' + "[" * 300 + "]" * 300 + "}",
    _DONE + '{"x": "' + "x" * 2**21 + '"}',
    _DONE + "[]",
    '"kind": "done", "output": "", "cut": false, "error": 1e999, "complete": true, "names": [], "values": {}',
    '"kind": "call", "name": 1e999, "arguments": [[], {"dict": []}]',
    '"kind": "call", "name": "tick", "arguments": [[], {"dict": [[1, 2]]}]',
    '"kind": "call", "name": "tick", "arguments": [[], []]',
    '"kind": "call", "name": "tick", "arguments": [[{"dict": [[{"tuple": [{"set": [[]]}]}, 1]]}], {"dict": []}]',
]


class TestChannel:
    @pytest.mark.parametrize(
        "source",
        [
            WRITE.format(rb"b'\x00\x00\x00\x02{}'".decode()),
            WRITE.format(rb"b'\xff' * 100".decode()),
            FORGE + "channel._secret = 'x'\nchannel.send(kind='done')",
            FORGE + "channel.send(kind='done')",
            FORGE + "channel.send(kind='done', output=1, cut=0, error=[], values=[], names=3, complete=1)",
            FORGE + "channel.send(kind='call', name='tick', arguments=[{'set': [[]]}, {}])",
            FORGE + "channel.send(kind='call', name='tick', arguments=3)",
            FORGE + "channel.send(kind='call', name=['tick'])",
            FORGE + "channel.send(kind='nonsense')",
            FORGE + "channel.send(kind='invalid', name=1, message=2, line='x', column=[], text={})",
            FORGE + "os.write(channel._descriptor, (10**9).to_bytes(4, 'big'))",
            FORGE + "data = b'[' * 100000\nos.write(channel._descriptor, len(data).to_bytes(4, 'big') + data)",
            FORGE + "channel.send(kind=['done'])",
            FORGE + "channel.send(kind='started', layers=['all'])",
            *(f"{FORGE}{RAW}send({message!r})" for message in RAW_MESSAGES),
        ],
    )
    def test_forged_messages_do_no_more_than_fail(self, source: str) -> None:
        ticks: list[int] = []
        result = run(source, tick=lambda: ticks.append(1))
        assert result.error is not None
        assert ticks == []

    def test_a_forged_call_is_an_ordinary_call(self) -> None:
        source = (
            FORGE + "channel.send(kind='call', name='hidden', arguments=[[], {'dict': []}])\nprint(channel.receive())"
        )
        result = run(source, tick=print)
        assert "KeyError" in result.output

    def test_colliding_keys_are_refused(self) -> None:
        # With so many, a dict takes minutes to be built, during which no limit of time is looked at.
        source = (
            FORGE + "body = ','.join('[%d,0]' % (number * (2**61 - 1)) for number in range(10**5))\n"
            'data = \'{"secret": "%s", "kind": "call", "name": "tick", '
            '"arguments": [[{"dict": [%s]}], {"dict": []}]}\' % (channel._secret, body)\n'
            "os.write(channel._descriptor, len(data).to_bytes(4, 'big'))\nleft = data.encode()\n"
            "while left:\n    left = left[os.write(channel._descriptor, left):]\nos.read(channel._descriptor, 1)"
        )
        error = run(source, limits=CodeLimits(wall_seconds=60.0), tick=print).error
        assert error is not None
        assert "broke the protocol" in error.message

    def test_nothing_is_unpickled(self) -> None:
        parent = Path(sys.modules["tool_sandbox.roles.code_process"].__file__ or "").read_text()
        assert "pickle" not in parent.replace("nothing unpickled", "")


class TestJournal:
    def test_replay_gives_the_same_state_without_effects(self) -> None:
        ticks: list[int] = []

        def tick() -> int:
            ticks.append(1)
            return len(ticks)

        console = Console()
        for source in (
            "import math\nclass Box:\n    pass\nbox = Box()\nbox.n = tick()",
            "box.n += tick()",
            "print(box.n)",
        ):
            result = run(source, console, tick=tick)
            assert result.entry is not None
            console.record(result.entry)
        assert result.output == "3\n"
        assert len(ticks) == 2

    def test_a_message_that_was_killed_leaves_no_state(self) -> None:
        console = Console()
        assert run("x = 1\nimport os\nos._exit(0)", console).entry is None

    def test_a_failed_message_fails_again_in_the_replay(self) -> None:
        console = Console()
        result = run("items = []\nitems.append(1)\nraise SystemExit", console)
        assert result.entry is not None
        console.record(result.entry)
        assert run("print(items)", console).output == "[1]\n"


class TestCleaningUp:
    def test_many_at_once(self) -> None:
        outputs: list[str] = []
        together(lambda number: outputs.append(run(f"print({number})").output), range(6))
        assert sorted(outputs) == [f"{number}\n" for number in range(6)]

    @ON_LINUX
    def test_it_dies_with_its_parent(self, tmp_path: Path) -> None:
        program = (
            "import os\nfrom tool_sandbox.conversation.console import Console\n"
            "from tool_sandbox.roles.code_process import run_code\n"
            "run_code('started()\\nimport time\\ntime.sleep(1000)', Console(), {'started': print},"
            " lambda *_: print('started', flush=True))"
        )
        root = Path(__file__).parents[2]
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary)}
        parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root, env=environment)
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        (child,) = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
        for _ in range(1000):
            if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
                break
            threading.Event().wait(0.01)
        else:
            pytest.fail("the process outlived its parent")
        while list(temporary.iterdir()):
            threading.Event().wait(0.05)
