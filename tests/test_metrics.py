"""Twenty trajectories made by hand, and the rates that a person works out for them."""

import json

import pytest

from eval.measures import MEANS, METRICS, SHARES, Facts, acts, established
from eval.metrics import main
from eval.rates import Played, estimates, fewest_actions, played, rows
from eval.statistics import wilson
from react import environments, trajectory
from react.environments.wikipedia.tools import mishap
from react.grounds import repeats
from react.trajectory import Step, Task, Trajectory
from tests.test_report import made

STEPS = {
    "T": Step("", "Search[Blue Tower]", "The Blue Tower was designed by Ana Ruiz."),
    "A": Step("", "Search[Ana Ruiz]", "Ana Ruiz was born in Lima."),
    "M": Step("", "Search[Tower]", "Could not find Tower. Similar: ['Blue Tower']."),
    "L": Step("", "Lookup[born]", "(Result 1 / 1) Ana Ruiz was born in Lima."),
    "N": Step("", "Lookup[sea]", "No more results."),
    "X": Step("", "Go home", "Invalid action: Go home"),
    "E": Step("Hm.", "", "Invalid action: "),
    "F": Step("", "Finish[Lima]"),
    "W": Step("", "Finish[Ana Ruiz]"),
    "Y": Step("", "Finish[yes]"),
    "C": Step("I think of Lima.", "Finish[Lima]"),
}
PAGES = {"T": "Blue Tower", "A": "Ana Ruiz"}
ASKED = "Where was the designer of the Blue Tower born?"
BOTH = "Were Ana Ruiz and Leo Paz both born in Lima?"
BRIDGE = {"type": "bridge", "supporting": ["Blue Tower", "Ana Ruiz"]}
COMPARISON = {"type": "comparison", "supporting": ["Ana Ruiz", "Leo Paz"]}
# Value and denominator of each share, in the order of SHARES: what a person counts; 0, 0: says nothing.
HAND = [
    # steps     efficiency tool    recovery use     invalid repeated
    ("TAF", ((1, 1), (3, 3), (0, 0), (2, 2), (0, 3), (0, 3))),
    ("MTAF", ((3 / 4, 1), (4, 4), (1, 1), (2, 2), (0, 4), (0, 4))),
    ("XTAF", ((3 / 4, 1), (3, 4), (1, 1), (2, 2), (1, 4), (0, 4))),
    ("TTAF", ((3 / 4, 1), (4, 4), (1, 1), (2, 2), (0, 4), (1, 4))),  # the page again brings nothing
    ("TF", ((1, 1), (1, 2), (0, 0), (0, 1), (0, 2), (0, 2))),  # a guess, in fewer actions than there can be
    ("F", ((1, 1), (0, 1), (0, 0), (0, 0), (0, 1), (0, 1))),
    ("TAW", ((0, 0), (3, 3), (0, 0), (1, 2), (0, 3), (0, 3))),  # what Lima brought is not used
    ("MMMMMMM", ((0, 0), (7, 7), (0, 1), (0, 0), (0, 7), (6, 7))),  # out of steps; one spell of failures
    ("XXW", ((0, 0), (0, 3), (0, 1), (0, 0), (2, 3), (1, 3))),  # a wrong answer recovers nothing
    ("TNAF", ((3 / 4, 1), (4, 4), (1, 1), (2, 2), (0, 4), (0, 4))),
    ("TALF", ((3 / 4, 1), (3, 4), (0, 0), (2, 2), (0, 4), (0, 4))),  # looked up what was read before
    ("TEAF", ((3 / 4, 1), (3, 4), (1, 1), (2, 2), (1, 4), (0, 4))),  # a turn without an action is an invalid one
    ("TAAF", ((3 / 4, 1), (3, 4), (1, 1), (2, 2), (0, 4), (1, 4))),  # solving the task recovers
    ("MF", ((1, 1), (1, 2), (1, 1), (0, 0), (0, 2), (0, 2))),
    ("MW", ((0, 0), (1, 2), (0, 1), (0, 0), (0, 2), (0, 2))),
    ("TXAXF", ((3 / 5, 1), (3, 5), (2, 2), (2, 2), (2, 5), (1, 5))),
    ("AY", ((1, 1), (1, 2), (0, 0), (0, 0), (0, 2), (0, 2))),  # yes, with one of two pages read
    ("TAF", ((0, 0), (0, 0), (0, 0), (2, 2), (0, 3), (0, 3))),  # no page is named as support
    ("C", ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0))),  # a chain of thought does not act
    ("T", ((0, 0), (1, 1), (0, 0), (0, 0), (0, 1), (0, 1))),  # out of context
]
# Sums of the columns, worked out on paper.
SUMS = {
    "action efficiency": (10.85, 13),
    "tool selection": (45, 59),
    "recovery": (9, 12),
    "observation use": (21, 23),
    "invalid actions": (6, 62),
    "repeated actions": (10, 62),
    "bad calls": (1, 64),
    "steps": (63, 20),
    "calls": (64, 20),
    "prompt tokens": (6400, 20),
    "completion tokens": (640, 20),
    "cost": (64 * (100 * 1 + 10 * 10) / 1e6, 20),
    "latency": (6, 2),
}
PRICES = (1.0, 10.0)


