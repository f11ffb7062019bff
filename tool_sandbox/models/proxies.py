"""The proxies that the environment names, and the addresses that are reached without one."""

import ipaddress
import re
import urllib.request

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_NAME = re.compile(r"[A-Za-z0-9_.-]+(?::[0-9]{1,5})?")


def environment_proxies() -> dict[str, str | None]:
    """Which proxy is meant for which addresses."""
    named = urllib.request.getproxies()
    given = {scheme: named[scheme] for scheme in ("http", "https") if named.get(scheme)}
    proxies = {f"{scheme}://": proxy if "://" in proxy else f"http://{proxy}" for scheme, proxy in given.items()}
    exempt = [entry.strip() for entry in named.get("no", "").split(",")]
    if not proxies or "*" in exempt:
        return {}
    patterns = (_pattern(entry) for entry in (*_THIS_MACHINE, *exempt))
    return {**proxies, **{pattern: None for pattern in patterns if pattern is not None}}


def _pattern(entry: str) -> str | None:
    """What an entry of ``NO_PROXY`` means, ``None`` if it cannot be understood.

    A name stands for its subdomains too. Networks and addresses of both kinds are taken, with brackets or without.
    """
    try:
        network = ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        name = entry.removeprefix("*").lstrip(".")
        return f"all://*{name}" if _NAME.fullmatch(name) else None
    host = f"[{network.network_address}]" if network.version == 6 else str(network.network_address)
    is_single = network.prefixlen == network.max_prefixlen
    return f"all://{host}" if is_single else f"all://{host}/{network.prefixlen}"
