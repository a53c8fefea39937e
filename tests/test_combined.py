"""Votes and back-offs: which answer wins, when the second method is tried, and what the record says of all of it."""

import threading
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react.combined import Ballot, Crew, agreed, bind, winner
from react.completions import Recorded
from react.environments.hotpotqa import HotpotQA, exact_match
from react.methods import METHODS, Sampling, Solver
from react.models import Completion, ContextFull, ModelError
from react.rollout import attempt
from react.trajectory import COUNTS, Step
from tests.toys import Said, Toy

TASK = Toy().tasks("train")[7]


def solver(method, model, samples=5, size=4):
    """A combined method over the toy."""

    def single(one):
        return Solver(one, Toy(), model, lambda task: f"{one.name.upper()}\n", {"exemplars_fingerprint": "none"})

    return bind(METHODS[method], single, Ballot(samples, 0.7, Toy().normalise, Crew(size)))


def solve(method, model, samples=5, size=4, **sampling):
    return attempt(solver(method, model, samples, size), TASK, Sampling(**sampling))


def saying(*votes, react=""):
    """A model whose CoT samples answer `votes`, and whose ReAct hands in `react` at once, or says things for ever."""

    def answer(request):
        if request.prompt.startswith("REACT"):
            return f" So.\nAction 1: Finish[{react}]" if react else " Hm.\nAction 1: Say[9]\n"
        vote = votes[request.sample]
        return f" Thought {request.sample}.\nAnswer: {vote}" if vote else ""

    return Said(answer)


@pytest.mark.parametrize(
    ("votes", "won", "sure"),
    [
        (["a"], "a", True),
        (["a", "b", "b"], "b", True),
        (["a", "b", "b", "c"], "b", True),  # n/2 is not less than n/2
        (["a", "b", "b", "c", "d"], "b", False),
        (["b", "a", "a", "b"], "b", True),  # a tie: the one that was given first
        (["", "", "a"], "a", False),  # an empty answer is no vote, and counts as a sample
        (["", "a"], "a", True),
        (["", ""], "", False),
        ([], "", False),
    ],
)
def test_the_majority_and_whether_it_is_one(votes, won, sure):
    assert (winner(votes), agreed(votes)) == (won, sure)


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=9))
def test_no_other_answer_has_more_votes_than_the_winner(votes):
    won = winner(votes)
    cast = [vote for vote in votes if vote]
    assert all(votes.count(vote) <= votes.count(won) for vote in cast) and bool(won) == bool(cast)
    tied = [vote for vote in cast if votes.count(vote) == votes.count(won)]
    assert not tied or tied[0] == won


def test_a_vote_is_the_first_sample_that_gave_the_winner():
    record = solve("cot_sc", saying("9", "7", "", " 7", "8"))
    assert (record.method, record.answer, record.reward, record.end) == ("cot_sc", "7", 1.0, "finished")
    assert record.steps == (Step("Thought 1.", "Finish[7]"),)
    said = record.provenance
    assert said["votes"] == ["9", "7", "", "7", "8"] and said["rewards"] == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert said["from"] == "cot" and "backed_off" not in said and said["exemplars_fingerprint"] == "none"


def test_answers_are_one_vote_as_the_environment_says():
    assert solve("cot_sc", saying("No", "Yes", "yes ", "YES", "no")).provenance["votes"] == [
        "no",
        "yes",
        "yes",
        "yes",
        "no",
    ]


def test_without_any_vote_there_is_no_answer():
    record = solve("cot_sc", saying("", "", "", "", ""))
    assert (record.answer, record.reward, record.end) == ("", 0.0, "out_of_steps")
    assert record.provenance["votes"] == [""] * 5


def test_counts_are_sums_over_everything():
    record = solve("cot_sc_to_react", saying("1", "2", "3", "", "5", react="7"))
    assert record.provenance["calls"] == 7 and record.provenance["bad_calls"] == 1
    assert record.provenance["invalid_actions"] == 1
    assert all(isinstance(record.provenance[key], int) for key in COUNTS)


@pytest.mark.parametrize(
    ("method", "votes", "react", "answer", "by", "backed_off"),
    [
        ("react_to_cot_sc", "77777", "6", "6", "react", False),
        ("react_to_cot_sc", "77788", "", "7", "cot", True),
        ("react_to_cot_sc", "78956", "", "7", "cot", True),
        ("cot_sc_to_react", "77788", "6", "7", "cot", False),
        ("cot_sc_to_react", "77896", "5", "5", "react", True),
        ("cot_sc_to_react", "77896", "", "", "react", True),
    ],
)
def test_a_back_off_is_taken_where_the_first_does_not_decide(method, votes, react, answer, by, backed_off):
    model = saying(*votes, react=react)
    record = solve(method, model)
    assert (record.method, record.answer, record.reward) == (method, answer, float(answer == "7"))
    assert (record.provenance["from"], record.provenance["backed_off"]) == (by, backed_off)
    voted = backed_off or method == "cot_sc_to_react"
    assert record.provenance.get("votes") == (list(votes) if voted else None)
    assert any(request.sample for request in model.asked) == voted


