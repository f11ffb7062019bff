"""Which of our own environment variables the program of an agent gets to see."""

from collections.abc import Mapping

ALLOWED = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    }
)
"""Where programs and libraries are, how text is encoded, and how the network is reached; nothing that lets one in, but
for the password that the address of a proxy may hold."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def base_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The variables that every program gets."""
    base = {name: value for name, value in ours.items() if name in ALLOWED}
    if "LANG" not in base and "LC_ALL" not in base:
        base["LANG"] = "C.UTF-8"
    return {**base, "TZ": "UTC", **without_proxy(ours)}


def without_proxy(ours: Mapping[str, str]) -> dict[str, str]:
    """Has programs reach this machine directly, where a proxy is in use."""
    found = next((ours[name] for name in ("NO_PROXY", "no_proxy") if ours.get(name)), "")
    if not found and not any(name.lower().endswith("_proxy") and value for name, value in ours.items()):
        return {}
    hosts = [host.strip() for host in found.split(",") if host.strip()]
    value = ",".join(dict.fromkeys((*hosts, *_LOOPBACK)))
    return {"NO_PROXY": value, "no_proxy": value}
