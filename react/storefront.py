"""The notation of shops: `Action:` and `Observation:`, pages of many lines, thoughts among the actions.

    WebShop                                             task           (the first page)
    Instruction:                                        task
    i need a bottle of ..., and price lower than ...    task
    [Search]                                            task
                                                        task
    Action:                                             cue            (the runtime writes it)
     search[3 ounce bright citrus deodorant]            action
                                                        stop           (a line break)
    Observation:                                        observation
    [Back to Search]                                    observation
    Page 1 (Total results: 50) ...                      observation
                                                        observation
    Action:                                             cue
     think[The first one is below 50 dollars.]          thought
                                                        stop
    Observation: OK.                                    observation

The form of ReAct@6bdb3a1 WebShop.ipynb. A thought is a turn of its own, a step without an action; Act has none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from react import reading
from react.notation import Span, one_line
from react.trajectory import Step, Task

THINK = "think["
HEARD = "OK."
_TOOLS = ("search", "click", "think")
_BUY = "click buy now"  # in any letter case: some forms do not mind it
# A line of a page that could be taken for one of a transcript, and what breaks lines beside a line break.
_HEADER = re.compile(r"(?im)^(?=[^\S\n]*(?:action|observation)[^\S\n]*:)")
_BREAKS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class Storefront:
    """A `Notation`. The first page is in `task.extra["page"]`, or is that of the notebook's form.

    `strict` reads as the notebook's loop did, and writes a turn with all its blanks. A model is shown the last
    characters of what it did, as many as fit into `window` with the examples before them; 0: all.
    """

    thoughts: bool = True
    strict: bool = False
    window: int = 0
    finish: ClassVar = ""

    def spans(self, task: Task, steps: Sequence[Step]) -> list[Span]:
        spans = [Span(f"{shown(first_page(task)).lstrip(chr(10))}\n\n", "task")]
        turns = [turn for step in steps for turn in self._turns(step)]
        for i, (said, observation) in enumerate(turns, 1):
            spans += [Span(self.cue(i), "cue"), said]
            if observation or i < len(turns):
                told = Span(f"Observation: {shown(observation)}\n\n", "observation")
                spans += [Span(self.stops(i)[0], "stop"), told]
        return spans

    def _turns(self, step: Step) -> list[tuple[Span, str]]:
        """What a step says and what it brings. One with thought and action, as others record it, is two turns here."""
        thought, action = self._line(step.thought), self._line(step.action)
        thinks = [(Span(f" {THINK}{thought}]", "thought"), HEARD if action else step.observation)] if thought else []
        acts = [(Span(action and f" {action}", "action"), step.observation)] if action or not thought else []
        return (thinks if self.thoughts else []) + acts

    def _line(self, value: str) -> str:
        return _BREAKS.sub(" ", value).replace("\n", " ") if self.strict else one_line(value)

    def cue(self, i: int) -> str:
        return "Action:"

    def action_cue(self, i: int) -> str:
        return ""

    def stops(self, i: int) -> tuple[str, ...]:
        return ("\n",)

    def read(self, completion: str, i: int) -> Step:
        said = completion.lstrip(" ") if self.strict else _read(completion)
        thought = said[len(THINK) :].removesuffix("]").strip() if self.thoughts and said.startswith(THINK) else ""
        exact = not self.strict or said == f"{THINK}{thought}]"
        return Step(thought=thought) if thought and exact else Step(action=said)

    def command(self, step: Step) -> str:
        return step.action or (f"{THINK}{step.thought}]" if step.thought else "")


def _read(completion: str) -> str:
    """The action that was plainly meant. To buy cannot be undone: with words around it that is not plain."""
    said = one_line(completion)
    if said.startswith(THINK):
        return said
    action = reading.action(completion, _TOOLS)
    return action if _words(action) != _BUY or _words(said).removeprefix("action ") == _BUY else said


def _words(said: str) -> str:
    return re.sub(r"\W+", " ", said).strip().lower()


def first_page(task: Task) -> str:
    """What is seen of a task before any action."""
    return str(task.extra.get("page", "")) or f"\nWebShop \nInstruction:  \n{one_line(task.question)} \n[Search] "


def shown(page: str) -> str:
    """A text from outside, none of whose lines can be taken for a turn: those that could are set in by `| `."""
    return _HEADER.sub("| ", _BREAKS.sub(" ", page))
