"""What models write, line by line of the table in `react.reading`, and that reading is safe whatever they write."""

# ruff: noqa: RUF001
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments.wikipedia.tools import parse
from react.notation import Answered, Notation, Numbered, context, text
from react.reading import one_line, reference_turn
from react.trajectory import Step, Task

TASK = Task("1", "Why?", "x")
REACT, ACT, COT, STANDARD = Numbered("Question"), Numbered("Question", False), Answered("Question", True), Answered("Q")
STRICT = Numbered("Question", strict=True)
LOOK = Step("I look.", "Search[Lima]")


@pytest.mark.parametrize(
    ("completion", "step"),
    [
        (" I look.\nAction 2: Search[Lima]", LOOK),
        # No action: asked again.
        (" I look.", Step("I look.")),
        (" I look.\nSearch[Lima]", Step("I look. Search[Lima]")),
        (" I look. Action 2: Search[Lima]", Step("I look. Action 2: Search[Lima]")),
        (" I look.\nAction 2:", Step("I look.")),
        (" I look.\nAction 2", Step("I look. Action 2")),
        (" I look.\nAnswer: Lima", Step("I look. Answer: Lima")),
        ("", Step()),
        # Forms of the header.
        (" I look.\nACTION 2: Search[Lima]", LOOK),
        (" I look.\naction: Search[Lima]", LOOK),
        (" I look.\n**Action 2:** Search[Lima]", LOOK),
        (" I look.\n**Action 2**: Search[Lima]", LOOK),
        (" I look.\n### Action 2: Search[Lima]", LOOK),
        (" I look.\n> Action2： Search[Lima]", LOOK),
        (" I look.\r\n\r\n  Action 2 : Search[Lima]\r\n", LOOK),
        (" I look.\nAction 2:\nSearch[Lima]", LOOK),
        # The number is another one.
        (" I look.\nAction 3: Search[Lima]", LOOK),
        (" I look.\nAction 1: Search[Lima]", LOOK),
        # Thoughts.
        ("Thought 2: I look.\nAction 2: Search[Lima]", LOOK),
        ("\n\nThought: I look.\n\nAction: Search[Lima]\n", LOOK),
        (" I\nThought 3: look.\nAction 3: Search[Lima]", LOOK),
        (" I\nlook.\nAction 2: Search[Lima]", LOOK),
        ("\nAction 2: Search[Lima]", Step("", "Search[Lima]")),
        (" Action 2: Search[Lima]", Step("", "Search[Lima]")),
        ("```\nI look.\nAction 2: Search[Lima]\n```", LOOK),
        (" I look.\n```text\nAction 2: Search[Lima]\n```", LOOK),
        # What the model makes up ends its turn.
        (" I look.\nAction 2: Search[Lima]\nObservation 3: Lima is ...\nThought 3: So", LOOK),
        (" I look.\nAction 2: Search[Lima]\n**Observation:** Lima is ...", LOOK),
        (" I look.\nAction 2: Search[Lima]\nThought 3: It says", LOOK),
        (" I look.\nAction 2: Search[Lima]\nAction 3: Search[Peru]", LOOK),
        (" I look.\nAction 2: Search[Lima]\n\nQuestion 2: Why?", LOOK),
        (" I look.\nObservation 3: Lima is ...\nAction 3: Finish[Lima]", Step("I look.")),
        (" Observation 2: Lima is ...\nAction 3: Finish[Lima]", Step()),
        (" I look.\nAction 2: Observation 2: Lima", Step("I look.")),
    ],
)
def test_turns_of_react(completion: str, step: Step) -> None:
    assert REACT.read(completion, 2) == step


