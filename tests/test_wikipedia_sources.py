"""What pages can be built from: dumps, archives, folders, data sets, ZIM files; and what is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments.wikipedia import Page, hub, streams, zim
from react.environments.wikipedia.build import open_snapshot
from react.environments.wikipedia.formats import fever_title, unescaped
from react.environments.wikipedia.reading import Position
from react.environments.wikipedia.sources import pages, sources

pytestmark = pytest.mark.usefixtures("cache")

# In the words of HotpotQA's dump: sentences with the space before them, markup beside them.
DUMP: list[dict[str, Any]] = [
    {
        "id": str(number),
        "url": f"https://en.wikipedia.org/wiki?curid={number}",
        "title": title,
        "text": text,
        "charoffset": [[[0, 1]]],
        "text_with_links": text,
    }
    for number, (title, text) in enumerate(
        [
            ("Vaal River", ["The Vaal is a river.", " It rises near Breyten."]),
            ("AT&amp;T", ["AT&amp;T is a company."]),
            ("Mercury", ["Mercury may refer to:"]),
            ("Nothing", []),
            ("Whole", [["Whole"], ["One.", " Two."], [], ["Three."]]),
        ]
    )
]
DUMPED = [
    Page("Vaal River", (("The Vaal is a river.", "It rises near Breyten."),)),
    Page("AT&T", (("AT&amp;T is a company.",),)),
    Page("Mercury", (("Mercury may refer to:",),), (), True),
    Page("Whole", (("One.", "Two."), ("Three.",))),
]
FEVER: list[dict[str, Any]] = [
    {"id": "", "text": "", "lines": ""},
    {
        "id": "Younger_-LRB-TV_series-RRB-",
        "text": "",
        "lines": "0\tYounger -LRB- 2015 -RRB- is `` good '' , he 's sure -LSB- 1 -RSB- .\tgood\tGood_-LRB-film-RRB-\n"
        "1\tIt has\ttabs\n2\t\n3\tA new\nline is in here .\n4\t",
    },
    {"id": "Star_Trek-COLON-_Insurrection", "text": "x", "lines": "0\tA film .\tfilm\tfilm"},
]
FEVERED = [
    Page("Younger (TV series)", (('Younger (2015) is "good", he\'s sure [1].', "It has"), ("A new line is in here.",))),
    Page("Star Trek: Insurrection", (("A film.",),)),
]


def lines(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def tarred(path: Path, mode: str, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def folder(path: Path, members: dict[str, bytes]) -> Path:
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


HOTPOT_MEMBERS = {
    "enwiki/AA/wiki_00.bz2": bz2.compress(lines(DUMP[:2])),
    "enwiki/AA/._wiki_00.bz2": b"of no use",
    "enwiki/AB/wiki_00.bz2": bz2.compress(lines(DUMP[2:])),
    "enwiki/README": b"a text",
}
FEVER_MEMBERS = {"wiki-pages/wiki-001.jsonl": lines(FEVER[:2]), "wiki-pages/wiki-002.jsonl": lines(FEVER[2:])}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda at: tarred(at / "enwiki.tar.bz2", "w:bz2", HOTPOT_MEMBERS), DUMPED),
        (lambda at: tarred(at / "enwiki-without-a-suffix", "w:gz", HOTPOT_MEMBERS), DUMPED),
        (lambda at: tarred(at / "enwiki.tar", "w", HOTPOT_MEMBERS), DUMPED),
        (lambda at: folder(at / "enwiki", HOTPOT_MEMBERS), DUMPED),
        (lambda at: folder(at, {"wiki_00": lines(DUMP)}) / "wiki_00", DUMPED),
        (lambda at: folder(at, {"wiki_00.bz2": bz2.compress(lines(DUMP))}) / "wiki_00.bz2", DUMPED),
        (lambda at: folder(at, {"pages.jsonl.xz": lzma.compress(lines(DUMP))}) / "pages.jsonl.xz", DUMPED),
        (lambda at: zipped(at / "wiki-pages.zip", FEVER_MEMBERS), FEVERED),
        (lambda at: folder(at / "wiki-pages", FEVER_MEMBERS), FEVERED),
        (lambda at: folder(at, {"w.jsonl": lines(FEVER)}) / "w.jsonl", FEVERED),
        (lambda at: folder(at, {"both.json": json.dumps(DUMP + FEVER).encode()}) / "both.json", DUMPED + FEVERED),
    ],
    ids="tar.bz2 tar.gz tar folder file file.bz2 file.xz fever.zip fever-folder fever-file list".split(),  # noqa: SIM905
)
def test_dumps_packed_and_unpacked(tmp_path: Path, make: Callable[[Path], Path], expected: list[Page]) -> None:
    path = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert list(pages(path)) == expected
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked"
    snapshot = open_snapshot(path)
    for page in expected:
        assert snapshot.find(page.title) == Page(page.title, page.paragraphs, (), page.disambiguation)


@pytest.mark.parametrize("make", [
    lambda at: tarred(at / "enwiki.tar.bz2", "w:bz2", HOTPOT_MEMBERS),
    lambda at: zipped(at / "wiki-pages.zip", FEVER_MEMBERS),
    lambda at: folder(at / "wiki-pages", FEVER_MEMBERS),
])  # fmt: skip
def test_a_source_is_read_from_any_position_on(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    (source,) = sources(make(tmp_path))
    whole = list(source.read(Position()))
    assert len(whole) >= 3
    for number, read in enumerate(whole):
        assert list(source.read(read.after)) == whole[number + 1 :]
    assert [read.done for read in whole] == sorted(read.done for read in whole) and whole[-1].done <= source.size


def test_members_that_are_no_plain_files_are_left_alone(tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(lines([{"title": "Secret", "text": "Told."}]))
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        for name, kind in (("AA/wiki_00", tarfile.SYMTYPE), ("AA/wiki_01", tarfile.LNKTYPE), ("AA/wiki_02", b"3")):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, str(secret)
            archive.addfile(entry)
        entry = tarfile.TarInfo("../../outside/wiki_03")
        content = lines([{"title": "Kept", "text": "Read."}])
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    assert [page.title for page in pages(tmp_path / "evil.tar")] == ["Kept"]
    assert not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lambda content: lzma.compress(content, preset=0)])
def test_a_record_without_end_is_refused_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(streams, "LONGEST_RECORD", 1 << 19)
    for name, content in (("line", b'{"title": "' + b"x" * (1 << 24)), ("list", b'[{"title": "' + b"x" * (1 << 24))):
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(pack(content))
        tracemalloc.start()
        with pytest.raises(ValueError, match=rf"{name}\.jsonl.*524,288 letters"):
            list(pages(path))
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("page.html", b"<html>", "no format of pages that is known; known are .*ZIM"),
        ("wiki.sqlite", b"SQLite format 3\0", "not a Wikipedia snapshot"),
        ("enwiki.tar", b"", ""),
        ("a.zip", b"PK\x03\x04 and no more", "a.zip"),
        ("wiki_00.bz2", b"BZh9 and no more", "wiki_00.bz2: cannot be read"),
        ("a.zim", b"ZIM\x04 and no more", "a.zim: cannot be read"),
        ("a.parquet", b"PAR1 and no more", "a.parquet: cannot be read"),
        ("a.jsonl", b'{"question": "?", "answer": "!"}', "a.jsonl:1: a record with the fields 'answer', 'question';"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    if name.endswith(".zim"):
        pytest.importorskip("libzim")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=problem or "the sources hold no pages"):
        open_snapshot(path)
    with pytest.raises(ValueError, match="no pages in this folder; known are"):
        open_snapshot(folder(tmp_path / "empty", {"README": b"nothing"}))


def test_a_data_set_without_a_name_is_not_the_current_folder() -> None:
    with pytest.raises(ValueError, match="hf://: neither a folder nor hf://OWNER/NAME/CONFIG"):
        hub.parse("hf://")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["tar", "tar.gz", "tar.bz2"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:1024],
        lambda whole: whole[:1324],
        lambda whole: whole[:2048] + bytes(512),
        lambda whole: whole[:1030] + bytes([whole[1030] ^ 1]) + whole[1031:],
        lambda whole: whole[:1024] + bytes(512) + whole[1536:],
        lambda whole: whole[:1024] + bytes(1024) + whole[2048:2560] + whole[512:],
    ],
    ids=["between members", "in a header", "one empty block", "a bit", "a zeroed header", "after the end"],
)
def test_a_damaged_tar_is_no_shorter_one(
    tmp_path: Path, pack: Callable[[bytes], bytes], damage: Callable[[bytes], bytes]
) -> None:
    members = {f"wiki_0{n}": lines([{"title": f"Page {n}", "text": "It is."}]) for n in range(2)}
    whole = tarred(tmp_path / "whole.tar", "w", members).read_bytes()
    (tmp_path / "x.tar").write_bytes(pack(whole))
    assert len(list(pages(tmp_path / "x.tar"))) == 2
    (tmp_path / "x.tar").write_bytes(pack(damage(whole)))
    with pytest.raises(ValueError, match=r"x\.tar: cut short or damaged after member 'wiki_0"):
        list(pages(tmp_path / "x.tar"))


def test_an_archive_without_pages_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no files of pages"):
        open_snapshot(zipped(tmp_path / "a.zip", {"README": b"nothing"}))
    with pytest.raises(ValueError, match="holds no files of pages"):
        open_snapshot(tarred(tmp_path / "a.tar.bz2", "w:bz2", {"README": b"nothing"}))


# FEVER's text.


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="-")))
def test_the_escapes_of_fever_are_undone(title: str) -> None:
    escaped = title.replace("(", "-LRB-").replace(")", "-RRB-").replace("[", "-LSB-").replace("]", "-RSB-")
    assert fever_title(escaped.replace(":", "-COLON-").replace(" ", "_")) == fever_title(title)


@pytest.mark.parametrize(
    "text",
    [
        "He said \"no\" (in 1990), then: yes; [1] 5 % .22 of the boys' and girls' {x}!",
        "It's 3.5, isn't it?",
        "A - B ... C",
    ],
)
def test_text_that_was_never_cut_into_tokens_stays(text: str) -> None:
    assert unescaped(text).replace("5%", "5 %") == text


# Data sets of rows: a folder on this machine is laid out as one on the hub.

ROWS = [
    {
        "id": "1",
        "url": "u",
        "title": "Vaal River",
        "text": "The Vaal is a river. It is long.\n\nHistory\n\nIt was found.",
    },
    {"id": "2", "url": "u", "title": "Mercury", "text": "Mercury may refer to:\n\nMercury (planet)"},
    {"id": "3", "url": "u", "title": "Breyten", "text": "Breyten is a town."},
]
ROWED = [
    Page("Vaal River", (("The Vaal is a river.", "It is long."), ("History",), ("It was found.",))),
    Page("Mercury", (("Mercury may refer to:",), ("Mercury (planet)",)), (), True),
    Page("Breyten", (("Breyten is a town.",),)),
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path_factory.mktemp("rows") / "20231101.en"
    path.mkdir()
    for number, part in enumerate((ROWS[:2], ROWS[2:])):
        table = pyarrow.table({field: [row[field] for row in part] for field in ROWS[0]})
        parquet.write_table(table, path / f"train-{number:05}-of-00002.parquet")
    return path


def test_rows_of_a_data_set(rows: Path) -> None:
    for paths in (rows, f"hf://{rows}", [*sorted(rows.iterdir())]):
        assert list(pages(paths)) == ROWED
    (source,) = sources(f"hf://{rows}")
    whole = list(source.read(Position()))
    assert list(source.read(whole[0].after)) == whole[1:]
    (tables,) = sources(rows)
    whole = list(tables.read(Position()))
    assert [list(tables.read(read.after)) for read in whole] == [whole[1:], whole[2:], []]
    assert open_snapshot(rows).fingerprint == open_snapshot(f"hf://{rows}").fingerprint


def test_rows_of_json_lines_in_a_folder_of_the_hub(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_bytes(lines(ROWS))
    assert list(pages(f"hf://{tmp_path}")) == ROWED


def test_the_name_of_a_data_set() -> None:
    short, long = (hub.parse(f"hf://wikimedia/wikipedia{config}") for config in ("/20231101.en", "?config=20231101.en"))
    assert short.signature() == long.signature()
    named = hub.parse("hf://wikimedia/wikipedia/20231101.en?revision=abc&split=test")
    assert (named.place, named.config, named.split, named.revision) == (
        "wikimedia/wikipedia", "20231101.en", "test", "abc",
    )  # fmt: skip
    for wrong in ("hf://wikipedia", "hf://a/b/c/d", "hf://a/b?x=1", "hf://a/b/c?config=d", "hf://", "hf://a/b?split="):
        with pytest.raises(ValueError, match="hf://"):
            hub.parse(wrong)


def test_a_hub_that_is_not_reached_keeps_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.load_dataset", lambda *_, **__: (_ for _ in ()).throw(ConnectionError("no route")))
    with pytest.raises(OSError, match=r"hf://wikimedia/wikipedia/20231101\.en: could not be reached: no route"):
        open_snapshot("hf://wikimedia/wikipedia/20231101.en")
    assert len(list((tmp_path / "cache").rglob("*.partial"))) == 1


# ZIM files.

ARTICLE = """<html><head><title>Vaal</title><style>p {}</style></head><body>
<div class="hatnote">For other uses, see <a>elsewhere</a>.</div>
<p>The <b>Vaal</b> is a river&nbsp;in <a href="x">South&amp;Africa</a>.<sup class="reference"><a>[1]</a></sup>
It is long.</p><table><tr><td><p>A box</p></td></tr></table><script>evil("<p>no</p>")</script>
<h2>History<span class="mw-editsection">[edit]</span></h2><p>It was<br>found.<p>An open paragraph.
<ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul></body></html>"""


def test_paragraphs_of_html() -> None:
    assert zim.paragraphs(ARTICLE) == [
        "The Vaal is a river in South&Africa. It is long.",
        *("It was found.", "An open paragraph.", "One", "Inner", "Two"),
    ]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*"<>/&;!-=\"' \n", "p", "li", "table", "x", "é"])).map("".join))
def test_any_html_is_read(html: str) -> None:
    assert all(len(text.splitlines()) == 1 and text.strip() for text in zim.paragraphs(html))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    writer = pytest.importorskip("libzim.writer")

    class Entry(writer.Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, content: str, kind: str = "text/html") -> None:
            super().__init__()
            self.path, self.title, self.content, self.kind = path, title, content, kind

        def get_path(self) -> str:
            return self.path

        def get_title(self) -> str:
            return self.title

        def get_mimetype(self) -> str:
            return self.kind

        def get_contentprovider(self) -> Any:
            return writer.StringProvider(self.content)

        def get_hints(self) -> dict[Any, int]:
            return {writer.Hint.FRONT_ARTICLE: True}

    path = tmp_path / "wiki.zim"
    with writer.Creator(path) as creator:
        creator.set_mainpath("Vaal_River")
        creator.add_item(Entry("Vaal_River", "Vaal River", ARTICLE))
        creator.add_item(Entry("Mercury", "Mercury", "<p>Mercury may refer to:</p><ul><li>Mercury (planet)</li></ul>"))
        creator.add_item(Entry("style.css", "", "p {}", "text/css"))
        creator.add_redirection("Vaal", "Vaal", "Vaal_River", {})
        creator.add_redirection("The_Vaal", "The Vaal", "Vaal", {})
        for name in ("Title", "Creator", "Publisher", "Date", "Description", "Language", "Name"):
            creator.add_metadata(name, "eng")
    return path


def test_a_zim_file(archive: Path) -> None:
    found = {page.title: page for page in pages(archive)}
    assert found.keys() == {"Vaal River", "Mercury"} and found["Mercury"].disambiguation
    snapshot = open_snapshot(archive)
    for name in ("Vaal River", "vaal", "The Vaal"):
        page = snapshot.find(name)
        assert page is not None and page.title == "Vaal River"
        assert page.paragraphs[:2] == (("The Vaal is a river in South&Africa.", "It is long."), ("It was found.",))
    (source,) = sources(archive)
    whole = list(source.read(Position()))
    assert [list(source.read(read.after)) for read in whole] == [whole[n:] for n in range(1, len(whole) + 1)]
