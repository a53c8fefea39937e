"""Data -> a catalogue: one folder, written once, then only read.

`open_catalogue(names)` keeps it in `$STARACT_CACHE` (or ~/.cache/staract), under a hash of the data's bytes and of what
this code makes of them, so that the second time it is only opened. While a catalogue is built it is `<name>.partial`,
which says how far it is: the same build goes on there, after whatever ended the one before. It becomes the catalogue in
one step, so that other processes see none or a whole one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from os.path import expanduser
from pathlib import Path

from react import cache
from react.environments import _build
from react.environments._build import alone, sweep, synced
from react.environments.shop import stages
from react.environments.shop.building import Wanted
from react.environments.shop.seal import SUMS, CatalogueError, seal
from react.environments.shop.sources import data
from react.environments.shop.store import DATABASE, FORMAT, Store
from react.mistakes import naming

# Another value for every change of what is built from the same data: catalogues in caches are then built anew.
BUILDER = "2"
# What SQLite says of a damaged file, or of one that is none of ours; of most else the disk is to blame.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NO_BUILD = (*_DAMAGED, sqlite3.SQLITE_ERROR)

Names = str | Path | Sequence[str | Path]


def open_catalogue(names: Names, goals: str = "", seed: int = 0, most: int = 0) -> Store:
    """The catalogue of these data (sources.py), from the cache where it is there; or the catalogue that is named.

    `goals` are `human` or `synthetic`; not said, those that the data have. `seed` draws prices and bounds. `most` keeps
    so many products at the head of the data, 0 all. ValueError says what is wrong with the data or the catalogue, or
    that the catalogue named was built otherwise than is asked for.
    """
    if found := named_catalogue(names):
        store = Store(found)
        _check_asked(store, goals, seed, most)
        return store
    wanted = asked(names, goals, seed, most)
    known = wanted.data.signatures()  # before they are read for the first time
    target = cache.folder() / "shops" / _identity(wanted)
    if target.exists():
        try:
            return Store(target)
        except CatalogueError as error:
            print(f"warning: {error}: this is done now", file=sys.stderr)
            _discard(target)
    build(wanted, target, known)
    sweep(target.parent, DATABASE, lambda left: shutil.rmtree(left, ignore_errors=True))
    return Store(target)


def _discard(target: Path) -> None:
    """Removes a damaged catalogue, unless another process has built it anew since."""
    with alone(target):
        try:
            Store(target)
        except CatalogueError:
            shutil.rmtree(target, ignore_errors=True)


def named_catalogue(names: Names) -> Path | None:
    """The folder of a catalogue that `names` is, if it is one."""
    only = names if isinstance(names, str | Path) else names[0] if len(names) == 1 else ""
    path = Path(expanduser(str(only))) if str(only) else None
    return path if path and any((path / name).is_file() for name in (DATABASE, SUMS)) else None


def asked(names: Names, goals: str = "", seed: int = 0, most: int = 0) -> Wanted:
    """What is to be built. ValueError names the data that are missing, or the setting that is wrong."""
    for name, value in (("seed", seed), ("products", most)):
        if type(value) is not int or value < 0:
            raise ValueError(f"{name} is {value!r}; it must be a whole number of at least 0")
    given = data(names)
    return Wanted(given, given.kind(goals), seed, most)


def _check_asked(store: Store, goals: str, seed: int, most: int) -> None:
    """A catalogue has its goals and prices; what else is asked for cannot be had of it."""
    for name, value, default in (("kind", goals, ""), ("seed", str(seed), "0")):
        if value not in (default, store.facts[name]):
            raise ValueError(f"{store.folder}: was built with {name} {store.facts[name]}, not {value}; build another")
    if most and most != int(store.facts["most"]):
        raise ValueError(f"{store.folder}: was built of {store.facts['most']} records (0: all), not {most}")


def _identity(wanted: Wanted) -> str:
    content = repr((FORMAT, BUILDER, wanted.data.digest().hex(), wanted.kind, wanted.seed, wanted.most))
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def signature(wanted: Wanted) -> str:
    """What tells a build of these data from others, without reading them."""
    content = "\n".join((FORMAT, BUILDER, wanted.signature()))
    return hashlib.sha256(content.encode()).hexdigest()


def build(wanted: Wanted, target: Path, known: Mapping[str, str] | None = None) -> None:
    """Writes the catalogue, or goes on with it; nothing if it is there. `known`: the signatures that the data had.

    ValueError if the data cannot be read, hold nothing, or changed meanwhile; what was written is then removed. OSError
    names what could not be reached or written, such as on a full disk: the same call goes on later.
    """
    if target.exists():
        return  # it came to be in one step; there may be no right to write beside it
    known = known or wanted.data.signatures()
    with alone(target):
        if not target.exists():
            _built(wanted, target, known)


def _built(wanted: Wanted, target: Path, known: Mapping[str, str]) -> None:
    partial, signed = target.with_name(f"{target.name}.partial"), signature(wanted)
    _check_own(partial)
    try:
        with _resumable(partial):
            if not _is_whole(partial, signed):
                with closing(_opened(partial, signed)) as database:
                    stages.run(database, wanted, partial)
            for name, now in wanted.data.signatures().items():
                if known[name] != now:
                    raise ValueError(f"{name}: changed while a catalogue was built of it; give the command again")
            if not (partial / SUMS).exists():
                _compact(partial)
                seal(partial)
            os.replace(partial, target)
    except ValueError:
        shutil.rmtree(partial)
        raise


@contextmanager
def _resumable(partial: Path) -> Iterator[None]:
    """What the disk is to blame for is an OSError that names the file, and says what to do. ValueError: the build is
    damaged, and cannot go on."""
    try:
        with naming(partial / DATABASE):
            try:
                yield
            except sqlite3.DatabaseError as error:
                if _code(error) not in _DAMAGED:
                    raise
                raise ValueError(f"{partial}: damaged ({error}) and removed; give the command again") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            told = "no space left on the disk; once there is room, the same command goes on"
            raise OSError(errno.ENOSPC, told, error.filename) from None
        raise


def _compact(partial: Path) -> None:
    """Writes the database anew, without room that was used on the way: the same data make the same bytes."""
    whole = partial / f"{DATABASE}.whole"
    whole.unlink(missing_ok=True)
    with closing(sqlite3.connect(partial / DATABASE)) as database:
        (free,) = database.execute("PRAGMA freelist_count").fetchone()
        if not free:
            return  # done before; once more would count as another change
        database.execute("VACUUM INTO ?", (str(whole),))
    synced(whole)
    whole.replace(partial / DATABASE)


def _is_whole(partial: Path, signed: str) -> bool:
    """Whether all stages of this build are done."""
    if not (partial / DATABASE).is_file():
        return False
    with closing(sqlite3.connect(partial / DATABASE)) as database:
        try:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            told = database.execute("SELECT value FROM meta WHERE name = 'sources'").fetchone()
        except sqlite3.DatabaseError as error:
            if _code(error) not in _NO_BUILD:
                raise
            return False
    return "progress" not in tables and told == (signed,)


def _code(error: sqlite3.DatabaseError) -> int:
    """What SQLite says; 0 where the error is not its own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _check_own(partial: Path) -> None:
    """ValueError if it is there and no build of a catalogue: it would be removed. In the cache all folders are ours.

    An empty folder is a build that was killed at once.
    """
    if not os.path.lexists(partial) or partial.is_relative_to(cache.folder()):
        return
    if partial.is_symlink() or not partial.is_dir() or (any(partial.iterdir()) and not (partial / DATABASE).is_file()):
        raise ValueError(f"{partial}: is there, and no build of a catalogue that could go on; remove or rename it")


def _opened(partial: Path, signed: str) -> sqlite3.Connection:
    """The build of the same data that was stopped, or a new one. What cannot be gone on with is removed."""
    if partial.exists():
        database = sqlite3.connect(partial / DATABASE, isolation_level=None)
        try:
            if _build.state(database).get("signature") == signed:
                return database
        except sqlite3.DatabaseError as error:
            if _code(error) not in _NO_BUILD:
                raise
        database.close()
        shutil.rmtree(partial)
    partial.mkdir()
    database = sqlite3.connect(partial / DATABASE, isolation_level=None)
    stages.begin(database, signed)
    return database
