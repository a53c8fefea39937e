"""Wherever pages come from: a live wiki, what one said, a snapshot, or files of pages."""

from __future__ import annotations

import hashlib
import re
from os.path import expanduser
from pathlib import Path
from urllib.parse import urlsplit

from react import cache
from react.environments.wikipedia import Wikipedia
from react.environments.wikipedia.api import Api
from react.environments.wikipedia.build import open_snapshot
from react.environments.wikipedia.mediawiki import MediaWiki
from react.environments.wikipedia.recording import Recording, is_recording
from react.environments.wikipedia.sources import Paths

_URL = re.compile(r"https?://", re.IGNORECASE)


def open_wikipedia(pages: Paths, recording: str | Path | None = None, contact: str | None = None) -> Wikipedia:
    """What `pages` names, opened.

    The address of a MediaWiki API (https://en.wikipedia.org/w/api.php): that wiki, live. It is told whom to write to,
    the mail address or URL `contact`. What it answers is kept in the file `recording`, by default one for each wiki in
    the cache, and is asked for again only when that file is gone; the file as `pages` is the same wiki without network.
    Else a snapshot, or files of pages to build one of. ValueError or OSError say what is wrong.
    """
    listed = [pages] if isinstance(pages, str | Path) else pages
    urls = (
        [one for one in listed if isinstance(one, str) and _URL.match(one)] if isinstance(listed, list | tuple) else []
    )
    if not urls:
        return _open_files(pages, recording, contact)
    if len(listed) > 1:
        raise ValueError(f"pages names {urls[0]} and more; a live wiki stands alone")
    for name, value in (("recording", recording), ("contact", contact)):
        if not isinstance(value, str | Path | None):
            raise ValueError(f"{name} is {value!r}; it must be a text")
    api = Api(urls[0], str(contact or ""))
    wiki = Recording(Path(expanduser(recording)) if recording else _default(api.endpoint), api)
    try:
        return MediaWiki(wiki)
    except BaseException:
        wiki.close()
        raise


def _open_files(pages: Paths, recording: object, contact: object) -> Wikipedia:
    for name, value in (("recording", recording), ("contact", contact)):
        if value:
            raise ValueError(f"{name} is {value!r}, but only a live wiki has one, and pages names none")
    listed = pages if isinstance(pages, list | tuple) else [pages]
    if len(listed) == 1 and isinstance(listed[0], str | Path):
        only = Path(expanduser(listed[0]))
        if only.suffix == ".sqlite" and only.is_file() and is_recording(only):
            return MediaWiki(Recording(only))
    return open_snapshot(pages)


def _default(endpoint: str) -> Path:
    parts = urlsplit(endpoint)
    return (
        cache.folder() / "recordings" / f"{parts.hostname}-{hashlib.sha256(endpoint.encode()).hexdigest()[:8]}.sqlite"
    )
