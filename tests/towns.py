"""A world of towns and rivers, and a script that plays in it: collections to run, to kill and to share."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from react import trajectory
from react.trajectory import Step, Task, Trajectory

ROOT = Path(__file__).parent.parent
TOWNS = [f"Town{n}" for n in range(150)]


def make_world(folder: Path) -> None:
    """150 towns with a river each; the expert knows two thirds at once, a sixth at the second try, a sixth never.

    Of those a half is solved with a hint; the other half only copies it.
    """
    pages = [{"title": town, "sentences": [f"{town} lies on the River {town[::-1]}."]} for town in TOWNS]
    (folder / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    questions = [
        {"_id": town, "question": f"On which river is {town}?", "answer": f"River {town[::-1]}", "type": kind}
        for town, kind in zip(TOWNS, ["bridge", "bridge", "comparison"] * 50, strict=True)
    ]
    (folder / "train.json").write_text(json.dumps(questions))
    records = [record for n, question in enumerate(questions) for record in scripts(n, question)]
    trajectory.write(folder / "script.jsonl", records)


def scripts(n: int, question: dict[str, str]) -> list[Trajectory]:
    task = Task(question["_id"], question["question"], question["answer"])
    look = Step("I look the town up.", f"Search[{task.id}]")
    there = Step(f"It lies on the {task.answer}.", f"Finish[{task.answer}]")
    right = Trajectory(task, "react", "expert", (look, there))
    wrong = replace(right, steps=(look, Step("I guess.", "Finish[Nile]")))
    copied = replace(right, steps=(replace(look, thought=f"It must be the {task.answer}."), *right.steps[1:]))
    tries = {0: [wrong, wrong, copied if n % 12 else right], 1: [wrong, right]}.get(n % 6, [right])
    return [replace(record, provenance={"attempt": k}) for k, record in enumerate(tries)]


def command(world: Path, out: Path, *flags: str, module: str = "bootstrap") -> list[str]:
    options = {"train": str(world / "train.json"), "pages": str(world / "pages.jsonl")}
    base = ["--backend", "scripted", "--model", str(world / "script.jsonl"), "--shots", "0", "--attempts", "2"]
    place = ["--output", str(out), "--name", "r", "--environment_options", json.dumps(options)]
    return [sys.executable, "-m", module, *base, *place, *flags]


def run(*args, **kwargs):
    return subprocess.run(*args, cwd=ROOT, capture_output=True, text=True, **kwargs)


def seeded(*sixths: int) -> list[str]:
    """The towns of these remainders by six, in the seeded order."""
    order = list(TOWNS)
    random.Random(0).shuffle(order)
    return [town for town in order if int(town[4:]) % 6 in sixths]


# Runs the command with each call written down, in a file that is the last word.
LOGGED = """
import json, os, sys, time
from react.models import scripted
answer = scripted.Scripted.complete
log = os.open(sys.argv.pop(), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def complete(self, request):
    os.write(log, (json.dumps([request.session, request.prompt[request.shared:]]) + "\\n").encode())
    time.sleep(float(os.environ.get("EACH_CALL", "0.003")))
    return answer(self, request)
scripted.Scripted.complete = complete
from bootstrap.run import main
main(sys.argv[1:])
"""
