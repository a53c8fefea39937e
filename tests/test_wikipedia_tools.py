"""What an agent is told, in both behaviours, and that nothing it writes or reads does more than it may.

`golden/wikipedia_<behaviour>.txt` were written by hand from ReAct@6bdb3a1 wikienv.py and the paper's section 3.1.
`>` is an action, below it stands the observation; `==` opens another episode; `↵` is a line break, `␣` a space at the
end.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments import Observation
from react.environments.wikipedia import Page
from react.environments.wikipedia.sentences import pieces
from react.environments.wikipedia.tools import BEHAVIOURS, WikipediaEpisode, parse
from react.methods import METHODS, Sampling, Solver
from react.notation import Notation, Numbered, text
from react.trajectory import COUNTS, Task
from tests.toys import Said

GOLDEN = Path(__file__).parent / "golden"
SIMILAR = ["Old Town", "Oldwater's End", "Ald", "Moor (hill)", "Anne"]
PAGES = (
    Page(
        "Oldwater",
        (
            (
                "Oldwater is a town on the river Ald.",
                "St. Anne's bridge, ca. 1830, crosses it.",
                "Dr. E. Moor built the dam.",
            ),
            ("Climate",),
            ("See also",),
            ("It rains often.", "The dam holds 2.5 million litres.", "Is it old?", "Yes!"),
            ("A second DAM followed in 1950.",),
        ),
    ),
    Page("Ald", (("The Ald is short.",), ("It is a river.",)), redirects=("River Ald",)),
    Page("Moor", (("Moor may refer to:", "Moor (hill)", "E. Moor, who built dams"),), disambiguation=True),
    Page("Anne", (("Anne is the name of", "Anne of Oldwater", "Anne (ship)"),), disambiguation=True),
    Page("High Plains", (("High Plains refers to one of two distinct land regions:", "Upper Moor", "Ald Plain"),)),
    Page("Stub", (("A stub.",),)),
)


@dataclass
class Shelf:
    """A `Wikipedia` of the pages above."""

    fingerprint: str = "shelf"

    def find(self, entity: str) -> Page | None:
        names = {name: page for page in PAGES for name in (page.title, *page.redirects)}
        return names.get(entity.strip())

    def similar(self, entity: str) -> list[str]:
        return [] if entity == "Qqq" else SIMILAR


def episode(behaviour: str = "paper") -> WikipediaEpisode:
    return WikipediaEpisode(Shelf(), judge=lambda answer: float(answer == "1950"), behaviour=behaviour)


def shown(observation: Observation, answer: str) -> str:
    if observation.done:
        return f"(done, answer {answer!r}, reward {observation.reward:g})"
    line = observation.text.replace("\n", "↵") or "(nothing)"
    return f"{line[:-1]}␣" if line.endswith(" ") else line


def played(script: str, behaviour: str) -> str:
    """The script with the observations that there are."""
    lines, reader = [], episode(behaviour)
    for line in script.splitlines():
        if line.startswith("=="):
            reader = episode(behaviour)
        if line.startswith((">", "#", "==")) or not line:
            lines.append(line)
        if line.startswith(">"):
            lines.append(shown(reader.act(line[2:].replace("↵", "\n")), reader.answer))
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_golden_transcripts(behaviour: str, pytestconfig: pytest.Config) -> None:
    path = GOLDEN / f"wikipedia_{behaviour}.txt"
    script = path.read_text(encoding="utf-8")
    if pytestconfig.getoption("--update-golden"):
        path.write_text(played(script, behaviour), encoding="utf-8")
    assert played(script, behaviour) == script


def test_both_behaviours_are_asked_the_same() -> None:
    scripts = [(GOLDEN / f"wikipedia_{behaviour}.txt").read_text(encoding="utf-8") for behaviour in BEHAVIOURS]
    first, second = ([line for line in script.splitlines() if line[:1] in (">", "=")] for script in scripts)
    assert first == second and len(first) > 50


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_the_end_is_the_end(behaviour: str) -> None:
    reader = episode(behaviour)
    last = reader.act("Finish[1950]")
    assert (last.text, last.done, last.reward) == ("", True, 1.0)
    for action in ("Finish[Peru]", "Search[Ald]", "nonsense"):
        assert reader.act(action) == last
    assert reader.answer == "1950"


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_what_was_opened_and_what_was_invalid_is_reported(behaviour: str) -> None:
    reader = episode(behaviour)
    said = [reader.act(action) for action in ("Search[River Ald]", "Search[Moor]", "Search[Qqq]", "Jump[x]", "")]
    assert [observation.page for observation in said] == ["Ald", "", "", "", ""]
    assert [observation.valid for observation in said] == [True, True, True, False, False]


def test_an_unknown_behaviour_is_an_error() -> None:
    with pytest.raises(KeyError):
        episode("papier")


@dataclass
class Town:
    """An `Environment` over the pages above, with seven steps."""

    behaviour: str
    name: str = "town"
    max_steps: int = 7
    fingerprint: str = "town"

    def tasks(self, split: str) -> list[Task]:
        return [Task("dam", "When was the second dam built?", "1950")]

    def data(self, split: str) -> str:
        return "town"

    def start(self, task: Task) -> WikipediaEpisode:
        return episode(self.behaviour)

    def normalise(self, answer: str) -> str:
        return answer

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return Numbered("Question", thoughts, BEHAVIOURS[self.behaviour].strict)


# What a model says after each cue: turns of all kinds, until seven steps are spent.
SAID = {
    "Thought 1:": " I look it up.\nAction 1: Lookup[dam]",
    "Thought 2:": " I need the page.\nAction 2: Search[Oldwater]\nThought 3: It says",
    "Thought 3:": " I read it",
    "Action 3:": " Search[River Ald]",
    "Thought 4:": " Not this one.\nSo the town.",
    "Action 4:": " search[Oldwater]",
    "Thought 5:": " I look it up.\nAction 5: Lookup[dam].",
    "Thought 6:": " And again.\n**Action 6:** lookup[second]",
    "Action 6:": " Lookup[second]",
    "Thought 7:": " It is 1950.\nAction 7: Finish[1950",
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_golden_episodes(behaviour: str, pytestconfig: pytest.Config) -> None:
    """The last prompt, the answer to it, and the record: by hand from hotpotqa.ipynb and the table of `react.reading`.

    The reference's transcript is this one but for the line breaks in what a model said, which it kept.
    """
    model = Said(lambda request: SAID[request.prompt.rpartition("\n")[2]])
    record = Solver(METHODS["react"], Town(behaviour), model, lambda task: "").solve(
        Town(behaviour).tasks("")[0], Sampling()
    )
    notation = Town(behaviour).notation(thoughts=True, actions=True)
    counts = " ".join(f"{name}={record.provenance[name]}" for name in COUNTS if "tokens" not in name)
    shown = f"{text(notation.spans(record.task, record.steps))}[{record.end}, answer {record.answer!r}, {counts}]\n"
    path = GOLDEN / f"episode_{behaviour}.txt"
    if pytestconfig.getoption("--update-golden"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
    assert shown.startswith(model.asked[-1].prompt)


PARAGRAPHS = st.lists(st.lists(st.text("Ab .2", min_size=1), min_size=1).map(tuple), max_size=4)


@given(PARAGRAPHS)
def test_pieces_are_those_of_the_reference(paragraphs: list[tuple[str, ...]]) -> None:
    """Against the steps of its code, one after the other: page as lines, lines as pieces, a full stop behind each."""
    page = ""
    for paragraph in map(" ".join, paragraphs):
        if len(paragraph.split(" ")) > 2:
            page += paragraph + "\n"
    lines = [line.strip() for line in page.split("\n") if line.strip()]
    cut = [piece for line in lines for piece in line.split(". ")]
    assert pieces(paragraphs) == [piece.strip() + "." for piece in cut if piece.strip()]


ACTIONS = st.one_of(
    st.text(),
    st.builds("{}[{}]{}".format, st.sampled_from(["Search", "lookup", "Finish", "FINISH"]), st.text(), st.just("")),
    st.builds("Search[{}]".format, st.text(alphabet="\"'*()^:-+{} ANDORT%_;\\\n\x00")),
    st.text(alphabet=st.characters(), max_size=20).map("Lookup[{}]".format),
)


@settings(deadline=None)
@given(actions=st.lists(ACTIONS, max_size=6))
def test_no_action_raises_and_only_finish_ends(actions: list[str]) -> None:
    reader, over = episode(), False
    for action in actions:
        observation = reader.act(action)
        over = over or (action.strip()[:7].lower() == "finish[" and action.strip()[-1] == "]")
        assert observation.done == over
        assert len(observation.text.splitlines()) <= 1
        observation.text.encode()


@settings(deadline=None)
@given(actions=st.lists(ACTIONS, max_size=6))
def test_the_reference_neither_raises_nor_ends_but_by_finish(actions: list[str]) -> None:
    reader, over = episode("reference"), False
    for action in actions:
        over = over or (action[:7] in ("Finish[", "finish[") and action.strip()[-1] == "]")
        over = over or (action.strip()[:7] == "finish[" and action.strip()[-1] == "]")
        assert reader.act(action).done == over


@given(st.text(), st.sampled_from(list(BEHAVIOURS)))
def test_parse_takes_the_argument_as_it_stands(argument: str, behaviour: str) -> None:
    assert parse(f"Search[{argument}]\n", BEHAVIOURS[behaviour]) == ("search", argument)
