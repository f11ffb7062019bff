"""Files that somebody else may have written."""

import os
import socket
from pathlib import Path

import pytest

from tool_sandbox.cli import main
from tool_sandbox.play.opening import LIMIT, check_no_links, read_bytes, read_json, read_text
from tool_sandbox.world.errors import ConfigurationError


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder with a file two levels down, and one beside the folder that is none of its own."""
    (tmp_path / "run" / "inner").mkdir(parents=True)
    (tmp_path / "run" / "inner" / "file.json").write_text("[1]")
    (tmp_path / "secret.json").write_text('"secret"')
    return tmp_path / "run"


def test_a_regular_file(run: Path) -> None:
    assert read_json(run / "inner" / "file.json", run) == [1]
    assert read_bytes(run / "inner" / "file.json") == b"[1]"


def test_a_folder_that_is_a_link_itself_may_be_named(run: Path) -> None:
    link = run.with_name("link")
    link.symlink_to(run)
    assert read_json(link / "inner" / "file.json", link) == [1]


def test_no_link_is_followed_within_a_folder(run: Path) -> None:
    (run / "link.json").symlink_to(run.with_name("secret.json"))
    (run / "folder").symlink_to(run.parent)
    (run / "own").symlink_to(run / "inner")
    for path in (run / "link.json", run / "folder" / "secret.json", run / "own" / "file.json"):
        with pytest.raises(ConfigurationError, match=r"cannot read .*: it is reached over a link"):
            read_json(path, run)
    with pytest.raises(OSError, match="outside of its folder"):
        read_bytes(run / ".." / "secret.json", run)


@pytest.mark.parametrize("within", [True, False])
def test_only_regular_files(run: Path, within: bool) -> None:
    os.mkfifo(run / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(run)  # addresses of sockets are short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for name in ("fifo", "socket", "inner"):
            with pytest.raises(ConfigurationError, match=r"cannot read .*: "):
                read_text(run / name, run if within else None)


def test_a_device_that_was_named() -> None:
    with pytest.raises(ConfigurationError, match="cannot read /dev/zero: it is no regular file"):
        read_text(Path("/dev/zero"))


def test_a_file_that_is_too_large(run: Path) -> None:
    with (run / "sparse").open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(ConfigurationError, match=f"it has more than {LIMIT // 2**20} MB"):
        read_text(run / "sparse", run)


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "1e999", "-1e999", str(10**39), "9" * 5000, "[" * 100_000, "{", "", '"\xff"']
)
def test_what_is_no_json(run: Path, text: str) -> None:
    (run / "file.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"file.json(: it is not UTF-8| is not a JSON file)"):
        read_json(run / "file.json", run)


def test_whole_numbers_of_64_bits(run: Path) -> None:
    (run / "file.json").write_text(f"[{-(2**63)}, {2**64 - 1}]")
    assert read_json(run / "file.json", run) == [-(2**63), 2**64 - 1]


@pytest.mark.parametrize("kind", ["device", "fifo", "sparse"])
@pytest.mark.parametrize("command", ["--prices", "--system-prompt", "--suite", "sweep"])
def test_no_flag_names_what_never_ends(
    command: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("/dev/zero") if kind == "device" else tmp_path / "file.py"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(10 * 2**30)
    agent = ["--agent", "openai-compatible/m:base_url=http://127.0.0.1:9/v1"] if command == "--prices" else []
    assert main([command, str(path), *agent, "-o", str(tmp_path / "data")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(path) in line


def test_what_is_written_into_has_no_links(run: Path) -> None:
    check_no_links(run)
    (run / "inner" / "link").symlink_to(run.parent)
    with pytest.raises(ConfigurationError, match="inner/link is a link"):
        check_no_links(run)
