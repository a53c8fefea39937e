"""Instruction and worked examples -> few-shot prompt.

An exemplar is a trajectory: the prompt is the environment's own notation applied to it, so Act's prompt is ReAct's with
the thoughts left out, and every exemplar can be played in its environment. They lie in `environments/<name>.yaml`::

    instruction: Solve a question answering task with interleaving Thought, Action, Observation steps. ...
    blank_lines: true            # between examples; false where nothing is said
    for_all: true                # the instruction goes with every method; with ReAct alone where nothing is said
    exemplars:
    - question: ...
      answer: ...
      kind: bridge
      reasoning: ...             # what CoT says before its answer
      steps:
      - {thought: ..., action: "Search[...]", observation: ...}
      - {thought: ..., action: "Finish[...]"}

A household has an `id`, the game, instead of an answer, and in `extra` what is shown of it first (`room`)::

    - id: exemplars/.../trial_1
      question: put a mug in shelf.
      kind: put
      extra: {room: ...}
      steps:
      - {thought: ..., observation: OK.}
      - {im: I need to find a mug., action: go to desk 1, observation: ...}    # `im`: what ReAct-IM thinks before it
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import perm
from pathlib import Path
from typing import Any

import yaml

from react.hints import hinted
from react.mistakes import Mistake, nearest
from react.notation import Notation, text
from react.trajectory import Step, Task


@dataclass(frozen=True)
class Exemplar:
    """A worked example: the task, its ReAct steps, and the reasoning that CoT gives instead of acting.

    `monologue` are the same steps with the thoughts of ReAct-IM; empty where the environment has none.
    """

    task: Task
    steps: tuple[Step, ...]
    reasoning: str
    kind: str = ""
    monologue: tuple[Step, ...] = ()

    def written(self, notation: Notation, *, actions: bool, hints: bool = False, monologue: bool = False) -> str:
        """The example as a method of this notation would do it, as of `acted`."""
        return text(notation.spans(*self.acted(actions=actions, hints=hints, monologue=monologue)))

    def acted(self, *, actions: bool, hints: bool = False, monologue: bool = False) -> tuple[Task, tuple[Step, ...]]:
        """Task and steps of a method that acts, or only answers; with `hints` the answer stands in the question.

        Mistake where a monologue is wanted and there is none.
        """
        if monologue and not self.monologue:
            raise Mistake(f"the exemplar {self.task.question!r} has no thoughts of ReAct-IM; those of alfworld have")
        acted = self.monologue if monologue else self.steps
        steps = acted if actions else (Step(thought=self.reasoning, action=self.steps[-1].action),)
        return hinted(self.task) if hints else self.task, steps


@dataclass(frozen=True)
class Exemplars:
    """The examples of an environment, in the order of its file.

    The instruction goes with ReAct alone, as in the paper's questions and claims; `for_all`: with every method, as in
    its households (ReAct@6bdb3a1 alfworld.ipynb).
    """

    instruction: str
    examples: tuple[Exemplar, ...]
    blank_lines: bool = False
    for_all: bool = False

    def choose(self, shots: int, kind: str = "", prompt_set: int = 0) -> tuple[Exemplar, ...]:
        """The first `shots` examples, those of `kind` before the others. ValueError where there are not as many.

        `prompt_set` takes another ordered choice, out of those of the kind while they suffice, in lexicographic order:
        two of three are (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), the six prompts of the paper's section 4.
        """
        if shots > len(self.examples):
            raise ValueError(f"{shots} exemplars asked for; there are {len(self.examples)}")
        of_kind = [example for example in self.examples if example.kind == kind]
        others = [example for example in self.examples if not kind or example.kind != kind]
        pool = of_kind if kind and len(of_kind) >= shots else [*(of_kind if kind else []), *others]
        if prompt_set >= (there := perm(len(pool), shots)):
            raise Mistake(f"prompt_set is {prompt_set}; {shots} of {len(pool)} exemplars make {there}, counted from 0")
        return _nth(prompt_set, pool, shots)

    def prompt(
        self,
        notation: Notation,
        shots: int,
        *,
        thoughts: bool,
        actions: bool,
        kind: str = "",
        hints: bool = False,
        monologue: bool = False,
        prompt_set: int = 0,
    ) -> str:
        """What stands before a task: nothing without shots."""
        if not shots:
            return ""
        header = f"{self.instruction}\n" if self.instruction and (self.for_all or (thoughts and actions)) else ""
        end = "\n\n" if self.blank_lines else "\n"
        said = {"actions": actions, "hints": hints, "monologue": monologue}
        shown = self.choose(shots, kind, prompt_set)
        return header + "".join(example.written(notation, **said) + end for example in shown)

    @property
    def fingerprint(self) -> str:
        """Changes with any word of any example."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


