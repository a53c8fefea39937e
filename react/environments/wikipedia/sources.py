"""Files of records -> pages.

A file is a JSON list, or JSON lines; `.gz` is opened. A record is a page of ours ::

    {"title": "Vaal River", "text": "The Vaal is ...", "redirects": ["Vaal"], "kind": "article"}

(each line of `text` is a paragraph; where its sentences are known, `sentences`, a list, is one instead), or a HotpotQA
question with its `context`, whose paragraphs are pages. Files are read piece by piece: the official ones are larger
than memory should be.
"""

from __future__ import annotations

import glob
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import expanduser
from pathlib import Path
from typing import Any, TextIO

from react.environments.wikipedia import Page
from react.environments.wikipedia.sentences import split
from react.environments.wikipedia.titles import clean, tidy
from react.trajectory import open_text

Paths = str | Path | Sequence[str | Path]
_BLANK = "\ufeff \t\r\n"
_FIRST = re.compile(rf"[{_BLANK}]*\[[{_BLANK}]*(?P<end>\])?")
_NEXT = re.compile(rf"[{_BLANK}]*(?:,[{_BLANK}]*|(?P<end>\]))")
_KINDS = ("article", "disambiguation")


def files(paths: Paths) -> list[Path]:
    """The files that paths and globs name, in their order. ValueError names what is not there."""
    found: list[Path] = []
    listed = [paths] if isinstance(paths, str | Path) else paths
    if not isinstance(listed, list | tuple) or not all(isinstance(path, str | Path) for path in listed):
        raise ValueError(f"{paths!r} must be a path or a list of paths")
    for pattern in map(expanduser, listed):
        names = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern))
        if not names:
            raise ValueError(f"{pattern}: no such file")
        found += map(Path, names)
    if not found:
        raise ValueError("the list of files is empty")
    return found


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file, each with its place: `file:line`, or `file[index]` in a list. ValueError names it."""
    try:
        with open_text(path) as file:
            is_list = _FIRST.match(file.read(1 << 10)) is not None
            file.seek(0)
            for place, record in _in_list(path, file) if is_list else _in_lines(path, file):
                if not isinstance(record, dict):
                    raise ValueError(f"{place}: a {type(record).__name__} where a JSON object must be")
                yield place, record
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None


def _in_lines(path: Path, file: TextIO) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip(_BLANK):
            try:
                yield f"{path}:{number}", json.loads(line.lstrip(_BLANK))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}:{number}: not JSON: {error}") from None


def _in_list(path: Path, file: TextIO, size: int = 1 << 20) -> Iterator[tuple[str, Any]]:
    decode = json.JSONDecoder().raw_decode
    buffer, at, index, separator = "", 0, 0, _FIRST
    while True:
        gap = separator.match(buffer, at)
        if gap and gap["end"]:
            if (buffer[gap.end() :] + file.read(1 << 10)).strip(_BLANK):
                raise ValueError(f"{path}: something follows after the closing bracket of its list")
            return
        try:
            record, end = decode(buffer, gap.end() if gap else len(buffer))
        except (ValueError, RecursionError) as error:
            if not (more := file.read(max(size, len(buffer) - at))):
                raise ValueError(f"{path}[{index}]: not JSON, or cut short: {error}") from None
            buffer, at = buffer[at:] + more, 0
            continue
        yield f"{path}[{index}]", record
        at, index, separator = end, index + 1, _NEXT


def pages(paths: Iterable[Path]) -> Iterator[Page]:
    """The pages of all files, without those that have no text to observe. ValueError names the place."""
    for path in paths:
        for place, record in records(path):
            try:
                found = list(_pages_of(record))
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
            yield from (page for page in found if page.paragraphs)


def _pages_of(record: Mapping[str, Any]) -> Iterator[Page]:
    if "context" in record:
        for title, sentences in _context(record["context"]):
            yield _page(title, [sentences])
    else:
        kind = record.get("kind") or "article"
        if kind not in _KINDS:
            raise ValueError(f"`kind` is {kind!r}; it must be one of {', '.join(_KINDS)}")
        redirects = _texts(record.get("redirects") or [], "redirects")
        yield _page(_text(record.get("title"), "title"), _paragraphs(record), redirects, kind == "disambiguation")


def _page(
    title: str, paragraphs: Iterable[Sequence[str]], redirects: Sequence[str] = (), disambiguation: bool = False
) -> Page:
    if not clean(title):
        raise ValueError("`title` is empty")
    lines = (tuple(line for sentence in sentences if (line := tidy(sentence))) for sentences in paragraphs)
    tidied = tuple(paragraph for paragraph in lines if paragraph)
    # ReAct@6bdb3a1 wikienv.py tells a disambiguation page by these words.
    disambiguation = disambiguation or any("may refer to:" in " ".join(paragraph) for paragraph in tidied)
    names = tuple(name for redirect in redirects if (name := clean(redirect)))
    return Page(clean(title), tidied, names, disambiguation)


def _paragraphs(record: Mapping[str, Any]) -> list[list[str]]:
    if record.get("sentences") is not None:
        return [_texts(record["sentences"], "sentences")]
    return [split(line) for line in _text(record.get("text"), "text").splitlines()]


def _context(context: object) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(context, list):
        raise ValueError("`context` must be a list of [title, sentences]")
    for item in context:
        if not isinstance(item, list) or len(item) != 2:
            raise ValueError(f"`context` must be a list of [title, sentences], not of {str(item)[:80]!r}")
        yield _text(item[0], "context title"), _texts(item[1], "context sentences")


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        problem = "is missing" if value is None else f"must be a text, not {str(value)[:80]!r}"
        raise ValueError(f"`{field}` {problem}")
    return value


def _texts(value: object, field: str) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(f"`{field}` must be a list of texts, not {str(value)[:80]!r}")
    return [_text(item, field) for item in value]
