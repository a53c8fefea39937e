"""One loop for four methods: what is asked, how an episode ends, and what is written down of it."""

import pytest

from react.methods import METHODS, Sampling, Solver, find
from react.mistakes import Mistake
from react.models import Completion, ContextFull, ModelError
from react.notation import text
from react.rollout import attempt
from react.trajectory import Step
from tests.toys import Said, Toy

TASK = Toy().tasks("train")[7]


def solve(model, method="react", prompt="", toy=None, **sampling):
    solver = Solver(METHODS[method], toy or Toy(), model, lambda task: prompt, {"exemplars_fingerprint": "none"})
    return attempt(solver, TASK, Sampling(**sampling))


def by_cue(**answers):
    """A model that answers by the line that it is to continue: `Thought_1`, `Action_1`, `Answer`, ..."""
    return Said(lambda request: answers.get(request.prompt.rpartition("\n")[2].rstrip(":").replace(" ", "_"), ""))


def test_react_interleaves_and_the_environment_judges():
    model = by_cue(Thought_1=" I say it.\nAction 1: Say[7]", Thought_2=" Done.\nAction 2: Finish[7]")
    record = solve(model, prompt="EXEMPLARS\n")
    assert record.steps == (Step("I say it.", "Say[7]", "You said 7."), Step("Done.", "Finish[7]"))
    assert (record.solved, record.answer, record.end) == (True, "7", "finished")
    assert record.provenance["pages"] == ["7"]
    first, second = model.asked
    assert first.prompt == "EXEMPLARS\nQuestion: Which number is 7?\nThought 1:" and first.shared == len("EXEMPLARS\n")
    assert second.prompt.startswith(first.prompt) and second.session == first.session
    notation = Toy().notation(thoughts=True, actions=True)
    assert text(notation.spans(TASK, record.steps)).startswith(second.prompt.removeprefix("EXEMPLARS\n"))


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        ("standard", {"Answer": " 7"}),
        ("cot", {"Thought:_Let's_think_step_by_step.": " It is.\nAnswer: 7"}),
        ("act", {"Action_1": " Say[7]", "Action_2": " Finish[7]"}),
    ],
)
def test_the_other_methods_are_judged_in_the_same_place(method, answers):
    record = solve(by_cue(**answers), method)
    assert record.solved and record.steps[-1].action == "Finish[7]" and record.method == method


def test_a_thought_without_action_is_asked_again_with_the_cue():
    model = by_cue(Thought_1=" I say it.", Action_1=" Finish[7]")
    record = solve(model)
    assert record.solved and record.provenance["bad_calls"] == 1 and record.provenance["calls"] == 2
    assert model.asked[1].prompt.endswith("Thought 1: I say it.\nAction 1:") and model.asked[1].stop == ("\n",)


def test_the_budget_ends_an_episode_without_an_answer():
    record = solve(Said(lambda request: " Again.\nAction 1: Say[1]"))
    assert (record.end, record.answer, record.reward, len(record.steps)) == ("out_of_steps", "", 0.0, 3)


def test_an_invalid_action_is_an_observation_and_is_counted():
    model = by_cue(Thought_1=" Hm.\nAction 1: Jump[7]", Thought_2=" Done.\nAction 2: Finish[7]")
    record = solve(model)
    assert record.steps[0].observation == "Invalid action: Jump[7]" and record.provenance["invalid_actions"] == 1


def test_a_full_context_is_its_own_end():
    def answer(request):
        if "Thought 2" in request.prompt:
            raise ContextFull("900 tokens, 800 fit")
        return " I say it.\nAction 1: Say[7]"

    record = solve(Said(answer))
    assert record.end == "out_of_context" and len(record.steps) == 1 and not record.error


@pytest.mark.parametrize("error", [ModelError("server is down"), ZeroDivisionError("a bug")])
def test_what_breaks_is_recorded_with_type_and_message_and_is_no_wrong_answer(error):
    def answer(request):
        raise error

    record = solve(Said(answer))
    assert record.end == "failed" and record.error == f"{type(error).__name__}: {error}" and not record.solved


def test_a_run_folder_that_cannot_be_written_stops_the_run():
    def answer(request):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        solve(Said(answer))


def test_samples_have_seeds_of_their_own_and_greedy_calls_none():
    model = by_cue(Thought_1=" I say it.\nAction 1: Say[7]", Thought_2=" Done.\nAction 2: Finish[7]")
    solve(model, temperature=0.7, attempt=1)
    solve(model, temperature=0.7, attempt=2)
    solve(model, temperature=0.7, attempt=2)
    seeds = [request.seed for request in model.asked]
    assert len(set(seeds[:4])) == 4 and seeds[2:4] == seeds[4:]
    greedy = by_cue(Thought_1=" Done.\nAction 1: Finish[7]")
    solve(greedy, seed=5)
    assert greedy.asked[0].seed == 0


def test_a_completion_that_ran_out_of_tokens_is_counted():
    model = Said(lambda request: "")
    model.complete = lambda request: [Completion(" Done.\nAction 1: Finish[7", "length", 10, 5)]
    record = solve(model)
    assert record.provenance["cut_calls"] >= 1 and record.provenance["completion_tokens"] >= 5


def test_methods_are_found_in_either_case_and_an_unknown_one_names_them():
    assert find("ReAct") is METHODS["react"]
    with pytest.raises(Mistake, match="unknown method 'reac'; did you mean 'react'"):
        find("reac")


@pytest.mark.parametrize(
    ("said", "repaired"),
    [
        (" I say it.\nAction 1: Finish[1]", 0),
        ("I say\nit.\n\nAction 1:\n Finish[1]\n", 0),
        (" I say it.\nAction 1: finish[1]", 1),
        (" I say it.\nAction 2: Finish[1]", 1),
        (" I say it.\nAction 1: Finish[1]\nThought 2: So", 1),
    ],
)
def test_what_is_read_as_other_words_than_were_written_is_counted(said, repaired):
    record = solve(Said(lambda request: said))
    assert record.steps == (Step("I say it.", "Finish[1]"),)
    assert record.provenance["repaired_calls"] == repaired


def test_what_is_dropped_before_a_second_call_is_counted():
    model = by_cue(Thought_1=" I say it.\nObservation 2: 7", Action_1=" Finish[7].")
    record = solve(model)
    assert record.steps == (Step("I say it.", "Finish[7]"),)
    assert (record.provenance["bad_calls"], record.provenance["repaired_calls"]) == (1, 2)
    assert solve(by_cue(Thought_1=" I say it.", Action_1=" Finish[7]")).provenance["repaired_calls"] == 0
