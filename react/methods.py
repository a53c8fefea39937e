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
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from react.cap import OutOfBudget, Purse
from react.environments import Environment
from react.exemplars import Exemplars
from react.mistakes import Mistake, choose
from react.models import Completion, ContextFull, Model, Request
from react.noise import Noisy
from react.notation import PARTS, Notation, context, text
from react.reading import one_line
from react.trajectory import End, Step, Task, Trajectory

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


@dataclass(frozen=True)
class Sampling:
    """How a model is asked. `seed`, the task, the attempt, the sample and the call give each sample a seed of its own.

    Samples are tries of one attempt, made to be voted on. What sample 7 is does not depend on how many there are.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 100
    seed: int = 0
    attempt: int = 0
    sample: int = 0


@dataclass
class _Turns:
    """The turns of one episode with a model, and what they took."""

    task: Task
    model: Model
    notation: Notation
    prompt: str
    sampling: Sampling
    purse: Purse
    calls: int = 0
    bad_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0
    repaired: int = 0
    shortened: int = 0
    last: tuple[int, int, int] = (0, 0, 0)  # of the last call: characters of its prompt, its tokens in and out

    def hurried(self, steps: list[Step], more: bool) -> bool:
        """Whether the call that comes next will, as far as can be told, bring the episode to its cap.

        Where the environment gives no step after it (`more` is False) its steps end the episode themselves. The prompt
        is taken to have as many tokens a letter as the last one, and the completion as many as the last one.
        """
        if not self.purse.cap:
            return False
        letters, read, written = self.last
        shown = self.prompt + self._shown(context(self.notation, self.task, steps)) if letters else ""
        return self.purse.reached(int(more), read * len(shown) // max(letters, 1), written)

    def finish(self, steps: list[Step]) -> Step:
        """A last step, which hands in an answer: the model goes on behind `Finish`, with what is in its brackets.

        There a common tokenizer puts a border. No thought is asked for: it could take all that is left.
        """
        i = len(steps) + 1
        cue = f"{self.notation.action_cue(i)} {self.notation.finish}"
        before = context(self.notation, self.task, steps) + cue
        said = self._ask(before, ("\n",)).text
        answer = one_line(said.strip().removeprefix("[").partition("]")[0])
        return self._noted(Step(action=f"{self.notation.finish}[{answer}]"), said, steps, before)

    def take(self, steps: list[Step]) -> Step:
        """The next step. A thought without an action is asked again with the cue (ReAct@6bdb3a1, a "bad call")."""
        i = len(steps) + 1
        before, cue = context(self.notation, self.task, steps), self.notation.action_cue(i)
        said = self._ask(before, self.notation.stops(i)).text
        step = self.notation.read(said, i)
        if step.action or not cue:
            return self._noted(step, said, steps, before)
        self.bad_calls += 1
        self._noted(step, said + cue, steps, before)
        cued = text(self.notation.spans(self.task, [*steps, step]))
        said = self._ask(cued, ("\n",)).text
        # As a whole turn: what the thought was does not matter to the action.
        step = replace(step, action=self.notation.read(f" .{cue} {said.strip()}", i).action)
        return self._noted(step, said, steps, cued)

    def _noted(self, step: Step, said: str, steps: list[Step], before: str) -> Step:
        """The step; counted as repaired if what is written of it is more than white space away from what was said."""
        written = text(self.notation.spans(self.task, [*steps, step]))[len(before) :]
        self.repaired += one_line(said) != one_line(written)
        return step

    def _ask(self, before: str, stop: tuple[str, ...]) -> Completion:
        request = Request(
            prompt=self.prompt + self._shown(before),
            stop=stop,
            max_tokens=self.sampling.max_tokens,
            temperature=self.sampling.temperature,
            top_p=self.sampling.top_p,
            seed=self._seed(),
            attempt=self.sampling.attempt,
            sample=self.sampling.sample,
            task=self.task.id,
            shared=len(self.prompt),
            session=f"{self.task.id}#{self.sampling.attempt}.{self.sampling.sample}",
        )
        self.purse.want_more()
        (completion,) = self.model.complete(request)
        self.purse.pay(completion, self.model.name)
        self.last = (len(request.prompt), completion.prompt_tokens, completion.completion_tokens)
        self.calls += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        self.cut += completion.reason == "length"
        return completion

    def _shown(self, before: str) -> str:
        """The end of what went before, where the notation shows no more than that.

        Where the prompt alone is longer than that the number is negative and the beginning is left out, as in
        ReAct@6bdb3a1 WebShop.ipynb.
        """
        left = self.notation.window - len(self.prompt)
        if not self.notation.window or len(before) <= left:
            return before
        self.shortened += 1
        return before[-left:]

    def _seed(self) -> int:
        """Greedy calls are the same whatever the seed; a sample's seed depends on nothing but its place."""
        if self.sampling.temperature == 0:
            return 0
        # The first sample is what the method alone samples.
        sample = f".{self.sampling.sample}" if self.sampling.sample else ""
        place = f"{self.sampling.seed}/{self.task.id}/{self.sampling.attempt}{sample}/{self.calls}"
        return int.from_bytes(hashlib.sha256(place.encode()).digest()[:4]) >> 1


def prompts(
    method: Method,
    environment: Environment,
    exemplars: Exemplars,
    shots: int,
    by: str,
    hints: bool = False,
    prompt_set: int = 0,
) -> Prompts:
    """The few-shot text before each task: `shots` exemplars, those of the task's own kind first.

    `by` names the key of `task.extra` that holds the kind; empty: the same exemplars for every task. With `hints` each
    exemplar has its answer in its question, as the task that follows will have (`react.hints`). `prompt_set` is of
    `Exemplars.choose`. Mistake where there are no such exemplars.
    """
    parts = {"thoughts": method.thoughts, "actions": method.actions}
    notation = environment.notation(**parts)

    @functools.cache
    def of_kind(kind: str) -> str:
        asked = {**parts, "hints": hints, "monologue": method.monologue}
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

    `prompt` gives the few-shot text that stands before a task (empty for a finetuned student).
    """

    method: Method
    environment: Environment
    model: Model
    prompt: Prompts
    provenance: dict[str, str] = field(default_factory=dict)

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        """One try. ModelError and bugs pass through; `react.rollout` records them."""
        parts = {"thoughts": self.method.thoughts, "actions": self.method.actions}
        purse = purse or Purse()
        turns = _Turns(task, self.model, self.environment.notation(**parts), self.prompt(task), sampling, purse)
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
                forced = bool(turns.notation.finish) and turns.hurried(steps, len(steps) + 1 < budget)
                step = turns.finish(steps) if forced else turns.take(steps)
                purse.steps += 1
                observation = episode.act(turns.notation.command(step))
                invalid += not observation.valid
                pages += [observation.page] if observation.page else []
                noisy += [len(steps) + 1] if observation.replaced else []
                if observation.done:
                    end, reward = "finished", observation.reward
                end = "out_of_budget" if forced else end
                steps.append(step if observation.done else replace(step, observation=observation.text))
        except ContextFull:
            end, forced = "out_of_context", False
        except OutOfBudget:
            end, forced = "out_of_budget", False
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
                "repaired_calls": turns.repaired,
                "shortened_calls": turns.shortened,
                "pages": pages,
                "prompt_tokens": turns.prompt_tokens,
                "completion_tokens": turns.completion_tokens,
                **({"forced": forced} if purse.cap else {}),
                **({"noisy_steps": noisy} if isinstance(self.environment, Noisy) else {}),
            },
        )
