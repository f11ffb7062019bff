"""Results at an address of ``fsspec``, such as object storage, with the extra ``remote``.

A run is played into a copy of its directory on this machine, which is gone with the process. Each conversation goes to
the address as soon as it is over, its record last; a file is there whole or not at all. So what is at the address is at
any moment a directory that can be read, summed up and resumed, as one that a killed process leaves on a disk. Who
claims its copy holds the run at the address, too, see ``tool_sandbox.runner.leases``.
"""

import contextlib
import errno
import itertools
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from tool_sandbox.integrations.executors.workspace import shelter
from tool_sandbox.models.redaction import public_url
from tool_sandbox.play.record import RECORD_FILE
from tool_sandbox.play.trajectory_files import make_directory, write_bytes
from tool_sandbox.runner.layout import REPLACED, RUN_FILE, SUMMARY_FILE, SWEEP_FILE, TRAJECTORIES
from tool_sandbox.runner.leases import Lease
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError, StorageError

SENDERS = 16
"""Conversations that are sent at the same time."""

MOST_WAITING = 256
"""Conversations that may wait to be sent; then the run waits."""

_ADDRESS = re.compile(r"(?P<protocol>[A-Za-z][\w+.-]+(?:::[\w+.:/-]+)?):/{1,2}(?P<rest>[^/].*|/.*)", re.DOTALL)
"""As it was given, or as a path that it was made into; one letter is a drive."""

_WHOLE = frozenset({"memory", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "r2"})
"""Protocols of which an object is there whole or not at all; of the others a file is renamed."""

_NOTES = ".claims"
"""Folder of a run with the notes of who holds it."""

_HERE = ("file", "local")
"""Protocols of the file system of this machine."""