ACTIONS = [
    ("Search[Lima]", "Search[Lima]"),
    ("search[Lima]", "Search[Lima]"),
    ("SEARCH[Lima]", "Search[Lima]"),
    ("lookup [dam]", "Lookup[dam]"),
    ("Search(Lima)", "Search[Lima]"),
    ("Search: Lima", "Search[Lima]"),
    ("Search: [Lima]", "Search[Lima]"),
    ("Search: Lima (Peru)", "Search[Lima (Peru)]"),
    ("Search: (Lima) Peru", "Search[(Lima) Peru]"),
    ("Search［Lima］", "Search[Lima]"),
    ("Search【Lima】", "Search[Lima]"),
    ("Search（Lima）", "Search[Lima]"),
    ("Search：Lima", "Search[Lima]"),
    ("**Search[Lima]**", "Search[Lima]"),
    ("`Search[Lima]`", "Search[Lima]"),
    ("- Search[Lima]", "Search[Lima]"),
    ('"Search[Lima]".', "Search[Lima]"),
    ("“Search[Lima]”", "Search[Lima]"),
    ("Search[Lima].", "Search[Lima]"),
    ("Search[Lima]]", "Search[Lima]"),
    ("Search[Lima] to find its river (see [1])", "Search[Lima]"),
    ("Search[Lima]\nto find its river", "Search[Lima]"),
    ("```\nSearch[Lima]\n```", "Search[Lima]"),
    ("Search[Lima\nPeru]", "Search[Lima Peru]"),
    ("Finish[Lima].", "Finish[Lima]"),
    ("Finish[Lima]\nI hope it helps.", "Finish[Lima]"),
    ("Search: [Lima].", "Search[Lima]"),
    ("Search(Lima).", "Search[Lima]"),
    ("# Search[Lima]", "Search[Lima]"),
    # An argument is never altered.
    ("Search[Lima [Peru]]", "Search[Lima [Peru]]"),
    ("Search[Lima (Peru)]", "Search[Lima (Peru)]"),
    ("Search[“Lima”]", "Search[“Lima”]"),
    ("Lookup[ dam ]", "Lookup[ dam ]"),
    ("Finish[ ]", "Finish[ ]"),
    ("Finish[]", "Finish[]"),
    ("Finish[Search[x]]", "Finish[Search[x]]"),
    # Not plain: the words stay, for the environment to refuse.
    ("Search[Lima] and Search[Peru]", "Search[Lima] and Search[Peru]"),
    ("Search[Lima]\nFinish[Lima]", "Search[Lima] Finish[Lima]"),
    ("Search: Lima, then Lookup: dam", "Search: Lima, then Lookup: dam"),
    ("Finish[Lima]\nSearch[Peru]", "Finish[Lima] Search[Peru]"),
    ("Finish[Lima] is not the answer yet, first look.", "Finish[Lima] is not the answer yet, first look."),
    ("Finish[Lima] (Peru)", "Finish[Lima] (Peru)"),
    ("finish(Lima) (Peru)", "finish(Lima) (Peru)"),
    ("Finish(C) 2001 by Foo", "Finish(C) 2001 by Foo"),
    ("Search(Lima) (Peru)", "Search(Lima) (Peru)"),
    ("Search: [Lima] and [Peru]", "Search: [Lima] and [Peru]"),
    ("ſearch[Lima]", "ſearch[Lima]"),
    ("Search[Lima", "Search[Lima"),
    ("Search(Lima", "Search(Lima"),
    ("Search(Lima]", "Search(Lima]"),
    ("Search(a] b)", "Search(a] b)"),
    ("Search Lima", "Search Lima"),
    ("Search:", "Search:"),
    ("Searching[Lima]", "Searching[Lima]"),
    ("I will Search[Lima]", "I will Search[Lima]"),
    ("Finish (I am done)", "Finish (I am done)"),
    ("Think[hm]", "Think[hm]"),
    ("None", "None"),
]


@pytest.mark.parametrize(("written", "action"), ACTIONS)
def test_actions(written: str, action: str) -> None:
    assert ACT.read(f" {written}", 2) == Step(action=action)
    assert REACT.read(f" I look.\nAction 2: {written}", 2) == Step("I look.", action)


@pytest.mark.parametrize(
    ("completion", "action"),
    [
        (" Action 2: Search[Lima]", "Search[Lima]"),
        ("\n**Action:** Search[Lima]", "Search[Lima]"),
        (" Search[Lima]\nObservation 3: Lima\nAction 4: Finish[x]", "Search[Lima]"),
        (" Search[Lima]\nAction 3: Search[Peru]", "Search[Lima]"),
        (" I look.\nAction 2: Search[Lima]", "I look."),
        (" Thought: I look.\nAction 2: Search[Lima]", "Search[Lima]"),
        ("\n**Thought 2:** I\nlook.\n**Action 2:** Search[Lima]\nThought 3: So", "Search[Lima]"),
        (" Thought: I look.", "I look."),
        (" Action 2:\n#", "#"),
        ("", ""),
    ],
)
def test_turns_of_act(completion: str, action: str) -> None:
    assert ACT.read(completion, 2) == Step(action=action)


