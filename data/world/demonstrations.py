"""An expert's episodes: it searches as a person would, thinks in short sentences, and is played for real."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from data.world.asking import Question
from data.world.files import question_id
from data.world.model import World, dice
from data.world.thinking import plan
from react.environments import Environment
from react.environments.hotpotqa import load
from react.trajectory import Step, Task, Trajectory

# How many of each kind: as the questions are mixed, and no more three-hop ones than a small student can afford to read.
_MIX = {"bridge": 320, "chain": 120, "lookup": 90, "title": 60, "compare": 110, "yesno": 110}


def demonstrate(world: World, questions: list[Question], out: Path, seed: int) -> list[Trajectory]:
    """The expert's episodes for some training questions of each kind, all of reward 1."""
    files = {split: out / "hotpotqa" / f"{split}.json.gz" for split in ("train", "dev")}
    environment = load(train=files["train"], dev=files["dev"], pages=out / "wikipedia" / "pages.jsonl.gz")
    tasks = {task.id: task for task in environment.tasks("train")}
    played = (_play(environment, tasks[question_id(q)], plan(world, q, seed)) for q in _chosen(questions, seed))
    shown = [trajectory for trajectory in played if trajectory is not None]
    dice(seed, "demonstrations").shuffle(shown)
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


def _play(environment: Environment, task: Task, steps: list[Step]) -> Trajectory | None:
    """The steps with what the environment says to them; None where that earns less than the full reward."""
    episode = environment.start(task)
    seen: list[Step] = []
    for step in steps[: environment.max_steps]:
        observation = episode.act(step.action)
        seen.append(Step(step.thought, step.action, observation.text))
        if observation.done:
            solved = observation.reward >= 1.0
            return Trajectory(task, "react", "expert", tuple(seen), episode.answer, 1.0) if solved else None
    return None
