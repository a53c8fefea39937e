"""The record survives the file, and a file that is none is answered with its place."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react import trajectory
from react.trajectory import ENDS, RecordError, Step, Task, Trajectory

texts = st.text(st.characters(exclude_categories=["Cs"]))
steps = st.builds(Step, texts, texts, texts)
trajectories = st.builds(
    Trajectory,
    st.builds(Task, texts, texts, texts, st.dictionaries(texts, texts | st.integers(), max_size=3)),
    texts,
    texts,
    st.lists(steps, max_size=4).map(tuple),
    texts,
    st.floats(0, 1),
    st.sampled_from(ENDS),
    texts,
    st.dictionaries(texts, st.integers() | texts, max_size=3),
)


@given(trajectories)
def test_a_record_is_one_line_and_comes_back_equal(record):
    line = trajectory.to_json(record)
    assert len(line.splitlines()) <= 1 or "\n" not in line
    assert trajectory.from_json(line) == record
    assert trajectory.to_json(trajectory.from_json(line)) == line


def test_files_come_back_in_order_gzipped_or_not(tmp_path):
    records = [Trajectory(Task(str(n), "q", "a"), "react", "m") for n in range(3)]
    assert trajectory.write(tmp_path / "a.jsonl", records) == 3
    assert trajectory.write(tmp_path / "a.jsonl.gz", records) == 3
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.jsonl").read_bytes() and packed[4:8] == bytes(4)  # no time
    assert list(trajectory.read(tmp_path / "a.jsonl")) == records == list(trajectory.read(tmp_path / "a.jsonl.gz"))
    assert not list(tmp_path.glob("*.partial"))


GOOD = trajectory.to_json(Trajectory(Task("1", "q", "a"), "react", "m"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "Expecting value"),
        ("[]", "must be a JSON object, not list"),
        ("{}", "`task` must be a JSON object"),
        (GOOD[:-5], "column"),
        (GOOD.replace('"finished"', '"won"'), "'won'; it must be one of finished"),
        (GOOD.replace('"reward": 0.0', '"reward": "yes"'), "`reward` is 'yes'"),
        (GOOD.replace('"reward": 0.0', '"reward": true'), "`reward` is True"),
        (GOOD.replace('"reward": 0.0', '"reward": NaN'), "`reward` is nan"),
        (GOOD.replace('"reward": 0.0', f'"reward": {10**400}'), "`reward` is 1000"),
        (GOOD.replace('"reward": 0.0', '"reward": -Infinity'), "`reward` is -inf"),
        (GOOD.replace('"provenance": {}', '"provenance": 5'), "`provenance` and the task's `extra`"),
        (GOOD.replace('"extra": {}', '"extra": null'), "`provenance` and the task's `extra`"),
        ("[" * 100_000, "recursion"),
        (GOOD.replace('"method": "react"', '"method": 7'), "7 stands where a text must be"),
        (GOOD.replace('"method": "react"', '"methode": "react"'), "methode"),
        (GOOD.replace('"steps": []', '"steps": [{"thougt": ""}]'), "thougt"),
        (GOOD.replace('"steps": []', '"steps": "none"'), "a step must be a JSON object"),
    ],
)
def test_a_bad_line_is_named_with_file_and_number(tmp_path, line, says):
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{GOOD}\n{line}\n{GOOD}\n")
    with pytest.raises(RecordError, match=r"bad\.jsonl:2: ") as error:
        list(trajectory.read(path))
    assert says in str(error.value)


def test_a_file_that_is_missing_or_torn_is_named(tmp_path):
    with pytest.raises(RecordError, match=r"none\.jsonl: cannot be read"):
        list(trajectory.read(tmp_path / "none.jsonl"))
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(GOOD.encode() * 100)[:-20])
    with pytest.raises(RecordError, match=r"torn\.jsonl\.gz"):
        list(trajectory.read(torn))


def test_only_a_full_reward_at_a_regular_end_is_solved():
    task = Task("1", "q", "a")
    assert Trajectory(task, "react", "m", reward=1.0).solved
    assert not Trajectory(task, "react", "m", reward=0.99).solved
    assert not Trajectory(task, "react", "m", reward=1.0, end="failed").solved


WELL = '{"task": {"id": "q", "question": "", "answer": "", "extra": %s}, "method": "m", "model": "m", "provenance": %s}'


@pytest.mark.parametrize("value", ['"x"', '"abc"', "null", "[1]", "Infinity", "NaN", "-1", "1.5", "true", "{}"])
@pytest.mark.parametrize("name", ["attempt", "sample", "calls", "bad_calls", "prompt_tokens"])
def test_what_a_record_counts_must_be_a_count(name, value):
    with pytest.raises(ValueError, match=rf"`{name}` of `provenance` is .*; it must be a whole number of at least 0"):
        trajectory.from_json(WELL % ("{}", f'{{"{name}": {value}}}'))


@pytest.mark.parametrize("pages", ["3", '"Lima"', '[["a"]]', "[null]", '{"a": 1}', "true"])
def test_pages_must_be_titles(pages):
    for extra, provenance in (("{}", f'{{"pages": {pages}}}'), (f'{{"supporting": {pages}}}', "{}")):
        with pytest.raises(ValueError, match="must be a list of titles"):
            trajectory.from_json(WELL % (extra, provenance))


@pytest.mark.parametrize(
    "place", ['{"a": "\\ud800"}', '{"\\uDFFF": 1}', '{"a": ["\\ud83d \\ude00"]}', '{"a": "\ud800"}']
)
def test_half_a_letter_is_refused_where_it_is_read_and_not_where_it_is_written(place):
    for extra, provenance in ((place, "{}"), ("{}", place)):
        with pytest.raises(ValueError, match="half a letter"):
            trajectory.from_json(WELL % (extra, provenance))


def test_a_whole_letter_and_what_looks_like_half_of_one_are_read():
    for told, means in (("\\ud83d\\ude00", "\U0001f600"), ("\\\\ud800", "\\ud800")):
        assert trajectory.from_json(WELL % (f'{{"a": "{told}"}}', "{}")).task.extra["a"] == means
