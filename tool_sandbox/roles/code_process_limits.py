"""Takes rights away from the process that runs an agent's code, with what the kernel offers.

Called by the worker on itself, before it runs anything, and never in the main process. Every layer
is independent: what a kernel, container or platform does not offer is left out, and `restrict`
says which layers hold. The standard library is enough; nothing here needs privileges.
"""

import contextlib
import ctypes
import os
import resource
import struct
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x8000000, 0x10000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT, _MS_BIND = 1, 2, 4, 8, 32, 4096
_MS_REC, _MS_PRIVATE, _MNT_DETACH = 16384, 1 << 18, 2
_CAPABILITIES_VERSION = 0x20080522

_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_OTHERS = ("/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom")


def restrict(
    package: str,
    writable: str,
    only_harmless_calls: Callable[[ctypes.CDLL], None],
    *,
    cpu_seconds: int,
    memory_bytes: int,
    file_bytes: int,
    without: list[str],
    landlock: int,
) -> list[str]:
    """Restricts the calling process for the rest of its life."""
    layers = ["limits"]
    # CPU, memory, file size, open files, core dumps, and processes (which do not bind for root).
    # The signal at the soft limit of CPU time tells why the process ended.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    for name, value in (
        ("RLIMIT_AS", memory_bytes),
        ("RLIMIT_FSIZE", file_bytes),
        ("RLIMIT_NOFILE", 32),
        ("RLIMIT_CORE", 0),
    ):
        _limit(name, value)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)
        files = _Files(package)
        steps: dict[str, Callable[[], None]] = {
            "namespaces": lambda: _own_namespaces(libc),
            "root": lambda: _own_root(libc, files, writable),
            "scratch": lambda: _scratch_directory(libc, writable),
            "capabilities": lambda: _no_capabilities(libc),
            "files": lambda: _only_these_files(libc, files, writable, landlock),
            "calls": lambda: only_harmless_calls(libc),
        }
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            for layer, step in steps.items():
                # Without namespaces of its own, a privileged process would change the mounts of all.
                needs = {"namespaces"} if layer in ("root", "scratch") else set()
                if layer not in without and needs <= set(layers):
                    with contextlib.suppress(OSError, AttributeError, KeyError):
                        step()
                        layers.append(layer)
    _limit("RLIMIT_NPROC", 0)
    return layers


def _limit(name: str, value: int) -> None:
    # A platform that lacks a limit, or refuses this value, keeps the others.
    with contextlib.suppress(AttributeError, ValueError, OSError):
        resource.setrlimit(getattr(resource, name), (value, value))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class _Files:
    """What Python needs to read.

    Attributes:
        trees: Directories and files that hold it, by their real paths, none within another.
        links: Symbolic links that lead there, and where they lead.
        readable: The parts of the trees that may be read: the standard library's entries one by one.
        hidden: The others: installed packages, this one, and other versions of Python.
    """

    def __init__(self, package: str) -> None:
        self._package = os.path.realpath(package)
        self._library = os.path.realpath(os.path.dirname(os.__file__))  # noqa: PTH120 - pathlib would be a slow import
        self.trees: list[str] = []
        self.links: dict[str, str] = {}
        self.readable: list[str] = []
        self.hidden: list[str] = []
        for path in (*_LIBRARIES, *_OTHERS, os.path.dirname(os.__file__)):  # noqa: PTH120
            real = os.path.realpath(path)
            if real != path:
                self.links[path] = real
            if os.path.exists(real) and not any(_is_within(real, tree) for tree in self.trees):  # noqa: PTH110
                self.trees = [*(tree for tree in self.trees if not _is_within(tree, real)), real]
        for tree in self.trees:
            self._sort(tree)

    def _sort(self, path: str) -> None:
        name, parent = os.path.basename(path), os.path.dirname(path)  # noqa: PTH119, PTH120
        is_above = _is_within(self._library, path)
        is_foreign = not _is_standard(name) if parent == self._library else name.startswith("python") and not is_above
        if is_foreign or path == self._package or name.endswith("-packages"):
            self.hidden.append(path)
        elif (is_above or path in _LIBRARIES or _is_within(self._package, path)) and os.path.isdir(path):  # noqa: PTH112
            for entry in os.listdir(path):  # noqa: PTH208
                self._sort(f"{path}/{entry}")
        else:
            self.readable.append(path)


