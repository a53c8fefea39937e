"""An expert of the shop reads, compares, chooses and buys; what it and people did is replayed as it was."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean

import pytest

from bootstrap import run as bootstrap
from eval import evaluate
from react import environments, models, trajectory
from react.completions import Recorded
from react.environments.shop.expert import human, logs
from react.environments.shop.expert.__main__ import main
from react.environments.shop.expert.judging import fit, ranked
from react.environments.shop.expert.play import demonstrate
from react.environments.shop.expert.reading import Item, Offer, read_item, read_results, read_wish
from react.methods import SINGLE, Sampling, Solver
from react.models import ModelConfig
from react.rollout import attempt
from react.trajectory import Trajectory, read

ROOT = Path(__file__).resolve().parents[1]
SHOWN = ROOT / "data" / "webshop" / "demonstrations.jsonl.gz"
LOGS = ROOT.parent / "shared" / "data" / "webshop" / "human_trajs_sample"

RESULTS = """
[Back to Search] 
Page 1 (Total results: 50) 
[Next >] 
[B0345PB2B5] 
Harrowell Cat Tree, for Indoor Cats [2 pack] 
$86.95 
[B0M7J463P5] 
Marlowick Cat Tree Tower, for Small Spaces 
$89.99 to $99.0 """
ITEM = """
[Back to Search] 
[< Prev] 
color [light grey][[dark grey]][grey  |  orange]
size [36 inch][48 inch (pack of 2)]
Marlowick Cat Tree Tower, for Small Spaces 
Price: $89.99 to $99.0 
Rating: N.A. 
[Description] 
[Features] 
[Reviews] 
[Buy Now] """


@cache
def embedded():
    return environments.load("webshop")


@cache
def played(split="test", method="react"):
    return [demonstrate(embedded(), task, method) for task in embedded().tasks(split)]


def actions(trajectory: Trajectory) -> list[str]:
    return [step.action for step in trajectory.steps if step.action]


@pytest.mark.parametrize(
    ("instruction", "words", "bound"),
    [
        (
            "i want a leak proof, navy blue water bottle in size 24 ounce, and price lower than 30.00 dollars",
            "leak proof navy blue water bottle 24 ounce",
            30.0,
        ),
        ("Hi there, i need yoga pants. the size should be x-large. thanks!", "yoga pants x-large", math.inf),
        ("a sulfate free, paraben free shampoo", "sulfate free paraben free shampoo", math.inf),
        ("do you have a travel size charger that is easy to use?", "travel size charger easy use", math.inf),
        ("", "", math.inf),
    ],
)
def test_the_words_of_an_instruction_that_count(instruction, words, bound):
    wish = read_wish(instruction)
    assert (" ".join(word.text for word in wish.words), wish.bound) == (words, bound)


def test_words_are_told_as_they_stand_together():
    wish = read_wish("find me a leak proof, easy to clean water bottle in navy blue")
    assert wish.phrases(wish.words) == ["leak proof", "easy to clean water bottle", "navy blue"]
    assert wish.phrases([word for word in wish.words if word.text in ("clean", "blue")]) == ["clean", "blue"]


def test_pages_are_read():
    assert read_results(RESULTS) == [
        Offer("B0345PB2B5", "Harrowell Cat Tree, for Indoor Cats [2 pack]", (86.95, 86.95)),
        Offer("B0M7J463P5", "Marlowick Cat Tree Tower, for Small Spaces", (89.99, 99.0)),
    ]
    options = (("color", ("light grey", "dark grey", "grey  |  orange")), ("size", ("36 inch", "48 inch (pack of 2)")))
    assert read_item(ITEM) == Item("Marlowick Cat Tree Tower, for Small Spaces", (89.99, 99.0), options)
    for other in ("", "Invalid action!", "OK.", "\nWebShop \nInstruction:  \na cat tree \n[Search] "):
        assert read_results(other) == [] and read_item(other) is None
    assert read_item(RESULTS) is None and read_results(ITEM) == []


@pytest.mark.parametrize(
    ("instruction", "values", "chosen"),
    [
        ("a shirt in x-large", ("large", "x-large", "xx-large"), "x-large"),
        ("a shirt, size large", ("x-large", "large"), "large"),
        ("nuts, 8 ounce, pack of 2", ("8 ounce", "8 ounce (pack of 2)"), "8 ounce (pack of 2)"),
        ("a 4 ounce jar", ("24 ounce", "4 ounce"), "4 ounce"),
        ("shoes in size 9", ("9.5", "9"), "9"),
        ("a navy blue hat", ("sky blue", "navy blue"), "navy blue"),
        ("black loafers", ("black1901", "brown"), ""),
        ("a silver wig", ("rl56 silver", "rl38 walnut"), "rl56 silver"),
        ("a plain hat", ("red", "green"), ""),
    ],
)
def test_options_are_chosen_that_the_instruction_names(instruction, values, chosen):
    found = fit(Item("thing", (5.0, 5.0), (("option", values),)), read_wish(instruction), "")
    assert found.chosen == ((chosen,) if chosen else ())


def test_what_costs_too_much_is_never_first():
    wish = read_wish("a leak proof water bottle, and price lower than 30.00 dollars")
    offers = [
        Offer("A", "Leak Proof Water Bottle", (30.0, 30.0)),
        Offer("B", "Leak Proof Water Bottle", (20.0, 40.0)),
        Offer("C", "Water Bottle", (29.99, 29.99)),
    ]
    assert [offer.asin for offer in ranked(offers, wish)] == ["C", "B"]


def test_the_expert_scores_above_the_human_experts_of_the_paper_on_goals_that_it_never_saw():
    rewards = [one.reward for one in played()]
    assert 100 * sum(rewards) / len(rewards) > 82.1 and sum(one.solved for one in played()) / len(rewards) > 0.596
    assert all(one.end == "finished" and len(one.steps) <= embedded().max_steps for one in played())


def test_it_recovers_from_what_does_not_fit_and_from_words_that_find_nothing():
    kinds = Counter()
    for one in played():
        did = actions(one)
        opened = [action for action in did if action.startswith("click[B0")]
        kinds["another result"] += len(set(opened)) > 1
        kinds["another search"] += sum(action.startswith("search[") for action in did) > 1
        kinds["features"] += "click[Features]" in did
        kinds["at once"] += len(opened) == 1 and "click[Features]" not in did
    assert min(kinds.values()) >= 5, kinds


def test_its_thoughts_are_sparse_and_say_nothing_that_it_has_not_seen():
    for one in played():
        seen = one.task.question
        for step in one.steps:
            for asin in (word.strip(",.") for word in step.thought.split() if word.startswith("B0")):
                assert asin in seen, step
            seen += step.observation
        assert 1 <= sum(bool(step.thought) for step in one.steps) < len(actions(one)) + 1
        assert not any(step.thought and step.action for step in one.steps)


def test_without_thoughts_it_has_time_for_more():
    assert not any(step.thought for one in played(method="act") for step in one.steps)
    assert sum(one.solved for one in played(method="act")) >= sum(one.solved for one in played()) - 2


def test_the_command_writes_what_it_says(tmp_path, capsys):
    out = tmp_path / "new" / "expert.jsonl"
    main(["--split", "dev", "--limit", "12", "--out", str(out), "--solved"])
    kept = list(read(out))
    assert kept and all(one.solved for one in kept)
    assert f"{len(kept)} of 12 solved, score " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--split", "nowhere", "--out", str(out)])


def replay(path, tasks, tmp_path, method="act"):
    """What comes of a file of trajectories when it is played through the ordinary way."""
    model = Recorded(models.load(ModelConfig(backend="scripted", model=str(path))), tmp_path / "completions.sqlite")
    solver = Solver(SINGLE[method], embedded(), model, prompt=lambda task: "")
    try:
        return [attempt(solver, task, Sampling()) for task in tasks]
    finally:
        model.close()


def test_the_demonstrations_are_the_experts_and_earn_their_reward_again(tmp_path):
    shown = list(read(SHOWN))
    train = {task.id: task for task in embedded().tasks("train")}
    assert len(shown) == 400 and all(one.task == train[one.task.id] and one.solved for one in shown)
    again = replay(SHOWN, [one.task for one in shown[::8]], tmp_path, "react")
    for one, other in zip(shown[::8], again, strict=True):
        assert (other.steps, other.reward, other.end) == (one.steps, 1.0, "finished")
        assert other.provenance["invalid_actions"] == 0


def test_the_command_that_makes_the_demonstrations_makes_them_byte_for_byte(tmp_path):
    (command,) = re.findall(r"-m react\.environments\.shop\.expert (.*)", (ROOT / "Makefile").read_text())
    *flags, target = command.split()
    assert ROOT / target == SHOWN
    main([*flags, str(tmp_path / "again.jsonl.gz")])
    assert (tmp_path / "again.jsonl.gz").read_bytes() == SHOWN.read_bytes()


WRONG = {
    "--limit 0": "--limit: '0' must be a whole number of at least 1",
    "--limit -3": "--limit: '-3' must be a whole number of at least 1",
    "--limit 1.5": "--limit: '1.5' must be a whole number",
    "--seed x": "--seed: invalid int value: 'x'",
    "--method cot": "--method: invalid choice: 'cot' (choose from 'react', 'act')",
    "--split nowhere": "no split 'nowhere'; there are: test, dev, train, exemplars",
    "--out .": "--out: '.' is a folder",
    "--out deep/er/e.jsonl": "--out: 'deep/er/e.jsonl' lies in no folder: deep is not there",
    "--lim=3": "unrecognized arguments: --lim=3",
    "--environment_options 5": "--environment_options: '5' must be a JSON object",
    "--environment_options []": "--environment_options: '[]' must be a JSON object",
    "--environment_options {": "--environment_options: '{' is not JSON",
    '--environment_options {"seed":1,"seed":2}': "the key 'seed' is there a second time",
    '--environment_options {"frm":"x"}': "unknown environment option 'frm'; did you mean 'form'?",
    '--environment_options {"form":"text"}': "unknown form for an expert 'text'; there are: notebook",
    '--environment_options {"seed":-1}': "seed is -1; it must be a whole number of at least 0",
    '--environment_options {"goals":"own"}': "goals 'own': there are human, synthetic",
    '--environment_options {"path":"nowhere"}': "nowhere: neither a folder nor a file",
}


OF_HUMAN = [
    flags for flags in WRONG if flags.split()[0] not in ("--limit", "--seed", "--method") and "text" not in flags
]


@pytest.mark.parametrize(("command", "flags"), [*((main, one) for one in WRONG), *((human.main, o) for o in OF_HUMAN)])
def test_a_wrong_flag_is_one_line_that_says_what_is_right(tmp_path, capsys, monkeypatch, command, flags):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(page) + "\n" for page in asked(played()[0])))
    logs = [] if command is main else ["log.jsonl"]
    with pytest.raises(SystemExit) as ended:
        command([*logs, "--out", "made.jsonl", *flags.split(" ", 1)])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("error: ") and said.count("\n") == 1
    assert WRONG[flags] in said and not (tmp_path / "made.jsonl").exists()


def test_score_and_success_are_told_of_what_is_collected_and_of_what_is_evaluated(tmp_path, capsys):
    path = tmp_path / "expert.jsonl"
    trajectory.write(path, played())
    rewards = {one.task.id: one.reward for one in played()}
    own = ["--environment", "webshop", "--backend", "scripted", "--model", str(path), "--shots", "0", "--split", "test"]
    own += ["--limit", "12", "--name", "x", "--output"]
    evaluate.main([*own, str(tmp_path / "eval")])
    found = json.loads((tmp_path / "eval" / "x" / "summary.json").read_text())
    assert found["score"]["value"] == pytest.approx(100 * mean(rewards[id] for id in found["panel"]["ids"]), abs=1e-4)
    said = capsys.readouterr().out
    assert f"  score {found['score']['value']:.1f} [" in said and f"success rate {found['em']['value']:.3f} [" in said
    bootstrap.main([*own, str(tmp_path / "made"), "--attempts", "1", "--rules", "correct"])
    found = json.loads((tmp_path / "made" / "x" / "summary.json").read_text())
    tried = [one.task.id for one in read(tmp_path / "made" / "x" / "attempts.jsonl")]
    assert len(tried) == 12 and found["score"] == pytest.approx(100 * mean(rewards[id] for id in tried), abs=0.01)
    assert f"score {found['score']:.1f})" in capsys.readouterr().out


def log(name, goal, *pages):
    """Pages of a log in the official form."""
    return [{"page": page, "url": f"http://shop/{name}", "goal": goal, **said} for page, said in pages]


def asked(trajectory, asin="B000000000", called=""):
    """The log of a shopper who did what a trajectory did."""
    goal = {"asin": asin, "instruction_text": called or trajectory.task.question.replace("lower than ", "lower than 9")}
    pages, words, options, at = [("index", {})], [], {}, ""
    for action in actions(trajectory):
        name, said = action[:-1].split("[", 1)
        on = {"keywords": repr(words), "page": "1", "asin": at, "options": options}
        if name == "search":
            words = said.split(" ")
        if name == "search" or (said == "< Prev" and pages[-1][0] == "item_page"):
            options = {}
            pages.append(("search_results", {"content": {"keywords": words, "page": 1}}))
        elif said == "Back to Search":
            pages.append(("index", {}))
        elif said == "Features":
            pages.append(
                ("item_sub_page", {"content": on, "url": f"http://shop/item_sub_page/x/{at}/k/1/Features/%7B%7D"})
            )
        elif said == "Buy Now":
            pages.append(("done", {"content": on, "reward": 1.0}))
        else:
            at = said if said.startswith("B0") else at
            options = {} if said.startswith("B0") else options | ({} if said == "< Prev" else {f"option {said}": said})
            content = {"keywords": repr(words), "page": "1", "asin": at, "options": options}
            pages.append(("item_page", {"content": content}))
    return log("s", goal, *pages)


def test_a_log_of_a_person_is_what_the_person_did():
    for one in played()[:40]:
        assert logs.actions(asked(one)) == actions(one)


def test_logs_of_goals_that_are_not_there_say_what_is_wanted(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(page) + "\n" for page in asked(played()[0], called="a thing")))
    hint = (
        "; the logs are of the whole shop, and this is embedded: `path` must name a folder with the whole items_shuffle"
    )
    for split, says in (
        ("train", "none of 1 logs can be used: 1 (its goal is not in the catalogue)"),
        ("x", "no split"),
    ):
        with pytest.raises(SystemExit, match="2"):
            human.main([str(tmp_path), "--out", str(tmp_path / "h.jsonl"), "--split", split])
        said = capsys.readouterr().err
        assert f"error: {says}" in said and hint in said and "--split those of their goals" in said


def test_logs_become_trajectories_that_the_environment_judges(tmp_path, capsys):
    goals = [one for one in played("dev", "act") if one.solved][:5]
    for i, one in enumerate(goals):
        pages = asked(one)
        (tmp_path / f"{i}.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    unbought = asked(goals[0])[:-1]
    (tmp_path / "unbought.jsonl").write_text("".join(json.dumps(page) + "\n" for page in unbought))
    walk = asked(goals[0])
    walk[1:1] = [walk[1], walk[0]] * 8
    (tmp_path / "walk.jsonl").write_text("".join(json.dumps(page) + "\n" for page in walk))
    (tmp_path / "other.jsonl").write_text(
        "".join(json.dumps(page) + "\n" for page in asked(goals[0], called="a thing"))
    )
    human.main([str(tmp_path), "--out", str(tmp_path / "out" / "human.jsonl"), "--split", "train", "dev"])
    said = capsys.readouterr().out
    assert "5 of 8 logs; left out: 1 (its goal is not in the catalogue), 1 (nothing is bought within 14 steps)" in said
    assert ", 1 (nothing was bought)\n5 with the full reward" in said
    again = replay(tmp_path / "out" / "human.jsonl", [one.task for one in goals], tmp_path)
    assert [one.reward for one in again] == [1.0] * 5
    assert [actions(one) for one in again] == [actions(one) for one in goals]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{}", "x.jsonl:1: not a page of a log"),
        ('{"page": "index", "goal": {"instruction_text": 5}}', "x.jsonl:1: not a page of a log"),
        ("[" * 10000, "x.jsonl:1: not a page of a log"),
        ("", "none of 1 logs can be used: 1 (nothing was bought)"),
    ],
)
def test_a_damaged_log_is_named(tmp_path, capsys, content, says):
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(SystemExit) as stop:
        human.main([str(tmp_path / "x.jsonl"), "--out", str(tmp_path / "human.jsonl")])
    assert stop.value.code == 2 and says in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [{"page": "abc"}, {"page": 1e400}, {"options": [1]}, {"keywords": 5}, {"keywords": "'" * 10**6}, [1], "x"],
)
def test_a_log_of_odd_pages_cannot_be_followed(content):
    page = {"page": "item_page", "goal": {"instruction_text": "x"}, "content": content}
    with pytest.raises(logs.Unfollowable):
        logs.actions([page, {**page, "page": "done"}])


def test_pages_without_end_are_not_turned():
    pages = log(
        "s",
        {"asin": "B0", "instruction_text": "x"},
        *(("search_results", {"content": {"keywords": ["a"], "page": n}}) for n in (1, 10**12)),
    )
    with pytest.raises(logs.Unfollowable, match="page 1000000000000"):
        logs.actions(pages)


def test_a_line_of_a_log_ends_where_a_line_ends_and_what_is_no_text_is_named(tmp_path):
    path = tmp_path / "x.jsonl"
    page = {"page": "index", "goal": {"instruction_text": "a\u2028b\x85c"}}
    path.write_text("\n".join([json.dumps(page, ensure_ascii=False)] * 2) + "\n", encoding="utf-8")
    assert logs.read_log(path) == [page, page]
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"x\.jsonl: not UTF-8"):
        logs.read_log(path)


def test_a_jump_of_the_browser_cannot_be_followed():
    goal = {"asin": "B0", "instruction_text": "x"}
    found = {"content": {"keywords": ["a"], "page": 1}}
    item = {"content": {"keywords": "['b']", "page": "1", "asin": "B01", "options": {}}}
    with pytest.raises(logs.Unfollowable, match="B01 is opened where it was not found"):
        logs.actions(log("s", goal, ("index", {}), ("search_results", found), ("item_page", item)))
    chosen = {"content": {**item["content"], "options": {"color": "red"}}}
    with pytest.raises(logs.Unfollowable, match="an option is taken back"):
        logs.actions(log("s", goal, ("item_page", chosen), ("item_page", item)))


@pytest.mark.skipif(not LOGS.exists(), reason="the real data are not there")
def test_the_logs_of_real_people_can_be_followed():
    found = {path.stem: logs.actions(logs.read_log(path)) for path in sorted(LOGS.glob("*.jsonl"))}
    assert len(found) == 9 and all(did[-1] == "click[Buy Now]" for did in found.values())
    assert found["20220427_1_7"] == [
        "search[lenovo chromebook i3-8130u cpu]",
        "click[B07XC7GVRK]",
        "click[Description]",
        "click[< Prev]",
        "click[Buy Now]",
    ]
    assert found["20220427_1_23"][:3] == ["search[red earbud headphones]", "click[Next >]", "click[B08CZ8WS38]"]
    assert found["20220427_1_17"][2:4] == ["click[teal]", "click[38 | 40 | 41 mm]"]
