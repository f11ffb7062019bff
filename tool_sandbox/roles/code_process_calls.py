"""The filter of system calls around the process that runs an agent's code.

Calls are denied by number, and some by their arguments. What is newer than this list looks absent, as on an older
kernel. The filter cannot look at paths: `stat` and `readlink` answer for every path that the process can name, which is
why it has a root of its own where the kernel allows one (`code_process_limits`).
"""

import ctypes
import os
import struct

# Name, number on x86_64, number on aarch64.
_PROCESSES = """
clone 56 220, fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, kill 62 129, tkill 200 130, tgkill 234 131,
rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, pidfd_send_signal 424 424, pidfd_open 434 434,
pidfd_getfd 438 438, ptrace 101 117, kcmp 312 272, process_vm_readv 310 270, process_vm_writev 311 271,
process_madvise 440 440, perf_event_open 298 241, prctl 157 167, setpgid 109 154, setsid 112 157,
setpriority 141 140, sched_setparam 142 118, sched_setscheduler 144 119, sched_setaffinity 203 122,
sched_setattr 314 274, ioprio_set 251 30, migrate_pages 256 238, move_pages 279 239
"""
"""Other processes, and its place among them."""

_IDENTITY = """
setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149,
setgroups 116 159, setfsuid 122 151, setfsgid 123 152, capset 126 91, setrlimit 160 164, prlimit64 302 261,
personality 135 92, unshare 272 97, setns 308 268, add_key 248 217, request_key 249 218, keyctl 250 219
"""
"""Users, rights and limits."""

_SHARED = """
socket 41 198, socketpair 53 199, connect 42 203, accept 43 202, accept4 288 242, bind 49 200, listen 50 201,
sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, sendmmsg 307 269, recvmmsg 299 243,
setsockopt 54 208, semget 64 190, semop 65 193, semtimedop 220 192, semctl 66 191, shmget 29 194, shmat 30 196,
shmctl 31 195, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181
"""
"""The network, and what processes share by name or number."""

_FILES = """
chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -, lchown 94 -, fchown 93 55, fchownat 260 54, utime 132 -,
utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, getxattr 191 8,
lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13, removexattr 197 14,
lremovexattr 198 15, fremovexattr 199 16, truncate 76 45, chdir 80 49, fchdir 81 50, inotify_init 253 -,
inotify_init1 294 26, inotify_add_watch 254 27, inotify_rm_watch 255 28, fanotify_init 300 262,
fanotify_mark 301 263, name_to_handle_at 303 264, open_by_handle_at 304 265, openat2 437 437, quotactl 179 60,
quotactl_fd 443 443, sync 162 81, syncfs 306 267
"""
"""What Landlock does not know of: owners, modes, times and attributes of files, being told of changes, another working
directory; and truncating by name, which it knows of from version 3 on."""

_MACHINE = """
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429,
mount_setattr 442 442, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, swapon 167 224,
swapoff 168 225, reboot 169 142, kexec_load 246 104, kexec_file_load 320 294, init_module 175 105,
finit_module 313 273, delete_module 176 106, sethostname 170 161, setdomainname 171 162, settimeofday 164 170,
clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266, iopl 172 -, ioperm 173 -, acct 163 89,
syslog 103 116, vhangup 153 58, bpf 321 280, userfaultfd 323 282, io_uring_setup 425 425, io_uring_enter 426 426,
io_uring_register 427 427
"""
"""The machine and its mounts, and ways around this filter."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FCNTL, _IOCTL, _OPEN, _OPENAT, _CLONE3, _NEWEST = (72, 25), (16, 29), (2, None), (257, 56), 435, 446

_O_TRUNC, _O_ACCMODE, _O_ASYNC, _F_SETFL = 0o1000, 0o3, 0o20000, 4
_HARMLESS_COMMANDS = (0, 1, 2, 3, 5, 6, 7, 1030)
"""Of `fcntl`: duplicates, flags and locks. Others send signals (F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY)."""
_HARMLESS_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Of `ioctl`: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Others send signals (FIOASYNC, FIOSETOWN)."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_OF, _ANSWER = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_FORBIDDEN, _ABSENT = _REFUSE | 1, _REFUSE | 38
_SECOND, _THIRD = 24, 32
_PR_SET_SECCOMP = 22

_Program = list[tuple[int, int, int, int]]


def only_harmless_calls(libc: ctypes.CDLL) -> None:
    """Filters the calls of this process from now on."""
    machine = os.uname().machine
    program = _program(_ARCHITECTURES[machine], list(_ARCHITECTURES).index(machine))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    if libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _program(architecture: int, column: int) -> _Program:
    program: _Program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_ANSWER, 0, 0, _FORBIDDEN),
        (_LOAD, 0, 0, 0),
        # Numbers of the x32 variant, and then those that are newer than this list.
        *_when(_AT_LEAST, 0x40000000, _FORBIDDEN),
        *_when(_AT_LEAST, _NEWEST + 1, _ABSENT),
        *_when(_EQUAL, _CLONE3, _ABSENT),
    ]
    for row in ",".join((_PROCESSES, _IDENTITY, _SHARED, _FILES, _MACHINE)).split(","):
        denied = row.split()[1 + column]
        program += _when(_EQUAL, int(denied), _FORBIDDEN) if denied != "-" else []
    # Older versions of Landlock let a file that may be read be emptied while it is opened.
    emptying = [
        (_AND, 0, 0, _O_TRUNC | _O_ACCMODE),
        *_when(_EQUAL, _O_TRUNC, _FORBIDDEN),
        *_when(_EQUAL, _O_TRUNC | _O_ACCMODE, _FORBIDDEN),
        (_ANSWER, 0, 0, _ALLOW),
    ]
    setting = [(_LOAD, 0, 0, _THIRD), *_when(_ANY_OF, _O_ASYNC, _FORBIDDEN), (_ANSWER, 0, 0, _ALLOW)]
    commands = [command for each in _HARMLESS_COMMANDS for command in _when(_EQUAL, each, _ALLOW)]
    requests = [request for each in _HARMLESS_REQUESTS for request in _when(_EQUAL, each, _ALLOW)]
    for numbers, offset, checks in (
        (_OPEN, _SECOND, emptying),
        (_OPENAT, _THIRD, emptying),
        (_FCNTL, _SECOND, [*commands, (_EQUAL, 0, len(setting), _F_SETFL), *setting, (_ANSWER, 0, 0, _FORBIDDEN)]),
        (_IOCTL, _SECOND, [*requests, (_ANSWER, 0, 0, _FORBIDDEN)]),
    ):
        number = numbers[column]
        if number is not None:
            program += [(_EQUAL, 0, 1 + len(checks), number), (_LOAD, 0, 0, offset), *checks]
    return [*program, (_ANSWER, 0, 0, _ALLOW)]


def _when(test: int, value: int, answer: int) -> _Program:
    return [(test, 0, 1, value), (_ANSWER, 0, 0, answer)]
