"""Where a model may act: an environment opens an `Episode` for a `Task` and is the only judge of it.

One file in this folder is one environment, found by its name; its exemplars lie beside it in a YAML file of that name.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from react.mistakes import Mistake, choose, nearest
from react.notation import Notation
from react.tool_calls import Tool, call
from react.trajectory import Task


@dataclass(frozen=True)
class Observation:
    """What an action brought: `text` for the model, `reward` (1.0 is full) for the record. `done` ends the episode.

    `valid` is False where the environment did not understand the action. `page` is the title of the page that the
    action opened, if it opened one: the record of what was read, however it was asked for. `replaced`: `text` is noise,
    and not what the action brought (`react.noise`).
    """

    text: str
    done: bool = False
    reward: float = 0.0
    valid: bool = True
    page: str = ""
    replaced: bool = False


class Episode(Protocol):
    """One try at one task. It has started, shares nothing with others, and is used by one thread."""

    def act(self, action: str) -> Observation:
        """Carries out one action. Never raises for what a model wrote: that is an invalid action, an observation."""
        ...

    @property
    def answer(self) -> str:
        """What was handed in; empty before that."""
        ...


class Environment(Protocol):
    """A set of tasks and how to act in them. Safe to share between threads.

    `max_steps` is the budget of an episode. `fingerprint` changes when any episode could go differently.
    """

    name: str
    max_steps: int

    @property
    def fingerprint(self) -> str: ...

    @property
    def held_out(self) -> Sequence[str]:
        """The splits that are there to be evaluated on: what they hold is not trained on."""
        ...

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a split, in an order that depends on the data alone. ValueError names the splits there are."""
        ...

    def data(self, split: str) -> str:
        """What the tasks of a split are, for a person: `embedded`, or the names of files, data sets or releases."""
        ...

    def start(self, task: Task) -> Episode: ...

    def normalise(self, answer: str) -> str:
        """What is the same for answers that are one answer, whose reward is the same: so that samples can be voted on.

        Not empty, unless `answer` is.
        """
        ...

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        """How steps are written as text for a method that has thoughts, actions, both or neither."""
        ...


def names() -> list[str]:
    """The environments that `load` knows."""
    found = pkgutil.iter_modules(__path__)
    return sorted(module.name for module in found if not module.ispkg and module.name[0] != "_")


def says(name: str, what: str, default: Any = None) -> Any:
    """What the module of an environment says beside `load`; `default` where it says nothing.

    METRIC is what the share of tasks with the full reward is called, `f1(prediction, gold)` the partial credit for an
    answer, `paper_panel(environment, split)` the indices, in the split, of the tasks that the paper's numbers are
    made of (ValueError where the tasks of the split are not the paper's), KINDS the kinds of tasks that results are
    told apart by. SCORED is True where rewards come in parts, so that 100 times their mean is reported as the score.
    `glance(task, seen)` is what a person would do next to look around in a task, after these outputs; empty: enough
    (`react.noise`). BY_ID is True where tasks share their words and are told apart by their ids alone. TOOLS are the
    actions as tools that can be called (`react.tool_calls`). `mishap(observation)` says what went wrong with the
    action that it answers: `invalid` where that was not understood or not possible, `nothing` where it was carried
    out and found nothing; else empty.
    """
    return getattr(importlib.import_module(f"{__name__}.{name}"), what, default)


def can_be_of(name: str, actions: Sequence[str]) -> bool:
    """Whether an episode in that environment can have these actions, by their form alone; a few may be invalid ones.

    Where any text is an action, as in a household, it is an episode elsewhere if all have the form of another's tools.
    """
    if not actions or (own := forms(name)) is None:
        return True
    if own:
        return any(call(own, action) for action in actions)
    others = [tools for other in names() if (tools := forms(other))]
    return not any(all(call(tools, action) for action in actions) for tools in others)


def forms(name: str) -> list[Tool] | None:
    """The tools of an environment whose actions can be told from others; None where it says nothing of its tools."""
    tools = says(name, "TOOLS")
    return None if tools is None else [tool for tool in tools if tool.form != "{}"]


def load(name: str, options: Mapping[str, Any] | None = None) -> Environment:
    """The environment `name`, with its own options (paths, behaviour) and those of `react.noise`.

    ValueError names the environments, or the options, that there are.
    """
    from react import noise

    choose("environment", name, names())
    disturbed, own = noise.split(options or {})
    module = importlib.import_module(f"{__name__}.{name}")
    known = inspect.signature(module.load).parameters
    for option in own:
        if option not in known:
            told = nearest(option, [*known, *noise.OPTIONS])
            raise Mistake(f"{name}: unknown environment option {option!r}; {told}")
    return noise.noisy(module.load(**own), disturbed, getattr(module, "glance", None))
