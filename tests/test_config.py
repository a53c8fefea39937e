"""The file sets defaults, flags win; whatever is wrong is named with its place and the choices."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from react.cache import made_by
from react.config import parse, setting
from react.mistakes import Mistake, choose, mistakes
from react.run_folder import agree, enter
from react.signals import endable


@dataclass(frozen=True)
class Job:
    PACE: ClassVar = frozenset({"speed"})
    BY_FLAG: ClassVar = {"deep": "deep is dear"}

    name: str = setting("demo", "what it is called")
    target: int = setting(10, "how many")
    rate: float = setting(1.0, "how hot")
    rates: list[float] = setting([0.7], "how hot, each")
    deep: bool = setting(False, "whether")
    rules: list[str] = setting(["a"], "which")
    options: dict[str, Any] = setting({}, "what else")
    speed: int = setting(1, "how fast")

    def __post_init__(self):
        if self.target == 13:
            raise ValueError("target is 13; it must be lucky")
        if "z" in self.rules:
            raise ValueError("unknown rule 'z'; there are: a, b, c")


def parsed(tmp_path, content=None, *flags):
    config = []
    if content is not None:
        (tmp_path / "c.yaml").write_text(content)
        config = ["--config", str(tmp_path / "c.yaml")]
    return parse((Job,), "A job.", [*config, *flags])[0]


def test_flags_win_over_the_file_and_the_file_over_defaults(tmp_path):
    assert parsed(tmp_path) == Job()
    job = parsed(
        tmp_path, "target: 3\nrate: 1e-4\nrules: [b, c]\noptions: {pages: x}\ndeep: true", "--target", "4", "--deep"
    )
    assert job == Job(target=4, rate=1e-4, rules=["b", "c"], options={"pages": "x"}, deep=True)
    assert parsed(tmp_path, "rates: 1").rates == [1.0] and parsed(tmp_path, "rates: [0, 1e-1]").rates == [0.0, 0.1]
    assert parsed(tmp_path, None, "--rates", "0", ".5").rates == [0.0, 0.5]
    assert parsed(tmp_path, None, "--options", '{"k": [1]}', "--rules", "x", "y").options == {"k": [1]}


def test_config_may_be_given_with_an_equals_sign(tmp_path):
    (tmp_path / "c.yaml").write_text("target: 7")
    assert parse((Job,), "A job.", [f"--config={tmp_path / 'c.yaml'}"])[0].target == 7


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("targt: 3", r"c\.yaml: unknown key 'targt'; did you mean 'target'\?"),
        ("target: many", r"c\.yaml: target: 'many' is str; it must be int"),
        ("rates: [1, true]", r"rates: True must be a finite number"),
        ("rates: [1, .nan]", r"rates: nan must be a finite number"),
        ("target: true", r"target: True is bool; it must be int"),
        ("target: 1.5", "target"),
        ("name: [1]", "name"),
        ("rate: hot", "rate: 'hot' must be a finite number"),
        ("rate: .nan", "rate: nan must be a finite number"),
        ("rate: .inf", "rate: inf must be a finite number"),
        ("target: " + "9" * 5000, "not YAML"),
        ("[" * 1000, "not YAML"),
        ("rules: 3", "rules: 3 must be a list of str"),
        ("rules: [1]", "must be a list of str"),
        ("options: [1]", "options: .1. is list; it must be dict"),
        ("deep: maybe", "deep: 'maybe' is str; it must be bool"),
        ("target: 13", "must be lucky"),
        ("target: [", "not YAML"),
        ("target: 3\nname: a\ntarget: 4", r"c\.yaml: not YAML: line 3: the key 'target' is there a second time"),
        ("? [a, b]\n: 1", r"c\.yaml: not YAML: line 1: a key must be a word, not a sequence"),
        ("target: 3\n? {a: 1}\n: 2", r"c\.yaml: not YAML: line 2: a key must be a word, not a mapping"),
        ("options: {? [a] : 1}", r"c\.yaml: not YAML: line 1: a key must be a word, not a sequence"),
        ("- a", "must hold `key: value` lines"),
        ("\x00", "not YAML"),
    ],
)
def test_a_wrong_file_is_answered_with_place_and_value(tmp_path, content, says):
    with pytest.raises(Mistake, match=says):
        parsed(tmp_path, content)


def test_a_missing_file_and_a_missing_name_are_named(tmp_path):
    with pytest.raises(Mistake, match=r"none\.yaml: cannot be read: No such file"):
        parse((Job,), "A job.", ["--config", "none.yaml"])
    with pytest.raises(Mistake, match="--config needs a file"):
        parse((Job,), "A job.", ["--config"])


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--targt", "3"], "unknown flag '--targt'; did you mean 'target'?"),
        (["--targt=3"], "unknown flag '--targt=3'; did you mean 'target'?"),
        (["--confg", "c.yaml"], "unknown flag '--confg'; did you mean 'config'? there are: check, config, deep, name"),
        (["--target", "many"], "argument --target: invalid int value: 'many'"),
        (["--options", "[1]"], "argument --options: '[1]' must be a JSON object"),
        (["--options", "{"], "argument --options: '{' is not JSON"),
        (["--options", '{"a": 1, "b": {"c": 2, "c": 3}}'], "is not JSON: the key 'c' is there a second time"),
        (["--options", "[" * 100_000], "is not JSON: maximum recursion depth"),
        (["--rate", "nan"], "argument --rate: 'nan' must be a finite number"),
        (["--rate", "0,5"], "argument --rate: '0,5' must be a finite number"),
        (["--rates", "1", ""], "argument --rates: '' must be a finite number"),
        (["--target", "13"], "command line: target is 13; it must be lucky"),
    ],
)
def test_a_wrong_flag_ends_with_status_2(flags, says, capsys):
    with pytest.raises(SystemExit) as ended, mistakes():
        parse((Job,), "A job.", flags)
    assert ended.value.code == 2 and says in capsys.readouterr().err


def test_what_takes_a_flag_is_not_set_by_a_file(tmp_path):
    with pytest.raises(Mistake, match=r"c\.yaml: deep is True, and deep is dear; .* the flag --deep True"):
        parsed(tmp_path, "deep: true")
    assert parsed(tmp_path, "deep: true", "--deep", "false") == parsed(tmp_path, "deep: false") == Job()
    assert parsed(tmp_path, "name: x", "--deep").deep


@pytest.mark.parametrize(
    ("content", "flags", "place"),
    [
        ("target: 13", ["--name", "x"], r"c\.yaml: target is 13; it must be lucky"),
        ("target: 3", ["--target", "13"], "command line: target is 13"),
        ("target: 3", ["--target=13"], "command line: target is 13"),
        ("target: 3", ["--target", "two"], "command line: argument --target: invalid int value: 'two'"),
        ("target: 3", ["--options", "{"], "command line: argument --options: '{' is not JSON"),
        ("target: 3", ["--rules", "z"], "command line: unknown rule 'z'; there are: a, b, c"),
        ("rules: [z]", ["--target", "4"], r"c\.yaml: unknown rule 'z'; there are: a, b, c"),
    ],
)
def test_who_set_a_wrong_value_is_blamed_for_it(tmp_path, content, flags, place):
    with pytest.raises(Mistake, match=place):
        parsed(tmp_path, content, *flags)


@pytest.mark.parametrize("stage", ["bootstrap", "train"])
@pytest.mark.parametrize("shipped", [True, False])
def test_a_file_that_an_earlier_step_makes_is_named_with_its_command(tmp_path, monkeypatch, stage, shipped, capsys):
    monkeypatch.chdir(tmp_path)
    if shipped:
        (tmp_path / "configs" / stage).mkdir(parents=True)
        (tmp_path / "configs" / stage / "mine.yaml").touch()
    file = Path("runs") / stage / "mine" / {"bootstrap": "trajectories.jsonl", "train": "checkpoint"}[stage]
    with pytest.raises(SystemExit), mistakes(OSError):
        file.read_bytes()
    how = f"--config configs/{stage}/mine.yaml" if shipped else "--name mine"
    program = {"bootstrap": "python -m bootstrap", "train": "accelerate launch train.py"}[stage]
    assert f"{file}: No such file or directory; it is made by: {program} {how}\n" in capsys.readouterr().err
    loop = "; it is made by: python -m bootstrap.rounds --"
    assert made_by("rounds/mine/bootstrap/round2/trajectories.jsonl") == f"{loop}name mine"
    assert made_by("x.jsonl") == made_by("a/train/b/game.tw-pddl") == made_by("/") == ""


def test_the_resolved_configuration_is_kept_and_another_one_refused(tmp_path):
    os.close(enter(tmp_path / "run", Job(), derived={"model_fingerprint": "abc"}))
    kept = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert kept["target"] == 10 and kept["model_fingerprint"] == "abc"
    with pytest.raises(Mistake, match="other settings"):
        agree(tmp_path / "run", Job(target=11), derived={"model_fingerprint": "abc"})
    os.close(enter(tmp_path / "run", Job(speed=9), derived={"model_fingerprint": "abc"}))
    with pytest.raises(
        Mistake,
        match=r"other settings; give another --name.*\n  target: 10 -> 11\n  model_fingerprint: 'abc' -> 'abd'",
    ):
        enter(tmp_path / "run", Job(target=11), derived={"model_fingerprint": "abd"})
    assert yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())["target"] == 10


def test_credentials_in_a_url_are_not_kept(tmp_path):
    enter(
        tmp_path / "run",
        Job(
            rules=[
                "https://me:canary@127.0.0.1:8000/v1",
                "http://canary@localhost/v1",
                "http://me:can@ary@canary@[::1]/v1",
            ]
        ),
    )
    kept = (tmp_path / "run" / "config.yaml").read_text()
    assert (
        "canary" not in kept
        and "ary@" not in kept
        and "https://127.0.0.1:8000/v1" in kept
        and "http://localhost/v1" in kept
    )


def test_a_mistake_ends_with_status_2_and_a_bug_keeps_its_traceback(capsys):
    with pytest.raises(SystemExit) as ended, mistakes(OSError):
        choose("method", "reakt", ["react", "act"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: unknown method 'reakt'; did you mean 'react'? there are: react, act\n"
    with pytest.raises(SystemExit), mistakes(OSError):
        raise PermissionError(13, "Permission denied", "runs")
    assert capsys.readouterr().err == "error: runs: Permission denied\n"
    with pytest.raises(KeyError), mistakes(OSError):
        raise KeyError("bug")


@pytest.mark.parametrize("name", [5, None, [1], {}, True])
def test_a_choice_that_is_no_text_is_named(name):
    with pytest.raises(Mistake, match=r"unknown behaviour .*; there are: paper, reference"):
        choose("behaviour", name, ["paper", "reference"])


def test_an_interrupt_says_that_nothing_is_lost(capsys):
    with pytest.raises(SystemExit) as ended, mistakes():
        raise KeyboardInterrupt
    assert ended.value.code == 130 and "same command again continues" in capsys.readouterr().err


def test_a_key_within_a_value_is_there_once(tmp_path):
    with pytest.raises(Mistake, match=r"c\.yaml: not YAML: line 2: the key 'pages' is there a second time"):
        parsed(tmp_path, "options: {pages: x,\n  pages: y}")
    assert parsed(tmp_path, "options: {a: &one {k: 1}, b: *one}").options == {"a": {"k": 1}, "b": {"k": 1}}


def test_check_prints_what_a_run_is_bound_to_and_what_may_change(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        parsed(tmp_path, "target: 3\noptions: {url: 'http://me:secret@127.0.0.1'}", "--speed", "4", "--check")
    assert ended.value.code == 0
    bound, free = yaml.safe_load_all(said := capsys.readouterr().out)
    assert bound["target"] == 3 and bound["rules"] == ["a"] and free == {"speed": 4} and "secret" not in said
    with pytest.raises(Mistake, match="unknown flag '--chek'; did you mean 'check'"):
        parsed(tmp_path, None, "--chek")
    with pytest.raises(Mistake, match="target is 13"):
        parsed(tmp_path, None, "--target", "13", "--check")


def test_a_folder_in_use_is_called_as_the_user_calls_it(tmp_path):
    held = enter(tmp_path / "two", Job())
    says = rf"^{tmp_path}/two is in use by another run \(process {os.getpid()}\)"
    try:
        with pytest.raises(BlockingIOError, match=says):
            enter(tmp_path / "two", Job())
    finally:
        os.close(held)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_a_program_does_what_ctrl_c_does(number, capsys):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, endable(), mistakes():
        signal.raise_signal(number)
    assert ended.value.code == 128 + number and "same command again continues" in capsys.readouterr().err
    assert signal.getsignal(number) == before


def test_a_signal_that_is_ignored_stays_so(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with endable():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is Linux's")
def test_a_configuration_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.yaml.partial").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        enter(tmp_path / "a", derived={"a": 1})
    assert caught.value.filename == str(tmp_path / "a" / "config.yaml")
