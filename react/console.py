"""The notation of households: a console, where a thought is a command too (ReAct@6bdb3a1 alfworld.ipynb).

    You are in the middle of a room. Looking ..., you see a desk 1, and a mug 1.   task
    Your task is to: put a mug in desk.                                            task
    >                                                                              cue        (the runtime writes it)
     think: First I need to find a mug.                                            thought
                                                                                   stop       (a line break)
    OK.                                                                            observation
    >                                                                              cue
     go to shelf 1                                                                 action

A thought is a turn of its own, a step without an action. Act has none of them, nor what answered them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from react.notation import Span, one_line
from react.trajectory import Step, Task

THINK = "think:"
HEARD = "OK."


@dataclass(frozen=True)
class Console:
    """A `Notation`. What stands before the task is in `task.extra["room"]`."""

    thoughts: bool = True
    window: ClassVar = 0
    finish: ClassVar = ""

    def spans(self, task: Task, steps: Sequence[Step]) -> list[Span]:
        room = _told(str(task.extra.get("room", "")))
        spans = [Span(f"{room and room + chr(10)}Your task is to: {one_line(task.question)}\n", "task")]
        turns = [turn for step in steps for turn in self._turns(step)]
        for i, (said, observation) in enumerate(turns, 1):
            spans += [Span(self.cue(i), "cue"), said]
            if observation or i < len(turns):
                spans += [Span(self.stops(i)[0], "stop"), Span(_told(observation) + "\n", "observation")]
        return spans

    def _turns(self, step: Step) -> list[tuple[Span, str]]:
        """What a step says and what it brings. One with thought and action, as others record it, is two turns here."""
        thought, action = one_line(step.thought), one_line(step.action)
        thinks = [(Span(f" {THINK} {thought}", "thought"), HEARD if action else step.observation)] if thought else []
        acts = [(Span(action and f" {action}", "action"), step.observation)] if action or not thought else []
        return (thinks if self.thoughts else []) + acts

    def cue(self, i: int) -> str:
        return ">"

    def action_cue(self, i: int) -> str:
        return ""

    def stops(self, i: int) -> tuple[str, ...]:
        return ("\n",)

    def read(self, completion: str, i: int) -> Step:
        said = one_line(completion)
        thought = said.removeprefix(THINK).strip() if self.thoughts and said.startswith(THINK) else ""
        return Step(thought=thought) if thought else Step(action=said)

    def command(self, step: Step) -> str:
        return step.action or (f"{THINK} {step.thought}" if step.thought else "")


def _told(value: str) -> str:
    """A text from outside, in one line that does not look like a turn."""
    line = one_line(value)
    return f" {line}" if line.startswith(">") else line
