"""A connection to a server, by the proxy that the environment names, with TLS where the URL says so.

To connect may take longer than a deadline: each address of a server has up to ten seconds, and the system looks its
name up.
"""

from __future__ import annotations

import base64
import socket
import ssl
from functools import lru_cache
from http.client import HTTPConnection
from time import monotonic
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi

_CONNECT = 10.0  # seconds; an address that does not answer by then is down
_PORTS = {"http": 80, "https": 443}


def connected(server: SplitResult, proxy: SplitResult | None, until: float) -> socket.socket:
    """A connection to the server, or to the proxy where that passes requests on; with TLS where the URL says so."""
    first = proxy or server
    host, port = first.hostname or "", first.port or _PORTS[first.scheme]
    seconds = min(left(until), _CONNECT)
    if proxy and server.scheme == "https":
        tunnel = HTTPConnection(host, port, timeout=seconds)
        tunnel.set_tunnel(server.hostname or "", server.port or 443, credentials(proxy))
        tunnel.connect()
        line = tunnel.sock
    else:
        line = socket.create_connection((host, port), seconds)
    try:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.settimeout(left(until))
        return _tls().wrap_socket(line, server_hostname=server.hostname) if server.scheme == "https" else line
    except BaseException:
        line.close()
        raise


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Trusts whom the system trusts, and whom Mozilla does: a slim container trusts nobody."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def credentials(proxy: SplitResult) -> dict[str, str]:
    """The headers that a proxy is to be told; none where its URL names nobody."""
    if not proxy.username:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def proxy_of(server: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for a server; none for this machine itself."""
    host = server.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    named = getproxies().get(server.scheme) or getproxies().get("all", "")
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ValueError(f"the proxy of {host} is a {proxy.scheme} one; only those with http:// are used")
    return proxy


def left(until: float) -> float:
    """The seconds until then. TimeoutError where there are none."""
    seconds = until - monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
