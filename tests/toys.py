"""Toys that stand in for the world and for a model: an environment of a few lines, and models of one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from react.environments import Observation
from react.models import Completion, Request
from react.notation import Answered, Notation, Numbered, finish_argument
from react.trajectory import Step, Task, Trajectory


@dataclass
class Echo:
    """Says what was said last and ends on Finish."""

    task: Task
    answer: str = ""

    def act(self, action: str) -> Observation:
        if action.startswith("Finish["):
            self.answer = finish_argument(action)
            return Observation("The end.", done=True, reward=float(self.answer == self.task.answer))
        if action.startswith("Say["):
            return Observation(f"You said {action[4:-1]}.", page=action[4:-1])
        return Observation(f"Invalid action: {action}", valid=False)


@dataclass
class Toy:
    """`size` questions about their own number."""

    size: int = 20
    name: str = "toy"
    max_steps: int = 3
    fingerprint: str = "toy"

    def tasks(self, split: str) -> Sequence[Task]:
        return [Task(f"t{n:03}", f"Which number is {n}?", str(n)) for n in range(self.size)]

    def data(self, split: str) -> str:
        return "toys"

    def start(self, task: Task) -> Echo:
        return Echo(task)

    def normalise(self, answer: str) -> str:
        return answer.strip().lower()

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return Numbered("Question", thoughts) if actions else Answered("Question", thoughts)


@dataclass
class Said:
    """A model that answers with a function of the request. Keeps what it was asked."""

    answer: Callable[[Request], str]
    name: str = "said"
    fingerprint: str = "said"
    asked: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> list[Completion]:
        self.asked.append(request)
        return [Completion(self.answer(request))] * request.n

    def close(self) -> None:
        pass


def script(task: Task, answer: str, attempt: int = 0) -> Trajectory:
    """A trajectory that says the answer and hands it in."""
    steps = (Step(f"I say {answer}.", f"Say[{answer}]"), Step("That is it.", f"Finish[{answer}]"))
    return Trajectory(task, "react", "expert", steps, provenance={"attempt": attempt})
