"""A server of S3 on this machine, and what is in it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import fsspec
import pytest


@contextmanager
def serving_bucket() -> Iterator[str]:
    """The address of a folder in an empty bucket; this process, and those that it starts, find the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server,
    ):
        for name, value in {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing-secret-key",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }.items():
            patch.setenv(name, value)
        try:
            while server.poll() is None:
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            # Another server than that of the test before.
            fsspec.get_filesystem_class("s3").clear_instance_cache()
            fsspec.filesystem("s3").mkdir("results")
            yield "s3://results/of/mine"
        finally:
            server.kill()


def there(address: str) -> dict[str, bytes]:
    """Everything at an address, by path."""
    files, root = fsspec.url_to_fs(address)
    files.invalidate_cache()
    return {name[len(root) + 1 :]: files.cat_file(name) for name in files.find(root) if name.startswith(f"{root}/")}


def played(files: dict[str, bytes]) -> dict[str, bytes]:
    """What was played, without the name of the run."""
    return {name.partition("/")[2]: content for name, content in files.items() if "/trajectories/" in name}
