"""The Content-Security-Policy of a page that shows what models wrote: nothing is loaded, and only its own runs."""

from __future__ import annotations

import base64
import hashlib


def policy(script: str, style: str) -> str:
    """Allows one script and one style, named by their hashes."""
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; script-src {_hash(script)}; style-src {_hash(style)}"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
