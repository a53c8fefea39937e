"""Data sets of the Hugging Face hub, from folders laid out as they lie there."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from react.environments import Environment, load
from react.environments._hub import Layout, Source, fetched, parse
from react.trajectory import Task

pytestmark = pytest.mark.usefixtures("cache")

REAL = Path(__file__).parents[2] / "shared" / "data"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")
PAGES = {"title": "A", "text": "B."}
LAYOUT = Layout("usual", {"dev": "validation"}, lambda rows: (dict(row) for _, row in rows))


def tabled(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


# HotpotQA: one row a question; columns where the official file has pairs. A card names the configurations.

OFFICIAL = {
    "_id": "5a7a",
    "question": "Near which town does the Vaal rise?",
    "answer": "Breyten",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Vaal River", 0], ["Breyten", 0]],
    "context": [["Vaal River", ["The Vaal rises near Breyten.", " It flows west."]], ["Breyten", ["A town."]]],
}
CARD = """\
---
configs:
- config_name: distractor
  data_files:
  - {split: train, path: distractor/train-*.parquet}
  - {split: validation, path: distractor/validation-*.parquet}
- config_name: fullwiki
  data_files:
  - {split: validation, path: fullwiki/validation-*.parquet}
---
"""


def hotpotqa_row(question: Mapping[str, Any]) -> dict[str, Any]:
    """The hub's form of an official question."""
    context, facts = question["context"], question["supporting_facts"]
    return {
        "id": question["_id"],
        **{field: question[field] for field in ("question", "answer", "type", "level")},
        "supporting_facts": {"title": [fact[0] for fact in facts], "sent_id": [fact[1] for fact in facts]},
        "context": {"title": [page[0] for page in context], "sentences": [page[1] for page in context]},
    }


@pytest.fixture
def hotpot_qa(tmp_path: Path) -> Path:
    folder = tmp_path / "hotpot_qa"
    tabled(folder / "distractor" / "train-00000-of-00002.parquet", [hotpotqa_row(OFFICIAL)])
    tabled(folder / "distractor" / "train-00001-of-00002.parquet", [hotpotqa_row(OFFICIAL | {"_id": "5a7b"})])
    tabled(folder / "distractor" / "validation-00000-of-00001.parquet", [hotpotqa_row(OFFICIAL | {"_id": "5a7c"})])
    tabled(folder / "fullwiki" / "validation-00000-of-00001.parquet", [hotpotqa_row(OFFICIAL | {"answer": "Ermelo"})])
    (folder / "README.md").write_text(CARD)
    return folder


def test_questions_and_their_pages_come_from_one_data_set(hotpot_qa: Path) -> None:
    environment = load("hotpotqa", {"train": f"hf://{hotpot_qa}", "dev": f"hf://{hotpot_qa}"})
    assert [task.id for split in ("train", "dev") for task in environment.tasks(split)] == ["5a7a", "5a7b", "5a7c"]
    extra = {"type": "bridge", "level": "hard", "supporting": ["Vaal River", "Breyten"]}
    assert environment.tasks("train")[0] == Task("5a7a", OFFICIAL["question"], "Breyten", extra)
    assert environment.start(environment.tasks("dev")[0]).act("Search[Vaal River]").text == (
        "The Vaal rises near Breyten. It flows west."
    )


def test_configuration_and_split_are_named_after_a_question_mark(hotpot_qa: Path) -> None:
    source = f"hf://{hotpot_qa}?config=fullwiki&split=validation"
    assert load("hotpotqa", {"train": source}).tasks("train")[0].answer == "Ermelo"


def test_files_stand_beside_data_sets(hotpot_qa: Path, tmp_path: Path) -> None:
    (tmp_path / "more.json").write_text(json.dumps([OFFICIAL | {"_id": "mine"}]))
    listed = [str(tmp_path / "more.json"), f"hf://{hotpot_qa}"]
    assert [task.id for task in load("hotpotqa", {"train": listed}).tasks("train")] == ["5a7a", "5a7b", "mine"]