def _is_standard(name: str) -> bool:
    module = name.partition(".")[0]
    return module in sys.stdlib_module_names or name in ("__pycache__", "lib-dynload") or "_sysconfigdata" in module


def _is_within(path: str, tree: str) -> bool:
    return path == tree or path.startswith(f"{tree}/")


def _own_namespaces(libc: ctypes.CDLL) -> None:
    user, group = os.getuid(), os.getgid()
    _check(libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWNET))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _own_root(libc: ctypes.CDLL, files: _Files, writable: str) -> None:
    """Makes a root that holds what is readable, in place of the machine's."""
    writable = os.path.realpath(writable)
    _check(libc.mount(b"root", writable.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, b"size=1m,nr_inodes=512,mode=755"))
    try:
        for path in files.trees:
            target = writable + path
            if os.path.isdir(path):  # noqa: PTH112
                os.makedirs(target, exist_ok=True)  # noqa: PTH103
            else:
                os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
                os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
            _check(libc.mount(path.encode(), target.encode(), None, _MS_BIND | _MS_REC, None))
        for path in filter(os.path.isdir, files.hidden):
            _check(libc.mount(b"hidden", (writable + path).encode(), b"tmpfs", _MS_RDONLY, b"size=4k,nr_inodes=2"))
        os.chdir(writable)
        # The old root comes to lie over the new one at the same place, from where it is taken off.
        _check(libc.syscall({"x86_64": 155, "aarch64": 41}[os.uname().machine], b".", b"."))
    except BaseException:
        libc.umount2(writable.encode(), _MNT_DETACH)
        os.chdir(writable)
        raise
    _check(libc.umount2(b".", _MNT_DETACH))
    os.chdir("/")
    os.makedirs(writable)  # noqa: PTH103
    for path, real in files.links.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with contextlib.suppress(FileExistsError):
            os.symlink(real, path)  # noqa: PTH211
    for path in ("/", *files.trees):
        flags = os.statvfs(path).f_flag & (_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
        _check(libc.mount(None, path.encode(), None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | flags, None))


def _scratch_directory(libc: ctypes.CDLL, path: str) -> None:
    options = b"size=16m,nr_inodes=512,mode=700"
    _check(libc.mount(b"scratch", path.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options))
    os.chdir(path)


def _no_capabilities(libc: ctypes.CDLL) -> None:
    _check(libc.capset(struct.pack("=Ii", _CAPABILITIES_VERSION, 0), bytes(24)))


def _only_these_files(libc: ctypes.CDLL, files: _Files, writable: str, newest: int) -> None:
    create, add, enforce = 444, 445, 446
    version = min(_check(libc.syscall(create, None, 0, 1)), newest)
    read, truncate, everything = 0b1100, 1 << 14, (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, truncate), (5, 1 << 15)):
        if version >= since:
            everything |= right
    # Rights over files, over TCP (bind, connect), and over sockets and signals of other processes.
    attributes = struct.pack("=QQQ", everything, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(libc.syscall(create, attributes, size, 0))
    try:
        for path in (*files.readable, writable):
            rights = everything if path == writable else read
            try:
                anchor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                # A link that leads nowhere.
                continue
            if not os.path.isdir(path):  # noqa: PTH112
                rights &= ~0b1000
            try:
                _check(libc.syscall(add, ruleset, 1, struct.pack("=Qi", rights, anchor), 0))
            finally:
                os.close(anchor)
        _check(libc.syscall(enforce, ruleset, 0))
    finally:
        os.close(ruleset)
