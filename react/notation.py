"""How steps are written as text, and who wrote each piece of it. (How a model's turns are read: `react.reading`.)

The few-shot prompt, the live context and the training row are one `spans(task, steps)` applied to one record::

    Question: In which country does the Vaal rise?        task
    Thought 1:                                            cue           (the runtime writes it)
     I need to search the Vaal, then read where it rises. thought
    Action 1:                                             action        (from here the model's own)
     Search[Vaal]                                         action
    Observation 1:                                        stop          (where the model's turn ends)
     The Vaal is a river in ...                           observation

A cue ends without a space, before one: there every common tokenizer puts a border, so that what a model sees before a
step is a prefix, token for token, of the row that a student is trained on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from react import reading
from react.reading import one_line as one_line
from react.trajectory import Step, Task

Kind = Literal["task", "cue", "thought", "action", "stop", "observation"]


@dataclass(frozen=True)
class Span:
    """A piece of a written trajectory. The model wrote `thought`, `action` and `stop`; the rest was given to it."""

    text: str
    kind: Kind


# What each of the paper's methods writes: thoughts, actions (paper, section 3.1 and table 1).
PARTS = {
    "standard": (False, False),
    "cot": (True, False),
    "act": (False, True),
    "react": (True, True),
    "react_im": (True, True),  # what is thought differs, not how it is written (section 4, ablation)
}


class Notation(Protocol):
    """The text form of an environment's steps, for one method.

    `window` is how many characters of prompt and history a model is shown; 0: all, as far as its own window goes.
    """

    @property
    def window(self) -> int: ...

    @property
    def finish(self) -> str:
        """The tool that hands in an answer, whatever was done before; empty where no turn can, or every one does."""
        ...

    def spans(self, task: Task, steps: Sequence[Step]) -> list[Span]:
        """A whole trajectory, or a live context when the last step has an observation. Joined, it is the text."""
        ...

    def cue(self, i: int) -> str:
        """What the runtime writes to open turn `i` (from 1)."""
        ...

    def action_cue(self, i: int) -> str:
        """What the runtime writes after a thought that came without an action; empty if there is no such place."""
        ...

    def stops(self, i: int) -> tuple[str, ...]:
        """Where the model's turn `i` ends: first the text that follows it, then others that show it has run on."""
        ...

    def read(self, completion: str, i: int) -> Step:
        """The step that a completion of `cue(i)` says. An action that is not there is empty; nothing raises."""
        ...

    def command(self, step: Step) -> str:
        """What the environment is told of a step: its action, or a thought where that is an action of its own."""
        ...


def text(spans: Sequence[Span]) -> str:
    """The spans as one text."""
    return "".join(span.text for span in spans)


def context(notation: Notation, task: Task, steps: Sequence[Step]) -> str:
    """What the model sees before its next turn: all of `steps`, also an observation without words, and the next cue."""
    spans = notation.spans(task, [*steps, Step()])
    last = max(at for at, span in enumerate(spans) if span.kind == "cue")
    return text(spans[: last + 1])


def _said(value: str) -> str:
    """A part as it follows its header: after one space, or nothing at all.

    As one line: text from outside must not be able to write a line of the notation.
    """
    return f" {one_line(value)}" if value.strip() else ""


def _observed(value: str) -> str:
    """An observation and the end of its line. One that ends its line itself leaves an empty line behind it."""
    return _said(value) + ("\n\n" if value.endswith("\n") else "\n")


@dataclass(frozen=True)
class Numbered:
    """`Thought 1:` / `Action 1:` / `Observation 1:` lines under a `label` line: ReAct, and Act without thoughts.

    The forms of ReAct@6bdb3a1 prompts_naive.json, `webthink_simple6` and `webact_simple6`. `strict` reads as the loop
    of that code did, and changes nothing of what is written.
    """

    label: str
    thoughts: bool = True
    strict: bool = False
    tools: tuple[str, ...] = ("Search", "Lookup", "Finish")
    window: ClassVar = 0
    finish: ClassVar = "Finish"

    def spans(self, task: Task, steps: Sequence[Step]) -> list[Span]:
        spans = [Span(f"{self.label}: {one_line(task.question)}\n", "task")]
        for i, step in enumerate(steps, 1):
            spans += self._turn(step, i)
            if step.observation or i < len(steps):
                spans += [Span(self.stops(i)[0], "stop"), Span(_observed(step.observation), "observation")]
        return spans

    def _turn(self, step: Step, i: int) -> list[Span]:
        thought = [Span(_said(step.thought), "thought")] if self.thoughts else []
        return [Span(self.cue(i), "cue"), *thought, Span(self.action_cue(i) + _said(step.action), "action")]

    def cue(self, i: int) -> str:
        return f"Thought {i}:" if self.thoughts else f"Action {i}:"

    def action_cue(self, i: int) -> str:
        return f"\nAction {i}:" if self.thoughts else ""

    def stops(self, i: int) -> tuple[str, ...]:
        return (f"\nObservation {i}:",) if self.strict else (f"\nObservation {i}:", f"\n{self.label}:")

    def read(self, completion: str, i: int) -> Step:
        if self.thoughts:
            return reading.reference_turn(completion, i) if self.strict else reading.turn(completion, self.tools)
        return Step(action=completion.strip() if self.strict else reading.action(completion, self.tools))

    def command(self, step: Step) -> str:
        return step.action


@dataclass(frozen=True)
class Answered:
    """One turn that ends in `Answer:`, without acting: Standard, and CoT with its `Thought:` line.

    The forms of ReAct@6bdb3a1 prompts_naive.json, `webqa_simple6` and `cotqa_simple6`; in fever.json the `opening` of a
    thought is `Thought:` alone. In the record the answer is an action, `Finish[answer]`, so that the environment judges
    every method in one place.
    """

    label: str
    thoughts: bool = False
    opening: str = "Thought: Let's think step by step."
    window: ClassVar = 0
    finish: ClassVar = ""

    def spans(self, task: Task, steps: Sequence[Step]) -> list[Span]:
        spans = [Span(f"{self.label}: {one_line(task.question)}\n", "task")]
        for step in steps:
            thought = [Span(_said(step.thought), "thought")] if self.thoughts else []
            answer = Span(self.action_cue(1) + _said(finish_argument(step.action)), "action")
            spans += [Span(self.cue(1), "cue"), *thought, answer]
        return spans

    def cue(self, i: int) -> str:
        return self.opening if self.thoughts else "Answer:"

    def action_cue(self, i: int) -> str:
        return "\nAnswer:" if self.thoughts else ""

    def stops(self, i: int) -> tuple[str, ...]:
        return (f"\n{self.label}:",) if self.thoughts else ("\n",)

    def read(self, completion: str, i: int) -> Step:
        return reading.reasoning(completion) if self.thoughts else Step(action=reading.answer(completion))

    def command(self, step: Step) -> str:
        return step.action


_FINISH = re.compile(r"[Ff]inish\[(.*)\]")


def finish_argument(action: str) -> str:
    """The answer that a `Finish[...]` action hands in; the action itself where it is another one."""
    match = _FINISH.fullmatch(one_line(action))
    return match[1] if match else one_line(action)
