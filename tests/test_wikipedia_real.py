"""The real questions and claims, over snapshots of the real pages: what is meant is found, what is right rewarded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from react.environments import load
from react.environments.wikipedia.build import open_snapshot
from react.environments.wikipedia.formats import fever_title
from react.environments.wikipedia.snapshot import Snapshot

DATA = Path(__file__).parents[2] / "shared" / "data"
HOTPOT, FEVER = DATA / "hotpotqa", DATA / "fever"
QUESTIONS = {split: HOTPOT / f"hotpot_{split}_distractor_sample.json" for split in ("train", "dev")}

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the real data are not there")


@pytest.fixture(scope="module", params=["contexts", pytest.param("pages", marks=pytest.mark.slow)])
def snapshot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Of the contexts of 1,189 questions, or of 26,312 introductions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STARACT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield open_snapshot(HOTPOT / "pages.jsonl.gz" if request.param == "pages" else list(QUESTIONS.values()))


def test_every_gold_title_is_found_by_its_own_title(snapshot: Snapshot) -> None:
    questions = [question for path in QUESTIONS.values() for question in json.loads(path.read_text())]
    titles = {title for question in questions for title, _ in question["supporting_facts"]}
    assert len(questions) == 1189 and len(titles) > 2000
    for title in titles:
        page = snapshot.find(title)
        assert page is not None and page.title == title


def test_the_way_over_the_gold_titles_to_the_gold_answer_is_rewarded(snapshot: Snapshot) -> None:
    environment = load("hotpotqa", {**QUESTIONS, "pages": snapshot.path})
    tasks = [*environment.tasks("train"), *environment.tasks("dev")]
    assert len(tasks) == 1189
    for task in tasks:
        episode = environment.start(task)
        for title in task.extra["supporting"]:
            observation = episode.act(f"Search[{title}]")
            assert observation.page == title and observation.text and not observation.done
        assert episode.act(f"Finish[{task.answer}]").reward == 1.0


def test_the_pages_of_evidence_are_found_by_their_titles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARACT_CACHE", str(tmp_path))
    sample = FEVER / "wiki-pages-sample.jsonl"
    ids = {json.loads(line)["id"] for line in sample.open()}
    claims = map(json.loads, (FEVER / "paper_test_sample.jsonl").open())
    evidence = {page for claim in claims for group in claim["evidence"] for _, _, page, _ in group if page in ids}
    assert len(evidence) > 1000
    snapshot = open_snapshot(sample)
    for id in evidence:
        page = snapshot.find(fever_title(id))
        assert page is not None and page.title == fever_title(id)
        assert not any(escape in " ".join(page.sentences) for escape in ("-LRB-", "-RRB-", "-LSB-", "``"))