def of(number: int, code: str) -> Trajectory:
    """The trajectory that a line of HAND says. Each call takes 100 tokens and writes 10."""
    extra = COMPARISON if code == "AY" else {"type": "bare"} if number == 17 else BRIDGE
    task = Task(f"q{number}", BOTH if code == "AY" else ASKED, "yes" if code == "AY" else "Lima", extra)
    calls = len(code) + code.count("E")
    counts = {
        "calls": calls,
        "bad_calls": code.count("E"),
        "prompt_tokens": 100 * calls,
        "completion_tokens": 10 * calls,
    }
    pages = [PAGES[step] for step in code if step in PAGES]
    end = {"MMMMMMM": "out_of_steps", "T": "out_of_context"}.get(code, "finished")
    answer = {"F": "Lima", "C": "Lima", "W": "Ana Ruiz", "Y": "yes"}.get(code[-1], "")
    reward = float(code[-1] in "FCY")
    steps = tuple(STEPS[step] for step in code)
    method = "cot" if code == "C" else "react"
    return Trajectory(task, method, "m", steps, answer, reward, end, provenance={**counts, "pages": pages})


TRIED = [of(number, code) for number, (code, _) in enumerate(HAND)]
RUN = Played("hand", "react", "hotpotqa", tuple(TRIED), {"q0": 2.0, "q1": 4.0})


@pytest.mark.parametrize("number", range(20), ids=[f"{i}-{code}" for i, (code, _) in enumerate(HAND)])
def test_parts_of_each_trajectory(number):
    found = {name: SHARES[name](TRIED[number], Facts(mishap)) for name in SHARES}
    wanted = dict(zip(SHARES, HAND[number][1], strict=False))
    assert {name: (part.value, part.of) for name, part in found.items() if name in wanted} == wanted


def test_rates_are_those_worked_out_by_hand():
    first, *kinds = rows([RUN], prices=PRICES)
    assert (first.run, first.kind, first.n) == ("hand", "all", 20)
    assert list(first.metrics) == list(METRICS) == list(SUMS)
    for name, (value, among) in SUMS.items():
        assert first.metrics[name].value == pytest.approx(value / among), name
        assert first.metrics[name].low <= value / among <= first.metrics[name].high
    assert [(row.kind, row.n) for row in kinds] == [("bare", 1), ("bridge", 18), ("comparison", 1)]
    by_kind = {row.kind: row.metrics for row in kinds}
    assert by_kind["comparison"]["tool selection"].value == 0.5
    assert by_kind["bridge"]["tool selection"].value == pytest.approx(44 / 57)
    assert by_kind["bare"]["action efficiency"] is None and by_kind["bare"]["latency"] is None


def test_what_is_not_known_is_none_and_not_nought():
    (row,) = rows([Played("cot", "cot", "hotpotqa", (of(18, "C"),))])
    assert {name for name, one in row.metrics.items() if one is None} == {*SHARES, "cost", "latency"} - {"bad calls"}
    (bare,) = rows([Played("old", "react", "no_such_place", (Trajectory(Task("q", "?", "a"), "react", "m"),))])
    assert {name for name, one in bare.metrics.items() if one} == {"steps"}
    assert rows([Played("none", "react", "hotpotqa", ())])[0].metrics == dict.fromkeys(METRICS)


def test_an_interval_where_all_tasks_are_the_same_is_not_certain():
    parts = [{name: METRICS[name](one, Facts(mishap)) for name in METRICS} for one in [TRIED[0]] * 5]
    found = estimates(parts)
    assert found["tool selection"] == wilson(5, 5) and found["invalid actions"] == wilson(0, 5)
    assert estimates(parts) == found


