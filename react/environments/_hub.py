"""Data sets of the Hugging Face hub -> files in the official formats, written once into the cache.

    hf://hotpotqa/hotpot_qa                             the usual configuration, and the split that is asked for
    hf://hotpotqa/hotpot_qa/fullwiki                    owner, name, configuration
    hf://fever/fever?split=paper_test&revision=abc      or by name: `config`, `split`, `revision`
    hf:///home/me/hotpot_qa?split=train                 a folder on this machine, laid out as on the hub

From the cache on, a data set is a file like any other: it is read without a network, and pages are built from it. It
is fetched again only when that file is removed. A folder is read anew each time. Only data is loaded: where a data set
is a script, the tables that the hub itself exported from it are taken (`revision` is then one of theirs).
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from react import cache

HUB = "hf://"
Row = Mapping[str, Any]
Rows = Iterable[tuple[str, Row]]
_PARTS = ("config", "split", "revision")
_EXPORTS = "refs/convert/parquet"
# Another value whenever the same rows are written as other records.
_WRITER = "1"


@dataclass(frozen=True)
class Layout:
    """How the hub holds a data set: its usual configuration, what it calls our splits, and what its rows say.

    `records` turns rows, each with its place, into records of the official format. ValueError names the place.
    """

    config: str
    splits: Mapping[str, str]
    records: Callable[[Rows], Iterator[Mapping[str, Any]]]


@dataclass(frozen=True)
class Source:
    """One split of a data set."""

    repository: str
    config: str
    split: str
    revision: str

    @property
    def told(self) -> str:
        at = f"@{self.revision}" if self.revision else ""
        return f"{HUB}{self.repository}{at} ({self.config}, {self.split})"


def parse(source: str, split: str, layout: Layout) -> Source:
    """What `hf://...` names. ValueError names the parts that it may have."""
    url = urlsplit(source)
    given = parse_qs(url.query, keep_blank_values=True)
    for part, values in given.items():
        if part not in _PARTS or len(values) > 1 or not values[0]:
            raise ValueError(f"{source}: cannot read {part!r}; after `?` there may be, once each: {', '.join(_PARTS)}")
    repository = (url.netloc + url.path).rstrip("/")
    config, chosen, revision = (given.get(part, [""])[0] for part in _PARTS)
    if not repository or not Path(repository).is_dir():
        found = re.fullmatch(r"([\w.-]+/[\w.-]+)(?:/([\w.-]+))?", repository)
        if not found or (found[2] and config):
            raise ValueError(f"{source}: {repository!r} is no folder, and no data set: owner/name or owner/name/config")
        repository, config = found[1], found[2] or config
    return Source(repository, config or layout.config, chosen or layout.splits.get(split, split), revision)


def fetched(source: str, split: str, layout: Layout) -> Path:
    """The file of `source`, in the official format. It is written now if it is not there yet.

    ValueError: the source is not there, cannot be reached, or holds other columns; it names the row.
    """
    wanted = parse(source, split, layout)
    words = "-".join((Path(wanted.repository).name, wanted.config, wanted.split))
    digest = hashlib.sha256(repr((_WRITER, wanted)).encode()).hexdigest()[:12]
    target = cache.folder() / "questions" / f"{re.sub(r'[^a-zA-Z0-9_.-]', '_', words)}-{digest}.jsonl.gz"
    if not target.exists() or Path(wanted.repository).is_dir():
        _write(target, layout.records(_rows(wanted)))
    return target


def _write(target: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Other processes see no file or a whole one, and the same records are the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=target.stem[:8], suffix=".partial", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        os.chmod(name, 0o644)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def _rows(source: Source) -> Iterator[tuple[str, Row]]:
    """The rows, as they come in, each with its place."""
    from datasets.exceptions import DatasetsError
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    try:
        rows = track(_opened(source), source.told, console=console, disable=not console.is_terminal, transient=True)
        for number, row in enumerate(rows):
            yield f"{source.told}, row {number}", row
    except (OSError, ValueError, RuntimeError, DatasetsError, *connection_errors()) as error:
        raise ValueError(f"{source.told}: cannot be loaded: {' '.join(str(error).split())}") from None


def connection_errors() -> tuple[type[Exception], ...]:
    """What the hub's library raises where a connection fails, beside OSError: its HTTP client goes by two names."""
    found = []
    for client in ("httpx2", "httpx"):
        with suppress(ImportError):
            found.append(importlib.import_module(client).HTTPError)
    return tuple(found)


def _opened(source: Source) -> Iterable[Row]:
    """The data set as a stream: it may be larger than the memory."""
    from datasets import load_dataset

    try:
        rows: Iterable[Row] = load_dataset(
            source.repository, source.config, split=source.split, revision=source.revision or None, streaming=True
        )
        return rows
    except RuntimeError as error:  # "Dataset scripts are no longer supported": no script is ever run
        if "script" not in str(error):
            raise
    export = quote(source.revision or _EXPORTS, safe="")
    root = source.repository if Path(source.repository).is_dir() else f"{HUB}datasets/{source.repository}@{export}"
    tables = {source.split: f"{root}/{source.config}/{source.split}/*.parquet"}
    rows = load_dataset("parquet", data_files=tables, split=source.split, streaming=True)
    return rows
