"""Pages -> a snapshot: one SQLite file, written once, then only read.

`open_snapshot(paths)` keeps it in `$STARACT_CACHE` (or ~/.cache/staract), under a hash of the sources' bytes and of
what this code makes of them, so that the second time it is only opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from react.environments.wikipedia import Page
from react.environments.wikipedia.snapshot import FORMAT, Snapshot
from react.environments.wikipedia.sources import Paths, files, pages
from react.environments.wikipedia.titles import key

# Another value for every change of what is built from the same sources: snapshots in caches are then built anew.
BUILDER = "3"

_TABLES = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE pages (id INTEGER PRIMARY KEY, title TEXT UNIQUE, disambiguation INTEGER, text TEXT);
    CREATE TABLE redirects (name TEXT, target TEXT, PRIMARY KEY (name, target)) WITHOUT ROWID;
    CREATE TABLE names (id INTEGER PRIMARY KEY, key TEXT, name TEXT, redirect INTEGER, page INTEGER);
    CREATE VIRTUAL TABLE letters USING fts5(key, content='', tokenize='trigram');
    CREATE VIRTUAL TABLE words USING fts5(lead, content='', tokenize='unicode61 remove_diacritics 2');
    CREATE TABLE terms (term TEXT, kind TEXT, names INTEGER, PRIMARY KEY (term, kind)) WITHOUT ROWID;
"""
_SAME_TITLE = """
    INSERT INTO pages (title, disambiguation, text) VALUES (?, ?, ?)
    ON CONFLICT (title) DO UPDATE SET disambiguation = excluded.disambiguation, text = excluded.text
    WHERE (length(excluded.text), excluded.text, excluded.disambiguation) > (length(text), text, disambiguation)
"""
# Ids follow the names, so that nothing depends on the order of the sources.
_NAMES = """
    INSERT INTO names (key, name, redirect, page)
    SELECT key(name), name, redirect, page FROM (
        SELECT title AS name, 0 AS redirect, id AS page, title FROM pages
        UNION ALL
        SELECT name, 1, pages.id, title FROM redirects JOIN pages ON title = target WHERE name != target
    ) ORDER BY name, redirect, title
"""
_INDEXES = """
    CREATE INDEX names_by_key ON names (key);
    INSERT INTO letters (rowid, key) SELECT id, ' ' || key || ' ' FROM names;
    INSERT INTO words (rowid, lead) SELECT names.id, key(title || ' ' || lead(text))
        FROM names JOIN pages ON pages.id = page WHERE NOT redirect;
    INSERT INTO letters (letters) VALUES ('optimize');
    INSERT INTO words (words) VALUES ('optimize');
    CREATE VIRTUAL TABLE temp.letters_terms USING fts5vocab(main, letters, row);
    CREATE VIRTUAL TABLE temp.words_terms USING fts5vocab(main, words, row);
    INSERT INTO terms SELECT term, 'letters', doc FROM temp.letters_terms;
    INSERT INTO terms SELECT term, 'words', doc FROM temp.words_terms;
    DROP TABLE redirects;
"""


def open_snapshot(paths: Paths) -> Snapshot:
    """The snapshot of these files of pages, from the cache where it is there; or the snapshot file that is named."""
    sources = files(paths)
    if [source.suffix for source in sources] == [".sqlite"]:
        return Snapshot(sources[0])
    target = _cache() / "snapshots" / f"{_identity(sources)}.sqlite"
    if target.exists():
        try:
            return Snapshot(target)
        except ValueError:
            pass  # cut short by a full disk, say: the sources are at hand, so it is built again
    build(pages(sources), target)
    return Snapshot(target)


def _cache() -> Path:
    return Path(os.environ.get("STARACT_CACHE") or Path.home() / ".cache" / "staract")


def _identity(sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"{FORMAT}/{BUILDER}".encode())
    for checksum in sorted({_checksum(source) for source in sources}):
        digest.update(checksum)
    return digest.hexdigest()[:32]


def _checksum(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def build(source: Iterable[Page], target: Path) -> None:
    """Writes the snapshot of `source` in one piece: other processes see no file or a whole one. ValueError if empty."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"{target.stem[:8]}-", suffix=".partial", dir=target.parent)
    except OSError as error:
        raise ValueError(f"{target}: cannot be written ({error.strerror}); set STARACT_CACHE to a folder") from None
    try:
        _fill(Path(name), source)
        os.fsync(handle)
        os.chmod(name, 0o644)
        os.replace(name, target)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def _fill(path: Path, source: Iterable[Page]) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _TABLES)
        database.create_function("key", 1, key, deterministic=True)
        database.create_function("lead", 1, _lead, deterministic=True)
        read = [_insert(database, page) for page in _with_progress(source)]
        if not read:
            raise ValueError("the sources hold no pages")
        database.execute(_NAMES)
        facts = {"format": FORMAT, "fingerprint": _fingerprint(database), "differing_texts": str(sum(read))}
        database.executescript("BEGIN;" + _INDEXES + "COMMIT;")
        database.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
        database.commit()


def _insert(database: sqlite3.Connection, page: Page) -> bool:
    """Adds a page. Of two texts under one title the longer is kept; whether there were two is returned."""
    text = "\n\n".join("\n".join(paragraph) for paragraph in page.paragraphs)
    known = database.execute("SELECT text FROM pages WHERE title = ?", (page.title,)).fetchone()
    database.execute(_SAME_TITLE, (page.title, page.disambiguation, text))
    redirects = ((name, page.title) for name in page.redirects)
    database.executemany("INSERT OR IGNORE INTO redirects VALUES (?, ?)", redirects)
    return known not in (None, (text,))


def _lead(text: str) -> str:
    return text.partition("\n")[0]


def _fingerprint(database: sqlite3.Connection) -> str:
    """A hash of the content alone: not of the order of the sources, nor of how the file was written."""
    digest = hashlib.sha256(FORMAT.encode())
    for table in ("title, disambiguation, text FROM pages", "name, target FROM redirects"):
        for row in database.execute(f"SELECT {table} ORDER BY 1, 2"):
            digest.update(json.dumps(row).encode())
    return digest.hexdigest()


def _with_progress(source: Iterable[Page]) -> Iterator[Page]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(source, "Wikipedia pages", console=console, disable=not console.is_terminal, transient=True)
