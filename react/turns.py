"""The turns of one episode with a model: as text in a notation, or as calls of tools.

Both ask through one `Talk`, which counts what it takes. Their protocol is `Turns`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from react.cap import Purse
from react.chat import Message
from react.models import Completion, Model, Request
from react.native import AGAIN, Calling, Turn
from react.notation import Notation, context, text
from react.reading import one_line
from react.trajectory import Step, Task


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
class Talk:
    """The calls of one episode, and what they took. `prompt` begins each of them."""

    task: Task
    model: Model
    prompt: str
    sampling: Sampling
    purse: Purse
    window: int = 0
    calls: int = 0
    bad_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0
    repaired: int = 0
    shortened: int = 0
    last: tuple[int, int, int] = (0, 0, 0)  # of the last call: characters of its prompt, its tokens in and out

    def ask(self, before: str, stop: tuple[str, ...] = ()) -> Completion:
        """What the model says after the prompt and `before`."""
        self.shortened += self._too_long(before)
        request = Request(
            prompt=self.prompt + self.shown(before),
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

    def shown(self, before: str) -> str:
        """The end of what went before, where the notation shows no more than that.

        Where the prompt alone is longer than that the number is negative and the beginning is left out, as in
        ReAct@6bdb3a1 WebShop.ipynb.
        """
        return before[len(self.prompt) - self.window :] if self._too_long(before) else before

    def _too_long(self, before: str) -> bool:
        return 0 < self.window < len(self.prompt) + len(before)

    def _seed(self) -> int:
        """Greedy calls are the same whatever the seed; a sample's seed depends on nothing but its place."""
        if self.sampling.temperature == 0:
            return 0
        # The first sample is what the method alone samples.
        sample = f".{self.sampling.sample}" if self.sampling.sample else ""
        place = f"{self.sampling.seed}/{self.task.id}/{self.sampling.attempt}{sample}/{self.calls}"
        return int.from_bytes(hashlib.sha256(place.encode()).digest()[:4]) >> 1


class Turns(Protocol):
    """How the steps of an episode are asked for."""

    @property
    def talk(self) -> Talk: ...

    def command(self, step: Step) -> str:
        """What the environment is told of a step."""
        ...

    def last(self, steps: list[Step], more: bool) -> Step | None:
        """A step that hands in an answer, where the call for it will, as far as can be told, reach the episode's cap.

        None where it will not, or where nothing can be handed in. Where the environment gives no step after it (`more`
        is False) its steps end the episode themselves.
        """
        ...

    def take(self, steps: list[Step]) -> Step:
        """The next step."""
        ...


@dataclass
class Written:
    """Turns as text, each of which the model goes on from the notation's cue."""

    talk: Talk
    notation: Notation

    def command(self, step: Step) -> str:
        return self.notation.command(step)

    def last(self, steps: list[Step], more: bool) -> Step | None:
        return self._finish(steps) if self.notation.finish and self._hurried(steps, more) else None

    def _hurried(self, steps: list[Step], more: bool) -> bool:
        """The prompt is taken to have as many tokens a letter as the last one, and the completion as many as that."""
        talk = self.talk
        if not talk.purse.cap:
            return False
        letters, read, written = talk.last
        shown = talk.prompt + talk.shown(context(self.notation, talk.task, steps)) if letters else ""
        return talk.purse.reached(int(more), read * len(shown) // max(letters, 1), written)

    def _finish(self, steps: list[Step]) -> Step:
        """A last step, which hands in an answer: the model goes on behind `Finish`, with what is in its brackets.

        There a common tokenizer puts a border. No thought is asked for: it could take all that is left.
        """
        i = len(steps) + 1
        cue = f"{self.notation.action_cue(i)} {self.notation.finish}"
        before = context(self.notation, self.talk.task, steps) + cue
        said = self.talk.ask(before, ("\n",)).text
        answer = one_line(said.strip().removeprefix("[").partition("]")[0])
        return self._noted(Step(action=f"{self.notation.finish}[{answer}]"), said, steps, before)

    def take(self, steps: list[Step]) -> Step:
        """The next step. A thought without an action is asked again with the cue (ReAct@6bdb3a1, a "bad call")."""
        i = len(steps) + 1
        before, cue = context(self.notation, self.talk.task, steps), self.notation.action_cue(i)
        said = self.talk.ask(before, self.notation.stops(i)).text
        step = self.notation.read(said, i)
        if step.action or not cue:
            return self._noted(step, said, steps, before)
        self.talk.bad_calls += 1
        self._noted(step, said + cue, steps, before)
        cued = text(self.notation.spans(self.talk.task, [*steps, step]))
        said = self.talk.ask(cued, ("\n",)).text
        # As a whole turn: what the thought was does not matter to the action.
        step = replace(step, action=self.notation.read(f" .{cue} {said.strip()}", i).action)
        return self._noted(step, said, steps, cued)

    def _noted(self, step: Step, said: str, steps: list[Step], before: str) -> Step:
        """The step; counted as repaired if what is written of it is more than white space away from what was said."""
        written = text(self.notation.spans(self.talk.task, [*steps, step]))[len(before) :]
        self.talk.repaired += one_line(said) != one_line(written)
        return step


@dataclass
class Called:
    """Turns as calls of tools (`react.native`). At a cap no answer is handed in: no text of ours begins a call."""

    talk: Talk
    calling: Calling
    _next: list[Step] = field(default_factory=list)

    def command(self, step: Step) -> str:
        return self.calling.notation.command(step)

    def last(self, steps: list[Step], more: bool) -> Step | None:
        return None

    def take(self, steps: list[Step]) -> Step:
        if self._next:
            self.talk.purse.want_more()
            return self._next.pop()
        turn = self._ask(steps)
        apart = self.calling.thinks_apart
        if not turn.action and (turn.wrong or not (apart and turn.thought)):
            self.talk.bad_calls += 1
            again = self._ask(steps, [turn.shown(), {"role": "user", "content": AGAIN}])
            turn = replace(again, thought=turn.thought or again.thought)
        step = Step(turn.thought, turn.action or turn.wrong)
        if apart and step.thought and step.action:
            self._next = [Step("", step.action)]
            return Step(step.thought, "")
        return step

    def _ask(self, steps: list[Step], more: Sequence[Message] = ()) -> Turn:
        turn = self.calling.read(self.talk.ask(self.calling.prompt(self.talk.task, steps, more)).text)
        self.talk.repaired += not turn.plain
        return turn