def load(path: Path) -> Exemplars:
    """The exemplars of a YAML file. ValueError names the file and the place."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        examples = tuple(_exemplar(entry, number) for number, entry in enumerate(content["exemplars"], 1))
        instruction = " ".join(_said(content, "instruction", "the file").split())
        options = {key: _said(content, key, "the file", bool) for key in ("blank_lines", "for_all")}
    except (OSError, yaml.YAMLError, KeyError, TypeError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise ValueError(f"{path}: no exemplars: {type(error).__name__}: {told}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Exemplars(instruction, examples, **options)


def of(environment: str) -> Path:
    """Where an environment's own exemplars lie."""
    return Path(__file__).parent / "environments" / f"{environment}.yaml"


def _nth(n: int, pool: Sequence[Exemplar], size: int) -> tuple[Exemplar, ...]:
    """Ordered choice number `n` (from 0), found without going through those before it: 18 of 18 are 10^15."""
    left, chosen = list(pool), []
    for more in reversed(range(size)):
        at, n = divmod(n, perm(len(left) - 1, more))
        chosen.append(left.pop(at))
    return tuple(chosen)


_KINDS = {str: "a text (in quotes, where YAML reads it as something else)", bool: "true or false", dict: "a mapping"}


def _said(entry: Mapping[str, Any], key: str, place: str, kind: type = str) -> Any:
    """What `entry` has under `key`, empty where it has nothing. ValueError where that is of another kind."""
    value = entry.get(key, kind())
    if not isinstance(value, kind):
        raise ValueError(f"{place}: `{key}` is {value!r}; it must be {_KINDS[kind]}")
    return value


def _known(entry: object, keys: Sequence[str], place: str) -> dict[str, Any]:
    """`entry`, if it is a mapping of no other keys."""
    if not isinstance(entry, dict):
        raise ValueError(f"{place} is {entry!r}; it must be a mapping; its keys are: {', '.join(keys)}")
    for key in entry:
        if key not in keys:
            raise ValueError(f"{place}: unknown key {key!r}; {nearest(str(key), keys)}")
    return entry


def _exemplar(given: object, number: int) -> Exemplar:
    place = f"exemplar {number}"
    entry = _known(given, ("id", "question", "answer", "kind", "extra", "reasoning", "steps"), place)
    needed = ("question", "steps") if "id" in entry else ("question", "answer", "steps")
    missing = [key for key in needed if entry.get(key) in (None, "", [])]
    if missing:
        raise ValueError(f"{place} has no {missing[0]!r}")
    id, question, answer = (_said(entry, key, place) for key in ("id", "question", "answer"))
    steps, monologue = _steps(entry["steps"], place)
    return Exemplar(
        task=Task(id or f"exemplar-{number}", question, answer, _said(entry, "extra", place, dict)),
        steps=steps,
        reasoning=_said(entry, "reasoning", place),
        kind=_said(entry, "kind", place),
        monologue=monologue,
    )


_PARTS = ("thought", "action", "observation")


def _steps(given: object, place: str) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps, and the actions alone, each with the thought of ReAct-IM that goes before it, if there are any."""
    if not isinstance(given, list):
        raise ValueError(f"{place}: `steps` is {given!r}; it must be a list")
    steps, monologue, thinks = [], [], False
    for number, entry in enumerate(given, 1):
        at = f"{place}, step {number}"
        known = _known(entry, (*_PARTS, "im"), at)
        step, im = Step(*(_said(known, part, at) for part in _PARTS)), _said(known, "im", at)
        if im and not step.action:
            raise ValueError(f"{at}: `im` stands before no action")
        steps.append(step)
        monologue += [Step(im, step.action, step.observation)] if step.action else []
        thinks = thinks or bool(im)
    if not steps[-1].action:
        raise ValueError(f"{place}: its last step has no action; an example ends with its last action")
    if steps[-1].observation:
        raise ValueError(f"{place}: its last step has an observation; an example ends with its last action")
    return tuple(steps), tuple(monologue if thinks else ())
