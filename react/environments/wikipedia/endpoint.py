"""The address of a wiki's API, and how a program introduces itself there."""

from __future__ import annotations

import ipaddress
import re
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import quote, urlsplit

import httptools

from react.environments.wikipedia.titles import tidy


def normal(url: str) -> str:
    """The one spelling of an endpoint. ValueError if `url` cannot be one."""
    shown = tidy(re.sub(r"//.*@", "//", url))
    form = "like https://en.wikipedia.org/w/api.php"
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        raise ValueError(f"pages {shown!r} must be {form}") from None
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"pages names an API on {host} with a user and password; it must be {form}")
    if parts.scheme not in ("http", "https") or not host or port == 0 or parts.query or parts.fragment:
        raise ValueError(f"pages {shown!r} must be {form}")
    if not parts.path.endswith("api.php"):
        raise ValueError(f"pages {shown!r} is no MediaWiki API; it must be {form}")
    number = "" if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{number}{quote(parts.path, safe='/%')}"


def agent(endpoint: str, contact: str) -> str:
    """The User-Agent, as Wikimedia's policy wants it. ValueError where `contact` is missing or nobody can use it."""
    if not contact and not is_own(endpoint):
        raise ValueError(
            f"{endpoint} needs `contact`, a mail address or URL of yours, for the User-Agent: "
            "Wikimedia refuses programs that do not say whom to write to"
        )
    if contact and not re.fullmatch(r"[ !#-'*-~]*(@|://)[ !#-'*-~]+", contact):
        raise ValueError(f"contact {tidy(contact)!r} must be a mail address or a URL")
    try:
        ours = version("staract")
    except PackageNotFoundError:  # run from its folder
        ours = "0"
    return f"StarAct/{ours} ({contact or 'on the same machine'}) httptools/{httptools.__version__}"


def is_own(endpoint: str) -> bool:
    """Whether the wiki runs on this machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