@pytest.mark.parametrize(
    ("completion", "step"),
    [
        (" It is so.\nAnswer: Lima", Step("It is so.", "Finish[Lima]")),
        (" It is so.", Step("It is so.")),
        (" It is so. The answer is Lima.", Step("It is so. The answer is Lima.")),
        (" It is so.\n**Answer:** Lima", Step("It is so.", "Finish[Lima]")),
        (" It is so.\nFinal answer: Lima", Step("It is so.", "Finish[Lima]")),
        (" It is so.\nanswer: Finish[Lima]", Step("It is so.", "Finish[Lima]")),
        (" It is so.\nAnswer:\nLima\n\nThought: And more", Step("It is so.", "Finish[Lima]")),
        (" It\nThought: is so.\nAnswer: Lima\nQuestion: Why?", Step("It is so.", "Finish[Lima]")),
        (" Answer: Lima", Step("", "Finish[Lima]")),
        (" It is so.\nAnswer:", Step("It is so.")),
        (" It is so.\nAnswer: [Lima] a]", Step("It is so.", "Finish[[Lima] a]]")),
    ],
)
def test_turns_of_cot(completion: str, step: Step) -> None:
    assert COT.read(completion, 1) == step


@pytest.mark.parametrize(
    ("completion", "action"),
    [
        (" Lima", "Finish[Lima]"),
        (" Answer: Lima", "Finish[Lima]"),
        (" Finish[Lima]", "Finish[Lima]"),
        (" Finish[Answer: finish[Lima]]", "Finish[Lima]"),
        (" **Lima**", "Finish[**Lima**]"),
        (" Answer: **Lima**", "Finish[**Lima**]"),
        (" **Answer:** *NSYNC", "Finish[*NSYNC]"),
        (" Answer:\n*NSYNC", "Finish[*NSYNC]"),
        (" Answer: #9 Dream", "Finish[#9 Dream]"),
        (" Answer: > 5", "Finish[> 5]"),
        (" Answer: _", "Finish[_]"),
        (' Lima]])"Search[Lima] ', "Finish[Lima]]"),
        (" Finish[Lima] and Search[Peru]", "Finish[Lima]"),
        (" Lima Search[Peru]", "Finish[Lima Search[Peru]]"),
        ("", ""),
        (" Finish[]", ""),
    ],
)
def test_answers_of_standard(completion: str, action: str) -> None:
    assert STANDARD.read(completion, 1) == Step(action=action)


@pytest.mark.parametrize(
    ("completion", "step"),
    [
        # hotpotqa.ipynb, webthink: strip, split at "\nAction i: ", two parts or a bad call with the first line.
        (" I look.\nAction 2: Search[Lima]\n", LOOK),
        (" I look.\nAction 2: Search[Lima]\nThought 3: So", Step("I look.", "Search[Lima]\nThought 3: So")),
        (" I\nlook.\nAction 2: Search[Lima]", Step("I\nlook.", "Search[Lima]")),
        (" I look.\nAction 2: \nFinish[Lima]", Step("I look.", "\nFinish[Lima]")),
        (" I look.\nAction 2: Search[a]\nAction 2: Search[b]", Step("I look.")),
        (" I look.\nAction 3: Search[Lima]", Step("I look.")),
        (" I look.\nAction 2:Search[Lima]", Step("I look.")),
        (" I look.\naction 2: Search[Lima]", Step("I look.")),
        ("\nAction 2: Search[Lima]", Step("Action 2: Search[Lima]")),
        (" I look.\nAction 2: ", Step("I look.")),
        ("", Step()),
    ],
)
def test_the_reference_reads_strictly(completion: str, step: Step) -> None:
    assert STRICT.read(completion, 2) == reference_turn(completion, 2) == step


