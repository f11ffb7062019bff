"""The command that shows a folder of runs in the browser, also while they go on."""

import argparse
import signal
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from tool_sandbox.cli.parsing import Parser, port
from tool_sandbox.helpers.printable import printable
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.analysis.report.server import ViewServer

DEFAULT_PORT = 8877
_TRIED = 20

_EPILOG = """\
exit codes: 0 stopped, 2 usage error

examples:
  tool_sandbox view                                      all runs below data
  tool_sandbox view data/SWEEP --port 9000
"""


def parser() -> Parser:
    """The flags of ``tool_sandbox view``."""
    flags = Parser(
        prog="tool_sandbox view",
        description="Shows the runs of a folder in the browser and follows those in progress. Only this machine can "
        "reach it; nothing is written except your review decisions. Control-C ends it.",
        epilog=_EPILOG,
    )
    flags.add_argument(
        "folder", nargs="?", type=Path, default=Path("data"), metavar="FOLDER", help="runs (default: data)"
    )
    flags.add_argument("--port", type=port, metavar="N", help=f"default: {DEFAULT_PORT} or the next free one")
    flags.add_argument("--no-open", action="store_true", help="only print the address")
    return flags


def command(arguments: argparse.Namespace) -> int:
    """Serves the folder until it is interrupted."""
    folder: Path = arguments.folder
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder; give the folder of the runs, or one run")
    server = start(folder, arguments.port)
    if threading.current_thread() is threading.main_thread():
        # Importing polars replaces Python's own handler by one that lets blocking calls go on.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"showing {printable(str(folder))} at {server.url} (Control-C ends)", flush=True)
    try:
        if not arguments.no_open:
            webbrowser.open(server.url)
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
    return 0


def start(folder: Path, port: int | None) -> "ViewServer":
    """Makes the server, which listens but does not answer yet."""
    from tool_sandbox.analysis.report.folder import Folder
    from tool_sandbox.analysis.report.server import ViewServer
    from tool_sandbox.cli.reviewing import reviewer

    for number in [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + _TRIED):
        try:
            return ViewServer(Folder(folder), number, reviewer)
        except OSError as error:
            reason = error.strerror or str(error)
    where = f"port {port}" if port is not None else f"ports {DEFAULT_PORT} to {DEFAULT_PORT + _TRIED - 1}"
    raise ConfigurationError(f"cannot listen on {where}: {reason}; choose another with --port")
