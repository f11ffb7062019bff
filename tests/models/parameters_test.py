import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.parameters import COMMON, Parameter, read_parameters, refuse_keys
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

KNOWN = (
    *COMMON,
    Parameter("temperature", "randomness", "number", minimum=0, maximum=2),
    Parameter("effort", "how hard to think", choices=("low", "high")),
    Parameter("thinking", "tokens to think", "whole number", minimum=1024, choices=("adaptive", "off")),
    Parameter("parallel", "several calls at once", "flag"),
)


def test_values_are_converted() -> None:
    options = {"temperature": "0.5", "effort": "low", "thinking": "2048", "parallel": "no", "max_tokens": "10"}
    assert read_parameters("acme", KNOWN, options) == {
        "temperature": 0.5,
        "effort": "low",
        "thinking": 2048,
        "parallel": False,
        "max_tokens": 10,
    }
    assert read_parameters("acme", KNOWN, {"thinking": "off"}) == {"thinking": "off"}


@pytest.mark.parametrize(
    ("option", "text", "domain"),
    [
        ("temperature", "3", "a number from 0 to 2"),
        ("temperature", "nan", "a number from 0 to 2"),
        ("temperature", "warm", "a number from 0 to 2"),
        ("effort", "extreme", "low or high"),
        ("thinking", "12", "adaptive, off or a whole number of at least 1024"),
        ("thinking", "inf", "adaptive, off or a whole number of at least 1024"),
        ("parallel", "perhaps", "true or false"),
        ("max_tokens", "1.5", "a whole number of at least 1"),
        ("max_tokens", "0", "a whole number of at least 1"),
    ],
)
def test_wrong_values_are_explained(option: str, text: str, domain: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_parameters("acme", KNOWN, {option: text})
    assert str(caught.value) == f"option {option} of acme has to be {domain}, got {text!r}"


def test_unknown_options_are_explained() -> None:
    with pytest.raises(UnknownNameError, match=r"acme has no option 'temprature'.*Did you mean: temperature"):
        read_parameters("acme", KNOWN, {"temprature": "1"})


@pytest.mark.parametrize("name", ["api_key", "key", "token"])
def test_keys_are_not_taken_and_not_repeated(name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        refuse_keys({name: "sk-very-secret"}, "name a variable")
    assert f"a key ({name}) does not belong on the command line" in str(caught.value)
    assert "sk-very-secret" not in str(caught.value)


@given(st.sampled_from(KNOWN), st.text())
def test_any_text_is_read_or_refused(parameter: Parameter, text: str) -> None:
    try:
        value = parameter.read(text)
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = ""
        if isinstance(value, float | int) and not isinstance(value, bool):
            assert parameter.minimum is None or value >= parameter.minimum
            assert parameter.maximum is None or value <= parameter.maximum
    assert refusal in ("", parameter.domain)
