"""An answer that is told is found in any form; what stands in the question or was observed tells nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.rationalize import leak
from bootstrap.telling import Text, cites, states
from react import trajectory
from react.grounds import is_verdict
from react.trajectory import Step, Task, Trajectory

DATA = Path(__file__).parent.parent / "data"
NOTHING = Text("Who or what is it?")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Barack Obama", "It must be barack obama."),
        ("Barack Obama", "Obama comes to mind."),
        ("Barack Obama", "OBAMA?"),
        ("Maseru", "M-a-s-e-r-u, or Mas\u200beru"),
        ("Maseru", "I think of Maseru's streets."),
        ("Maseru", "Ｍａｓｅｒｕ"),  # noqa: RUF001
        ("New York City", "newyorkcity"),
        ("São Paulo", "sao paulo"),
        ("film director", "Both are film directors."),
        ("actor", "Perhaps they are actors."),
        ("1,500", "It has fifteen hundred people."),
        ("1500", "one thousand five hundred"),
        ("seven", "There are 7 of them."),
        ("7", "I count seven."),
        ("2", "The answer is two."),
        ("March 5, 1950", "On the 5th of March 1950, that is."),
        ("from 1986 to 2013", "It ended in 2013."),
        ("National Basketball Association", "It is the NBA."),
        ("NBA", "It is the National Basketball Association."),
        ("M.I.T.", "It must be MIT."),
        ("River Rhine", "it is surely the rhine"),
        ("River Rhine", "maybe rhine"),
        ("River Rhine", "I look for the Rh1ne."),
        ("River Rhine", "I think of R h i n e."),
        ("Maria Canal", "I say M a r i a, a name."),
        ("River Rhine", "I think of the Rh-ine."),
        ("River Rhine", "I think of the Rh\u0456ne."),
        ("Rhine", "I think of the Rh1ne."),
        ("World War II", "I think of WWII."),
        ("World War II", "I think of WW2."),
        ("World War II", "I think of World War 2."),
        ("World War 2", "I think of World War II."),
        ("1st", "She came first."),
        ("1st", "The answer is first."),
        ("München", "I search Muenchen."),
        ("東京", "東京だ。"),
        ("東京", "答は東京だと思う"),
        ("서울", "서울이다"),
        ("กรุงเทพ", "เมืองกรุงเทพครับ"),
    ],
)
def test_an_answer_is_told_in_many_ways(answer, text):
    assert states(text, answer, NOTHING)
    assert not states(text, answer, Text(f"Somebody wrote: {text}")), "what was read may be said"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("River Xnwot", "I need to find the river."),
        ("University of Oxford", "I need to find which university he attended."),
        ("New York City", "I need a new search for the city."),
        ("Rome", "I take it from every page."),
        ("1", "I need one more page."),
        ("2", "I search for the two films."),
        ("500", "It has 1,500 people."),
        ("1950", "It was in 1951."),
        ("Bo", "I search both."),
        ("art", "He started early."),
        ("yes", "The eyes are green."),
        ("1st", "First I look for the town."),
        ("River Rhine", "I need to find the river on which the town is."),
        ("Early Summer", "I need the early films of the director."),
        ("World War II", "Which world was it at war with?"),
        ("東京", "都市を調べる。京都と東北。"),
        ("1234", "I count 12 and 34."),
        ("", "Anything."),
    ],
)
def test_what_an_honest_search_says_tells_nothing(answer, text):
    assert not states(text, answer, NOTHING)


HINTS = [
    "The hint says so.",
    "I was told the result.",
    "We've been given the result.",
    "The known answer helps.",
    "The answer was already provided.",
    "As stated in the question, this is it.",
    "The text in the brackets is clear.",
    "The parenthesis is clear.",
    "I know the answer, but I look.",
    "The question tells me.",
    "The claim says it.",
    "The question contains the answer.",
    "The task mentions Maseru.",
    "The task mentions St.Maseru.",
    "The claim says more, so the claim says Maseru.",
    "The ground truth needs support.",
    "The reference answer needs support.",
    "I must verify the provided solution.",
    "I need to find evidence for the desired answer.",
    "I need to verify that this is the answer.",
    "The answer in the question needs support.",
    "The note at the end of the question tells what to look for.",
    "I am supposed to arrive at a particular city.",
    "According to the text in the prompt, the solution is already there.",
    "The \uff48\uff49\uff4e\uff54 says so.",
    "The h\u200bint says so.",
    "The h\u0456nt says so.",
    "HINT_given",
    "The qu\u200bestion tells me.",
]
HONEST = [
    "The question says that it is a country.",
    "The claim states that Ann was born in 1950, and the page says 1951.",
    "The claim says .ws. The page says .la.",
    "S. E. Hinton wrote it in the hinterland.",
    "I need to find the answer.",
    "The correct name is another one.",
    "He was given an award.",
    "So the answer is Maseru.",
    "I need to check whether it is the same city.",
    "The answer to the question is on that page.",
    "I am asked for the city in which he was born.",
    "At the end of the war it was rebuilt.",
    "She is expected to reach the final.",
]


@pytest.mark.parametrize("text", HINTS)
def test_whoever_speaks_of_having_been_told_is_found(text):
    assert cites(text, "Maseru", NOTHING)


@pytest.mark.parametrize("text", HONEST)
def test_whoever_reads_the_question_is_not(text):
    assert not cites(text, "Maseru", NOTHING)


DRAWN = [
    ", so the answer is Maseru",
    " so the answer is Maseru",
    ", and so it is Maseru",
    "; therefore, I finish with Maseru",
    ", so it follows that the label is Maseru",
    " \u2014 hence the verdict Maseru",
    ", thus my answer is Maseru: the question is answered",
]


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("text", [*HINTS, *HONEST])
def test_what_is_concluded_is_not_what_the_question_says(text, drawn):
    """A conclusion neither makes a hint of what was read in the question, nor hides one."""
    assert cites(f"{text.rstrip('.')}{drawn}.", "Maseru", NOTHING) == (text in HINTS)


def test_no_demonstration_speaks_of_a_hint():
    """They were made without one, and students write as they do. (The domain `.so` reads as `so`.)"""
    for environment in ("alfworld", "fever", "hotpotqa"):
        for record in trajectory.read(DATA / environment / "demonstrations.jsonl.gz"):
            assert leak(record) != "speaks of a hint" or ".so." in record.task.question, record


def test_a_word_that_the_question_has_is_no_hint():
    assert not cites("I look for the film Clue.", "x", Text("Who directed Clue?"))


LOOKS = str.maketrans("aeocpxyi", "\u0430\u0435\u043e\u0441\u0440\u0445\u0443\u0456")
# A label such as Supports is judged by what was observed, not by where its letters stand.
NAMES = (
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=9)
    .map(str.title)
    .filter(lambda name: not is_verdict(name))
)
ANSWERS = st.lists(NAMES.filter(lambda name: len(name) > 3), min_size=1, max_size=3).map(" ".join)
FORMS = st.sampled_from(
    [
        str,
        str.upper,
        str.lower,
        str.swapcase,
        lambda text: text.replace(" ", ""),
        lambda text: text.replace(" ", "-"),
        lambda text: f"\u201c{text}\u201d",
        lambda text: f"{text}'s",
        lambda text: "\u200b".join(text),
        lambda text: "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in text),
        lambda text: "".join(f"{c}\u0301" for c in text),
        " ".join,
        lambda text: f"{text[0]}{text[1:].translate(LOOKS)}",
    ]
)
AROUND = st.sampled_from(["{}", "It must be {}.", "Could it be ({})?", "I think of **{}**, which fits.", "x,{};y"])


@given(ANSWERS, FORMS, AROUND, st.booleans())
def test_no_form_of_the_answer_gets_past_before_it_was_observed(answer, form, around, in_action):
    said = around.format(form(answer))
    early = (
        Step("I look.", f"Search[{said}]", "It is there.") if in_action else Step(said, "Search[It]", "It is there.")
    )
    record = made(answer, early, Step("", "Search[More]", f"It is {answer}."))
    assert leak(record) == "answer ahead of its observation"


@given(ANSWERS, FORMS, AROUND)
def test_the_same_is_honest_after_it_was_observed(answer, form, around):
    record = made(
        answer, Step("I look.", "Search[it]", f"It is {answer}."), Step(around.format(form(answer)), "Search[x]", "y")
    )
    assert leak(record) == ""


@given(st.lists(NAMES.filter(lambda name: len(name) > 3), min_size=1, max_size=3, unique=True), st.data())
def test_the_beginning_of_a_name_is_not_searched_for(parts, data):
    part = data.draw(st.sampled_from(parts))
    begun = part[: data.draw(st.integers(3, len(part)))]
    for tool in ("Search", "Lookup"):
        early = Step("I look.", f"{tool}[{begun}]", "It is there.")
        record = made(" ".join(parts), early, Step("", "Search[More]", f"It is {' '.join(parts)}."))
        assert leak(record) == "answer ahead of its observation"


@pytest.mark.parametrize(("name", "begun"), [("Tenerife", "ten"), ("Sixtus", "Six"), ("Onega", "One"), ("Viii", "vii")])
def test_a_beginning_that_is_a_number_is_one_too(name, begun):
    record = made(name, Step("I look.", f"Search[{begun}]", "It is there."), Step("", "Search[More]", f"It is {name}."))
    assert leak(record) == "answer ahead of its observation"


DENIALS = ["It cannot be {}.", "It isn't {}.", "The answer is certainly not {}.", "{} is not the answer.", "Never {}!"]
AFFIRMED = [
    "It is not the Oder, but {}.",
    "It isn't long, so it is {}.",
    "It cannot be it, and {} is.",
    "Not Bo: it is {}.",
]


@pytest.mark.parametrize("answer", ["River Rhine", "Bo", "1,500"])
def test_a_last_thought_that_denies_the_answer_does_not_come_to_it(answer):
    found = Step("I look.", "Search[it]", f"It is {answer}.")
    for said in DENIALS + AFFIRMED:
        record = made(answer, found)
        record = replace(record, steps=(found, Step(said.format(answer), f"Finish[{answer}]")))
        expected = "answer is not what the last thought comes to" if said in DENIALS else ""
        assert leak(record) == expected, said


def made(answer: str, *steps: Step) -> Trajectory:
    end = Step(f"So the answer is {answer}.", f"Finish[{answer}]")
    task = Task("t", "who or what?", answer)
    record = Trajectory(task, "react", "m", (*steps, end), answer, 1.0)
    return replace(record, provenance={"hinted": True})
