"""Attacks by an agent's code, as this user and as another, with the layers of older kernels and of this one.

The package lies beside the standard library, as in an image of Python without a virtual environment. All attacks of a
kind are made in one program that is the benchmark for them: it has to survive, and to find its files as they were.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attr
import attrs
import pytest

import tool_sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are those of Linux")

NOBODY = 65534
BENCHMARK = """
import contextlib, json, os, sys
from tool_sandbox.conversation.console import Console
from tool_sandbox.roles.code_process import CodeLimits, run_code

os.umask(0o022)
os.mkdir("victim", 0o755)
os.mkdir("other", 0o755)
with open("victim/file", "w") as file:
    file.write("unharmed")
with contextlib.suppress(OSError):
    os.setxattr("victim/file", "user.x", b"1")

def state():
    found = {}
    for path in ("victim", "victim/file", "other"):
        status = os.stat(path)
        names = {} if os.path.isdir(path) else {"text": open(path).read()}
        names["attributes"] = os.listxattr(path)
        found[path] = [status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_size, names]
    return found, sorted(os.listdir("victim")), sorted(os.listdir("other"))

before = state()
job = json.load(sys.stdin)
limits = CodeLimits(cpu_seconds=2, wall_seconds=30, without=tuple(job["without"]), landlock=job["landlock"])
results = [
    run_code(source.replace("HERE", os.getcwd()), Console(), {}, lambda *_: None, limits) for source in job["sources"]
]
answers = [[result.output, result.error and result.error.name, result.layers] for result in results]
print(json.dumps({"answers": answers, "harmed": before != state()}))
"""


@pytest.fixture(scope="module")
def installation() -> Iterator[Path]:
    """A Python whose packages, this one among them, lie in the directory of its standard library."""
    with tempfile.TemporaryDirectory(prefix="installation_") as base:
        root = Path(base)
        root.chmod(0o755)
        library = root / sys.platlibdir / f"python{sysconfig.get_python_version()}"
        foreign = shutil.ignore_patterns("*-packages", "test", "idlelib", "lib2to3", "tkinter", "config-*")
        shutil.copytree(sysconfig.get_path("stdlib"), library, copy_function=_place, ignore=foreign)
        program = root / "bin" / "python3"
        program.parent.mkdir()
        base_program = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
        shutil.copy(base_program, program)
        for shared in base_program.parents[1].glob("lib/libpython*"):
            _place(str(shared), str(root / "lib" / shared.name))
        # Debian's Python names the directory otherwise.
        ask = "import site; print(site.getsitepackages()[-1])"
        environment = {"LD_LIBRARY_PATH": str(root / "lib")}
        packages = Path(subprocess.check_output([program, "-c", ask], env=environment, text=True).strip())
        ours = shutil.ignore_patterns("__pycache__", "suite", "scenarios", "tools")
        for package in (tool_sandbox, attr, attrs):
            place = Path(str(package.__file__)).parent
            shutil.copytree(place, packages / place.name, ignore=ours)
        yield root


def _place(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


WITHOUT_NAMESPACES = ("namespaces",)
KERNELS = [
    pytest.param((), 99, id="all"),
    pytest.param(("files",), 99, id="no_landlock"),
    pytest.param(("root",), 99, id="no_root"),
    *(pytest.param(WITHOUT_NAMESPACES, version, id=f"no_namespaces_landlock_{version}") for version in range(1, 8)),
    pytest.param((*WITHOUT_NAMESPACES, "files"), 99, id="no_namespaces_no_landlock"),
    pytest.param(("namespaces", "files", "capabilities"), 99, id="only_system_calls"),
]


@pytest.fixture(params=["this user", "another user"])
def user(request: pytest.FixtureRequest) -> int:
    """Who runs the benchmark."""
    if request.param == "this user":
        return os.getuid()
    if os.getuid() != 0:
        pytest.skip("only root can act as another user")
    return NOBODY


def run(
    installation: Path, user: int, without: Sequence[str], landlock: int, *sources: str, harmed: bool = False
) -> tuple[list[tuple[str, str | None]], set[str]]:
    """Output and error of each program, and the layers that held; the benchmark is still there, and harmed or not."""
    with tempfile.TemporaryDirectory(prefix="benchmark_") as directory:
        if user != os.getuid():
            os.chown(directory, user, user)
        done = subprocess.run(
            [str(installation / "bin" / "python3"), "-c", BENCHMARK],
            input=json.dumps({"sources": sources, "without": without, "landlock": landlock}),
            cwd=directory,
            env={"LD_LIBRARY_PATH": str(installation / "lib"), "TMPDIR": directory},
            capture_output=True,
            text=True,
            check=False,
            **({"user": user, "group": user, "extra_groups": []} if user != os.getuid() else {}),  # type: ignore[call-overload]
        )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["harmed"] is harmed
    return [(output, error) for output, error, _ in found["answers"]], set(found["answers"][0][2])


def successful(
    installation: Path,
    user: int,
    without: Sequence[str],
    landlock: int,
    attacks: Sequence[str],
    *,
    harmed: bool = False,
) -> tuple[list[str], set[str]]:
    """The attacks that were not refused, and the layers that held."""
    source = f"{ATTACKER}\nattack({attacks!r})"
    ((output, error),), layers = run(installation, user, without, landlock, source, harmed=harmed)
    assert error is None
    return [attacks[number] for number in json.loads(output)], layers


ATTACKER = """
import ctypes, fcntl, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
victim = "HERE/victim/file"
place = __import__("site").getsitepackages()[-1]
reading, writing = os.pipe()
def attack(attacks):
    successful = []
    for number, each in enumerate(attacks):
        try:
            exec(each, globals())
        except OSError:
            continue
        successful.append(number)
    print(successful)
