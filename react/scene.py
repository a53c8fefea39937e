"""Who acts, where, how, and after which examples: what collecting and evaluating have in common.

Both stages parse a `Scene` beside their own settings, `stage` it, and hand the solver tasks::

    job, scene, model_config = parse((BootstrapConfig, Scene, ModelConfig), __doc__)
    staged = scene.staged()
    solver = staged.solver(model, fingerprints)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from react import environments, exemplars, trajectory
from react.cap import Cap
from react.combined import Ballot, Capped, Crew, bind
from react.config import setting
from react.environments import Environment
from react.exemplars import Exemplars
from react.methods import METHODS, Method, Prompts, Solver, Solves, find, made_of, prompts
from react.mistakes import Mistake, at_least
from react.models import Model
from react.tool_calls import Tool
from react.trajectory import Task


@dataclass(frozen=True)
class Scene:
    """The settings that say how an episode goes, beside the model."""

    PACE: ClassVar = frozenset({"concurrency"})

    environment: str = setting("hotpotqa", "a name in react/environments")
    environment_options: dict[str, Any] = setting({}, "options of the environment, as JSON")
    method: str = setting("react", ", ".join(METHODS))
    shots: int = setting(6, "exemplars in the prompt; 0 for a finetuned model")
    exemplars: str = setting("", "file of exemplars; empty: the environment's own")
    exemplars_by: str = setting("", "key of a task's extra: exemplars of the task's kind come first")
    prompt_set: int = setting(0, "another ordered choice of as many exemplars: 0 to 5 for 2 of 3 of a kind")
    max_tokens: int = setting(100, "of one completion")
    samples: int = setting(21, "that vote in CoT-SC and its back-offs")
    vote_temperature: float = setting(0.7, "of those samples")
    seed: int = setting(0, "of samples, and of the order of collected tasks")
    concurrency: int = setting(48, "episodes at once, and samples of all votes at once")

    def __post_init__(self) -> None:
        at_least(1, self, "concurrency", "max_tokens", "samples")
        at_least(0, self, "shots", "prompt_set")
        if self.vote_temperature <= 0:
            raise ValueError(f"vote_temperature is {self.vote_temperature}; samples differ only above 0")
        find(self.method)

    def staged(self, environment: Environment | None = None) -> Staged:
        """Opens environment and exemplars. ValueError says which name, file, option or method is wrong.

        An `environment` that is open already is the one of these settings.
        """
        if environment is None:
            environment = environments.load(self.environment, self.environment_options)
        for method in made_of(find(self.method)):
            environment.notation(thoughts=method.thoughts, actions=method.actions)  # it may not have all methods
        path = Path(self.exemplars) if self.exemplars else exemplars.of(self.environment)
        shots = exemplars.load(path)
        if self.shots > (there := len(shots.examples)):
            said = f"there are {there} exemplars ({self.exemplars or path.name})"
            raise Mistake(f"shots is {self.shots}; {said}: --shots {there}")
        staged = Staged(self, environment, shots)
        if self.shots and self.method.lower() not in (known := staged.methods()):
            raise Mistake(f"{self.environment} has no {self.method}; its exemplars are those of: {', '.join(known)}")
        for method in made_of(find(self.method)):
            staged.prompts(method)
        return staged


@dataclass(frozen=True)
class Staged:
    """A scene with everything opened but the model."""

    scene: Scene
    environment: Environment
    exemplars: Exemplars

    def methods(self) -> list[str]:
        """The names of the methods that the environment can be played in and the exemplars can show."""
        monologue = any(example.monologue for example in self.exemplars.examples)
        return [name for name, method in METHODS.items() if all(map(partial(self._has, monologue), made_of(method)))]

    def _has(self, monologue: bool, method: Method) -> bool:
        try:
            self.environment.notation(thoughts=method.thoughts, actions=method.actions)
        except Mistake:
            return False
        return monologue or not method.monologue

    def tasks(self, split: str) -> list[Task]:
        """The tasks of a split without those that are exemplars, with or without shots: so all runs share them."""
        shown = [example.task for example in self.exemplars.examples]
        ids, questions = {task.id for task in shown}, {task.question for task in shown}
        # Many households are asked the same, without an answer to give away: they are known by their ids.
        tasks = [
            task
            for task in self.environment.tasks(split)
            if task.id not in ids and not (task.answer and task.question in questions)
        ]
        by = self.scene.exemplars_by
        if by and not any(by in task.extra for task in tasks):
            there = sorted({key for task in tasks for key in task.extra})
            raise Mistake(f"exemplars_by is {by!r}; the tasks have {', '.join(there) or 'nothing'}")
        if by and all(task.extra.get(by) == task.answer for task in tasks):
            raise Mistake(f"exemplars_by is {by!r}, which is the answer: exemplars chosen by it would give it away")
        kinds = {example.kind for example in self.exemplars.examples}
        if by and self.scene.shots and kinds == {""}:
            raise Mistake(
                f"exemplars_by is {by!r}, but no exemplar of {self.scene.environment} says of what kind it is: none "
                "can be chosen by it; leave exemplars_by out"
            )
        if by and self.scene.shots and not any(str(task.extra.get(by, "")) in kinds for task in tasks):
            told = ", ".join(sorted(kinds - {""}))
            raise Mistake(f"exemplars_by is {by!r}, of which no task has what an exemplar is of: {told}")
        return tasks

    def prompts(self, method: Method, hints: bool = False, tools: Sequence[Tool] = ()) -> Prompts:
        """What stands before each task. Mistake where there are no such exemplars, whatever the kind of the task."""
        by, shots = self.scene.exemplars_by, self.scene.shots
        return prompts(method, self.environment, self.exemplars, shots, by, hints, self.scene.prompt_set, tools)

    def fingerprints(self, model: Model, tasks: Sequence[Task]) -> dict[str, str]:
        """What a result depends on beside the settings."""
        return {"model_fingerprint": model.fingerprint, **self.prints(tasks)}

    def prints(self, tasks: Sequence[Task]) -> dict[str, str]:
        """The same, before there is a model."""
        return {
            "environment_fingerprint": self.environment.fingerprint,
            "exemplars_fingerprint": self.exemplars.fingerprint,
            "tasks_fingerprint": trajectory.fingerprint(tasks),
        }

    def solver(
        self,
        model: Model,
        provenance: Mapping[str, str],
        *,
        hints: bool = False,
        cap: Cap | None = None,
        calls: bool = False,
    ) -> Solves:
        """The method, bound to all of it. `hints`: for tasks that are hinted. `cap`: what each try may take.

        `calls`: it acts by calls of the environment's tools; the model is one that is asked so (`ModelConfig.calls`).
        Every record will carry `provenance`, and the environment's name: its text is written in that one's notation.
        """
        scene = self.scene
        said = {"environment": scene.environment, **provenance, **({"form": "tools"} if calls else {})}
        tools = tuple(environments.says(scene.environment, "TOOLS", ())) if calls else ()
        if calls and not tools:
            raise Mistake(f"{scene.environment} has no tools to call (TOOLS of its module)")

        def single(method: Method) -> Solver:
            return Solver(method, self.environment, model, self.prompts(method, hints, tools), dict(said), tools)

        ballot = Ballot(scene.samples, scene.vote_temperature, self.environment.normalise, Crew(scene.concurrency))
        solves = bind(find(scene.method), single, ballot)
        return Capped(solves, cap) if cap else solves
