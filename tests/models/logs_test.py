"""What the package logs, and what it never writes."""

import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

import tool_sandbox
from tool_sandbox.models.logs import SDKS, LogLevel, without_secrets
from tool_sandbox.world.errors import UnknownNameError

KEY = "sk-ant-0123456789abcdefghij"
LOGGERS = ("tool_sandbox", *SDKS)


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    before = {name: (logging.getLogger(name).level, logging.getLogger(name).handlers[:]) for name in LOGGERS}
    yield
    for name, (level, handlers) in before.items():
        logging.getLogger(name).setLevel(level)
        logging.getLogger(name).handlers[:] = handlers


def logged(level: "LogLevel | int | str", **how: bool) -> str:
    stream = io.StringIO()
    tool_sandbox.set_logging(level, stream, **how)
    for child in ("agent", "tool"):
        logger = logging.getLogger(f"tool_sandbox.{child}")
        logger.debug("details")
        logger.warning("a warning")
    return stream.getvalue()


def test_a_library_is_quiet() -> None:
    code = "import logging, tool_sandbox; logging.getLogger('tool_sandbox.agent').error('lost')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_command_line_tells_warnings_as_they_are() -> None:
    code = (
        "import logging, sys; from tool_sandbox.cli import main; code = main(['tools', 'set_wifi_status'])\n"
        "logging.getLogger('tool_sandbox.runner.casting').warning('it ends soon')\n"
        "logging.getLogger('tool_sandbox.runner.casting').info('not told'); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "it ends soon\n"


def test_what_is_exported_is_imported_when_it_is_used() -> None:
    code = "import sys, tool_sandbox; 'tool_sandbox.models' in sys.modules and sys.exit(1); tool_sandbox.set_logging"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(tool_sandbox.__all__) <= set(dir(tool_sandbox)) | {"LogLevel", "set_logging"}
    with pytest.raises(AttributeError, match="has no attribute 'set_loging'"):
        tool_sandbox.set_loging  # noqa: B018


@pytest.mark.parametrize("level", [LogLevel.WARNING, 30, "WARNING", "warning", " Warning "])
def test_a_level_is_an_enum_a_number_or_a_name(level: "LogLevel | int | str") -> None:
    assert logged(level) == "WARNING tool_sandbox.agent: a warning\nWARNING tool_sandbox.tool: a warning\n"


def test_more_and_less() -> None:
    assert "DEBUG tool_sandbox.tool: details" in logged("debug")
    assert logged("critical") == ""
    assert logged("warning", show_level=False) == "a warning\na warning\n"
    assert logged("warning", show_level=False, show_time=True)[:2] == "20"


@pytest.mark.parametrize("level", ["LOUD", True, -1, None, 1.5])
def test_another_level_is_refused_in_one_line(level: object) -> None:
    with pytest.raises(UnknownNameError, match=r"there is no log level .*; choose one of DEBUG, INFO, .* or a number"):
        tool_sandbox.set_logging(level)  # type: ignore[arg-type]


def test_a_level_that_was_nearly_right() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean: WARNING"):
        tool_sandbox.set_logging("warnings")


def test_a_second_call_replaces_the_first() -> None:
    first, second = io.StringIO(), io.StringIO()
    tool_sandbox.set_logging("INFO", first)
    tool_sandbox.set_logging("INFO", second)
    logging.getLogger("tool_sandbox.agent").info("once")
    assert first.getvalue() == ""
    assert second.getvalue().count("once") == 1


def test_stderr_is_the_one_of_the_moment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tool_sandbox.set_logging()
    later = io.StringIO()
    logging.getLogger("tool_sandbox.tool").warning("first")
    monkeypatch.setattr(sys, "stderr", later)
    logging.getLogger("tool_sandbox.tool").warning("second")
    assert "first" in capsys.readouterr().err
    assert later.getvalue() == "WARNING tool_sandbox.tool: second\n"


def test_sdks_are_quiet_by_default() -> None:
    for name in SDKS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    logging.getLogger("openai").setLevel(logging.DEBUG)
    tool_sandbox.set_logging("DEBUG", io.StringIO())
    assert logging.getLogger("anthropic").level == logging.WARNING
    assert logging.getLogger("openai").level == logging.DEBUG


def test_no_key_is_written_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "correct-horse-battery")
    stream = io.StringIO()
    tool_sandbox.set_logging("DEBUG", stream)
    logger = logging.getLogger("tool_sandbox.agent")
    logger.info("asked with %s", KEY)
    try:
        raise ValueError("correct-horse-battery was refused\x1b[2J")
    except ValueError:
        logger.exception("failed")
    text = stream.getvalue()
    assert KEY not in text
    assert "correct-horse-battery" not in text
    assert text.count("[redacted]") >= 2
    assert "Traceback" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [redacted]"),
        ("{'authorization': 'Bearer abc', 'accept': '*/*'}", "{'authorization': '[redacted]', 'accept': '*/*'}"),
        ('{"x-api-key": "abc", "n": 1}', '{"x-api-key": "[redacted]", "n": 1}'),
        ("(b'x-goog-api-key', b'abc')", "(b'x-goog-api-key', b'[redacted]')"),
        ("Cookie: a=b; c=d\nHost: here", "Cookie: [redacted]\nHost: here"),
        ("the author was authorized", "the author was authorized"),
    ],
)
def test_headers_with_credentials(text: str, expected: str) -> None:
    assert without_secrets(text) == expected
