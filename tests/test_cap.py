"""A cap of an episode: no call beyond it, the best partial answer of every method, and the same bytes after a kill."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.rules import correct
from eval.compare import paired, warnings_on
from eval.evaluate import main
from eval.job import EvalConfig
from eval.runs import read
from react import environments, trajectory
from react.cap import Cap, Purse
from react.combined import Ballot, Capped, Crew, bind
from react.completions import Recorded
from react.methods import METHODS, Sampling, Solver
from react.mistakes import Mistake
from react.models import Completion
from react.models.scripted import Scripted
from react.rollout import attempt
from react.trajectory import Step
from react.turns import Talk
from tests.test_evaluate import world as world
from tests.toys import Said, Toy

TASK = Toy().tasks("train")[7]


class Paid(Said):
    """Every call reads 10 tokens and writes 5."""

    def complete(self, request):
        return [replace(one, prompt_tokens=10, completion_tokens=5) for one in super().complete(request)]


def solve(method, model, cap, toy=None, samples=5):
    toy = toy or Toy(max_steps=7)

    def single(one):
        return Solver(one, toy, model, lambda task: f"{one.name.upper()}\n")

    solver = bind(METHODS[method], single, Ballot(samples, 0.7, toy.normalise, Crew(4)))
    return attempt(Capped(solver, cap) if cap else solver, TASK, Sampling())


def talker(request):
    """Says things for ever; hands in 7 where it is asked to finish; its CoT samples answer 7, 8, 7, 8, ..."""
    if request.prompt.startswith("COT"):
        return f" Hm.\nAnswer: {7 + request.sample % 2}"
    return "[7] and so on\nmore" if request.prompt.endswith(" Finish") else " Hm.\nAction 1: Say[9]\n"


@pytest.mark.parametrize("cap", [Cap(steps=3), Cap(tokens=45), Cap(usd=0.009, price_in=100, price_out=400)])
def test_react_is_asked_for_its_answer_in_the_last_call_that_fits(cap):
    model = Paid(talker)
    record = solve("react", model, cap)
    assert len(model.asked) == 3 and record.provenance["calls"] == 3
    assert model.asked[-1].prompt.endswith("\nThought 3:\nAction 3: Finish") and model.asked[-1].stop == ("\n",)
    assert record.steps[-1] == Step(action="Finish[7]") and record.steps[1].observation == "You said 9."
    assert (record.end, record.answer, record.reward, record.provenance["forced"]) == ("out_of_budget", "7", 1.0, True)
    assert record.solved and record.partial and "out of budget" in correct(record), "right, and nothing to learn from"
    written = Toy().notation(thoughts=True, actions=True).spans(TASK, record.steps)
    assert "".join(span.text for span in written).startswith(model.asked[-1].prompt.removeprefix("REACT\n"))


def test_act_finishes_too_and_an_answer_without_brackets_is_one():
    model = Paid(lambda request: " 7" if request.prompt.endswith("Action 2: Finish") else " Say[1]")
    record = solve("act", model, Cap(steps=2))
    assert record.solved and record.steps[-1].action == "Finish[7]" and record.provenance["repaired_calls"] == 1


def test_a_cap_that_the_environment_comes_to_first_changes_nothing():
    for steps in (7, 8):
        capped, free = (solve("react", Paid(talker), cap) for cap in (Cap(steps=steps), Cap()))
        assert capped.end == "out_of_steps" and capped.steps == free.steps and not capped.provenance["forced"]
        assert "forced" not in free.provenance


def test_who_finishes_within_the_cap_has_finished():
    model = Paid(lambda request: " So.\nAction 1: Finish[7]")
    record = solve("react", model, Cap(tokens=10**6, steps=2))
    assert (record.end, record.solved, record.provenance["forced"]) == ("finished", True, False)
    assert solve("cot", Paid(talker), Cap(tokens=1)).end == "finished", "the first call is made, and is an answer"


def test_a_turn_without_its_action_is_none_where_no_call_is_left():
    model = Paid(lambda request: " I think.")
    record = solve("cot", model, Cap(tokens=15))
    assert (record.end, record.steps, record.answer, len(model.asked)) == ("out_of_budget", (), "", 1)
    assert not record.solved and not record.partial


@pytest.mark.parametrize(("cap", "votes"), [(Cap(steps=3), 3), (Cap(tokens=31), 3), (Cap(steps=5), 5)])
def test_a_vote_is_that_of_the_samples_that_there_are(cap, votes):
    model = Paid(talker)
    record = solve("cot_sc", model, cap)
    assert record.provenance["votes"] == ["7", "8", "7", "8", "7"][:votes] and len(model.asked) == votes
    assert (record.answer, record.end) == ("7", "finished" if votes == 5 else "out_of_budget") and record.solved


def undecided(request):
    """CoT samples that all differ; ReAct talks, and finishes with 7 when it must."""
    return f" Hm.\nAnswer: {request.sample}" if request.prompt.startswith("COT") else talker(request)


def test_a_back_off_hands_in_the_answer_of_the_last_part_that_came_to_one():
    cut = solve("cot_sc_to_react", Paid(undecided), Cap(steps=5))
    assert (cut.answer, cut.end, cut.provenance["backed_off"], cut.provenance["from"]) == (
        "0",
        "out_of_budget",
        False,
        "cot",
    )
    both = solve("cot_sc_to_react", Paid(undecided), Cap(steps=8))
    assert (both.answer, both.end, both.provenance["backed_off"], both.provenance["from"]) == (
        "7",
        "out_of_budget",
        True,
        "react",
    )
    assert len(both.provenance["votes"]) == 5 and both.provenance["calls"] == 8 and both.provenance["forced"]

    def mute(request):
        return "[]" if request.prompt.endswith(" Finish") else undecided(request)

    first = solve("cot_sc_to_react", Paid(mute), Cap(steps=8))
    assert (first.answer, first.end, first.provenance["from"]) == ("0", "out_of_budget", "cot")
    assert first.provenance["backed_off"] and not first.provenance["forced"] and first.provenance["calls"] == 8
    late = solve("react_to_cot_sc", Paid(talker), Cap(steps=9))
    assert (late.provenance["votes"], late.answer, late.end) == (["7", "8"], "7", "out_of_budget")
    early = solve("react_to_cot_sc", Paid(talker), Cap(steps=4))
    assert (early.answer, early.provenance["from"], early.provenance["backed_off"]) == ("7", "react", False)


@given(
    st.sampled_from(sorted(METHODS)),
    st.builds(Cap, st.integers(0, 12), st.integers(0, 200), st.sampled_from([0.0, 0.0005, 0.002]), st.just(10.0)),
    st.integers(0, 40),
)
def test_no_cap_is_overspent_by_more_than_the_call_under_way(method, cap, letters):
    spent = []

    def answer(request):
        assert not any(bound and taken >= bound for taken, bound in zip(bounds(), want, strict=True))
        spent.append((len(request.prompt) // 4, 3))
        return talker(request) + "x" * letters

    def bounds():
        read, written = map(sum, zip(*spent, strict=True)) if spent else (0, 0)
        return read + written, read * 10 / 1e6

    class Metered(Said):
        def complete(self, request):
            (one,) = super().complete(request)
            return [Completion(one.text, one.reason, *spent[-1])]

    want = cap.tokens, cap.usd
    record = solve(method, Metered(answer), cap)
    assert record.end != "failed", record.error
    steps = len(record.provenance.get("votes", ())) + (len(record.steps) if "from" not in record.provenance else 0)
    assert not cap.steps or max(steps, len(record.steps)) <= cap.steps
    if not cap:
        assert record.end != "out_of_budget"


def test_a_household_is_left_as_it_is():
    environment = environments.load("alfworld")
    task = environment.tasks("valid_unseen")[0]
    model = Said(lambda request: " look")
    record = Capped(Solver(METHODS["act"], environment, model, lambda task: ""), Cap(steps=4)).solve(task, Sampling())
    assert (record.end, record.reward, len(record.steps), record.provenance["forced"]) == ("out_of_budget", 0, 4, False)
    assert all(request.prompt.endswith(">") for request in model.asked)


def test_tokens_that_are_not_told_cannot_be_capped():
    with pytest.raises(Mistake, match="does not say how many tokens its answers take: cap steps, with episode_steps"):
        solve("react", Said(talker), Cap(tokens=100))
    assert solve("react", Said(talker), Cap(steps=2)).solved


def test_what_the_record_answers_counts_as_it_did(tmp_path):
    """The record of a free run answers a capped one, which comes to the same as without it."""
    recorded = Recorded(Paid(talker), tmp_path / "c.sqlite")
    assert solve("react", recorded, Cap()).end == "out_of_steps"
    again = solve("react", recorded, Cap(tokens=45))
    assert again == solve("react", Paid(talker), Cap(tokens=45)) and recorded.calls == 8
    recorded.close()


def test_a_bound_is_reached_and_told():
    purse = Purse(Cap(steps=2, tokens=30, usd=0.01, price_in=1, price_out=1000))
    assert not purse.reached() and purse.reached(steps=2) and purse.reached(prompt_tokens=30)
    assert purse.reached(completion_tokens=10) and not purse.reached(steps=1, completion_tokens=9)
    assert purse.cap.told == "2 steps or 30 tokens or $0.01 (at $1 and $1000 a million tokens)"
    assert not Cap(price_in=1) and not Purse(Cap(price_in=1)).reached(10**9, 10**9, 10**9)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"episode_steps": -1}, "episode_steps is -1; it must be at least 0"),
        ({"episode_usd": 0.1}, "episode_usd is 0.1, and nothing has a price: set price_in and price_out"),
    ],
)
def test_a_cap_that_makes_no_sense_is_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        EvalConfig(**settings)


def command(name, *more, shots=2):
    base = ["--environment", "toyland", "--exemplars", "shots.yaml", "--backend", "scripted", "--model", "expert.jsonl"]
    return [*base, "--shots", str(shots), "--name", name, "--limit", "6", *more]


def test_a_run_tells_its_cap_and_is_bound_to_it(world, capsys, monkeypatch):
    plain = Scripted.complete
    monkeypatch.setattr(
        Scripted,
        "complete",
        lambda self, request: [Completion(one.text, "stop", 10, 5) for one in plain(self, request)],
    )
    main(command("capped", "--episode_steps", "1"))
    said = capsys.readouterr().out
    assert "  capped at 1 step an episode: 6 of 6 came to it, 0 with an answer (0 asked for at once)" in said
    summary = json.loads(Path("runs/eval/capped/summary.json").read_text())
    assert summary["ends"] == {"out_of_budget": 6} and (summary["n"], summary["n_failed"]) == (6, 0)
    assert summary["cap"] == {
        **{"steps": 1, "tokens": 0, "usd": 0.0, "price_in": 0.0, "price_out": 0.0},
        **{"reached": 6, "answered": 0, "forced": 0},
    }
    with pytest.raises(SystemExit):
        main(command("capped", "--episode_steps", "2"))
    assert "episode_steps: 1 -> 2" in capsys.readouterr().err
    main(command("free", shots=0))
    summary = json.loads(Path("runs/eval/free/summary.json").read_text())
    assert "cap" not in summary
    runs = [read(Path("runs/eval") / name) for name in ("capped", "free")]
    assert [run.cap for run in runs] == ["1 step", ""] and "capped at 1 step" in runs[0].source
    assert any("may take differs" in said and "1 step: capped; none: free" in said for said in warnings_on(runs))
    assert not paired(runs)[0] and paired([runs[0], replace(runs[1], cap="1 step")])[0]


def test_a_killed_run_comes_to_the_same_bytes(world, monkeypatch):
    class Kill(BaseException):
        pass

    plain, left = Scripted.complete, [0]

    def dying(self, request):
        left[0] -= 1
        if left[0] < 0:
            raise Kill
        return [Completion(one.text, "stop", len(request.prompt) // 4, 5) for one in plain(self, request)]

    monkeypatch.setattr(Scripted, "complete", dying)
    flags = ["--method", "cot_sc_to_react", "--samples", "3", "--episode_tokens", "120", "--concurrency", "3"]
    for _ in range(2):
        left[0] = 4
        with pytest.raises(Kill):
            main(command("killed", *flags))
    left[0] = 10**6
    for name in ("killed", "whole"):
        main(command(name, *flags))
    records = [(Path("runs/eval") / name / "trajectories.jsonl").read_bytes() for name in ("killed", "whole")]
    assert records[0] == records[1]
    tried = list(trajectory.read(Path("runs/eval/whole/trajectories.jsonl")))
    assert {one.end for one in tried} == {"out_of_budget"} and all(len(one.provenance["votes"]) < 3 for one in tried)
    with sqlite3.connect("runs/eval/killed/completions.sqlite") as store:
        (calls,) = store.execute("select count(*) from calls").fetchone()
    assert calls == sum(one.provenance["calls"] for one in tried), "none was paid for twice"


def test_a_prompt_that_is_only_looked_at_is_not_counted_as_shortened():
    talk = Talk(TASK, Said(lambda request: "x"), "p" * 10, Sampling(), Purse(), window=15)
    assert (talk.shown("b" * 9), talk.shortened) == ("b" * 5, 0)
    talk.ask("b" * 9)
    assert talk.shortened == 1