"""
CHANGES = [
    "os.chmod(victim, 0o777)",
    "os.chmod(victim, 0o4755)",
    "os.chmod('HERE/victim/file', 0, follow_symlinks=True)",
    "call('syscall', 452, -100, victim.encode(), 0o777, 0)",
    "os.chown(victim, os.getuid(), os.getgid())",
    "os.lchown(victim, os.getuid(), os.getgid())",
    "os.utime(victim, (0, 0))",
    "call('utimes', victim.encode(), None)",
    "call('utime', victim.encode(), None)",
    "os.setxattr(victim, 'user.x', b'1')",
    "os.removexattr(victim, 'user.x')",
    "os.listxattr(victim)",
    "os.getxattr(victim, 'user.x')",
    "os.chdir('HERE/victim')",
    "os.fchdir(os.open('HERE/victim', os.O_PATH))",
    "inotify = libc.inotify_init()\ncall('inotify_add_watch', inotify, b'HERE/victim', 0xfff)",
    "call('inotify_init1', 0)",
    "os.truncate(victim, 0)",
    "os.open(victim, os.O_RDONLY | os.O_TRUNC)",
    "os.open(victim, 3 | os.O_TRUNC)",
    "os.fchmod(os.open('own', os.O_CREAT | os.O_RDWR), 0o4777)",
    "os.setuid(12345)",
    "os.sync() or call('syncfs', 0)",
    "os.chmod('HERE/victim', 0)",
]
READS_AND_WRITES = [
    "open(victim).read()",
    "open(victim, 'a').write('x')",
    "open(victim, 'w')",
    "os.remove(victim)",
    "os.rename(victim, 'HERE/victim/new')",
    "os.rename(victim, 'HERE/other/new')",
    "os.link(victim, 'mine')\nopen('mine').read()",
    "os.symlink(victim, 'mine')\nopen('mine').read()",
    "os.symlink('x', 'HERE/victim/link')",
    "os.mkdir('HERE/victim/new')",
    "os.mkfifo('HERE/victim/new')",
    "os.rmdir('HERE/other')",
    "os.listdir('HERE/victim')",
    "os.listdir('/')",
    "open('/etc/passwd').read()",
    "open('/proc/%d/environ' % os.getppid(), 'rb').read()",
]
LOOKS = [
    "os.stat(victim)",
    "os.lstat('HERE/victim')",
    "os.open(victim, os.O_PATH)",
    "os.stat('/etc/passwd')",
    "os.stat('/proc/%d' % os.getppid())",
    "os.readlink('/proc/self/exe')",
    "os.statvfs('HERE/victim')",
    "call('access', victim.encode(), 0)",
]
SIGNALS = [
    "fcntl.fcntl(reading, fcntl.F_SETOWN, os.getppid())",
    "fcntl.fcntl(reading, 10, 9)",
    "fcntl.fcntl(reading, 15, struct.pack('ii', 1, os.getppid()))",
    "fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)",
    "fcntl.fcntl(reading, fcntl.F_NOTIFY, fcntl.DN_MODIFY)",
    "fcntl.fcntl(os.open('own', os.O_CREAT), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    "number = 72 if os.uname().machine == 'x86_64' else 25\n"
    "call('syscall', number, reading, ctypes.c_long((1 << 32) | 8), os.getppid())",
    "fcntl.ioctl(reading, 0x5452, struct.pack('i', 1))",
    "fcntl.ioctl(reading, 0x8901, struct.pack('i', os.getppid()))",
    "fcntl.ioctl(reading, 0x8902, struct.pack('i', os.getppid()))",
    "fcntl.ioctl(int(sys.argv[1]), 0x8901, struct.pack('i', os.getppid()))",
    "fcntl.ioctl(0, 0x5412, b'x')",
    "call('prctl', 1, 0, 0, 0, 0)",
    "call('prctl', 4, 1, 0, 0, 0)",
    "os.kill(os.getppid(), 9)",
    "os.killpg(os.getpgid(os.getppid()), 9)",
    "call('sigqueue', os.getppid(), 9, 0)",
    "call('tgkill', os.getppid(), os.getppid(), 9)",
    "call('syscall', 200 if os.uname().machine == 'x86_64' else 130, os.getppid(), 9)",
    # All that it takes, with no look at what is refused: whoever started this is killed.
    *(
        f"for step in ({steps}, lambda: os.write(writing, b'x')):\n"
        "    try:\n        step()\n    except OSError:\n        pass\nraise OSError"
        for steps in (
            "lambda: fcntl.fcntl(reading, 8, os.getppid()), lambda: fcntl.fcntl(reading, 10, 9), "
            "lambda: fcntl.fcntl(reading, 4, 0o20000)",
            "lambda: fcntl.fcntl(reading, 15, struct.pack('ii', 1, os.getppid())), "
            "lambda: fcntl.fcntl(reading, 10, 9), lambda: fcntl.ioctl(reading, 0x5452, struct.pack('i', 1))",
        )
    ),
]
GRADER = [
    "os.listdir(place)",
    "os.listdir(place + '/tool_sandbox')",
    "open(place + '/tool_sandbox/__init__.py').read()",
    "open(place + '/tool_sandbox/roles/code_process.py').read()",
    "os.symlink(place, 'way')\nopen('way/tool_sandbox/__init__.py').read()",
]
ORDINARY = [
    "import json, decimal, zoneinfo, ctypes, hashlib, zlib, random, statistics, csv, sqlite3\n"
    "print(zoneinfo.ZoneInfo('UTC'), decimal.Decimal(1) / 8, hashlib.sha256(b'').hexdigest()[:4])",
    "import os, pathlib, tempfile\npath = pathlib.Path('notes')\npath.touch()\npath.write_text('ab')\n"
    "with path.open('r+') as file:\n    file.truncate(1)\nos.rename('notes', 'kept')\n"
    "with tempfile.TemporaryDirectory(dir='.') as directory:\n    open(directory + '/x', 'w').close()\n"
    "print(open('kept').read(), os.listdir())",
    "import fcntl, os, sys\nfile = open('lock', 'w')\nfcntl.lockf(file, fcntl.LOCK_EX)\n"
    "os.set_inheritable(file.fileno(), 1)\nreading, writing = os.pipe()\nos.set_blocking(reading, False)\n"
    "print(file.isatty(), os.get_inheritable(file.fileno()))",
]


EVERYTHING = ("namespaces", "root", "scratch", "capabilities", "files", "calls")


class TestControl:
    """Without the layers the attacks succeed: it is the layers that stop them."""

    def test_files_are_harmed(self, installation: Path, user: int) -> None:
        attacks = ["os.chmod(victim, 0o4755)", "os.truncate(victim, 0)", "os.chdir('HERE/victim')"]
        assert set(attacks) < set(CHANGES)
        assert successful(installation, user, EVERYTHING, 0, attacks, harmed=True) == (attacks, {"limits"})

    @pytest.mark.parametrize("attack", SIGNALS[-2:])
    def test_the_benchmark_is_killed(self, installation: Path, user: int, attack: str) -> None:
        with pytest.raises(AssertionError, match=r"assert -9 == 0"):
            run(installation, user, EVERYTHING, 0, f"{ATTACKER}\nattack([{attack!r}])")

    def test_everything_is_read(self, installation: Path, user: int) -> None:
        attacks = [*LOOKS, *GRADER, *READS_AND_WRITES[:1]]
        assert successful(installation, user, EVERYTHING, 0, attacks)[0] == attacks


class TestAttacks:
    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(("without", "landlock"), KERNELS)
    @pytest.mark.parametrize("attacks", [CHANGES, SIGNALS], ids=["changes", "signals"])
    def test_the_filter_of_calls_holds_alone(
        self, installation: Path, user: int, without: tuple[str, ...], landlock: int, attacks: list[str]
    ) -> None:
        found, layers = successful(installation, user, without, landlock, attacks)
        if "calls" not in layers:
            pytest.skip(f"this machine has no filter of system calls; it has {layers}")
        assert found == []

    # Without namespaces and Landlock files are as open as to the user, and the documents say so.
    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(("without", "landlock"), KERNELS[:-2])
    def test_nothing_is_read_or_written_outside(
        self, installation: Path, user: int, without: tuple[str, ...], landlock: int
    ) -> None:
        found, layers = successful(installation, user, without, landlock, [*READS_AND_WRITES, *GRADER])
        if not {"root", "files"} & layers:
            pytest.skip(f"this machine has neither namespaces nor Landlock; it has {layers}")
        # Without Landlock the empty root may be listed, and so may the cover over what is hidden.
        assert found == [] if "files" in layers else set(found) <= {"os.listdir('/')", "os.listdir(place)"}

    # Without a root of its own the code sees what exists, and the documents say so.
    @pytest.mark.parametrize(("without", "landlock"), KERNELS[:2])
    def test_what_lies_outside_is_not_even_there(
        self, installation: Path, user: int, without: tuple[str, ...], landlock: int
    ) -> None:
        found, layers = successful(installation, user, without, landlock, LOOKS)
        if "root" not in layers:
            pytest.skip(f"this machine lets no process have a root of its own; it has {layers}")
        assert found == []

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(("without", "landlock"), KERNELS)
    def test_ordinary_code_runs(self, installation: Path, user: int, without: tuple[str, ...], landlock: int) -> None:
        answers, _ = run(installation, user, without, landlock, *ORDINARY)
        assert answers == [("UTC 0.125 e3b0\n", None), ("a ['kept']\n", None), ("False True\n", None)]
