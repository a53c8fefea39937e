"""FEVER: what is read of its files, and what a label is worth."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from react import environments
from react.environments import load, names
from react.environments.fever import LABELS, _title, same_label
from react.methods import SINGLE, prompts
from react.scene import Scene
from react.trajectory import Task

pytestmark = pytest.mark.usefixtures("cache")

REAL = Path(__file__).parents[2] / "shared" / "data" / "fever"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")

PAGES = [
    {"title": "Vaal (river)", "text": "The Vaal rises near Breyten. It flows west."},
    {"title": "Breyten", "text": "Breyten is a town."},
]
CLAIM = {
    "id": 75397,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": "The Vaal rises near a town.",
    "evidence": [
        [[92206, 104971, "Vaal_-LRB-river-RRB-", 0], [92207, 104971, "Breyten", 0]],
        [[92206, 104972, "Vaal_-LRB-river-RRB-", 0], [92206, 104972, "Vaal_-LRB-river-RRB-", 1]],
        [[92208, 104973, "Breyten", 0]],
    ],
}
UNKNOWN = {
    "id": 9,
    "label": "NOT ENOUGH INFO",
    "claim": "The Vaal is deep.",
    "evidence": [[[1, None, None, None]], [[2, None, None, None]]],
}


def written(path: Path, value: Any) -> Path:
    text = json.dumps(value) if path.name.removesuffix(".gz").endswith(".json") else "\n".join(map(json.dumps, value))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def over(tmp_path: Path, *claims: object, name: str = "dev.jsonl", **options: Any) -> environments.Environment:
    """The environment of these claims."""
    pages = written(tmp_path / "pages.jsonl", PAGES)
    return load("fever", {"dev": written(tmp_path / name, claims), "pages": pages, **options})


# What a label is worth: the reference's normalised equality, worked out by hand.


@pytest.mark.parametrize(
    ("answer", "label", "reward"),
    [
        ("SUPPORTS", "SUPPORTS", 1.0),
        ("supports.", "SUPPORTS", 1.0),
        (" The REFUTES ", "REFUTES", 1.0),
        ("not enough info", "NOT ENOUGH INFO", 1.0),
        ("NOT ENOUGH INFORMATION", "NOT ENOUGH INFO", 0.0),
        ("NOT_ENOUGH_INFO", "NOT ENOUGH INFO", 0.0),
        ("SUPPORTED", "SUPPORTS", 0.0),
        ("REFUTES", "SUPPORTS", 0.0),
        ("", "REFUTES", 0.0),
        ("NEI", "NOT ENOUGH INFO", 0.0),
    ],
)
def test_what_an_answer_is_worth(answer: str, label: str, reward: float) -> None:
    assert same_label(answer, label) == reward


def test_an_episode(tmp_path: Path) -> None:
    environment = over(tmp_path, CLAIM)
    (task,) = environment.tasks("dev")
    episode = environment.start(task)
    assert episode.act("Search[vaal (river)]").page == "Vaal (river)"
    assert episode.act("Lookup[west]").text == "(Result 1 / 1) It flows west."
    end = episode.act("Finish[supports]")
    assert (end.text, end.done, end.reward, episode.answer) == ("", True, 1.0, "supports")
    assert environment.start(task).act("Finish[]").reward == 0.0
    assert environment.name == "fever" and environment.max_steps == 5 and "fever" in names()


def test_the_reference_takes_seven_steps_and_splits_as_it_did(tmp_path: Path) -> None:
    paper, reference = (over(tmp_path, CLAIM, behaviour=behaviour) for behaviour in ("paper", "reference"))
    assert (paper.max_steps, reference.max_steps) == (5, 7) and paper.fingerprint != reference.fingerprint
    shown = [e.start(e.tasks("dev")[0]).act("Search[Breyten]").text for e in (paper, reference)]
    assert shown == ["Breyten is a town.", "Breyten is a town.."]


def test_answers_of_one_reward_are_one_vote(tmp_path: Path) -> None:
    environment = over(tmp_path, CLAIM)
    assert environment.normalise("Supports.") == environment.normalise("SUPPORTS")
    assert environment.normalise("the") == "the"


def test_notation(tmp_path: Path) -> None:
    environment = over(tmp_path, CLAIM)
    written_as = [environment.notation(thoughts=t, actions=a) for t in (True, False) for a in (True, False)]
    cues = [notation.cue(1) for notation in written_as]
    assert cues == ["Thought 1:", "Thought:", "Action 1:", "Answer:"]
    asked = {notation.spans(environment.tasks("dev")[0], [])[0].text for notation in written_as}
    assert asked == {"Claim: The Vaal rises near a town.\n"}


# Files of claims.


def test_the_smallest_set_of_evidence_is_what_a_task_needs(tmp_path: Path) -> None:
    tied = [
        [[1, 1, "A", 0], [1, 1, "B", 0]],
        [[2, 2, "C", 0], [2, 2, "D", 3]],
        [[3, 3, "Z_-COLON-_-LSB-x-RSB-", 0], [3, 3, "A", 0]],
    ]
    claims = CLAIM, UNKNOWN, CLAIM | {"id": 10, "evidence": tied}, CLAIM | {"id": 11, "evidence": tied[2:]}
    tasks = over(tmp_path, *claims).tasks("dev")
    assert tasks[0] == Task("75397", CLAIM["claim"], "SUPPORTS", {"label": "SUPPORTS", "supporting": ["Vaal (river)"]})
    assert [task.extra["supporting"] for task in tasks[1:]] == [[], ["A", "B"], ["Z : [x]", "A"]]


@pytest.mark.parametrize("name", ["dev.json", "dev.jsonl", "dev.jsonl.gz"])
def test_claims_with_a_label_are_enough_and_ids_are_texts_or_numbers(tmp_path: Path, name: str) -> None:
    plain = {"claim": "It is.", "label": "REFUTES"}
    tasks = over(tmp_path, plain, plain | {"id": 3}, plain | {"id": "x"}, name=name).tasks("dev")
    assert [task.id for task in tasks] == ["dev-0", "3", "x"]
    assert tasks[0] == Task("dev-0", "It is.", "REFUTES", {"label": "REFUTES"}) and tasks[0].kind == "REFUTES"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": None}, "the claim has no `label`; those of the unlabelled test set cannot be judged"),
        ({"label": ""}, "the claim has no `label`"),
        ({"label": "NEI"}, "`label` is 'NEI'; it must be one of SUPPORTS, REFUTES, NOT ENOUGH INFO"),
        ({"label": ["SUPPORTS"]}, r"`label` is \['SUPPORTS'\]"),
        ({"claim": ""}, "`claim` must be a text, not ''"),
        ({"id": 2.5}, r"`id` must be a text, not 2\.5"),
        ({"id": 9}, r"the id '9' was already taken at .*dev\.jsonl:1"),
        ({"evidence": "yes"}, "`evidence` must be a list of sets"),
        ({"evidence": None}, "`evidence` must be a list of sets"),
        ({"evidence": [[1, 2, "A", 0]]}, "`evidence` must be a list of sets"),
        ({"evidence": [[[1, 2, 3, 0]]]}, "`evidence` must be a list of sets"),
        ({"evidence": [["abcd"]]}, "`evidence` must be a list of sets"),
        ({"evidence": [[[1, 2, "A"]]]}, "`evidence` must be a list of sets"),
    ],
)
def test_a_bad_claim_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=rf"dev\.jsonl:2: {problem}"):
        over(tmp_path, UNKNOWN, CLAIM | change).tasks("dev")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    dev = written(tmp_path / "dev.jsonl", [CLAIM])
    with pytest.raises(ValueError, match="`pages` are missing"):
        load("fever", {"dev": dev})
    with pytest.raises(ValueError, match="no split 'train'; there are: dev"):
        over(tmp_path, CLAIM).tasks("train")
    with pytest.raises(ValueError, match="unknown behaviour 'live'; there are: paper, reference"):
        over(tmp_path, CLAIM, behaviour="live")


def test_the_label_never_chooses_the_exemplars() -> None:
    with pytest.raises(ValueError, match="exemplars_by is 'label', which is the answer"):
        Scene(environment="fever", shots=3, exemplars_by="label").staged().tasks("dev")


def test_exemplars_of_ones_own(tmp_path: Path) -> None:
    steps = "[{thought: No., action: 'Finish[REFUTES]'}]"
    mine = f"exemplars: [{{question: It is., answer: REFUTES, reasoning: It is not., steps: {steps}}}]"
    (tmp_path / "mine.yaml").write_text(mine)
    staged = Scene(environment="fever", exemplars=str(tmp_path / "mine.yaml"), shots=1, method="cot").staged()
    prompt = prompts(SINGLE["cot"], staged.environment, staged.exemplars, 1, "")(staged.tasks("dev")[0])
    assert prompt == "Claim: It is.\nThought: It is not.\nAnswer: REFUTES\n"
    with pytest.raises(ValueError, match=r"shots is 4; there are 3 exemplars \(fever\.yaml\): --shots 3"):
        Scene(environment="fever", shots=4).staged()


# The embedded claims, and the real files.


def test_embedded_claims_are_solved_by_opening_their_evidence() -> None:
    environment = load("fever")
    tasks = [*environment.tasks("train"), *environment.tasks("dev")]
    assert (len(tasks), {task.answer for task in tasks}) == (6912, set(LABELS))
    for task in tasks[::7]:
        assert_solved(environment, task)


def assert_solved(environment: environments.Environment, task: Task) -> None:
    episode = environment.start(task)
    assert [episode.act(f"Search[{title}]").page for title in task.extra["supporting"]] == task.extra["supporting"]
    assert episode.act(f"Finish[{task.answer}]").reward == 1.0


@real_data
def test_all_real_claims_load(tmp_path: Path) -> None:
    pages = written(tmp_path / "pages.jsonl", PAGES)
    environment = load("fever", {"dev": REAL / "paper_dev.jsonl", "pages": pages})
    tasks = environment.tasks("dev")
    assert len(tasks) == 9999 and tasks[0].id == "91198"
    assert tasks[2].extra == {"label": "SUPPORTS", "supporting": ["Soul Food (film)"]}
    for task in tasks:
        assert bool(task.extra["supporting"]) == (task.answer != "NOT ENOUGH INFO")


@real_data
def test_real_claims_are_solved_by_opening_their_evidence(tmp_path: Path) -> None:
    records = map(json.loads, (REAL / "wiki-pages-sample.jsonl").read_text().splitlines())
    pages = [{"title": _title([0, 0, page["id"], 0]), "sentences": sentences(page["lines"])} for page in records]
    options = {"dev": REAL / "paper_test_sample.jsonl", "pages": written(tmp_path / "pages.jsonl", pages)}
    environment = load("fever", options)
    tasks = environment.tasks("dev")
    assert len(tasks) == 6711
    for task in tasks:
        assert_solved(environment, task)


def sentences(lines: str) -> list[str]:
    """Those of a page of FEVER's dump, whose lines are `number<tab>sentence<tab>links`."""
    return [line.split("\t")[1] for line in lines.split("\n") if "\t" in line]
