"""Files, folders and archives -> streams of records, one after the other. Nothing is ever unpacked to disk.

A file is a JSON list, or JSON lines, plain or compressed (gzip, bzip2, xz: told by its first bytes). A folder or a zip
is all such files in it, in the order of their names; a tar, compressed or not, all such files in its own order.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TextIO, cast

# No record of Wikipedia comes near: what is longer is damage, or meant to fill the memory.
LONGEST_RECORD = 1 << 26
_ZIP = b"PK\x03\x04"
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
_BLANK = "\ufeff \t\r\n"
_FIRST = re.compile(rf"[{_BLANK}]*\[[{_BLANK}]*(?P<end>\])?")
_NEXT = re.compile(rf"[{_BLANK}]*(?:,[{_BLANK}]*|(?P<end>\]))")
# Between the values of an object there are names.
_NAME = rf'"(?P<name>(?:[^"\\]|\\.)*)"[{_BLANK}]*:[{_BLANK}]*'
_FIRST_NAME = re.compile(rf"[{_BLANK}]*\{{[{_BLANK}]*(?:{_NAME}|(?P<end>\}}))")
_NEXT_NAME = re.compile(rf"[{_BLANK}]*(?:,[{_BLANK}]*{_NAME}|(?P<end>\}}))")
_DAMAGE = (OSError, EOFError, UnicodeDecodeError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)
# `wiki_00.bz2`, `wiki-001.jsonl`, `pages.json.gz`
_DATA = re.compile(r"(?!\.)(?:wiki_\d+|.*\.(?:jsonl?|ndjson))(?:\.(?:gz|bz2|xz))?")


class Stream(NamedTuple):
    """Uncompressed bytes, their name for messages, and how many bytes of the file or archive have been consumed."""

    name: str
    file: IO[bytes]
    consumed: Callable[[], int]


@contextmanager
def named(path: Path) -> Iterator[None]:
    """What goes wrong with the bytes of `path` is a ValueError that names it."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None


def members(folder: Path) -> list[Path]:
    """The files of records in a folder and the folders in it, in the order of their names."""
    return sorted(path for path in shown(folder, "*") if _DATA.fullmatch(path.name))


def shown(folder: Path, pattern: str) -> Iterator[Path]:
    """The files in a folder and the folders in it, but for hidden ones."""
    for path in folder.rglob(pattern):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _sum(before: int, file: IO[bytes]) -> int:
    return before + file.tell()


def is_known(head: bytes) -> bool:
    """Whether a file that begins with these bytes may hold records."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return not begins or begins[:1] in b"[{" or head.startswith((_ZIP, _GZIP, _BZIP2, _XZ)) or head[257:262] == b"ustar"


def streams(path: Path, skip: int = 0) -> Iterator[Stream]:
    """The streams in a file, a folder or an archive but for the first `skip`, each with its name; read one by one."""
    if path.is_dir():
        before = 0
        for number, member in enumerate(members(path)):
            if number >= skip:
                with member.open("rb") as file:
                    yield Stream(str(member), _plain(file), partial(_sum, before, file))
            before += member.stat().st_size
        return
    with path.open("rb") as file:
        if file.peek(4)[:4] == _ZIP and zipfile.is_zipfile(file):
            file.seek(0)
            yield from _in_zip(path, file, skip)
        elif _is_tar(file):
            yield from _in_tar(path, file, skip)
        elif not skip:
            yield Stream(str(path), _plain(file), file.tell)


def _is_tar(file: IO[bytes]) -> bool:
    """By the first block, which of a compressed file has to be uncompressed."""
    file.seek(0)
    try:
        block = _plain(file).read(tarfile.BLOCKSIZE)
    except _DAMAGE:
        block = b""
    file.seek(0)
    return block[257:262] == b"ustar"


def _plain(file: IO[bytes]) -> IO[bytes]:
    """The file uncompressed."""
    head = cast(io.BufferedReader, file).peek(6)
    if head.startswith(_GZIP):
        return cast(IO[bytes], gzip.open(file))
    if head.startswith(_BZIP2):
        return bz2.open(file)
    return lzma.open(file) if head.startswith(_XZ) else file


def _in_tar(path: Path, file: IO[bytes], skip: int) -> Iterator[Stream]:
    with tarfile.open(fileobj=_plain(file), mode="r|", tarinfo=_Header) as archive:
        found = 0
        for member in _headers(path, archive):
            if member.isfile() and _is_data(member.name):
                found += 1
                content = archive.extractfile(member) if found > skip else None
                if content:
                    yield Stream(f"{path}/{member.name}", _plain(_buffered(content)), file.tell)
        _known(path, found)


class _Header(tarfile.TarInfo):
    """A header that is damaged or missing is an error. For `tarfile` an archive ends there, as if it were whole."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            rest = cast(IO[bytes], tarfile_.fileobj)
            if len(block := rest.read(tarfile.BLOCKSIZE)) < tarfile.BLOCKSIZE or any(block):
                raise tarfile.ReadError("its end is not marked by two empty blocks") from None
            while block := rest.read(1 << 16):
                if block.count(0) < len(block):
                    raise tarfile.ReadError("something follows after its end") from None
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


