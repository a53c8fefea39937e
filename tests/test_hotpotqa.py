"""HotpotQA: what is read of its files, and what an answer is worth."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react.environments import load, names
from react.environments.hotpotqa import exact_match, f1, normalise
from react.trajectory import Task

pytestmark = pytest.mark.usefixtures("cache")

REAL = Path(__file__).parents[2] / "shared" / "data" / "hotpotqa"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")

CONTEXT = [["Vaal River", ["The Vaal rises near Breyten.", " It flows west."]], ["Breyten", ["Breyten is a town."]]]
OFFICIAL = {
    "_id": "q1",
    "question": "Near which town does the Vaal rise?",
    "answer": "Breyten",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Vaal River", 0], ["Breyten", 0], ["Vaal River", 1]],
    "context": CONTEXT,
}


def written(path: Path, value: Any) -> Path:
    text = json.dumps(value) if path.name.removesuffix(".gz").endswith(".json") else "\n".join(map(json.dumps, value))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


# What an answer is worth: values worked out by hand from the official evaluation.


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The  Beatles!", "beatles"),
        ("An apple, a day", "apple day"),
        ("U.S.", "us"),
        ("A.B.", "ab"),
        ("theatre", "theatre"),
        ("the-end", "theend"),
        ("Théâtre", "théâtre"),
        ("“quoted”", "“quoted”"),
        ("1,000", "1000"),
        ("the", ""),
    ],
)
def test_normalise(text: str, normalised: str) -> None:
    assert normalise(text) == normalised


@pytest.mark.parametrize(
    ("prediction", "gold", "match", "overlap"),
    [
        ("the Chief of Protocol.", "Chief of Protocol", 1.0, 1.0),
        ("Chief Protocol", "Chief of Protocol", 0.0, 0.8),
        ("Yes", "yes", 1.0, 1.0),
        ("yes it is", "yes", 0.0, 0.0),
        ("no", "no one", 0.0, 0.0),
        ("noanswer", "no answer", 0.0, 0.0),
        ("a b b c", "b b d", 0.0, 2 * (2 / 3) * (2 / 3) / (4 / 3)),
        ("Peru", "Lima", 0.0, 0.0),
        ("", "Lima", 0.0, 0.0),
        ("", "", 0.0, 0.0),
        ("", "The", 0.0, 0.0),
        (" the the ", "The The", 1.0, 1.0),
        ("the", "The The", 0.0, 0.0),
        ("!", "?", 0.0, 0.0),
    ],
)
def test_scores(prediction: str, gold: str, match: float, overlap: float) -> None:
    assert exact_match(prediction, gold) == match
    assert f1(prediction, gold) == pytest.approx(overlap)


WORDS = st.lists(st.sampled_from(["a", "the", "lima", "Peru", "yes", "no", "U.S.", "1,000", "!"])).map(" ".join)


@given(WORDS | st.text(), WORDS | st.text())
def test_scores_agree(one: str, other: str) -> None:
    assert 0.0 <= exact_match(one, other) <= f1(one, other) <= 1.0
    assert f1(one, other) == f1(other, one)
    assert exact_match(one, one) == float(bool(one.strip()))


# Episodes.


def test_an_episode(tmp_path: Path) -> None:
    environment = load("hotpotqa", {"train": written(tmp_path / "train.json", [OFFICIAL])})
    (task,) = environment.tasks("train")
    episode = environment.start(task)
    found = episode.act("Search[vaal river]")
    assert (found.text, found.page) == ("The Vaal rises near Breyten. It flows west.", "Vaal River")
    assert environment.start(task).act("Lookup[Vaal]").text == "No more results."
    end = episode.act("Finish[the Breyten]")
    assert (end.done, end.reward, episode.answer) == (True, 1.0, "the Breyten")
    assert environment.start(task).act("Finish[]").reward == 0.0
    assert environment.max_steps == 7 and environment.name == "hotpotqa" and "hotpotqa" in names()


def test_the_behaviour_is_in_the_observations_and_in_the_fingerprint(tmp_path: Path) -> None:
    dev = written(tmp_path / "dev.json", [OFFICIAL])
    paper, reference = (load("hotpotqa", {"dev": dev, "behaviour": name}) for name in ("paper", "reference"))
    assert (paper.max_steps, reference.max_steps) == (7, 7) and paper.fingerprint != reference.fingerprint
    shown = [e.start(e.tasks("dev")[0]).act("Search[Breyten]").text for e in (paper, reference)]
    assert shown == ["Breyten is a town.", "Breyten is a town.."]


def test_notation(tmp_path: Path) -> None:
    environment = load("hotpotqa", {"dev": written(tmp_path / "dev.json", [OFFICIAL])})
    cues = [environment.notation(thoughts=t, actions=a).cue(1) for t in (True, False) for a in (True, False)]
    assert cues == ["Thought 1:", "Thought: Let's think step by step.", "Action 1:", "Answer:"]


def test_the_fingerprint_is_of_the_pages_not_of_the_questions(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl", [{"title": "A", "text": "One. Two."}])
    other = written(tmp_path / "other.jsonl", [{"title": "A", "text": "One. Three."}])
    first, second = (
        written(tmp_path / f"{n}.json", [{"question": f"{n}?", "answer": "x"}]) for n in ("first", "second")
    )
    prints = [
        load("hotpotqa", {"dev": questions, "pages": source}).fingerprint
        for questions, source in ((first, pages), (second, pages), (first, other))
    ]
    assert prints[0] == prints[1] != prints[2]


# Files of questions.


def test_a_task_keeps_what_selection_needs_and_no_context(tmp_path: Path) -> None:
    rows = [OFFICIAL | {"hops": 2, "kind": "born"}, OFFICIAL | {"_id": "q2", "level": None, "supporting_facts": []}]
    tasks = load("hotpotqa", {"train": written(tmp_path / "train.json.gz", rows)}).tasks("train")
    extra = {"type": "bridge", "level": "easy", "hops": 2, "kind": "born", "supporting": ["Vaal River", "Breyten"]}
    assert tasks[0] == Task("q1", OFFICIAL["question"], "Breyten", extra)
    assert tasks[1].extra == {"type": "bridge", "supporting": []}


def test_simplified_questions_are_called_by_their_index(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl.gz", [{"title": "A", "text": "B."}])
    row = {"question": "?", "answer": "yes", "type": "comparison"}
    files = [written(tmp_path / "b.json", [row, row]), written(tmp_path / "a.jsonl", [row, row | {"id": "own"}])]
    tasks = load("hotpotqa", {"dev": files, "pages": pages}).tasks("dev")
    assert [task.id for task in tasks] == ["dev-0", "own", "dev-2", "dev-3"]


@pytest.mark.parametrize("listed", [["*.json"], ["b.json", "a.json", "Z.json"], ["Z.json", "[ab].json"]])
def test_a_split_is_in_the_order_of_its_files_names_however_they_are_listed(tmp_path: Path, listed: list[str]) -> None:
    pages = written(tmp_path / "pages.jsonl.gz", [{"title": "A", "text": "B."}])
    for name in ("a", "b", "Z"):
        written(tmp_path / f"{name}.json", [{"id": f"{name}{n}", "question": "?", "answer": "x"} for n in (2, 1)])
    tasks = load("hotpotqa", {"dev": [str(tmp_path / name) for name in listed], "pages": pages}).tasks("dev")
    assert [task.id for task in tasks] == ["Z2", "Z1", "a2", "a1", "b2", "b1"]


def test_an_id_is_a_text_or_a_whole_number(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl.gz", [{"title": "A", "text": "B."}])
    rows = [{"id": 7, "question": "?", "answer": "x"}, {"_id": "07", "question": "?", "answer": "x"}]
    tasks = load("hotpotqa", {"dev": written(tmp_path / "dev.jsonl", rows), "pages": pages}).tasks("dev")
    assert [task.id for task in tasks] == ["7", "07"]


def test_pages_are_the_contexts_of_all_splits(tmp_path: Path) -> None:
    other = OFFICIAL | {"_id": "q2", "context": [["Douglas", ["Douglas is a town."]]]}
    options = {
        "train": written(tmp_path / "train.json", [OFFICIAL]),
        "dev": [str(written(tmp_path / "dev.json", [other]))],
    }
    environment = load("hotpotqa", options)
    episode = environment.start(environment.tasks("dev")[0])
    assert [episode.act(f"Search[{name}]").page for name in ("Douglas", "Breyten")] == ["Douglas", "Breyten"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"question": "?"}, "`answer` is missing"),
        ({"question": "\ud800", "answer": "x"}, ".*surrogates not allowed"),
        ({"answer": "x"}, "`question` is missing"),
        ({"question": "?", "answer": 7}, "`answer` must be a text, not 7"),
        ({"question": " ", "answer": "x"}, "`question` must be a text, not ' '"),
        ({"_id": 5.5, "question": "?", "answer": "x"}, r"`_id` must be a text, not 5\.5"),
        ({"_id": True, "question": "?", "answer": "x"}, "`_id` must be a text, not True"),
        ({"_id": "q", "question": "?", "answer": "x"}, r"the id 'q' was already taken at .*dev\.json\[0\]"),
        ({"question": "?", "answer": "x", "supporting_facts": "y"}, "`supporting_facts` must be a list"),
        ({"question": "?", "answer": "x", "supporting_facts": [[]]}, "`supporting_facts` must be a list"),
        ({"question": "?", "answer": "x", "supporting_facts": [[1, 0]]}, "`supporting_facts` must be a list"),
        ({"question": "?", "answer": "x", "type": "\ud800"}, ".*surrogates not allowed"),
        ({"question": "?", "answer": "x", "level": ["hard"]}, "`level` must be a text or a whole number, not a list"),
        ({"question": "?", "answer": "x", "kind": {"a": "b"}}, "`kind` must be a text or a whole number, not a dict"),
        (
            {"question": "?", "answer": "x", "hops": float("nan")},
            "`hops` must be a text or a whole number, not a float",
        ),
        (["?"], "a list where a JSON object must be"),
    ],
)
def test_a_bad_question_is_named(tmp_path: Path, row: object, problem: str) -> None:
    pages = written(tmp_path / "pages.jsonl", [{"title": "A", "text": "B."}])
    dev = written(tmp_path / "dev.json", [{"_id": "q", "question": "?", "answer": "x"}, row])
    with pytest.raises(ValueError, match=rf"dev\.json\[1\]: {problem}"):
        load("hotpotqa", {"dev": dev, "pages": pages}).tasks("dev")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl", [{"title": "A", "text": "B."}])
    empty = written(tmp_path / "empty.json", [])
    plain = written(tmp_path / "plain.json", [{"question": "?", "answer": "x"}])
    with pytest.raises(ValueError, match="absent"):
        load("hotpotqa", {"dev": tmp_path / "absent.json", "pages": pages})
    with pytest.raises(ValueError, match=r"no tasks for 'dev' in .*empty\.json"):
        load("hotpotqa", {"dev": empty, "pages": pages}).tasks("dev")
    with pytest.raises(ValueError, match="no split 'train'; there are: dev"):
        load("hotpotqa", {"dev": plain, "pages": pages}).tasks("train")
    with pytest.raises(ValueError, match=r"no split 'dve'; did you mean 'dev'\? there are: dev"):
        load("hotpotqa", {"dev": plain, "pages": pages}).tasks("dve")
    with pytest.raises(
        ValueError, match=r"plain\.json\[0\]: .*no `pages` are given.*where those have none, give the .*`pages`"
    ):
        load("hotpotqa", {"dev": plain})
    with pytest.raises(ValueError, match=r"\[5\] must be a path or a list of paths"):
        load("hotpotqa", {"dev": 5, "pages": pages})
    with pytest.raises(ValueError, match="a folder where files must be"):
        load("hotpotqa", {"dev": tmp_path, "pages": pages})
    with pytest.raises(ValueError, match="is empty; give a file"):
        load("hotpotqa", {"dev": "", "pages": pages})
    with pytest.raises(ValueError, match="unknown behaviour 'live'; there are: paper, reference"):
        load("hotpotqa", {"dev": plain, "pages": pages, "behaviour": "live"})


# The real files.


@real_data
def test_all_real_questions_load_and_their_pages_open() -> None:
    samples = {split: REAL / f"hotpot_{split}_distractor_sample.json" for split in ("train", "dev")}
    environment = load("hotpotqa", samples)
    assert [len(environment.tasks(split)) for split in ("train", "dev")] == [798, 391]
    for task in (*environment.tasks("train"), *environment.tasks("dev")):
        episode = environment.start(task)
        assert [episode.act(f"Search[{title}]").page for title in task.extra["supporting"]] == task.extra["supporting"]
        assert episode.act(f"Finish[{task.answer}]").reward == 1.0


@real_data
def test_simplified_real_questions_keep_their_order(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl", [{"title": "A", "text": "B."}])
    files = {"dev": REAL / "hotpot_dev_v1_simplified.json", "train": REAL / "train_more_questions.jsonl"}
    environment = load("hotpotqa", {**files, "pages": pages})
    tasks = environment.tasks("dev")
    assert len(tasks) == 7405 and [task.id for task in tasks[::3687]][:2] == ["dev-0", "dev-3687"]
    assert tasks[0].question == "Were Scott Derrickson and Ed Wood of the same nationality?"
    assert len(environment.tasks("train")) == 220
