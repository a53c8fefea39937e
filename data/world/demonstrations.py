"""An expert's episodes: it searches as a person would, thinks in short sentences, and is played for real."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from data.world.asking import Question
from data.world.claims import LABELS, Claim
from data.world.files import claim_id, question_id
from data.world.judging import judge
from data.world.model import World, dice
from data.world.thinking import plan
from react.environments import Environment, load
from react.trajectory import Step, Task, Trajectory

# How many of each kind: as the questions are mixed, and no more three-hop ones than a small student can afford to read.
_MIX = {"bridge": 320, "chain": 120, "lookup": 90, "title": 60, "compare": 110, "yesno": 110}
# How many claims of each label.
_CLAIMS = 200


def demonstrate(world: World, questions: list[Question], out: Path, seed: int) -> list[Trajectory]:
    """The expert's episodes for some training questions of each kind, all of reward 1."""
    files = {"train": out / "hotpotqa" / "train.json.gz", "pages": out / "wikipedia" / "pages.jsonl.gz"}
    environment = load("hotpotqa", files)
    tasks = {task.id: task for task in environment.tasks("train")}
    played = (_play(environment, tasks[question_id(q)], plan(world, q, seed)) for q in _chosen(questions, seed))
    shown = [trajectory for trajectory in played if trajectory is not None]
    dice(seed, "demonstrations").shuffle(shown)
    return shown


def demonstrate_claims(world: World, claims: list[Claim], out: Path, seed: int) -> list[Trajectory]:
    """The expert's episodes for some training claims, as many of each label, all of reward 1."""
    files = {"train": out / "fever" / "train.jsonl.gz", "pages": out / "wikipedia" / "pages.jsonl.gz"}
    environment = load("fever", files)
    tasks = {task.id: task for task in environment.tasks("train")}
    shown: list[Trajectory] = []
    for label in LABELS:
        listed = sorted((claim for claim in claims if claim.label == label), key=lambda claim: claim.text)
        dice(seed, "demonstrated", label).shuffle(listed)
        played = (_play(environment, tasks[str(claim_id(c))], judge(world, c, seed), c.title) for c in listed)
        shown += islice((trajectory for trajectory in played if trajectory is not None), _CLAIMS)
    dice(seed, "demonstrated claims").shuffle(shown)
    return shown


def _chosen(questions: Iterable[Question], seed: int) -> list[Question]:
    """Some questions of each kind."""
    by_kind: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_kind[question.kind].append(question)
    chosen = []
    for kind in sorted(by_kind):
        listed = sorted(by_kind[kind], key=lambda q: q.text)
        dice(seed, "demonstrated", kind).shuffle(listed)
        chosen += listed[: _MIX[kind]]
    return chosen


def _play(environment: Environment, task: Task, steps: list[Step], page: str = "") -> Trajectory | None:
    """The steps with what the environment says to them; None where that earns less than the full reward.

    With `page`, also where another one was opened last: a label can be right for a wrong reason.
    """
    episode = environment.start(task)
    seen: list[Step] = []
    opened = ""
    for step in steps[: environment.max_steps]:
        observation = episode.act(step.action)
        opened = observation.page or opened
        seen.append(Step(step.thought, step.action, observation.text))
        if observation.done:
            solved = observation.reward >= 1.0 and page in ("", opened)
            made = {"environment": environment.name}
            shown = Trajectory(task, "react", "expert", tuple(seen), episode.answer, 1.0, provenance=made)
            return shown if solved else None
    return None
