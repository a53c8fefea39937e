"""The checksums of a finished catalogue, and whether its files are still those that were checked.

`SHA256SUMS` is written last, in the form that `sha256sum -c` reads. Whoever opens a catalogue reads all of its files
once and compares, 1.3 GB in a second. A flipped bit in a number or a text gives an answer that looks like any other:
nothing but the bytes tells it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from react.environments._build import synced
from react.mistakes import naming

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
_Known = tuple[int, int, int, int]


def seal(folder: Path) -> None:
    """Writes the sums of all files in the folder."""
    partial = folder / f"{SUMS}.partial"
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != partial)
    lines = [f"{_read(path)[0]}  {path.relative_to(folder).as_posix()}\n" for path in paths]
    with naming(partial), partial.open("w", encoding="ascii") as file:
        file.writelines(lines)
    synced(partial)
    partial.replace(folder / SUMS)


class CatalogueError(ValueError):
    """Files of a catalogue that are damaged, or were changed while they were read. No answer comes out of them."""


class Sealed:
    """The files of a catalogue, each read and compared.

    CatalogueError names one that is not as it was built, OSError one that cannot be read.
    """

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        sums = _sums(folder / SUMS)
        self._folder = folder
        self._known: dict[str, _Known] = {}
        for path, name in ((folder / name, name) for name in names):
            try:
                found, self._known[name] = _read(path)
            except FileNotFoundError:
                raise CatalogueError(f"{path}: damaged: it is missing; {_advice(folder)}") from None
            if found != sums.get(name):
                raise CatalogueError(f"{path}: damaged: its bytes are not those that {SUMS} names; {_advice(folder)}")

    def check(self, *names: str) -> None:
        """CatalogueError names a file that is not the one that was read: then no answer out of it can be trusted."""
        for name in names:
            path = f"{self._folder}/{name}"
            try:
                found = _identity(os.stat(path))
            except OSError as error:
                raise CatalogueError(f"{path}: is gone while it is in use: {error.strerror}") from None
            if found != self._known[name]:
                raise CatalogueError(f"{path}: was changed or replaced while it is in use; start again what reads it")


def _sums(path: Path) -> dict[str, str]:
    try:
        with naming(path):
            *lines, rest = path.read_bytes().decode("ascii").split("\n")
    except FileNotFoundError:
        told = "is missing: the catalogue is damaged, or of a version before this one"
        raise CatalogueError(f"{path}: {told}; {_advice(path.parent)}") from None
    except ValueError:
        lines, rest = [], "no text"
    found = [_LINE.fullmatch(line) for line in lines]
    if rest or not all(found):
        raise CatalogueError(f"{path}: damaged: not lines of a sum and a name; {_advice(path.parent)}")
    return {line[2]: line[1] for line in found if line}


def _advice(folder: Path) -> str:
    return f"remove {folder} and build it again"


def _read(path: Path) -> tuple[str, _Known]:
    """The sum of a file, and which file it was."""
    with naming(path), path.open("rb") as file:
        known = _identity(os.fstat(file.fileno()))  # before: what is written from now on makes it another
        return hashlib.file_digest(file, "sha256").hexdigest(), known


def _identity(found: os.stat_result) -> _Known:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