def test_a_row_with_other_columns_is_named(hotpot_qa: Path) -> None:
    rows = [hotpotqa_row(OFFICIAL), hotpotqa_row(OFFICIAL) | {"supporting_facts": None}]
    tabled(hotpot_qa / "distractor" / "validation-00000-of-00001.parquet", rows)
    with pytest.raises(ValueError, match=r"hotpot_qa \(distractor, validation\), row 1: not a row of HotpotQA: Type"):
        load("hotpotqa", {"dev": f"hf://{hotpot_qa}"})
    assert not list(hotpot_qa.parent.glob("cache/questions/*"))


# FEVER: a row a sentence of evidence, and a script where the data were; only the tables in the hub's export are read.


def fever_rows(claim: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The hub's form of an official claim."""
    for piece in (piece for pieces in claim["evidence"] for piece in pieces):
        yield {
            **{field: claim[field] for field in ("id", "label", "claim")},
            "evidence_annotation_id": piece[0],
            "evidence_id": -1 if piece[1] is None else piece[1],
            "evidence_wiki_url": piece[2] or "",
            "evidence_sentence_id": -1 if piece[3] is None else piece[3],
        }


def fever(folder: Path, rows: list[dict[str, Any]], split: str = "paper_dev") -> str:
    """A folder `fever` with a script that leaves a trace if it is run."""
    tabled(folder / "fever" / "v1.0" / split / "0000.parquet", rows)
    (folder / "fever" / "fever.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    (folder / "pages.jsonl").write_text(json.dumps(PAGES))
    return f"hf://{folder / 'fever'}"


def claims(folder: Path, source: str | Path) -> Environment:
    return load("fever", {"dev": source, "pages": folder / "pages.jsonl"})


def test_rows_of_one_claim_are_one_task_and_no_script_is_run(tmp_path: Path) -> None:
    sets = [[[1, 11, "A_-LRB-x-RRB-", 0], [2, 11, "B", 3]], [[1, 12, "C", 4]], [[3, 13, "D", 0]]]
    one = {"id": 7, "label": "SUPPORTS", "claim": "It is.", "evidence": sets}
    other = {"id": 8, "label": "NOT ENOUGH INFO", "claim": "It was.", "evidence": [[[4, None, None, None]]] * 2}
    first, *rest = fever_rows(one)
    tasks = claims(tmp_path, fever(tmp_path, [first, *fever_rows(other), *rest])).tasks("dev")
    assert tasks == (
        Task("7", "It is.", "SUPPORTS", {"label": "SUPPORTS", "supporting": ["C"]}),
        Task("8", "It was.", "NOT ENOUGH INFO", {"label": "NOT ENOUGH INFO", "supporting": []}),
    )
    (file,) = (tmp_path / "cache" / "questions").glob("fever-v1.0-paper_dev-*.jsonl.gz")
    written = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert written == [one, other | {"evidence": []}] and not (tmp_path / "ran").exists()


def test_two_claims_under_one_id_are_refused(tmp_path: Path) -> None:
    rows = [next(fever_rows({"id": 7, "label": "REFUTES", "claim": c, "evidence": [[[1, 2, "A", 0]]]})) for c in "ab"]
    with pytest.raises(ValueError, match=r"fever \(v1\.0, paper_dev\), row 1: the id 7 was already taken by another"):
        claims(tmp_path, fever(tmp_path, rows))


@real_data
def test_the_real_claims_are_the_same_from_a_file_and_from_rows(tmp_path: Path) -> None:
    lines = (REAL / "fever" / "paper_dev.jsonl").read_text().splitlines()[:2000]
    (tmp_path / "official.jsonl").write_text("\n".join(lines))
    hosted = claims(tmp_path, fever(tmp_path, [row for line in lines for row in fever_rows(json.loads(line))]))
    assert hosted.tasks("dev") == claims(tmp_path, tmp_path / "official.jsonl").tasks("dev")


@real_data
def test_the_real_questions_are_the_same_from_a_file_and_from_rows(hotpot_qa: Path) -> None:
    file = REAL / "hotpotqa" / "hotpot_dev_distractor_sample.json"
    rows = [hotpotqa_row(question) for question in json.loads(file.read_text())]
    tabled(hotpot_qa / "distractor" / "validation-00000-of-00001.parquet", rows)
    one, other = (load("hotpotqa", {"dev": source}) for source in (f"hf://{hotpot_qa}", str(file)))
    assert one.tasks("dev") == other.tasks("dev") and one.fingerprint == other.fingerprint


# What is fetched, when, and what is no data set.


def test_what_a_source_names() -> None:
    assert parse("hf://o/n", "dev", LAYOUT) == Source("o/n", "usual", "validation", "")
    assert parse("hf://o/n?split=x&revision=abc", "dev", LAYOUT) == Source("o/n", "usual", "x", "abc")
    assert parse("hf://o/n?config=c", "train", LAYOUT) == Source("o/n", "c", "train", "")
    assert parse("hf://o/n/c", "train", LAYOUT) == Source("o/n", "c", "train", "")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("hf://", "'' is no folder, and no data set: owner/name or owner/name/config"),
        ("hf://?split=dev", "'' is no folder"),
        ("hf://o", "'o' is no folder, and no data set: owner/name or owner/name/config"),
        ("hf://o/n/c/d", "'o/n/c/d' is no folder"),
        ("hf://o/n/c?config=d", "'o/n/c' is no folder"),
        ("hf:///no/folder", "'/no/folder' is no folder"),
        ("hf://o/n?splt=x", "cannot read 'splt'; after `\\?` there may be, once each: config, split, revision"),
        ("hf://o/n?split=x&split=y", "cannot read 'split'"),
        ("hf://o/n?split=", "cannot read 'split'"),
    ],
)
def test_what_is_no_source_is_named(source: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse(source, "dev", LAYOUT)


def test_what_cannot_be_loaded_is_named(hotpot_qa: Path, tmp_path: Path) -> None:
    for source, says in (
        (f"hf://{hotpot_qa}?config=none", r"hotpot_qa \(none, validation\): cannot be loaded: .*'none'"),
        (f"hf://{hotpot_qa}?split=none", r"hotpot_qa \(distractor, none\): cannot be loaded: .*none"),
    ):
        with pytest.raises(ValueError, match=says):
            load("hotpotqa", {"dev": source})
    (hotpot_qa / "distractor" / "validation-00000-of-00001.parquet").write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(ValueError, match="cannot be loaded"):
        load("hotpotqa", {"dev": f"hf://{hotpot_qa}"})


def test_a_hub_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    def refuse(*words: object, **more: object) -> None:
        raise ConnectionError("Couldn't reach 'o/n' on the Hub")

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    with pytest.raises(
        ValueError, match=r"^hf://o/n@abc \(usual, validation\): cannot be loaded: Couldn't reach 'o/n'"
    ):
        fetched("hf://o/n?revision=abc", "dev", LAYOUT)


def test_a_data_set_of_the_hub_is_fetched_once_and_a_folder_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Source] = []

    def rows(source: Source) -> list[dict[str, Any]]:
        opened.append(source)
        return [{"question": str(len(opened)), "answer": "x"}]

    monkeypatch.setattr("react.environments._hub._opened", rows)
    (tmp_path / "folder").mkdir()
    files = [fetched(source, "dev", LAYOUT) for source in ("hf://o/n", "hf://o/n", "hf://o/n?revision=abc")]
    assert files[0] == files[1] != files[2] and [source.revision for source in opened] == ["", "abc"]
    before = fetched(f"hf://{tmp_path / 'folder'}", "dev", LAYOUT).read_bytes()
    assert fetched(f"hf://{tmp_path / 'folder'}", "dev", LAYOUT).read_bytes() != before


def test_datasets_is_imported_only_where_it_is_wanted() -> None:
    code = "import sys; from react.environments import load; load('fever'); print('datasets' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
