"""Files, folders and data sets of the Hugging Face hub -> rows, read piece by piece.

trajectories.jsonl.gz  webshop_train.json     JSON lines, a JSON list, or an object of objects (plain or compressed)
train-00000.parquet                           a table
FOLDER                                        a data set: the tables of its first configuration
hf://owner/name  hf://owner/name/file.json    the same on the hub: all of it, or one file (kept in the hub's cache)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

from react.environments._hub import HUB, connection_errors
from react.environments.wikipedia import streams
from react.environments.wikipedia.reading import digest
from react.mistakes import Mistake

Rows = Iterator[tuple[str, dict[str, Any]]]
_HEAD = 1 << 12
_HOSTED = re.compile(rf"{HUB}(?P<name>[\w.-]+/[\w.-]+)(?:/(?P<file>.+))?")
# FireAct's trajectories: {"6238": {...}, ...}
_INDEXED = re.compile(rb'\s*\{\s*"\d+"\s*:\s*\{')


def files(source: str) -> list[Path]:
    """The files that a source is. Mistake where it is none."""
    path = _fetched(source) if source.startswith(HUB) else Path(source).expanduser()
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise Mistake(f"{source}: no such file or folder")
    tables = sorted(path.glob("*.parquet")) or sorted(path.glob("*/*.parquet"))
    found = [table for table in tables if table.parent == tables[0].parent] or streams.members(path)
    if not found:
        raise Mistake(f"{source}: no tables (.parquet) and no JSON files in this folder")
    return found


def _fetched(source: str) -> Path:
    """A file or a whole data set of the hub, as it lies in the hub's own cache."""
    from huggingface_hub import HfApi

    named = _HOSTED.fullmatch(source)
    if not named:
        raise Mistake(f"{source}: it must be hf://OWNER/NAME or hf://OWNER/NAME/FILE")
    refused: tuple[type[Exception], ...] = (OSError, ValueError, *connection_errors())
    try:
        if named["file"]:
            return Path(HfApi().hf_hub_download(named["name"], named["file"], repo_type="dataset"))
        wanted = ["*.parquet", "*.json*"]
        return Path(HfApi().snapshot_download(named["name"], repo_type="dataset", allow_patterns=wanted))
    except refused as error:
        raise Mistake(f"{source}: cannot be had: {' '.join(str(error).split())[:500]}") from None


def fingerprint(paths: Sequence[Path]) -> str:
    """Changes with any byte of the files."""
    return digest(paths).hex()[:16]


def rows(path: Path) -> Rows:
    """The rows of a file, each with its place. Mistake names the place where it cannot be read."""
    try:
        yield from _table(path) if path.suffix == ".parquet" else _json(path)
    except ValueError as error:
        raise Mistake(str(error)) from None


def _json(path: Path) -> Rows:
    with streams.named(path):
        for stream in streams.streams(path):
            head = cast(Any, stream.file).peek(_HEAD)[:_HEAD]
            yield from (_indexed if _INDEXED.match(head) else streams.records)(stream.name, stream.file)


def _indexed(name: str, file: IO[bytes]) -> Rows:
    for index, row in streams.entries(name, file):
        if not isinstance(row, dict):
            raise ValueError(f"{name}[{index}]: a {type(row).__name__} where a JSON object must be")
        yield f"{name}[{index}]", row


def _table(path: Path) -> Rows:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    number = 0
    try:
        with ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=64):
                for row in batch.to_pylist():
                    yield f"{path}[{number}]", row
                    number += 1
    except (ArrowException, OSError) as error:
        raise ValueError(f"{path}: cannot be read: {' '.join(str(error).split())[:300]}") from None
