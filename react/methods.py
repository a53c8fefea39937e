"""Standard, CoT, Act and ReAct: one loop, two booleans.

| method   | thoughts | actions |                                        paper section 3.1 |
|----------|----------|---------|
| standard |          |         | question -> answer
| cot      | x        |         | question -> reasoning -> answer
| act      |          | x       | question -> action, observation, ... -> answer
| react    | x        | x       | question -> thought, action, observation, ... -> answer

Every method hands its answer to the environment as an action, so that all are judged in one place.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from react.config import choose
from react.environments import Environment
from react.exemplars import Exemplars
from react.models import Completion, ContextFull, Model, Request
from react.notation import PARTS, Notation, context, text
from react.trajectory import End, Step, Task, Trajectory

Prompts = Callable[[Task], str]


@dataclass(frozen=True)
class Method:
    """What a method may write. Both parts are the whole of its definition."""

    name: str
    title: str
    thoughts: bool
    actions: bool


_TITLES = {"standard": "Standard", "cot": "CoT", "act": "Act", "react": "ReAct"}
METHODS = {name: Method(name, _TITLES[name], *parts) for name, parts in PARTS.items()}


def find(name: str) -> Method:
    """The method of that name, in either case. Mistake lists the methods there are."""
    return METHODS[choose("method", name.lower(), list(METHODS))]


@dataclass(frozen=True)
class Sampling:
    """How a model is asked. `seed`, the task, the attempt and the call give each sample a seed of its own."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 100
    seed: int = 0
    attempt: int = 0


@dataclass
class _Turns:
    """The turns of one episode with a model, and what they took."""

    task: Task
    model: Model
    notation: Notation
    prompt: str
    sampling: Sampling
    calls: int = 0
    bad_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0

    def take(self, steps: list[Step]) -> Step:
        """The next step. A thought without an action is asked again with the cue (ReAct@6bdb3a1, a "bad call")."""
        i = len(steps) + 1
        before = context(self.notation, self.task, steps)
        step = self.notation.read(self._ask(before, self.notation.stops(i)).text, i)
        if step.action or not self.notation.action_cue(i):
            return step
        self.bad_calls += 1
        return replace(step, action=self._act(steps, step, i))

    def _act(self, steps: list[Step], step: Step, i: int) -> str:
        cued = text(self.notation.spans(self.task, [*steps, step]))
        completion = self._ask(cued, ("\n",)).text
        return self.notation.read(f"{self.notation.action_cue(i)}{completion}", i).action

    def _ask(self, before: str, stop: tuple[str, ...]) -> Completion:
        request = Request(
            prompt=self.prompt + before,
            stop=stop,
            max_tokens=self.sampling.max_tokens,
            temperature=self.sampling.temperature,
            top_p=self.sampling.top_p,
            seed=self._seed(),
            attempt=self.sampling.attempt,
            shared=len(self.prompt),
            session=f"{self.task.id}#{self.sampling.attempt}",
        )
        (completion,) = self.model.complete(request)
        self.calls += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        self.cut += completion.reason == "length"
        return completion

    def _seed(self) -> int:
        """Greedy calls are the same whatever the seed; a sample's seed depends on nothing but its place."""
        if self.sampling.temperature == 0:
            return 0
        place = f"{self.sampling.seed}/{self.task.id}/{self.sampling.attempt}/{self.calls}"
        return int.from_bytes(hashlib.sha256(place.encode()).digest()[:4]) >> 1


def prompts(method: Method, environment: Environment, exemplars: Exemplars, shots: int, by: str) -> Prompts:
    """The few-shot text before each task: `shots` exemplars, those of the task's own kind first.

    `by` names the key of `task.extra` that holds the kind; empty: the same exemplars for every task.
    """
    parts = {"thoughts": method.thoughts, "actions": method.actions}
    notation = environment.notation(**parts)

    @functools.cache
    def of_kind(kind: str) -> str:
        return exemplars.prompt(notation, shots, kind=kind, **parts)

    return lambda task: of_kind(str(task.extra.get(by, "")) if by else "")


@dataclass(frozen=True)
class Solver:
    """A method, bound to who acts, where, and after which examples.

    `prompt` gives the few-shot text that stands before a task (empty for a finetuned student).
    """

    method: Method
    environment: Environment
    model: Model
    prompt: Prompts
    provenance: dict[str, str] = field(default_factory=dict)

    def solve(self, task: Task, sampling: Sampling) -> Trajectory:
        """One try. ModelError and bugs pass through; `react.rollout` records them."""
        parts = {"thoughts": self.method.thoughts, "actions": self.method.actions}
        turns = _Turns(task, self.model, self.environment.notation(**parts), self.prompt(task), sampling)
        budget = self.environment.max_steps if self.method.actions else 1
        episode = self.environment.start(task)
        steps: list[Step] = []
        invalid = 0
        pages: list[str] = []
        end: End = "out_of_steps"
        reward = 0.0
        try:
            while len(steps) < budget and end != "finished":
                step = turns.take(steps)
                observation = episode.act(step.action)
                invalid += not observation.valid
                pages += [observation.page] if observation.page else []
                if observation.done:
                    end, reward = "finished", observation.reward
                steps.append(step if observation.done else replace(step, observation=observation.text))
        except ContextFull:
            end = "out_of_context"
        return Trajectory(
            task=task,
            method=self.method.name,
            model=self.model.name,
            steps=tuple(steps),
            answer=episode.answer,
            reward=reward,
            end=end,
            provenance={
                **self.provenance,
                "attempt": sampling.attempt,
                "temperature": sampling.temperature,
                "seed": sampling.seed,
                "calls": turns.calls,
                "bad_calls": turns.bad_calls,
                "invalid_actions": invalid,
                "cut_calls": turns.cut,
                "pages": pages,
                "prompt_tokens": turns.prompt_tokens,
                "completion_tokens": turns.completion_tokens,
            },
        )
