"""An expert's episodes in the shop, as records that are judged like a model's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from react.environments import Environment
from react.environments.shop.expert.policy import Expert, Steps
from react.environments.shop.expert.reading import read_wish
from react.environments.shop.expert.thinking import Silent, Sparse, Voice
from react.trajectory import End, Step, Task, Trajectory

# How each method of acting thinks.
VOICES: Mapping[str, Callable[[str], Voice]] = {"react": Sparse, "act": lambda seed: Silent()}


def demonstrate(environment: Environment, task: Task, method: str = "react", seed: int = 0) -> Trajectory:
    """The expert's episode: what it did, and what came of it within the budget of a model.

    What it does and says follows from the instruction and what it has seen.
    """
    episode = environment.start(task)
    voice = VOICES[method](f"{seed} {task.question}")
    expert = Expert(read_wish(task.question), voice, environment.max_steps).steps()
    notation = environment.notation(thoughts=True, actions=True)
    steps: list[Step] = []
    end: End = "out_of_steps"
    reward = 0.0
    step = next(expert, None)
    while step and len(steps) < environment.max_steps:
        seen = episode.act(notation.command(step))
        steps.append(Step(step.thought, step.action, "" if seen.done else seen.text))
        if seen.done:
            end, reward = "finished", seen.reward
            break
        step = _next(expert, seen.text)
    made: dict[str, object] = {"environment": environment.name, "seed": seed}
    return Trajectory(task, method, "expert", tuple(steps), episode.answer, reward, end, provenance=made)


def _next(expert: Steps, text: str) -> Step | None:
    try:
        return expert.send(text)
    except StopIteration:
        return None
