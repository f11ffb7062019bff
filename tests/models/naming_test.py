"""From what is written to the model that is meant."""

import string
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.naming import NO_KEY, choose_model, is_model, split_choice
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

SECRET = "sk-very-secret-0123456789"


def resolve_model(choice: str) -> Provider:
    return choose_model(choice).provider


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in PROVIDERS.values():
        for variable in spec.variables:
            monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in PROVIDERS.values():
        for variable in spec.keys[:1]:
            monkeypatch.setenv(variable, f"{SECRET}-{spec.name}")


@pytest.mark.parametrize(
    ("choice", "name", "options"),
    [
        ("openai/gpt-6-luna", "openai/gpt-6-luna", {}),
        (" vllm/m:effort=low, max_tokens = 5 ", "vllm/m", {"effort": "low", "max_tokens": "5"}),
        ("ollama/llama3.1:8b", "ollama/llama3.1:8b", {}),
        ("ollama/llama3.1:8b:temperature=0", "ollama/llama3.1:8b", {"temperature": "0"}),
        ("openrouter/deepseek/deepseek-r1:free", "openrouter/deepseek/deepseek-r1:free", {}),
        ("openai/ft:gpt-4o:org::id:seed=1", "openai/ft:gpt-4o:org::id", {"seed": "1"}),
        ("vllm/m:base_url=http://h:1/v1", "vllm/m", {"base_url": "http://h:1/v1"}),
    ],
)  # fmt: skip
def test_options_begin_at_the_first_colon_before_a_name_and_an_equals_sign(
    choice: str, name: str, options: dict[str, str]
) -> None:
    assert split_choice(choice) == (name, options)
    assert is_model(choice)


def test_other_choices_are_no_models() -> None:
    assert not is_model("Oracle:seed=1")
    assert not is_model("Hermes:model=a/b,base_url=http://h/v1")


WORDS = st.text(string.ascii_letters + string.digits + "-._", min_size=1)
VALUES = st.text(string.ascii_letters + string.digits + "-._/:=", min_size=1)


@given(
    st.lists(WORDS, min_size=2, max_size=4),
    st.sampled_from(["/", ":", "::"]),
    st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), VALUES, max_size=4),
)
def test_splitting_undoes_joining(parts: list[str], glue: str, options: dict[str, str]) -> None:
    name = "openai/" + glue.join(parts)
    written = name + (":" + ",".join(f"{key}={value}" for key, value in options.items()) if options else "")
    assert split_choice(written) == (name, options)


@pytest.mark.parametrize("spec", PROVIDERS.values(), ids=PROVIDERS)
@pytest.mark.usefixtures("keys")
def test_every_provider_can_be_made(spec: object, monkeypatch: pytest.MonkeyPatch) -> None:
    name = spec.name  # type: ignore[attr-defined]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    provider = resolve_model(f"{name}/some-model:max_tokens=7,timeout=3")
    assert (provider.name, provider.model, provider.settings) == (name, "some-model", {"max_tokens": 7})
    assert provider.endpoint.timeout_s == 3
    assert SECRET not in repr(provider.endpoint)


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        ("openai/m", "OpenAIResponses"),
        ("openai/m:api=responses", "OpenAIResponses"),
        ("openai/m:api=chat", "OpenAIChat"),
        ("vllm/m", "OpenAICompatibleChat"),
        ("vllm/m:format=hermes", "Completions"),
        ("openai-compatible/m:format=cohere,base_url=http://h/v1", "Completions"),
    ],
)
@pytest.mark.usefixtures("keys")
def test_options_choose_the_protocol(choice: str, kind: str) -> None:
    provider = resolve_model(choice)
    assert type(provider).__name__ == kind
    assert provider.name == choice.partition("/")[0]