def test_a_full_context_backs_off_and_is_no_vote():
    def answer(request):
        if request.prompt.startswith("REACT"):
            raise ContextFull("900 tokens, 800 fit")
        return " It is.\nAnswer: 7"

    assert solve("react_to_cot_sc", Said(answer)).solved
    full = solve("cot_sc_to_react", Said(lambda request: (_ for _ in ()).throw(ContextFull("900"))))
    assert full.end == "out_of_context" and full.provenance["votes"] == [""] * 5


def test_samples_are_calls_of_their_own_and_fewer_are_the_beginning_of_more(tmp_path):
    def asked(samples, size, **sampling):
        model = saying(*"7" * samples)
        solve("cot_sc", model, samples, size, **sampling)
        return sorted(model.asked, key=lambda request: request.sample)

    many = asked(21, 8)
    assert len({request.seed for request in many}) == len({request.session for request in many}) == 21
    assert {(request.temperature, request.n, request.attempt) for request in many} == {(0.7, 1, 0)}
    assert asked(3, 1) == many[:3]
    assert not {request.seed for request in asked(21, 8, attempt=1)} & {request.seed for request in many}


def test_the_first_sample_is_what_the_method_alone_samples():
    model = saying("7")
    solve("cot_sc", model, samples=1)
    alone = replace(METHODS["cot"])
    attempt(Solver(alone, Toy(), model, lambda task: "COT\n"), TASK, Sampling(temperature=0.7))
    assert model.asked[0] == model.asked[1]


def test_a_failed_sample_fails_the_attempt_and_the_others_are_not_asked_again(tmp_path):
    down = {3}

    def answer(request):
        if request.sample in down:
            raise ModelError("the server is down")
        return f" It is.\nAnswer: {7 + request.sample % 2}"

    model = Said(answer)
    recorded = Recorded(model, tmp_path / "completions.sqlite")
    first = solve("cot_sc", recorded, samples=9, size=1)
    assert first.end == "failed" and first.error == "ModelError: the server is down" and first.method == "cot_sc"
    assert "votes" not in first.provenance
    down.clear()
    second = solve("cot_sc", recorded, samples=9, size=1)
    assert second.solved and sorted(request.sample for request in model.asked) == [0, 1, 2, 3, *range(3, 9)]
    assert second == solve("cot_sc", Said(answer), samples=9)
    recorded.close()


def test_the_record_does_not_depend_on_how_many_are_asked_at_once():
    votes = [str(n % 4) for n in range(21)]
    assert len({str(solve("cot_sc", saying(*votes), 21, size)) for size in (1, 4, 48)}) == 1


def test_samples_of_all_votes_run_together_and_never_more_than_the_size():
    together, most, running = threading.Barrier(6, timeout=10), [0], [0]
    lock = threading.Lock()

    def answer(request):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait()
        with lock:
            running[0] -= 1
        return " It is.\nAnswer: 7"

    voting = solver("cot_sc", Said(answer), samples=9, size=6)
    votes = [threading.Thread(target=partial(voting.solve, task, Sampling())) for task in Toy().tasks("train")[:2]]
    for vote in votes:
        vote.start()
    for vote in votes:
        vote.join()
    assert most[0] == 6


def test_a_crew_has_no_threads_when_it_has_nothing_to_do():
    crew = Crew(3)
    assert crew.do([lambda n=n: n for n in range(10)]) == list(range(10)) and crew.do([]) == []
    with pytest.raises(ZeroDivisionError):
        crew.do([lambda: 1, lambda: 1 / 0])
    deadline = threading.Event()
    for _ in range(100):
        if not any(thread.name == "sample" for thread in threading.enumerate()):
            break
        deadline.wait(0.02)
    assert not any(thread.name == "sample" for thread in threading.enumerate())


WORDS = st.text(st.sampled_from("aThe n.-!7 é"), max_size=8)


@given(WORDS, WORDS, WORDS)
def test_answers_that_are_one_vote_have_one_reward(one, other, gold):
    normalise = partial(HotpotQA.normalise, None)
    assert bool(normalise(one)) == bool(one.strip())
    if normalise(one) == normalise(other):
        assert exact_match(one, gold) == exact_match(other, gold)


def test_a_completion_of_several_calls_is_one_sample():
    """A thought without an answer is asked again with the cue, under the same sample."""
    model = Said(lambda request: " 7" if request.prompt.endswith("\nAnswer:") else " Well.")
    record = solve("cot_sc", model, samples=2)
    assert record.solved and record.provenance["bad_calls"] == 2
    assert sorted(request.sample for request in model.asked) == [0, 0, 1, 1]
    assert len({request.seed for request in model.asked}) == 4


def test_what_is_cut_in_a_sample_is_counted():
    model = saying("7", "7")
    model.complete = lambda request: [Completion(" So.\nAnswer: 7", "length", 10, 5)]
    record = solve("cot_sc", model, samples=2)
    assert (record.provenance["cut_calls"], record.provenance["prompt_tokens"]) == (2, 20)
