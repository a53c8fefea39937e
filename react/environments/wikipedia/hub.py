"""Data sets of rows -> records: those of the Hugging Face hub, as a stream, and parquet files on this machine.

    hf://wikimedia/wikipedia/20231101.en                    owner, name, configuration
    hf://wikimedia/wikipedia/20231101.en?revision=b04c8d1   and, where it is not `train`, `split`

Only data is loaded, never a script. A configuration with a date never changes; of any other name the `revision`, given
here, is what makes two snapshots of it the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from react.environments._hub import connection_errors
from react.environments.wikipedia.reading import Position, Read, digest, signature
from react.environments.wikipedia.streams import shown

MAGIC = b"PAR1"
_FIELDS = ("title", "text", "sentences", "redirects", "kind")
_PARTS = ("config", "split", "revision")


def parse(name: str) -> Hub:
    """What `hf://OWNER/NAME/CONFIG` names, or a folder laid out as on the hub. ValueError says how it is written."""
    url = urlsplit(name)
    given = parse_qs(url.query, keep_blank_values=True)
    for part, values in given.items():
        if part not in _PARTS or len(values) > 1 or not values[0]:
            raise ValueError(f"{name}: cannot read {part!r}; after `?` there may be, once each: {', '.join(_PARTS)}")
    place, config = (url.netloc + url.path).rstrip("/"), given.get("config", [""])[0]
    if not place or not Path(place).is_dir():
        found = re.fullmatch(r"([\w.-]+/[\w.-]+)(?:/([\w.-]+))?", place)
        if not found or (found[2] and config):
            raise ValueError(f"{name}: neither a folder nor hf://OWNER/NAME/CONFIG")
        place, config = found[1], found[2] or config
    split, revision = given.get("split", ["train"])[0], given.get("revision", [""])[0]
    return Hub(name, place, config, split, revision)


def tables(folder: Path) -> list[Path]:
    """The parquet files in a folder and the folders in it."""
    return sorted(shown(folder, "*.parquet"))


@dataclass(frozen=True)
class Hub:
    """One split of a data set, with such of the columns as it has: `title` and `text`, if it is one of pages."""

    name: str
    place: str
    config: str
    split: str
    revision: str
    columns: tuple[str, ...] = _FIELDS
    size: int = 0

    def signature(self) -> str:
        return repr((self.place, self.config, self.split, self.revision))

    def digest(self) -> bytes:
        return self.signature().encode()

    def read(self, start: Position) -> Iterator[Read]:
        options = {"name": self.config or None, "revision": self.revision or None}
        return _rows(self.name, start, self.columns, self.place, split=self.split, **options)


@dataclass(frozen=True)
class Tables:
    """Parquet files, one after the other."""

    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        return str(self.paths[0] if len(self.paths) == 1 else self.paths[0].parent)

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.paths)

    def signature(self) -> str:
        return signature(self.paths)

    def digest(self) -> bytes:
        return digest(self.paths)

    def read(self, start: Position) -> Iterator[Read]:
        before = sum(path.stat().st_size for path in self.paths[: start.stream])
        for number, path in enumerate(self.paths[start.stream :], start.stream):
            begin = Position(number, start.record if number == start.stream else 0)
            for read in _rows(str(path), begin, _FIELDS, "parquet", data_files=str(path), split="train"):
                yield read._replace(done=before)
            before += path.stat().st_size


def _rows(told: str, start: Position, columns: Sequence[str], *where: str, **options: Any) -> Iterator[Read]:
    """The rows from `start` on. OSError where the hub could not be reached: the same command may go on later."""
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    unreachable: tuple[type[Exception], ...] = (ConnectionError, TimeoutError, *connection_errors())
    try:
        rows = load_dataset(*where, streaming=True, **options)
        if rows.column_names:
            rows = rows.select_columns([column for column in rows.column_names if column in columns])
        for number, row in enumerate(rows.skip(start.record), start.record):
            yield Read(f"{told}, row {number}", _known(row), Position(start.stream, number + 1), 0)
    except unreachable as error:
        raise OSError(f"{told}: could not be reached: {_line(error)}") from None
    except (OSError, ValueError, RuntimeError, DatasetsError) as error:
        raise ValueError(f"{told}: cannot be read: {_line(error)}") from None


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in row.items() if value is not None}


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
