"""What `python -m train.inspect` shows of rows, and what it does not let pages do to a terminal."""

from __future__ import annotations

import re

import pytest

from react.trajectory import Step, write
from tests.tokenizer_toys import tokenizer
from tests.train_toys import student, trajectory
from train.dataset import Row
from train.inspect import main, table
from train.recipe import Recipe
from train.sft import read_rows

HOSTILE = "a\x1b[2Kb\x1b]0;c\x07d\u202ee\u200bf\x9bg [red]h[/red]"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    hostile = (Step("I look.", "Search[a]", HOSTILE), Step("", "Finish[\u202e]"))
    long, unsolved = trajectory(3, words=300), trajectory(4, reward=0.0)
    write(folder / "trajectories.jsonl", [trajectory(1), trajectory(2, steps=hostile), long, unsolved])
    return student(folder / "base").parent


def words(base, *more):
    settings = {"model": base / "base", "data": base / "trajectories.jsonl", "max_length": 300}
    return [word for key, value in settings.items() for word in (f"--{key}", str(value))] + list(more)


def shown(base, capsys, *more):
    main(words(base, *more))
    return capsys.readouterr().out


def test_the_summary_counts_tokens_and_says_what_was_left_out(base, capsys):
    said = shown(base, capsys, "--loss", "without_observations")
    rows, _ = read_rows(Recipe(data=[str(base / "trajectories.jsonl")], max_length=300), tokenizer("gpt2"))
    kinds = [kind for row in rows for kind in row.kinds]
    assert f"2 rows of {base / 'trajectories.jsonl'}" in said and f"{len(kinds):,} tokens; a row has" in said
    for kind in ("task", "cue", "thought", "action", "stop", "observation", "end"):
        weight = int(kind in ("thought", "action", "stop", "end"))
        assert re.search(rf"^  {kind} +{kinds.count(kind)} tokens   weight {weight}$", said, re.M)
    longest = max(rows, key=lambda row: len(row.tokens))
    assert f"longest: row {rows.index(longest)}, {longest.id}, {len(longest.tokens)} tokens; max_length is 300" in said
    assert "left out: 1 over-long, 1 unsolved" in said
    assert re.search(r"^  t003: over-long: \d+ tokens, max_length is 300$", said, re.M)


def test_a_row_is_shown_token_by_token(base, capsys):
    said = shown(base, capsys, "--weights", '{"action": 2.5, "observation": 0}', "--row", "0")
    (row, *_), _ = read_rows(Recipe(data=[str(base / "trajectories.jsonl")], max_length=300), tokenizer("gpt2"))
    lines = [line for line in said.splitlines() if re.match(r" *\d+ +\d+ [-+]", line)]
    assert len(lines) == len(row.tokens)
    for at, line in enumerate(lines):
        place, token, mark, kind, *rest = line.split()
        assert (int(place), int(token), kind) == (at, row.tokens[at], row.kinds[at])
        assert mark == ("-" if kind in ("task", "observation") else "+")
        assert mark == "-" or rest[0] == ("2.5" if kind == "action" else "1")
    assert lines[-1].endswith("</s>") and any(line.endswith(r"'\n'") for line in lines)


def test_a_task_is_found_by_its_id_or_said_to_be_left_out(base, capsys):
    assert "t002: " in shown(base, capsys, "--task", "t002")
    for flags, told in (
        (("--task", "t003"), "task t003 was left out: over-long"),
        (("--task", "t0002"), "there is no task 't0002' in 2 rows; did you mean t002"),
        (("--row", "2"), "row is 2; there are the rows 0 to 1"),
        (("--row", "-1"), "row is -1; there are the rows 0 to 1"),
        (("--loss", "all"), "unknown loss 'all'"),
        (("--weights", '{"stop": 0}'), "stop and end must be more than 0"),
        (("--model", "no/such/place"), "model 'no/such/place': there is no such folder"),
        (("--model", "~nosuchuser/x"), "model '~nosuchuser/x': there is no such folder"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words(base, *flags))
        said = capsys.readouterr().err
        assert ended.value.code == 2 and told in said and "Traceback" not in said


def test_a_page_cannot_do_anything_to_a_terminal(base, capsys):
    said = shown(base, capsys, "--task", "t002")
    assert all(letter.isprintable() or letter == "\n" for letter in said)
    assert "' ['" in said and "Ģ" in said  # no control character gets into a row; half of another one has its name


def test_what_a_terminal_would_obey_is_shown_and_not_written():
    tokens = tuple(tokenizer("gpt2")("\x1b[2K\u202e").input_ids)
    row = Row("t\x1b[2K", "", tokens, ("observation",) * len(tokens))
    said = "\n".join(line for line, _ in table(row, tokenizer("gpt2"), Recipe()))
    assert all(letter.isprintable() or letter == "\n" for letter in said)
    assert r"'\x1b'" in said and "'['" in said and r"t\x1b[2K: " in said


def test_colours_are_for_terminals(base, capsys, monkeypatch):
    assert "\x1b" not in shown(base, capsys)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[32m" in shown(base, capsys)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in shown(base, capsys)