def test_strict_writes_the_same_and_stops_where_the_reference_did() -> None:
    steps = [Step("a", "b", "No more results.\n"), LOOK]
    assert STRICT.spans(TASK, steps) == REACT.spans(TASK, steps)
    assert (STRICT.stops(2), REACT.stops(2)) == (("\nObservation 2:",), ("\nObservation 2:", "\nQuestion:"))
    assert Numbered("Question", False, strict=True).read("\nSearch[x]. \n", 1) == Step(action="Search[x].")


FORMS = [REACT, ACT, COT, STANDARD]
PIECES = st.sampled_from(
    [
        *("Thought", "Action", "Observation", "Question", "Answer", "Final", "Search", "Lookup", "Finish", " 1", " 2"),
        *":：[]()［］ `#>-.x\n\ud800\x00\u2028\u202e",
        *("**", "```", "Lima", "\r\n", "\x1b[31m", "<|im_end|>", "I look.\nAction 1: "),
        *("Search[", "lookup[", "Finish[", "Finish(", "ſearch[", " not", "\nAnswer: ", "Thought: "),
    ]
)
WRITTEN = st.lists(PIECES, max_size=24).map("".join) | st.text()


def reads_back(notation: Notation, step: Step) -> bool:
    """Whether what is written of a step is read as that step, in the first turn and in the second."""
    for before in ([], [Step("t", "a", "o")] if isinstance(notation, Numbered) else []):
        seen = context(notation, TASK, before)
        written = text(notation.spans(TASK, [*before, step]))[len(seen) :]
        if notation.read(written, len(before) + 1) != step:
            return False
    return True


@settings(deadline=None)
@given(WRITTEN, st.sampled_from(FORMS))
def test_what_was_read_is_written_so_that_it_is_read_again(completion: str, notation: Notation) -> None:
    step = notation.read(completion, 1)
    assert reads_back(notation, step)
    assert (one_line(step.thought), one_line(step.action)) == (step.thought, step.action)
    (step.thought + step.action).encode()


@settings(deadline=None)
@given(WRITTEN, st.sampled_from([COT, STANDARD]), st.sampled_from(["", "\nAnswer: "]))
def test_an_answer_is_handed_in_as_it_is(said: str, notation: Answered, cue: str) -> None:
    step = notation.read(cue + said, 1)
    assert not step.action or parse(step.action) == ("finish", step.action.removeprefix("Finish[").removesuffix("]"))


@settings(deadline=None)
@given(st.from_regex(r"[a-z*#>_`\"][a-z*#>_` .(),'-]{0,12}", fullmatch=True).map(one_line))
def test_an_answer_is_never_altered(answer: str) -> None:
    if answer and not answer.startswith("```"):
        assert STANDARD.read(f" Answer: {answer}", 1) == STANDARD.read(f" {answer}", 1) == Step("", f"Finish[{answer}]")


@settings(deadline=None)
@given(WRITTEN, WRITTEN, st.sampled_from([REACT, ACT, STRICT]))
def test_no_words_forge_a_line(said: str, observed: str, notation: Notation) -> None:
    """Whatever a model writes and is shown, the lines of the next prompt are those of the notation."""
    step = notation.read(said, 1)
    prompt = context(notation, TASK, [Step(step.thought, step.action, observed)])
    prompt.encode()
    heads = [line.split(":")[0] for line in prompt.splitlines() if line]
    shown = ["Thought 1", "Action 1"] if notation is not ACT else ["Action 1"]
    assert heads == ["Question", *shown, "Observation 1", shown[0].replace("1", "2")]


@settings(deadline=None)
@given(st.text(), st.integers(1, 9))
def test_reading_never_raises(completion: str, i: int) -> None:
    for notation in (*FORMS, STRICT, Numbered("Claim", False, strict=True)):
        assert isinstance(notation.read(completion, i), Step)


@pytest.mark.parametrize(
    "piece",
    ["*", "\n", "Thought: ", "> ", "Action 1: ", "[", "Search[", "]", "Search:", "```\n", "**Thought:**", "]Search["],
)
def test_reading_takes_linear_time(piece: str) -> None:
    for notation in FORMS:
        notation.read(piece * 50_000, 1)
