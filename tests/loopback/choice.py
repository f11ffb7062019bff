"""How a model of a server of this machine is chosen, with the key that the fixture `loopback_key` sets; its prices."""

import json
from pathlib import Path

from tests.loopback.server import Loopback

KEY_VARIABLE = "LOOPBACK_API_KEY"
KEY = "sk-test-key-of-mine-12345"


def choice(server: Loopback, *options: str, model: str = "m-1") -> str:
    """The model as on the command line; every request is made once."""
    address = f"openai-compatible/{model}:base_url={server.url}/v1"
    return ",".join((address, f"api_key_env={KEY_VARIABLE}", "retries=0", *options))


def write_prices(folder: Path) -> Path:
    """A file of prices: ten dollars a million tokens in, a hundred out."""
    path = folder / "prices.json"
    price = {"provider": "openai-compatible", "model": "m-1", "valid_from": "2024-01-01", "input": 10, "output": 100}
    path.write_text(json.dumps({"prices": [price]}))
    return path
