"""Instruction and worked examples -> few-shot prompt.

An exemplar is a trajectory: the prompt is the environment's own notation applied to it, so Act's prompt is ReAct's with
the thoughts left out, and every exemplar can be played in its environment. They lie in `environments/<name>.yaml`::

    instruction: Solve a question answering task with interleaving Thought, Action, Observation steps. ...
    blank_lines: true            # between examples; false where nothing is said
    exemplars:
    - question: ...
      answer: ...
      kind: bridge
      reasoning: ...             # what CoT says before its answer
      steps:
      - {thought: ..., action: "Search[...]", observation: ...}
      - {thought: ..., action: "Finish[...]"}

A household has an `id`, the game, instead of an answer, and in `extra` what is shown of it first (`room`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from react.hints import hinted
from react.notation import Notation, text
from react.trajectory import Step, Task


@dataclass(frozen=True)
class Exemplar:
    """A worked example: the task, its ReAct steps, and the reasoning that CoT gives instead of acting."""

    task: Task
    steps: tuple[Step, ...]
    reasoning: str
    kind: str = ""

    def written(self, notation: Notation, *, actions: bool, hints: bool = False) -> str:
        """The example as a method of this notation would do it; with `hints` its answer stands in the question."""
        steps = self.steps if actions else (Step(thought=self.reasoning, action=self.steps[-1].action),)
        return text(notation.spans(hinted(self.task) if hints else self.task, steps))


@dataclass(frozen=True)
class Exemplars:
    """The examples of an environment, in the order of its file."""

    instruction: str
    examples: tuple[Exemplar, ...]
    blank_lines: bool = False

    def choose(self, shots: int, kind: str = "") -> tuple[Exemplar, ...]:
        """The first `shots` examples, those of `kind` before the others. ValueError where there are not as many."""
        if shots > len(self.examples):
            raise ValueError(f"{shots} exemplars asked for; there are {len(self.examples)}")
        return tuple(sorted(self.examples, key=lambda example: bool(kind) and example.kind != kind)[:shots])

    def prompt(
        self, notation: Notation, shots: int, *, thoughts: bool, actions: bool, kind: str = "", hints: bool = False
    ) -> str:
        """What stands before a task: nothing without shots. The instruction goes with ReAct alone, as in the paper."""
        if not shots:
            return ""
        header = f"{self.instruction}\n" if thoughts and actions and self.instruction else ""
        end = "\n\n" if self.blank_lines else "\n"
        shown = self.choose(shots, kind)
        return header + "".join(example.written(notation, actions=actions, hints=hints) + end for example in shown)

    @property
    def fingerprint(self) -> str:
        """Changes with any word of any example."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


def load(path: Path) -> Exemplars:
    """The exemplars of a YAML file. ValueError names the file and the place."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        examples = tuple(_exemplar(entry, number) for number, entry in enumerate(content["exemplars"], 1))
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: no exemplars: {type(error).__name__}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Exemplars(" ".join(str(content.get("instruction", "")).split()), examples, bool(content.get("blank_lines")))


def of(environment: str) -> Path:
    """Where an environment's own exemplars lie."""
    return Path(__file__).parent / "environments" / f"{environment}.yaml"


def _exemplar(entry: dict[str, Any], number: int) -> Exemplar:
    needed = ("question", "steps") if "id" in entry else ("question", "answer", "steps")
    missing = [key for key in needed if not entry.get(key)]
    if missing:
        raise ValueError(f"exemplar {number} has no {missing[0]!r}")
    id, answer = entry.get("id", f"exemplar-{number}"), str(entry.get("answer", ""))
    task = Task(id, entry["question"], answer, entry.get("extra", {}))
    return Exemplar(task, _steps(entry["steps"], number), entry.get("reasoning", ""), entry.get("kind", ""))


def _steps(entries: Sequence[dict[str, str]], number: int) -> tuple[Step, ...]:
    steps = tuple(Step(**entry) for entry in entries)
    if any(step.observation for step in steps[-1:]):
        raise ValueError(f"exemplar {number}: its last step has an observation; an example ends with its last action")
    return steps