@attrs.define(eq=False)
class Copy:
    """A folder here that stands for one at an address.

    Attributes:
        address: The address, which may hold a password.
        path: The folder here.
    """

    address: str
    path: Path
    _fs: Any
    _root: str
    _is_whole: bool
    _known: dict[str, tuple[int, int]] = attrs.field(factory=dict)
    _seen: dict[str, tuple[Any, ...]] = attrs.field(factory=dict)
    _leases: dict[Path, Lease] = attrs.field(factory=dict)
    _lock: threading.RLock = attrs.field(factory=threading.RLock)
    _senders: ThreadPoolExecutor | None = None
    _sent: "list[Future[None]]" = attrs.field(factory=list)
    _places: threading.Semaphore = attrs.field(factory=lambda: threading.Semaphore(MOST_WAITING))

    @classmethod
    def of(cls, address: str) -> "Copy":
        """An empty folder for an address.

        Raises:
            ConfigurationError: There is no such protocol, or something that it needs is missing.
        """
        try:
            import fsspec
        except ImportError as error:
            raise MissingRequirementError("addresses need the extra: pip install 'tool_sandbox[remote]'") from error
        try:
            files, root = fsspec.url_to_fs(address)
        except Exception as error:
            raise ConfigurationError(f"{public_url(address)} cannot be used: {_told(error)}") from None
        name = PurePosixPath(root.rstrip("/")).name or "results"
        path = shelter() / uuid.uuid4().hex / re.sub(r"[^\w.=+@-]", "-", name)
        protocol = address.partition(":")[0].lower()
        return cls(address.rstrip("/"), path, files, root.rstrip("/"), protocol in _WHOLE)

    def exists(self, name: str) -> bool:
        """Whether there is something of a name at the address."""
        with self._asking():
            return bool(self._fs.exists(f"{self._root}/{name}"))

    def has(self, folder: Path) -> bool:
        """Whether something in a folder came from here, or is known from there."""
        below = f"{folder.relative_to(self.path).as_posix()}/"
        return any(inner.startswith(below) for inner in self._known)

    def fetch(self) -> None:
        """Copies everything that is at the address.

        Raises:
            ConfigurationError: There is nothing, or it cannot be read.
        """
        try:
            self._seen = self._listing()
            self._fetch(self._seen)
        except Exception as error:
            raise ConfigurationError(f"{public_url(self.address)} cannot be read: {_told(error)}") from None
        if not self._seen:
            raise ConfigurationError(f"there is nothing at {public_url(self.address)}")
        self._take_back()

    def _listing(self, below: str = "") -> dict[str, tuple[Any, ...]]:
        """Path to what changes with its content, for everything below the root, or below a folder."""
        self._fs.invalidate_cache()
        found = self._fs.find(f"{self._root}/{below}".rstrip("/"), detail=True)
        inner = {self._inner(name): info for name, info in found.items()}
        return {name: tuple(info.get(key) for key in _VERSIONS) for name, info in inner.items() if name is not None}

    def _fetch(self, names: Iterable[str]) -> None:
        for contents in _pieces([f"{self._root}/{name}" for name in names]):
            for name, content in self._read(contents):
                self._keep(str(self._inner(name)), content)

    def _read(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        found = self._fs.cat(names)
        return iter(found.items() if isinstance(found, dict) else [(names[0], found)])

    def _inner(self, name: str) -> str | None:
        """Path below the root, ``None`` for what is none of ours; the names are of somebody else."""
        if not name.startswith(f"{self._root}/"):
            return None
        parts = name[len(self._root) + 1 :].split("/")
        if any(part in ("", "..") or part.startswith(".") or "\0" in part or "\\" in part for part in parts):
            return None
        return "/".join(parts)

    def _keep(self, inner: str, content: bytes) -> None:
        file = self.path / inner
        make_directory(file.parent)
        write_bytes(file, content)
        self._known[inner] = _stamp(file)

    @contextlib.contextmanager
    def holding(self, run: Path) -> Iterator[None]:
        """Holds a run at the address: as it is there now, and nobody else writes into it.

        Raises:
            ConfigurationError: Another process holds it, or the address cannot be read or written.
        """
        inner = run.relative_to(self.path).as_posix()
        below = "" if inner == "." else f"{inner}/"
        lease = Lease(f"{public_url(self.address)}/{below}".rstrip("/"), _Notes(self, f"{below}{_NOTES}"))
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(lease.held())
                self._refresh(below)
            except ConfigurationError:
                raise
            except Exception as error:
                raise ConfigurationError(f"cannot lock {lease.place}: {_told(error)}") from None
            self._leases[run] = lease
            try:
                yield
            finally:
                # What cannot be sent now is said at the end of the command.
                with contextlib.suppress(StorageError):
                    self.send(run)
                    with self._asking():
                        self._seen.update(self._listing(below))
                del self._leases[run]

    def _refresh(self, below: str) -> None:
        """Takes what others have changed in a run since it was fetched."""
        before = {name for name in self._seen if name.startswith(below)}
        if not before:
            return  # it began here
        now = self._listing(below)
        self._fetch(name for name, version in now.items() if self._seen.get(name) != version)
        for name in before - now.keys():
            (self.path / name).unlink(missing_ok=True)
            self._known.pop(name, None)
            del self._seen[name]
        self._seen.update(now)
        self._take_back()

    def _check_leases(self, folder: Path) -> None:
        for run, lease in list(self._leases.items()):
            if folder.is_relative_to(run) and not lease.is_valid:
                told = "another process may have taken the run meanwhile: the address was out of reach for too long"
                raise StorageError(errno.EIO, told, lease.place)

    def _take_back(self) -> None:
        """Removes results that were about to make way for other attempts, and have not."""
        for file in self.path.rglob(f"{REPLACED}/*/*.jsonl"):
            run = file.parent.parent.parent
            present = run / TRAJECTORIES / file.name.rsplit(".", 2)[0] / RECORD_FILE
            if present.is_file() and present.read_bytes() == file.read_bytes():
                file.unlink()

    def send(self, folder: Path, names: Iterable[str] | None = None) -> None:
        """Sends what has changed in a folder, or in some places of it, and waits for it.

        Raises:
            StorageError: It cannot be written.
        """
        with self._asking():
            self._check_leases(folder)
            places = [folder] if names is None else [folder / name for name in names]
            files = sorted((file for place in places for file in _files(place)), key=_rank)
            for inner in (str(file.relative_to(self.path).as_posix()) for file in files):
                stamp = _stamp(self.path / inner)
                if self._known.get(inner) != stamp:
                    self._write(inner, (self.path / inner).read_bytes())
                    with self._lock:
                        self._known[inner] = stamp
            if names is None:
                self._remove_gone(folder)

    def _remove_gone(self, folder: Path) -> None:
        with self._lock:
            below = "" if folder == self.path else f"{folder.relative_to(self.path).as_posix()}/"
            gone = [inner for inner in self._known if inner.startswith(below) and not (self.path / inner).exists()]
            for inner in gone:
                with contextlib.suppress(FileNotFoundError):
                    self._fs.rm_file(f"{self._root}/{inner}")
                del self._known[inner]

    def _write(self, inner: str, content: bytes) -> None:
        target = f"{self._root}/{inner}"
        with self._turn():
            if self._is_whole:
                self._fs.pipe_file(target, content)
                return
            folder, _, name = target.rpartition("/")
            self._fs.makedirs(folder, exist_ok=True)
            temporary = f"{folder}/.{uuid.uuid4().hex}.tmp"
            self._fs.pipe_file(temporary, content)
            self._fs.mv(temporary, f"{folder}/{name}")

    def _turn(self) -> contextlib.AbstractContextManager[Any]:
        """Some file systems are for one thread at a time."""
        return contextlib.nullcontext() if self._fs.async_impl else self._lock

    def send_conversation(self, run: Path, directory: str) -> None:
        """Sends a conversation that is over, meanwhile; what it replaces goes first.

        Raises:
            StorageError: An earlier one could not be written.
        """
        self.check()
        if self._senders is None:
            self._senders = ThreadPoolExecutor(SENDERS, "sender")
        self._places.acquire()
        self._sent.append(self._senders.submit(self._send_conversation, run, directory))

    def _send_conversation(self, run: Path, directory: str) -> None:
        try:
            replaced = (file.relative_to(run).as_posix() for file in _replaced(run, directory))
            self.send(run, [*replaced, f"{TRAJECTORIES}/{directory}"])
        finally:
            self._places.release()

    def check(self) -> None:
        """Raises what went wrong with a conversation that was sent."""
        going = [each for each in self._sent if not each.done()]
        over, self._sent = [each for each in self._sent if each.done()], going
        for each in over:
            each.result()

    def finish(self, run: Path) -> None:
        """Waits for all conversations, then sends what else has changed in a run.

        Raises:
            StorageError: Something cannot be written.
        """
        if self._senders is not None:
            self._senders.shutdown()
            self._senders = None
        self.check()
        self.send(run)

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except StorageError:
            raise
        except Exception as error:
            raise StorageError(errno.EIO, _told(error), public_url(self.address)) from error


_VERSIONS = (
    "size",
    "ETag",
    "etag",
    "md5Hash",
    "md5",
    "generation",
    "LastModified",
    "last_modified",
    "mtime",
    "created",
)
"""What listings of stores say by which a change of a file is seen."""


@attrs.frozen
class _Notes:
    """Notes in a folder at an address."""

    _copy: Copy
    _folder: str

    def read(self) -> dict[str, bytes]:
        files, found = self._copy._fs, {}
        with self._copy._turn():
            files.invalidate_cache()
            for path in files.find(f"{self._copy._root}/{self._folder}"):
                name = PurePosixPath(path).name
                if not name.startswith("."):
                    with contextlib.suppress(FileNotFoundError):
                        found[name] = files.cat_file(path)
        return found

    def write(self, name: str, content: bytes) -> None:
        self._copy._write(f"{self._folder}/{name}", content)

    def remove(self, name: str) -> None:
        with self._copy._turn(), contextlib.suppress(FileNotFoundError):
            self._copy._fs.rm_file(f"{self._copy._root}/{self._folder}/{name}")


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size


def _files(place: Path) -> Iterator[Path]:
    """The files of a place that are results: nothing that only this machine has a use for."""
    if place.is_file():
        yield place
        return
    for file in place.rglob("*"):
        if not any(part.startswith(".") for part in file.relative_to(place).parts) and file.is_file():
            yield file


def _replaced(run: Path, directory: str) -> Iterator[Path]:
    """The results of a conversation that made way for others."""
    for folder in (run / REPLACED).glob("*"):
        for number in itertools.count(1):
            file = folder / f"{directory}.{number}.jsonl"
            if not file.is_file():
                break
            yield file


def _rank(file: Path) -> tuple[bool, bool, str]:
    """What says that others are there comes last: a record, and of a run its description."""
    return file.name == RECORD_FILE, file.name == RUN_FILE, str(file)


def _pieces(names: list[str], size: int = 256) -> Iterator[list[str]]:
    for first in range(0, len(names), size):
        yield names[first : first + size]


def _told(error: Exception) -> str:
    """One line of an error that may be anything."""
    told = (getattr(error, "strerror", None) or str(error)).strip().partition("\n")[0][:200]
    return told or type(error).__name__


# The copies of this process ------------------------------------------------------------------------------------

_copies: list[Copy] = []


def address_of(given: str | Path) -> str | None:
    """The address that something is, ``None`` for a path."""
    found = _ADDRESS.fullmatch(str(given))
    if found is None:
        return None
    rest = found["rest"]
    # The path of a machine is absolute, and has one slash left of three when it was made a path.
    return f"{found['protocol']}://{'/' + rest.lstrip('/') if found['protocol'] in _HERE else rest}"


def folder_for(given: str | Path) -> Path:
    """Where results go on this machine that are meant for a path or an address.

    Raises:
        ConfigurationError: The address cannot be used.
    """
    return _local(given, lambda copy: make_directory(copy.path))


def new_folder(given: str | Path) -> Path:
    """A folder on this machine that is not there yet, for a path or an address at which nothing may be.

    Raises:
        ConfigurationError: The address cannot be used, or there is something.
    """
    address = address_of(given)
    if address is None or address.partition(":")[0] in _HERE:
        return folder_for(given)
    above, _, name = address.rstrip("/").rpartition("/")
    path = folder_for(above) / name
    if (copy := copy_with(path)) is not None and copy.exists(name):
        raise ConfigurationError(f"{addressed(path)} exists already; give an address at which nothing is")
    return path


def fetched(given: str | Path) -> Path:
    """Where on this machine is what there is at a path or an address.

    Raises:
        ConfigurationError: The address cannot be used, or there is nothing.
    """
    return _local(given, Copy.fetch)


def _local(given: str | Path, prepare: Callable[[Copy], None]) -> Path:
    address = address_of(given)
    if address is None:
        return Path(given)
    if PurePosixPath(address).name in (RUN_FILE, SWEEP_FILE, SUMMARY_FILE):
        address = address.rpartition("/")[0]
    if address.partition(":")[0] in _HERE:
        return Path(address.partition("://")[2])
    copy = Copy.of(address)
    prepare(copy)
    _copies.append(copy)
    return copy.path


def copy_with(path: Path) -> Copy | None:
    """The copy that a path is in."""
    return next((copy for copy in _copies if path.is_relative_to(copy.path)), None)


def begin(path: Path) -> None:
    """Sends what there is of a run, or of a sweep, that begins in a copy.

    Raises:
        ConfigurationError: It cannot be written.
    """
    copy = copy_with(path)
    if copy is None:
        return
    try:
        if copy.exists(path.relative_to(copy.path).as_posix()) and not copy.has(path):
            raise ConfigurationError(f"{addressed(path)} exists already; begin again")
        copy.send(path)
    except StorageError as error:
        raise ConfigurationError(f"cannot write results to {addressed(path)}: {error.strerror}") from None


def send_changes() -> None:
    """Sends what has changed in all copies.

    Raises:
        StorageError: It cannot be written.
    """
    for copy in _copies:
        copy.finish(copy.path)


def forget() -> None:
    """Ends what this process does with addresses; what was not sent never will be."""
    _copies.clear()


def addressed(text: object) -> str:
    """A text in which addresses stand in place of the paths of their copies."""
    told = str(text)
    for copy in _copies:
        told = told.replace(str(copy.path), public_url(copy.address))
    return told
