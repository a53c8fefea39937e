"""A stage as the command that a person would type: what it reads, how it is run, and what became of it.

No stage imports another, and each may run elsewhere: whoever calls several of them calls commands.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import yaml

from react.lock import hold
from react.mistakes import Mistake
from react.signals import handled

ROOT = Path(__file__).parent.parent
# What the first word of a command is here: the interpreter that runs us, and the launcher that belongs to it.
PROGRAMS = {
    "python": (sys.executable,),
    "accelerate": (sys.executable, "-m", "accelerate.commands.accelerate_cli"),
}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StageFailed(Exception):
    """A stage that came to no good end; it has said why."""


@dataclass(frozen=True)
class Stage:
    """One stage of one round: `program` with `settings`, run in `launcher`; its results are in `folder`.

    `good` are the statuses with which it has them all.
    """

    name: str
    program: tuple[str, ...]
    settings: Mapping[str, Any]
    folder: Path
    launcher: tuple[str, ...] = ("python",)
    good: tuple[int, ...] = (0,)

    @property
    def command(self) -> list[str]:
        """What is run."""
        return [*self.launcher, *self.program, *flags(self.settings)]

    @property
    def finished(self) -> bool:
        """Whether its results are all there: every stage writes its summary last."""
        return (self.folder / "summary.json").is_file()


def train_py() -> str:
    """The path of `train.py`, from where we are."""
    return os.path.relpath(ROOT / "train.py")


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as flags: `{"hints": 1, "rules": ["correct", "clean"]}` is `--hints 1 --rules correct clean`."""
    found = []
    for key, value in settings.items():
        words = [_word(one) for one in value] if isinstance(value, list) else [_word(value)]
        dashed = len(words) == 1 and words[0].startswith("-")
        found += [f"--{key}={words[0]}"] if dashed else [f"--{key}", *words]
    return found


def _word(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | bool) else str(value)


def shown(command: Sequence[str]) -> str:
    """A command as it can be typed."""
    return shlex.join(command)


def settled(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    """The settings that each stage would run with, without those that may change in its folder.

    Asks the stages themselves (`--check`), all at once. Mistake in the words of the first that refuses.
    """
    with ThreadPoolExecutor(len(stages)) as pool:
        return list(pool.map(_asked, stages))


def _asked(stage: Stage) -> dict[str, Any]:
    command = [*PROGRAMS["python"], *stage.program, *flags(stage.settings), "--check"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        said = run.stderr.strip().removeprefix("error: ") or f"status {run.returncode}"
        raise Mistake(f"{stage.name}: {said}")
    bound, _ = yaml.safe_load_all(run.stdout)
    return dict(bound)


def run(stage: Stage, folder: Path) -> None:
    """Runs a stage to its end, in the open. `folder` is where the stages of one another know of each other.

    One that outlived a killed caller is waited for, and then called again, to see that all is there.
    """
    lock = _alone(stage, folder)
    try:
        done(stage.command, stage.name, stage.good, (lock,))
    finally:
        os.close(lock)


def done(command: Sequence[str], name: str, good: Sequence[int] = (0,), held: tuple[int, ...] = ()) -> None:
    """Runs a command to its end. StageFailed where that is no good one; a signal that stopped it ends the program."""
    status, told = call(command, held)
    if told:
        print(f"\nStopped in {name}; the same command continues there.", file=sys.stderr)
        raise SystemExit(128 + told)
    if status not in good:
        ended = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        raise StageFailed(f"{name} {ended}; what it said stands above, and the same command tries it again")


def _alone(stage: Stage, folder: Path) -> int:
    """The lock of whoever runs a stage in `folder`, as soon as nobody else does.

    The stage inherits it: it dies with the last of both. Processes of a launcher that was killed hold their own folder.
    """
    try:
        lock = hold(folder / "stage")
    except BlockingIOError:
        print(f"{stage.name}: a stage that was begun before is still at work; waiting for its end", file=sys.stderr)
        lock = hold(folder / "stage", wait=True)
    if stage.folder.is_dir():
        os.close(hold(stage.folder / "run", wait=True))
    return lock


def call(command: Sequence[str], held: tuple[int, ...] = ()) -> tuple[int, int]:
    """Runs a command that inherits the locks `held`; its status, and the number of the last signal to stop it, or 0.

    It has a session of its own: a terminal's Ctrl-C comes to us alone, and is handed on to all of its processes, once.
    So are SIGTERM and SIGHUP. What it has to save first, it is waited for.
    """
    told: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def hand_on(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if process:
            _send(process, number)

    with handled(_SIGNALS, hand_on):
        words = [*PROGRAMS[command[0]], *command[1:]]
        process = subprocess.Popen(words, start_new_session=True, pass_fds=held)
        for number in list(told):
            _send(process, number)  # it came while the process was made
        status = process.wait()
    return status, told[-1] if told else 0


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
