"""Where the pages of a snapshot come from, and how far each has been read.

    pages.jsonl.gz  hotpot_*.json  wiki_00.bz2         a file of records (formats.py)
    wiki-pages/  wiki-pages.zip  enwiki-...tar.bz2     a folder or an archive of such files (streams.py)
    hf://wikimedia/wikipedia/20231101.en  *.parquet    rows of a data set (hub.py)
    wikipedia_en_all_nopic.zim                         Kiwix's archive of a whole wiki (zim.py)
    recording.sqlite                                   what a live wiki answered (recording.py)

What a file is, is told by its content. All are read piece by piece: the official ones are larger than memory should be.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path
from typing import Any

from react.environments.wikipedia import Page, hub, streams, zim
from react.environments.wikipedia.formats import pages_of
from react.environments.wikipedia.mediawiki import Recorded
from react.environments.wikipedia.reading import Position, Read, Source, digest, signature
from react.environments.wikipedia.recording import is_recording

Paths = str | Path | Sequence[str | Path]
HUB = "hf://"
_KNOWN = (
    "a JSON list or JSON lines of pages, of HotpotQA questions or of FEVER's wiki-pages (plain, .gz, .bz2 or .xz; a "
    "folder, tar or zip of them), parquet, a ZIM file, a data set hf://OWNER/NAME/CONFIG, a snapshot (.sqlite) alone"
)


@dataclass(frozen=True)
class Files:
    """A file, a folder or an archive of JSON records."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self._files())

    def signature(self) -> str:
        return signature(self._files())

    def digest(self) -> bytes:
        return digest(self._files())

    def read(self, start: Position) -> Iterator[Read]:
        with streams.named(self.path):
            for number, stream in enumerate(streams.streams(self.path, start.stream), start.stream):
                skip = start.record if number == start.stream else 0
                for count, (place, record) in enumerate(streams.records(stream.name, stream.file), 1):
                    if count > skip:
                        yield Read(place, record, Position(number, count), stream.consumed())

    def _files(self) -> list[Path]:
        return streams.members(self.path) if self.path.is_dir() else [self.path]


def files(paths: Paths) -> list[Path]:
    """The files that paths and globs name, in their order. ValueError names what is not there, or a folder."""
    found = [Path(name) for name in _names(paths)]
    for path in found:
        if path.is_dir():
            raise ValueError(f"{path}: a folder where files must be; name them, for instance {path / '*.jsonl'}")
        _check_regular(path)
    return found


def _check_regular(path: Path) -> None:
    """A pipe would be waited for, and cannot be read twice."""
    if not path.is_file():
        raise ValueError(f"{path}: neither a file nor a folder")


def sources(paths: Paths) -> list[Source]:
    """The sources that paths, globs and data sets name, in their order. ValueError names what is none."""
    return [_source(name) for name in _names(paths)]


def _names(paths: Paths) -> list[str]:
    found: list[str] = []
    listed = [paths] if isinstance(paths, str | Path) else paths
    if not isinstance(listed, list | tuple) or not all(isinstance(path, str | Path) for path in listed):
        raise ValueError(f"{paths!r} must be a path or a list of paths")
    if not all(str(path).strip() for path in listed):
        raise ValueError(f"a path in {paths!r} is empty; give a file")
    for pattern in map(expanduser, map(str, listed)):
        here = pattern.startswith(HUB) or Path(pattern).exists()
        names = [pattern] if here else sorted(glob.glob(pattern))
        if not names:
            raise ValueError(f"{pattern}: no such file")
        found += names
    if not found:
        raise ValueError("the list of files is empty")
    return found


def _source(name: str) -> Source:
    path = Path(name)
    if name.startswith(HUB):
        return hub.parse(name)
    if path.is_dir():
        if streams.members(path):
            return Files(path)
        if tables := hub.tables(path):
            return hub.Tables(tuple(tables))
        raise ValueError(f"{name}: no pages in this folder; known are {_KNOWN}")
    _check_regular(path)
    with streams.named(path), path.open("rb") as file:
        head = file.read(1 << 10)
    if head.startswith(zim.MAGIC):
        return zim.Zim(path)
    if head.startswith(hub.MAGIC):
        return hub.Tables((path,))
    if is_recording(path):
        return Recorded(path)
    if streams.is_known(head):
        return Files(path)
    raise ValueError(f"{name}: no format of pages that is known; known are {_KNOWN}")


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file, each with its place: `file:line`, or `file[index]` in a list. ValueError names it."""
    for read in Files(path).read(Position()):
        yield read.place, dict(read.record)


def pages(paths: Paths) -> Iterator[Page]:
    """The pages of all sources, without those that have no text to observe. ValueError names the place."""
    for source in sources(paths):
        for read in source.read(Position()):
            yield from (page for page in pages_at(read) if page.paragraphs)


def pages_at(read: Read) -> list[Page]:
    """The pages of a record. ValueError names the place."""
    try:
        return list(pages_of(read.record))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{read.place}: {error}") from None
