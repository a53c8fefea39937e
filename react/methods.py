"""Standard, CoT, Act and ReAct: one loop, two booleans. CoT-SC and the back-offs: two combinators over them.

| method          | thoughts | actions |                          paper, sections 3.1 and 3.2 |
|-----------------|----------|---------|
| standard        |          |         | question -> answer
| cot             | x        |         | question -> reasoning -> answer
| cot_sc          | x        |         | a vote of many samples of cot
| act             |          | x       | question -> action, observation, ... -> answer
| react           | x        | x       | question -> thought, action, observation, ... -> answer
| react_im        | x        | x       | the same, after exemplars that think as Inner Monologue does (section 4)
| cot_sc_to_react |                    | cot_sc; react where the vote is not clear
| react_to_cot_sc |                    | react; cot_sc where it comes to no answer

Every method hands its answer to the environment as an action, so that all are judged in one place. What solves by a
method is a `Solves`: here a `Solver` for those that combine no others, in `react.combined` the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from react.cap import OutOfBudget, Purse
from react.environments import Environment
from react.exemplars import Exemplars
from react.mistakes import Mistake, choose
from react.models import ContextFull, Model
from react.native import Calling
from react.noise import Noisy
from react.notation import PARTS
from react.tool_calls import Tool
from react.trajectory import End, Step, Task, Trajectory
from react.turns import Called, Talk, Turns, Written
from react.turns import Sampling as Sampling

Prompts = Callable[[Task], str]


@dataclass(frozen=True)
class Method:
    """What a method may write, and which thoughts its exemplars have."""

    name: str
    title: str
    thoughts: bool
    actions: bool
    monologue: bool = False


@dataclass(frozen=True)
class Vote:
    """A method that samples another and hands in the answer of the majority."""

    name: str
    title: str
    over: Method


@dataclass(frozen=True)
class BackOff:
    """A method that tries one and, where that one does not decide, another."""

    name: str
    title: str
    first: Method | Vote
    then: Method | Vote


_TITLES = {"standard": "Standard", "cot": "CoT", "act": "Act", "react": "ReAct", "react_im": "ReAct-IM"}
# What a model can be trained to do: its whole text is in one notation.
SINGLE = {name: Method(name, _TITLES[name], *parts, name == "react_im") for name, parts in PARTS.items()}
_COT_SC = Vote("cot_sc", "CoT-SC", over=SINGLE["cot"])
# In the order of the paper's table 1.
METHODS: dict[str, Method | Vote | BackOff] = {
    method.name: method
    for method in (
        SINGLE["standard"],
        SINGLE["cot"],
        _COT_SC,
        SINGLE["act"],
        SINGLE["react"],
        SINGLE["react_im"],
        BackOff("cot_sc_to_react", "CoT-SC -> ReAct", first=_COT_SC, then=SINGLE["react"]),
        BackOff("react_to_cot_sc", "ReAct -> CoT-SC", first=SINGLE["react"], then=_COT_SC),
    )
}


def find(name: str) -> Method | Vote | BackOff:
    """The method of that name, in either case. Mistake lists the methods there are."""
    return METHODS[choose("method", name.lower(), list(METHODS))]


def made_of(method: Method | Vote | BackOff) -> list[Method]:
    """The methods that a combined one tries; of another one, itself."""
    if isinstance(method, Vote):
        return [method.over]
    if isinstance(method, BackOff):
        return [*made_of(method.first), *made_of(method.then)]
    return [method]


def trainable(name: str) -> Method:
    """The method of that name. Mistake where its trajectories are none to train on."""
    if not isinstance(method := find(name), Method):
        raise Mistake(
            f"method is {name!r}, which combines others; trajectories to train on are collected with "
            f"{', '.join(SINGLE)} (more attempts at one of them find whatever a vote of it finds)"
        )
    return method


def prompts(
    method: Method,
    environment: Environment,
    exemplars: Exemplars,
    shots: int,
    by: str,
    hints: bool = False,
    prompt_set: int = 0,
    tools: Sequence[Tool] = (),
) -> Prompts:
    """The few-shot text before each task: `shots` exemplars, those of the task's own kind first.

    `by` names the key of `task.extra` that holds the kind; empty: the same exemplars for every task. With `hints` each
    exemplar has its answer in its question, as the task that follows will have (`react.hints`). `prompt_set` is of
    `Exemplars.choose`. With `tools` it is what a chat with calls of them begins with (`react.native`). Mistake where
    there are no such exemplars.
    """
    parts = {"thoughts": method.thoughts, "actions": method.actions}
    notation = environment.notation(**parts)

    @functools.cache
    def of_kind(kind: str) -> str:
        asked = {**parts, "hints": hints, "monologue": method.monologue}
        if tools:
            shown = exemplars.choose(shots, kind, prompt_set)
            return Calling.of(notation, tools, **parts).opening(shown, hints, method.monologue)
        return exemplars.prompt(notation, shots, kind=kind, prompt_set=prompt_set, **asked)

    for kind in {example.kind for example in exemplars.examples} if by else {""}:
        of_kind(kind)  # a mistake in the settings is one before any episode
    return lambda task: of_kind(str(task.extra.get(by, "")) if by else "")


class Solves(Protocol):
    """A method, bound to all that it needs. Safe to share between threads."""

    @property
    def method(self) -> Method | Vote | BackOff: ...

    @property
    def model(self) -> Model: ...

    @property
    def provenance(self) -> Mapping[str, str]: ...

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        """One try, for what is left in `purse`. ModelError and bugs pass through; `react.rollout` records them."""
        ...


@dataclass(frozen=True)
class Solver:
    """A method that combines no others, bound to who acts, where, and after which examples.

    `prompt` gives the few-shot text that stands before a task (empty for a finetuned student). With `tools`, those of
    the environment, it acts by calls of them (`react.native`), and `prompt` gives what a chat begins with.
    """

    method: Method
    environment: Environment
    model: Model
    prompt: Prompts
    provenance: dict[str, str] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()

    def _turns(self, task: Task, sampling: Sampling, purse: Purse) -> Turns:
        parts = {"thoughts": self.method.thoughts, "actions": self.method.actions}
        notation = self.environment.notation(**parts)
        talk = Talk(task, self.model, self.prompt(task), sampling, purse)
        if self.tools:
            return Called(talk, Calling.of(notation, self.tools, **parts))
        talk.window = notation.window
        return Written(talk, notation)

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        """One try. ModelError and bugs pass through; `react.rollout` records them."""
        purse = purse or Purse()
        turns = self._turns(task, sampling, purse)
        talk = turns.talk
        budget = self.environment.max_steps if self.method.actions else 1
        episode = self.environment.start(task)
        steps: list[Step] = []
        invalid = 0
        pages: list[str] = []
        noisy: list[int] = []
        end: End = "out_of_steps"
        reward = 0.0
        forced = False
        try:
            while len(steps) < budget and end == "out_of_steps":
                last = turns.last(steps, len(steps) + 1 < budget)
                forced = last is not None
                step = last or turns.take(steps)
                purse.steps += 1
                observation = episode.act(turns.command(step))
                invalid += not observation.valid
                pages += [observation.page] if observation.page else []
                noisy += [len(steps) + 1] if observation.replaced else []
                if observation.done:
                    end, reward = "finished", observation.reward
                end = "out_of_budget" if forced else end
                steps.append(step if observation.done else replace(step, observation=observation.text))
        except ContextFull:
            end = "out_of_context"
        except OutOfBudget:
            end = "out_of_budget"
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
                "calls": talk.calls,
                "bad_calls": talk.bad_calls,
                "invalid_actions": invalid,
                "cut_calls": talk.cut,
                "repaired_calls": talk.repaired,
                "shortened_calls": talk.shortened,
                "pages": pages,
                "prompt_tokens": talk.prompt_tokens,
                "completion_tokens": talk.completion_tokens,
                **({"forced": forced} if purse.cap else {}),
                **({"noisy_steps": noisy} if isinstance(self.environment, Noisy) else {}),
            },
        )
