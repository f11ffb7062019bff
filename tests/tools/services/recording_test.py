"""Record, replay, cache."""

import json
import threading
from pathlib import Path
from typing import Any

import attrs
import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.tools.rapid_api_search_tools import search_stock, search_weather_around_lat_lon
from tool_sandbox.tools.services import SearchService, create_service
from tool_sandbox.tools.services.base import RequestKey
from tool_sandbox.tools.services.lookups import Lookup, StockLookup
from tool_sandbox.tools.services.recording import CachingService, RecordingService, ReplayService
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError


@attrs.define
class Counter(SearchService):
    """Answers with the number of the request."""

    count: int = 0
    fails: bool = False
    mode: str = "counter"
    version: str = "7"

    def body(self, lookup: Lookup[Any], now: float) -> dict[str, Any]:
        if self.fails:
            raise InfrastructureError("down")
        self.count += 1
        return {"count": self.count, "list": []}


def ask(service: SearchService, query: str = "Apple") -> dict[str, Any]:
    return service.body(StockLookup(query), 0.0)


def test_requests_are_normalised() -> None:
    def key(**params: Any) -> RequestKey:
        return RequestKey.of("https://Host.example/path", params)

    assert key(a=1, b="x  y ") == key(b="x y", a=1.0)
    assert key(a=1.5) != key(a=1)
    assert key(a=1) != RequestKey.of("https://host.example/other", {"a": 1})


def test_record_and_replay(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.jsonl"
    recorder = create_service("record", path=path, record_from="offline")
    with new_context(ExecutionContext(services=recorder)):
        answers = [search_stock("Apple"), search_weather_around_lat_lon(1)]
    replay = create_service("replay", path=path)
    with new_context(ExecutionContext(services=replay)):
        assert [search_stock("Apple"), search_weather_around_lat_lon(1)] == answers
        with pytest.raises(InfrastructureError, match="Microsoft"):
            search_stock("Microsoft")
    assert (recorder.mode, replay.mode, replay.version) == ("record:offline", "replay", "answers.jsonl")


def test_what_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    ask(RecordingService(path, service=Counter()))
    assert json.loads(path.read_text()) == {
        "url": "real-time-finance-data.p.rapidapi.com/search",
        "params": {"query": "Apple"},
        "body": {"count": 1, "list": []},
    }


def test_failures_are_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with pytest.raises(InfrastructureError):
        ask(RecordingService(path, service=Counter(fails=True)))
    assert not path.exists()


def test_newest_answer_counts(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    recorder = RecordingService(path, service=Counter())
    ask(recorder)
    ask(recorder)
    replay = ReplayService(path)
    assert ask(replay)["count"] == 2
    ask(replay)["list"].append(1)
    assert ask(replay)["list"] == []


def test_threads_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    recorder = RecordingService(path, service=Counter())
    threads = [threading.Thread(target=ask, args=(recorder, f"query {number}")) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 20


def test_unfinished_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    ask(RecordingService(path, service=Counter()))
    with path.open("a") as file:
        file.write('{"url": "x", "par')
    assert ask(ReplayService(path))["count"] == 1


@pytest.mark.parametrize("text", ["not json\n", "{}\n", "[]\n", '{"url": "x", "params": 3, "body": {}}\n'])
def test_damaged_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match="line 1"):
        ReplayService(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        create_service("replay", path=tmp_path / "none.jsonl")


def test_cache_asks_once() -> None:
    source = Counter()
    cache = CachingService(service=source)
    ask(cache)["list"].append(1)
    assert ask(cache) == {"count": 1, "list": []}
    assert ask(cache, "Microsoft")["count"] == 2
    assert source.count == 2
    assert (cache.mode, cache.version) == ("counter", "7")


def test_cache_does_not_keep_failures() -> None:
    source = Counter(fails=True)
    cache = CachingService(service=source)
    with pytest.raises(InfrastructureError):
        ask(cache)
    source.fails = False
    assert ask(cache)["count"] == 1
