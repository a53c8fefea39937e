"""An environment with some of its outputs replaced: how robust is who acts in it? (FireAct, arXiv 2310.05915, 5.2)

    environment_options: {noise: 0.5, noise_kind: other, noise_seed: 0, noise_from: runs/eval/a/trajectories.jsonl}

options of every environment, beside its own. What an action brings is replaced with probability `noise`: `nothing` says
`None`, as FireAct's search did, `other` what an action of that kind brought in another task. The environment itself
knows nothing of it: its state, the end of the episode and the reward are those of the true output. What ends an episode
is never replaced, nor are the answers to thoughts, which are no outputs of a tool.

Which outputs these are, and by what, follows from the seed, the task and the how manieth output it is: it is the same
for every model and method, whatever runs at once, and what is replaced at a rate is replaced at every higher one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from react._outputs import Glance, Output, recorded, seen, tool
from react.environments import Environment, Episode, Observation
from react.mistakes import Mistake, choose
from react.notation import Notation
from react.trajectory import Task

KINDS = ("nothing", "other")
OPTIONS = ("noise", "noise_kind", "noise_seed", "noise_from")
MARK = "+noise:"  # in a fingerprint, behind that of the environment itself
NOTHING = "None"
# Another value whenever the same options could replace another output, or by another one.
_VERSION = "1"


@dataclass(frozen=True)
class Noise:
    """The options. `noise` is the share of outputs that are replaced."""

    noise: float = 0.0
    noise_kind: str = "nothing"
    noise_seed: int = 0
    noise_from: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.noise, bool) or not isinstance(self.noise, int | float) or not 0 <= self.noise <= 1:
            raise Mistake(f"noise is {self.noise!r}; it must be a number from 0 to 1, the share of replaced outputs")
        choose("noise_kind", self.noise_kind, KINDS)
        if type(self.noise_seed) is not int:
            raise Mistake(f"noise_seed is {self.noise_seed!r}; it must be a whole number")
        if not isinstance(self.noise_from, str):
            raise Mistake(f"noise_from is {self.noise_from!r}; it must be a text, the name of a file of trajectories")
        if self.noise_from and self.noise_kind != "other":
            raise Mistake(f"noise_from is {self.noise_from!r}, from which only noise_kind 'other' takes outputs")

    @property
    def told(self) -> str:
        """In words, such as `noise 0.5 (other)`; empty where there is none."""
        seed = f", seed {self.noise_seed}" if self.noise_seed else ""
        return f"noise {self.noise:g} ({self.noise_kind}{seed})" if self.noise else ""


def split(options: Mapping[str, Any]) -> tuple[Noise, dict[str, Any]]:
    """The noise, and the environment's own options. Mistake names what is wrong."""
    return Noise(**{key: options[key] for key in OPTIONS if key in options}), {
        key: value for key, value in options.items() if key not in OPTIONS
    }


def noisy(environment: Environment, noise: Noise, glance: Glance | None) -> Environment:
    """`environment` with that noise; itself where the rate is 0. `glance` is that of `environments.says`."""
    if not noise.noise:
        return environment
    if noise.noise_kind == "nothing":
        return Noisy(environment, noise, ())
    outputs = recorded(environment, Path(noise.noise_from)) if noise.noise_from else seen(environment, glance)
    if len({output.task for output in outputs}) < 2:
        raise Mistake(
            f"noise_kind is 'other', and outputs of {'one task alone' if outputs else 'no task'} are known; give "
            f"noise_from, the trajectories.jsonl of a run in {environment.name}"
        )
    return Noisy(environment, noise, tuple(outputs))


class Noisy:
    """The `Environment`. Everything but outputs is that of the one inside."""

    def __init__(self, environment: Environment, noise: Noise, outputs: Sequence[Output]) -> None:
        self.name, self.max_steps = environment.name, environment.max_steps
        self.noise = noise
        self._environment = environment
        self._outputs = outputs

    def __getattr__(self, name: str) -> Any:
        """What an environment has beyond the protocol, such as what its `paper_panel` asks for."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._environment, name)

    @cached_property
    def fingerprint(self) -> str:
        """That of the environment inside, and behind a mark what changes with the noise."""
        told = [_VERSION, str(float(self.noise.noise)), self.noise.noise_kind, str(self.noise.noise_seed)]
        told += [repr(sorted(asdict(output).items())) for output in self._outputs]
        return f"{self._environment.fingerprint}{MARK}{hashlib.sha256(chr(10).join(told).encode()).hexdigest()}"

    @property
    def held_out(self) -> Sequence[str]:
        return self._environment.held_out

    def tasks(self, split: str) -> Sequence[Task]:
        return self._environment.tasks(split)

    def data(self, split: str) -> str:
        return self._environment.data(split)

    def start(self, task: Task) -> NoisyEpisode:
        return NoisyEpisode(self._environment.start(task), self, task)

    def normalise(self, answer: str) -> str:
        return self._environment.normalise(answer)

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return self._environment.notation(thoughts=thoughts, actions=actions)

    def replaced(self, observation: Observation, task: Task, tool: str, number: int) -> Observation:
        """What a model is told instead of output `number` (from 0) of a task; that output itself where it is not hit.

        A page that is not shown has not been read.
        """
        if self._drawn(task, number, "whether") >= self.noise.noise:
            return observation
        text = self._other(observation.text, task, tool, number) if self._outputs else NOTHING
        return replace(observation, text=text, page="", replaced=True)

    def _other(self, text: str, task: Task, tool: str, number: int) -> str:
        """Of outputs of that tool in other tasks, or else of any tool, the drawn one; never the true text."""
        for outputs in (self._of.get(tool, []), self._outputs):
            begin = int(self._drawn(task, number, "which") * len(outputs))
            for output in (*outputs[begin:], *outputs[:begin]):
                own = output.task == task.id or (task.answer and output.question == task.question)
                if not own and output.text != text:
                    return output.text
        return NOTHING

    @cached_property
    def _of(self) -> dict[str, list[Output]]:
        found: dict[str, list[Output]] = {}
        for output in self._outputs:
            found.setdefault(output.tool, []).append(output)
        return found

    def _drawn(self, task: Task, number: int, what: str) -> float:
        """A number from 0 to 1, drawn by nothing but its place."""
        place = f"{self.noise.noise_seed}/{what}/{number}/{task.id}"
        return int.from_bytes(hashlib.sha256(place.encode("utf-8", "surrogatepass")).digest()[:7]) / 2**56


class NoisyEpisode:
    """The `Episode`."""

    def __init__(self, episode: Episode, environment: Noisy, task: Task) -> None:
        self._episode, self._environment, self._task = episode, environment, task
        self._outputs = 0

    def act(self, action: str) -> Observation:
        """As the episode inside. Outputs are counted without thoughts, so that Act and ReAct meet the same noise."""
        observation, said = self._episode.act(action), tool(action)
        if observation.done or said == "think":
            return observation
        self._outputs += 1
        return self._environment.replaced(observation, self._task, said, self._outputs - 1)

    @property
    def answer(self) -> str:
        return self._episode.answer
