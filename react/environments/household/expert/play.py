"""An expert's episodes in an environment, as records that are judged like a model's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from react.environments import Environment
from react.environments.household.expert.goal import read_goal
from react.environments.household.expert.policy import Expert, Steps
from react.environments.household.expert.thinking import Monologue, Silent, Sparse, Voice
from react.trajectory import End, Step, Task, Trajectory

# How each method of acting thinks.
VOICES: Mapping[str, Callable[[str], Voice]] = {
    "react": Sparse,
    "act": lambda seed: Silent(),
    "react_im": lambda seed: Monologue(),
}


def demonstrate(environment: Environment, task: Task, method: str = "react", seed: int = 0) -> Trajectory:
    """The expert's episode: what it did, and what came of it within the budget of a model.

    ValueError for a game that cannot be read, and for a task that it does not know. Tasks that look alike are begun
    alike, in the same words: what it does and says follows from what it has seen.
    """
    episode = environment.start(task)
    room = str(task.extra.get("room", ""))
    expert = Expert(read_goal(task.question), room, VOICES[method](f"{seed} {room} {task.question}")).steps()
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
    return Trajectory(task, method, "expert", tuple(steps), "", reward, end, provenance=made)


def _next(expert: Steps, text: str) -> Step | None:
    try:
        return expert.send(text)
    except StopIteration:
        return None
