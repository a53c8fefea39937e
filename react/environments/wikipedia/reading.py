"""What it is to read a source of pages: record by record, from any position on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from react.mistakes import naming


class Position(NamedTuple):
    """How far a source has been read: so many records of its stream number `stream`."""

    stream: int = 0
    record: int = 0


class Read(NamedTuple):
    """A record, its place for messages, where to go on after it, and how much of the source it ends (in bytes)."""

    place: str
    record: Mapping[str, Any]
    after: Position
    done: int


class Source(Protocol):
    """Records of pages, which can be read from any position on. ValueError names what cannot be read, OSError what
    could not be reached this time."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int:
        """In bytes, as far as it is known; else 0."""
        ...

    def signature(self) -> str:
        """Changes when the source was changed, as far as can be told without reading it."""
        ...

    def digest(self) -> bytes:
        """Of the content, wherever it lies."""
        ...

    def read(self, start: Position) -> Iterator[Read]: ...


def signature(paths: Iterable[Path]) -> str:
    """Of the names, sizes and times of files."""
    return repr([(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths])


def digest(paths: Iterable[Path]) -> bytes:
    """Of the bytes of files."""
    total = hashlib.sha256()
    for path in paths:
        with naming(path), path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.digest()