def _headers(path: Path, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    last = ""
    try:
        while member := archive.next():
            last = member.name
            yield member
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep every header
    except tarfile.TarError as error:
        raise ValueError(f"{path}: cut short or damaged after member {last!r}: {error}") from None


def _in_zip(path: Path, file: IO[bytes], skip: int) -> Iterator[Stream]:
    with zipfile.ZipFile(file) as archive:
        found = sorted(name for name in archive.namelist() if _is_data(name))
        _known(path, len(found))
        for number, name in enumerate(found):
            if number >= skip:
                with archive.open(name) as member:
                    before = sum(archive.getinfo(earlier).compress_size for earlier in found[:number])
                    yield Stream(f"{path}/{name}", _plain(_buffered(member)), partial(int, before))


class _Forward(io.RawIOBase):
    """A member of an archive, which can only be read on: that of a tar cannot even say so."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._content.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _buffered(content: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Forward(content), 1 << 16)


def _is_data(name: str) -> bool:
    return bool(_DATA.fullmatch(name.rpartition("/")[2]))


def _known(path: Path, found: int) -> None:
    if not found:
        raise ValueError(f"{path}: the archive holds no files of pages (wiki_NN.bz2, *.jsonl, *.json)")


def records(name: str, stream: IO[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a stream, each with its place: `file:line`, or `file[index]` in a list."""
    is_list = _FIRST.match(cast(io.BufferedReader, stream).peek(1 << 10)[: 1 << 10].decode(errors="ignore"))
    file = io.TextIOWrapper(stream, encoding="utf-8")
    for place, record in _in_list(name, file) if is_list else _in_lines(name, file):
        if not isinstance(record, dict):
            raise ValueError(f"{place}: a {type(record).__name__} where a JSON object must be")
        yield place, record


def _in_lines(name: str, file: TextIO) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_RECORD), ""), 1):
        if len(line) == LONGEST_RECORD:
            raise ValueError(f"{name}:{number}: a line of more than {LONGEST_RECORD:,} letters")
        if line.strip(_BLANK):
            try:
                yield f"{name}:{number}", json.loads(line.lstrip(_BLANK))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{name}:{number}: not JSON: {error}") from None


def entries(name: str, stream: IO[bytes]) -> Iterator[tuple[str, Any]]:
    """The names and values of the one JSON object that a stream is, in their order. ValueError names the place."""
    found = _values(name, io.TextIOWrapper(stream, encoding="utf-8"), _FIRST_NAME, _NEXT_NAME)
    for index, (gap, value) in enumerate(found):
        try:
            said = json.loads(f'"{gap["name"]}"')
        except ValueError as error:
            raise ValueError(f"{name}[{index}]: its name is not JSON: {error}") from None
        yield said, value


def _in_list(name: str, file: TextIO) -> Iterator[tuple[str, Any]]:
    for index, (_, record) in enumerate(_values(name, file, _FIRST, _NEXT)):
        yield f"{name}[{index}]", record


def _values(
    name: str, file: TextIO, separator: re.Pattern[str], following: re.Pattern[str], size: int = 1 << 20
) -> Iterator[tuple[re.Match[str], Any]]:
    """What stands in the brackets of a list or an object, each with what `separator` found before it."""
    decode = json.JSONDecoder().raw_decode
    buffer, at, index = "", 0, 0
    while True:
        gap = separator.match(buffer, at)
        if gap and gap["end"]:
            if (buffer[gap.end() :] + file.read(1 << 10)).strip(_BLANK):
                raise ValueError(f"{name}: something follows after the closing bracket")
            return
        try:
            record, end = decode(buffer, gap.end() if gap else len(buffer))
        except (ValueError, RecursionError) as error:
            if len(buffer) - at > LONGEST_RECORD:
                raise ValueError(f"{name}[{index}]: not JSON, or longer than {LONGEST_RECORD:,} letters") from None
            if not (more := file.read(max(size, len(buffer) - at))):
                raise ValueError(f"{name}[{index}]: not JSON, or cut short: {error}") from None
            buffer, at = buffer[at:] + more, 0
            continue
        assert gap  # decode finds nothing at the end of the buffer
        yield gap, record
        at, index, separator = end, index + 1, following