def test_the_interval_is_that_of_a_bootstrap_over_tasks():
    import numpy as np

    parts = [{name: METRICS[name](one, Facts(mishap)) for name in METRICS} for one in TRIED]
    random = np.random.default_rng(1)
    pairs = np.array([(part["tool selection"].value, part["tool selection"].of) for part in parts])
    sums = pairs[random.integers(20, size=(20000, 20))].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    found = estimates(parts)["tool selection"]
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_fewest_actions_are_known_from_whoever_solved_it_where_nothing_can_be_guessed():
    def play(*actions: str, reward: float = 1.0) -> Trajectory:
        steps = [Step("", action, "You see it.") for action in actions]
        return Trajectory(Task("g", "put a mug in desk", ""), "react", "m", tuple(steps), reward=reward)

    long, short = play("go to desk 1", "look", "use lamp"), play("look", "use lamp")
    runs = [Played(name, "react", "alfworld", (one,)) for name, one in {"a": long, "b": short}.items()]
    assert list(fewest_actions(runs, []).values()) == [2]
    assert list(fewest_actions(runs, [play("look")]).values()) == [1]
    assert fewest_actions([RUN], []) == {} and fewest_actions([], [play("look", reward=0.0)]) == {}
    assert [row.metrics["action efficiency"].value for row in rows(runs)] == [2 / 3, 1.0]


def test_thoughts_of_a_console_are_no_actions():
    steps = (Step("I look.", "", "OK."), Step("", "look", "A desk 1."), Step("", "look", "A desk 1."))
    steps += (Step("", "fly", "Nothing happens."), Step("", "fly up", "Nothing happens. Admissible commands: look."))
    tried = Trajectory(Task("g", "?", ""), "react", "m", steps, end="out_of_steps")
    went = acts(tried, environments.says("alfworld", "mishap"))
    assert [(act.place, act.mishap) for act in went] == [(1, ""), (2, "nothing"), (3, "invalid"), (4, "invalid")]
    assert repeats(steps) == [2]


SAID = {
    "hotpotqa": ["Search[Lima]", "Search[zzzz qqqq]", "Lookup[the]", "Lookup[zzzz]", "Fly[home]", "", "Search[Peru]"],
    "fever": ["Search[Lima]", "Search[zzzz qqqq]", "Lookup[the]", "Lookup[zzzz]", "Fly[home]", "", "Search[Peru]"],
    "alfworld": ["look", "go to desk 1", "fly home", "", "inventory", "think: I am here."],
    "webshop": ["search[mug]", "click[Buy Now]", "fly", "click[Back to Search]", "search[zzzzqqq]", "", "think[Hm.]"],
}


@pytest.mark.parametrize("name", environments.names())
def test_what_an_environment_says_of_a_mishap_is_what_it_did(name):
    environment = environments.load(name)
    episode = environment.start(environment.tasks("train")[0])
    kinds = set()
    for action in SAID[name]:
        observation = episode.act(action)
        kinds.add(said := environments.says(name, "mishap")(observation.text))
        assert (said == "invalid") == (not observation.valid), (action, observation)
        assert not (said and observation.page)
    assert "invalid" in kinds and "" in kinds and ("nothing" in kinds) == (name != "alfworld")


def test_an_answer_of_the_question_itself_needs_all_pages():
    task = Task("q", "Who is older, Ana Ruiz or Leo Paz?", "Ana Ruiz", COMPARISON)
    assert not established(task, "Ana Ruiz was born.", {"Ana Ruiz"})
    assert established(task, "Ana Ruiz was born.", {"Ana Ruiz", "Leo Paz"})
    unnamed = Task("q", "Is it so?", "NOT ENOUGH INFO")
    assert established(unnamed, "Lima.", set()) and not established(unnamed, " ", set())


def test_the_command_reads_runs_and_writes_numbers(tmp_path, capsys):
    folder = made(tmp_path / "runs", "one", environment="e")
    summary = json.loads((folder / "summary.json").read_text()) | {"environment": "hotpotqa", "n": 20}
    (folder / "summary.json").write_text(json.dumps(summary))
    trajectory.write(folder / "trajectories.jsonl", TRIED)
    assert len(played(folder).tried) == 20
    out = tmp_path / "out"
    main([str(folder), "--output", str(out), "--usd_per_million", "1", "10"])
    said = capsys.readouterr().out
    assert "| action efficiency " in said and "0.763 [" in said and "$0.00064 [" in said
    lines = (out / "metrics.csv").read_text().splitlines()
    assert lines[0] == "run,method,tasks,n,metric,value,low,high" and len(lines) == 1 + 4 * len(METRICS)
    assert "one,react,all,20,latency,,," in lines and any(name in lines[-3] for name in MEANS)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["nowhere"], "does not exist"),
        (["RUN", "--known", "nowhere.jsonl"], "no such file"),
        (["RUN", "--usd_per_million", "-1", "1"], "invalid"),
        (["RUN", "--usd_per_million", "nan", "1"], "invalid"),
    ],
)
def test_a_mistake_is_told_in_a_line(tmp_path, capsys, flags, said):
    folder = made(tmp_path, "one")
    with pytest.raises(SystemExit) as error:
        main([str(folder) if flag == "RUN" else flag for flag in flags] + ["--output", str(tmp_path / "out")])
    assert error.value.code == 2 and said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
