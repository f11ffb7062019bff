import datetime
import email.utils
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tool_sandbox.models.faults import FaultKind, fault_of_status, one_line, retry_after


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (400, "invalid_request_error", "tools.0.name: bad", FaultKind.INVALID_REQUEST),
        (400, "context_length_exceeded", "too long", FaultKind.CONTEXT_EXCEEDED),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "This model's maximum context length is 8192 tokens.", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "the request exceeds the available context size", FaultKind.CONTEXT_EXCEEDED),
        (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).",
            FaultKind.CONTEXT_EXCEEDED,
        ),
        (400, "", "Input tokens exceed the configured limit of 272000 tokens.", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "The prompt (length 9) is longer than the maximum model length of 8.", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "This model's maximum prompt length is 8 but there are 9 tokens.", FaultKind.CONTEXT_EXCEEDED),
        (422, "", "`inputs` must have less than 1024 tokens. Given: 2000", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "Input is too long for requested model.", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "Please reduce the length of the messages or completion.", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "Range of input length should be [1, 30720]", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "Your request exceeded model token limit: 8192", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "max_tokens: 200000 > 128000, the maximum number of output tokens", FaultKind.INVALID_REQUEST),
        (400, "", "'tool_calls[0].id': string too long. Expected a maximum length of 40", FaultKind.INVALID_REQUEST),
        (400, "invalid_request_error", "You have reached your specified API usage limits.", FaultKind.BILLING),
        (429, "rate_limit_error", "Rate limit reached. Visit billing for a higher one.", FaultKind.RATE_LIMIT),
        (400, "content_filter", "The response was filtered", FaultKind.BLOCKED),
        (400, "", "Invalid prompt: your prompt was flagged as potentially harmful", FaultKind.BLOCKED),
        (400, "invalid_request_error", "Your credit balance is too low", FaultKind.BILLING),
        (401, "authentication_error", "invalid key", FaultKind.AUTHENTICATION),
        (402, "billing_error", "pay", FaultKind.BILLING),
        (403, "permission_error", "not yours", FaultKind.PERMISSION),
        (404, "not_found_error", "model: x", FaultKind.NOT_FOUND),
        (408, "", "", FaultKind.TIMEOUT),
        (413, "request_too_large", "over 32 MB", FaultKind.INVALID_REQUEST),
        (413, "", "Request Entity Too Large", FaultKind.INVALID_REQUEST),
        (413, "", "Request size exceeds the maximum limit of 1 MB", FaultKind.INVALID_REQUEST),
        (413, "", "prompt is too long: 210000 tokens > 200000", FaultKind.CONTEXT_EXCEEDED),
        (413, "", "Request exceeds the maximum number of tokens (8192)", FaultKind.CONTEXT_EXCEEDED),
        (400, "", "<html>blocked due to our content policy</html>", FaultKind.INVALID_REQUEST),
        (400, "", "<html>the context window of this page is too long</html>", FaultKind.INVALID_REQUEST),
        (502, "", "upstream: maximum context length", FaultKind.SERVER),
        (422, "", "unprocessable", FaultKind.INVALID_REQUEST),
        (429, "rate_limit_error", "slow down", FaultKind.RATE_LIMIT),
        (429, "insufficient_quota", "You exceeded your current quota", FaultKind.BILLING),
        (500, "api_error", "oops", FaultKind.SERVER),
        (502, "", "<html>Bad gateway</html>", FaultKind.SERVER),
        (503, "", "loading model", FaultKind.OVERLOADED),
        (504, "timeout_error", "", FaultKind.TIMEOUT),
        (529, "overloaded_error", "Overloaded", FaultKind.OVERLOADED),
        (599, "", "", FaultKind.SERVER),
        (418, "", "teapot", FaultKind.INVALID_REQUEST),
    ],
)
def test_statuses_are_told_apart(status: int, code: str, message: str, kind: FaultKind) -> None:
    fault = fault_of_status(status, code, message, {})
    assert (fault.kind, fault.status) == (kind, status)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "nan", "retry-after": "9"}, 9.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_waits_that_servers_ask_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(httpx2.Headers(headers)) == seconds


def test_a_redirect_is_named_and_final() -> None:
    fault = fault_of_status(307, "", "", httpx2.Headers({"location": "https://elsewhere.example/v1?key=abc"}))
    assert (fault.is_transient, "https://elsewhere.example/v1;" in fault.message) == (False, True)


def test_a_date_to_come_back_at() -> None:
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=365)
    wait = retry_after(httpx2.Headers({"retry-after": email.utils.format_datetime(later, usegmt=True)}))
    assert wait is not None
    assert 364 * 86_400 < wait <= 365 * 86_400


def test_headers_of_the_response_are_kept() -> None:
    headers = httpx2.Headers({"request-id": "req_1", "x-should-retry": "false", "retry-after": "3"})
    fault = fault_of_status(500, "", "oops", headers)
    assert (fault.request_id, fault.is_transient, fault.retry_after_s) == ("req_1", False, 3.0)
    assert fault_of_status(400, "", "no", httpx2.Headers({"x-should-retry": "true"})).is_transient


@given(st.integers(400, 999), st.text(), st.text(), st.dictionaries(st.text(), st.text()))
def test_whatever_a_server_says_is_understood(status: int, code: str, message: str, headers: dict[str, Any]) -> None:
    fault = fault_of_status(status, code, message, headers)
    assert "\n" not in str(fault)
    assert len(fault.message) <= 303


def test_one_line() -> None:
    assert one_line(" a\n\tb ") == "a b"
    assert one_line("x" * 400) == "x" * 300 + "..."