@pytest.mark.parametrize(
    ("choice", "error", "says"),
    [
        ("antropic/x", UnknownNameError, "Did you mean: anthropic"),
        ("/x", UnknownNameError, "there is no provider ''"),
        ("openai/", ConfigurationError, "lacks the id of a model"),
        ("openai/:api=chat", ConfigurationError, "lacks the id of a model"),
        ("openai/a b", ConfigurationError, "white space"),
        ("openai/gpt-6-luna", ConfigurationError, "openai needs environment variable OPENAI_API_KEY"),
        ("google/gemini-3.8-flash", ConfigurationError, "GEMINI_API_KEY or GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT"),
        ("google/gemini-3.8-flash:vertex=true", ConfigurationError, "GOOGLE_CLOUD_REGION"),
        ("groq/m", ConfigurationError, "GROQ_API_KEY"),
        ("vllm/m:api_key_env=MY_API_KEY", ConfigurationError, "MY_API_KEY, which is not set"),
        ("openai-compatible/m", ConfigurationError, "base_url= or environment variable OPENAI_BASE_URL"),
        ("vllm/m:base_url=ftp://h/v1", ConfigurationError, "has to be an address"),
        ("vllm/m:base_url=localhost", ConfigurationError, "has to be an address"),
        ("vllm/m:base_url=http://", ConfigurationError, "has to be an address"),
        ("vllm/m:base_url=http://h:x/v1", ConfigurationError, "has to be an address"),
        ("vllm/m:temprature=1", UnknownNameError, "Did you mean: temperature"),
        ("vllm/m:temperature=hot", ConfigurationError, "option temperature of vllm has to be a number"),
        ("vllm/m:temperature=1,temperature=1", ConfigurationError, "twice"),
        ("vllm/m:temperature=1,hot", ConfigurationError, "option=value"),
        ("vllm/m:format=xml", ConfigurationError, "hermes or gorilla or mistral or cohere"),
        ("openai/m:api=soap", ConfigurationError, "responses or chat"),
        ("anthropic/claude-3-haiku-20240307", ConfigurationError, "on 2026-04-19; use anthropic/claude-haiku-5-5"),
    ],
)  # fmt: skip
def test_mistakes_are_explained_in_one_line(choice: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        resolve_model(choice)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "choice",
    [
        f"openai/m:api_key={SECRET}",
        f"openai/m:key={SECRET},bad=1",
        f"openai/m:API_KEY={SECRET}",
        f"vllm/m:token={SECRET}",
        f"vllm/m:base_url=http://u:{SECRET}@h/v1",
        f"vllm/m:base_url=http://{SECRET}@h/v1",
        f"vllm/m:base_url=http://h/v1?key={SECRET}",
        f"openai/m:seed=1,{SECRET}",
    ],
)
def test_a_key_on_the_command_line_is_refused_and_not_quoted(choice: str) -> None:
    with pytest.raises(ConfigurationError, match=r"secret|does not belong|option=value") as caught:
        resolve_model(choice)
    assert SECRET not in str(caught.value)


def test_an_address_in_the_environment_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://u:{SECRET}@h/v1")
    with pytest.raises(ConfigurationError, match="must not contain") as caught:
        resolve_model("openai-compatible/m")
    assert SECRET not in str(caught.value)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"google needs .*pip install 'tool_sandbox\[google\]'"):
        resolve_model("google/gemini-3.8-flash")


def test_the_key_of_openai_goes_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    for choice in ("openai-compatible/m:base_url=http://h/v1", "vllm/m", "vllm/m:format=hermes"):
        assert resolve_model(choice).endpoint.api_key == NO_KEY
    assert resolve_model("openai/m:base_url=http://proxy/v1").endpoint.api_key == SECRET
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h/v1")
    assert resolve_model("openai-compatible/m").endpoint.api_key == SECRET
    monkeypatch.setenv("MY_KEY", "other")
    assert resolve_model("vllm/m:api_key_env=MY_KEY").endpoint.api_key == "other"


def test_equal_choices_share_one_model_until_the_environment_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "first-key")
    one = resolve_model("openai/m:temperature=0.5,seed=1,api=chat")
    assert resolve_model("openai/m:api=chat,seed=1,temperature=0.5") is one
    assert resolve_model("openai/m:api=chat,seed=2,temperature=0.5") is not one
    monkeypatch.setenv("OPENAI_API_KEY", "second-key")
    other = resolve_model("openai/m:temperature=0.5,seed=1,api=chat")
    assert other.endpoint.api_key == "second-key"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert resolve_model("openai/m:temperature=0.5,seed=1,api=chat") is not other


def test_retries_are_for_the_role() -> None:
    chosen = choose_model("vllm/m:retries=2")
    assert chosen.policy.retries == 2
    assert chosen.provider.settings == {}
    assert choose_model("vllm/m").policy.retries > 2


def test_stored_answers_need_neither_key_nor_address_nor_a_living_model() -> None:
    for choice in ("anthropic/claude-3-opus-20240229", "openai/m", "google/gemini-1.0-pro", "openai-compatible/m"):
        assert choose_model(choice, offline=True).provider.endpoint.api_key
    with pytest.raises(UnknownNameError):
        choose_model("nobody/m", offline=True)


def test_choosing_imports_no_sdk_and_no_http_library_before_it_has_to() -> None:
    code = (
        "import sys; from tool_sandbox.roles import registry; registry.parse_choice('A');"
        "print([m for m in ('openai', 'anthropic', 'google.genai', 'httpx2') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_usual_address_of_a_preset_can_be_changed_for_good(monkeypatch):
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://gpu.example:11434/v1")
    assert resolve_model("ollama/llama3.1:8b").endpoint.base_url == "http://gpu.example:11434/v1"
    other = resolve_model("ollama/llama3.1:8b:base_url=http://127.0.0.1:1/v1")
    assert other.endpoint.base_url == "http://127.0.0.1:1/v1"
    assert resolve_model("vllm/llama3.1:8b").endpoint.base_url == "http://localhost:8000/v1"
