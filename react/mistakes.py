"""What a user can put right, and how a program ends on it: one line that names value, place and choices; status 2."""

from __future__ import annotations

import difflib
import errno
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from react.cache import made_by
from react.signals import status
from react.trajectory import RecordError

# What loading may raise for a user's mistake. While a run is under way a ValueError is a bug and keeps its traceback.
LOADING = (ValueError, OSError, sqlite3.Error, ImportError)
RUNNING = (OSError, sqlite3.Error, RecordError)


class Mistake(ValueError):
    """Something that the user can put right. The message names the value, the place and the valid choices."""


@contextmanager
def mistakes(*kinds: type[Exception]) -> Iterator[None]:
    """Ends the program with status 2 and one message, no traceback, on a `Mistake` or one of `kinds`.

    With 130 on Ctrl-C; where signals are `endable`, with 143 on SIGTERM and 129 on SIGHUP.
    """
    told: tuple[type[Exception], ...] = (Mistake, *kinds)
    try:
        yield
    except KeyboardInterrupt as error:
        print("\nStopped. The same command again continues where this one ended.", file=sys.stderr)
        raise SystemExit(status(error)) from None
    except told as error:
        print("\n".join(map(plain, f"error: {_words(error)}".split("\n"))), file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What cannot be read or written is an OSError that names its file: `path`, where the error names none.

    Such as of a full disk, or of SQLite.
    """
    try:
        yield
    except sqlite3.Error as error:
        full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error), str(path)) from None
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def plain(text: str) -> str:
    """`text`, which others may have written, as one line that cannot command a terminal."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename:
        missing = made_by(error.filename) if isinstance(error, FileNotFoundError) else ""
        return f"{error.filename}: {error.strerror}{missing}"
    return str(error) or type(error).__name__


def nearest(name: str, names: Sequence[str]) -> str:
    """What a message says of `names` where `name` is none of them."""
    close = difflib.get_close_matches(name, names, n=1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"there are: {', '.join(names)}"


def choose(what: str, name: str, names: Sequence[str]) -> str:
    """`name` if it is one of `names`; else a Mistake that lists them."""
    if name not in names:
        raise Mistake(f"unknown {what} {name!r}; {nearest(str(name), names)}")
    return name


def at_least(least: float, part: Any, *names: str) -> None:
    """ValueError for the first of the settings `names` of `part` that is less than `least`."""
    for name in names:
        if getattr(part, name) < least:
            raise ValueError(f"{name} is {getattr(part, name)}; it must be at least {least}")
