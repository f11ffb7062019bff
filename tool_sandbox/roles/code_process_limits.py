"""Takes rights away from the process that runs an agent's code, with what the kernel offers.

Called by the worker on itself, before it runs anything, and never in the main process. Every layer
is independent: what a kernel, container or platform does not offer is left out, and `restrict`
says which layers hold. The standard library is enough; nothing here needs privileges.
"""

import contextlib
import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x8000000, 0x10000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_EPERM, _ENOSYS = 1, 38

# What code has no business doing: other processes, the network, the kernel's settings, its own limits.
# Numbers of x86_64 and aarch64; clone3 comes last because it has to look absent rather than forbidden.
_DENIED = {
    "x86_64": (
        0xC000003E,
        "41 42 43 44 45 46 47 49 50 53 56 57 58 59 62 64 68 29 101 109 112 129 141 142 144 155 159 160 161 164 165 "
        "166 167 168 169 170 171 172 173 175 176 179 200 203 227 234 240 246 248 249 250 251 272 288 297 298 300 302 "
        "303 304 305 308 310 311 313 314 320 321 322 323 424 425 426 427 428 429 430 431 432 433 434 438 442 435",
    ),
    "aarch64": (
        0xC00000B7,
        "198 199 200 201 202 203 206 207 211 212 220 221 129 130 131 138 240 117 154 157 140 118 119 122 41 51 40 39 "
        "224 225 142 161 162 164 170 171 112 105 106 60 180 190 186 194 104 217 218 219 30 97 241 242 261 262 264 265 "
        "266 268 270 271 273 274 294 280 281 282 424 425 426 427 428 429 430 431 432 433 434 438 442 435",
    ),
}


def restrict(readable: list[str], writable: str, *, cpu_seconds: int, memory_bytes: int, file_bytes: int) -> list[str]:
    """Restricts the calling process for the rest of its life.

    Args:
        readable: Files and directories that stay readable, such as the standard library.
        writable: The one directory that may be written, which is also the working directory.
        cpu_seconds: CPU time until the kernel ends the process.
        memory_bytes: Largest address space.
        file_bytes: Largest file.

    Returns:
        Names of the layers that hold, among ``limits``, ``namespaces``, ``scratch``, ``files`` and
        ``calls`` (see the comments below).
    """
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
        steps: dict[str, Callable[[], None]] = {
            # Own users, mounts, IPC and an empty network: no rights over anything outside.
            "namespaces": lambda: _own_namespaces(libc),
            # The working directory is a small file system in memory that vanishes with the process.
            "scratch": lambda: _scratch_directory(libc, writable),
            # Files: read the given ones, write the working directory, see nothing else.
            "files": lambda: _only_these_files(libc, readable, writable),
            # System calls: no processes, sockets, signals, tracing, mounts.
            "calls": lambda: _only_harmless_calls(libc),
        }
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            for layer, step in steps.items():
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


def _own_namespaces(libc: ctypes.CDLL) -> None:
    user, group = os.getuid(), os.getgid()
    _check(libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWNET))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _scratch_directory(libc: ctypes.CDLL, path: str) -> None:
    options = b"size=16m,nr_inodes=512,mode=700"
    _check(libc.mount(b"scratch", path.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options))
    os.chdir(path)


def _only_these_files(libc: ctypes.CDLL, readable: list[str], writable: str) -> None:
    create, add, enforce = 444, 445, 446
    version = _check(libc.syscall(create, None, 0, 1))
    read, truncate, everything = 0b1100, 1 << 14, (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, truncate), (5, 1 << 15)):
        if version >= since:
            everything |= right
    # Rights over files, over TCP (bind, connect), and over sockets and signals of other processes.
    attributes = struct.pack("=QQQ", everything, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(libc.syscall(create, attributes, size, 0))
    try:
        for path in (*readable, writable):
            if not os.path.exists(path):  # noqa: PTH110 - pathlib would be a slow import for the worker
                continue
            rights = everything if path == writable else read
            if not os.path.isdir(path):  # noqa: PTH112
                rights &= ~0b1000
            anchor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                _check(libc.syscall(add, ruleset, 1, struct.pack("=Qi", rights, anchor), 0))
            finally:
                os.close(anchor)
        _check(libc.syscall(enforce, ruleset, 0))
    finally:
        os.close(ruleset)


def _only_harmless_calls(libc: ctypes.CDLL) -> None:
    architecture, numbers = _DENIED[platform.machine() if os.name == "posix" else ""]
    denied = [int(number) for number in numbers.split()]
    load, jump_equal, jump_above, answer = 0x20, 0x15, 0x35, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000
    program = [
        (load, 0, 0, 4),  # architecture
        (jump_equal, 1, 0, architecture),
        (answer, 0, 0, refuse | _EPERM),
        (load, 0, 0, 0),  # number of the call
        (jump_above, 0, 1, 0x40000000),  # numbers of the x32 variant
        (answer, 0, 0, refuse | _EPERM),
    ]
    for number in denied[:-1]:
        program += [(jump_equal, 0, 1, number), (answer, 0, 0, refuse | _EPERM)]
    program += [(jump_equal, 0, 1, denied[-1]), (answer, 0, 0, refuse | _ENOSYS), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    _check(libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0))
