"""Sources of pages -> a snapshot: one SQLite file, written once, then only read.

`open_snapshot(paths)` keeps it in `$STARACT_CACHE` (or ~/.cache/staract), under a hash of the sources' bytes and of
what this code makes of them, so that the second time it is only opened.

While a snapshot is built it is `<name>.partial`, which says how far it is: the same build goes on there, after whatever
ended the one before. It becomes the snapshot in one step, so that other processes see no file or a whole one.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from os.path import expanduser
from pathlib import Path

from react import cache
from react.environments._build import alone, sweep, synced
from react.environments.wikipedia import Page, stages
from react.environments.wikipedia.reading import Position, Source
from react.environments.wikipedia.snapshot import FORMAT, Snapshot
from react.environments.wikipedia.sources import Paths, pages_at, sources
from react.environments.wikipedia.stages import Batch, Batches, Start

# Another value for every change of what is built from the same sources: snapshots in caches are then built anew.
BUILDER = "8"


def open_snapshot(paths: Paths) -> Snapshot:
    """The snapshot of these sources, from the cache where it is there; or the snapshot file that is named."""
    if found := named_snapshot(paths):
        return Snapshot(found)
    given = sources(paths)
    target = cache.folder() / "snapshots" / f"{_identity(given)}.sqlite"
    if target.exists():
        try:
            return Snapshot(target)
        except ValueError:
            target.unlink(missing_ok=True)  # cut short by a full disk, say: the sources are at hand
    build_from(given, target)
    sweep(target.parent, "", _remove)
    return Snapshot(target)


def named_snapshot(paths: Paths) -> Path | None:
    """The snapshot file that `paths` is, if it is one."""
    listed = paths if isinstance(paths, list | tuple) else [paths]
    only = Path(expanduser(listed[0])) if len(listed) == 1 and isinstance(listed[0], str | Path) else None
    return only if only and only.suffix == ".sqlite" and only.is_file() else None


def _identity(given: Sequence[Source]) -> str:
    digest = hashlib.sha256(f"{FORMAT}/{BUILDER}".encode())
    for content in sorted({source.digest() for source in given}):
        digest.update(content)
    return digest.hexdigest()[:32]


def signature(given: Iterable[Source]) -> str:
    """What tells a build of these sources from others, without reading them."""
    parts = [FORMAT, BUILDER, *(source.signature() for source in given)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def build_from(given: Sequence[Source], target: Path) -> None:
    """Writes the snapshot of these sources, or goes on with it; nothing if it is there.

    ValueError if the sources cannot be read or hold no pages; what was written is then removed. OSError if they could
    not be reached or the disk is full: the same call goes on later.
    """

    def batches(start: Start) -> Iterator[Batch]:
        first, position = start
        before = sum(source.size for source in given[:first])
        for number, source in enumerate(given[first:], first):
            for read in source.read(position):
                yield Batch(pages_at(read), (number, read.after), before + read.done)
            position = Position()
            before += source.size

    with alone(target):
        if not target.exists():
            _build(batches, sum(source.size for source in given), target, signature(given))


def build(pages: Iterable[Page], target: Path) -> None:
    """Writes the snapshot of `pages`, in the place of what was there. ValueError if there are none."""
    with alone(target):
        _check_own(_partial(target))
        _remove(_partial(target))
        _build(lambda _: (Batch([page], (0, Position()), 0) for page in pages), 0, target, "")


def _build(batches: Batches, size: int, target: Path, signed: str) -> None:
    partial = _partial(target)
    _check_own(partial)
    try:
        with closing(_opened(partial, signed)) as database:
            stages.run(database, batches, size)
        _publish(partial, target)
    except ValueError:
        _remove(partial)
        raise
    except sqlite3.Error as error:
        advice = "the same command goes on there; remove the file to begin anew"
        raise OSError(f"{partial}: {error} ({advice})") from None


def _partial(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


def _check_own(partial: Path) -> None:
    """ValueError if it is there and no build of a snapshot: it would be removed. In the cache all files are ours."""
    if not os.path.lexists(partial) or partial.is_relative_to(cache.folder()):
        return
    try:
        own = partial.is_file() and not partial.is_symlink()
        if own and partial.stat().st_size:
            with closing(sqlite3.connect(f"{partial.absolute().as_uri()}?mode=rw", uri=True)) as database:
                own = stages.is_own(database)
    except sqlite3.DatabaseError:
        own = False
    if not own:
        raise ValueError(f"{partial}: is there, and no build of a snapshot that could go on; remove or rename it")


def _opened(partial: Path, signed: str) -> sqlite3.Connection:
    """The build of the same sources that was stopped, or a new one. What cannot be gone on with is removed."""
    if partial.exists():
        database = sqlite3.connect(partial, isolation_level=None)
        try:
            if signed and stages.signature(database) == signed:
                return database
        except sqlite3.DatabaseError:
            pass
        database.close()
        _remove(partial)
    database = sqlite3.connect(partial, isolation_level=None)
    stages.begin(database, signed)
    return database


def _publish(partial: Path, target: Path) -> None:
    synced(partial)
    partial.chmod(0o644)
    os.replace(partial, target)


def _remove(partial: Path) -> None:
    for path in (partial, Path(f"{partial}-journal")):
        path.unlink(missing_ok=True)
