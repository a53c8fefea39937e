"""What a trajectory adds to each metric; `docs/metrics.md` has the formulas, in the order of METRICS.

Each metric of a run is a sum over a sum: a `Part` is what one trajectory adds to both. Where a metric says nothing of a
trajectory it adds nothing to either, which is not the same as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from react.grounds import brought, is_verdict, repeats
from react.methods import SINGLE
from react.trajectory import Task, Trajectory
from react.wording import holds, words


@dataclass(frozen=True)
class Part:
    """`value` of `of`."""

    value: float = 0.0
    of: float = 0.0


@dataclass(frozen=True)
class Facts:
    """What is known beside the record.

    `mishap` is the environment's (`environments.says`), `fewest` the actions by which the task is known to be solved,
    `seconds` what the calls of the episode took together, `prices` US dollars for a million tokens of prompts and of
    completions. None: not known.
    """

    mishap: Callable[[str], str] = lambda observation: ""
    fewest: int | None = None
    seconds: float | None = None
    prices: tuple[float, float] | None = None


@dataclass(frozen=True)
class Act:
    """An action that was taken, at a place among the steps (from 0), and how it went: `mishap` is empty where well.

    An action that brings what the one before it brought found nothing. What ends the episode went well.
    """

    place: int
    action: str
    mishap: str
    last: bool

    @property
    def tool(self) -> str:
        return self.action.partition("[")[0].strip().lower()


def acts(tried: Trajectory, mishap: Callable[[str], str]) -> list[Act]:
    """The actions of a trajectory. A thought alone is none; a turn that was no action is one that is invalid."""
    found: list[Act] = []
    before = None
    for place, step in enumerate(tried.steps):
        last = (tried.end == "finished" or tried.partial) and place == len(tried.steps) - 1
        wrong = "" if last else mishap(step.observation)
        if not step.action and wrong != "invalid":
            continue
        if not wrong and not last and (step.observation == before or not step.observation.strip()):
            wrong = "nothing"
        before = step.observation
        found.append(Act(place, step.action, wrong, last))
    return found


def acting(tried: Trajectory) -> bool:
    """Whether the steps are those of a method that acts; of a combined one, those of the method that decided."""
    method = SINGLE.get(str(tried.provenance.get("from", tried.method)))
    return method is None or method.actions


def needed(task: Task) -> set[str]:
    """The titles of the pages that the data set names as support."""
    return set(task.extra.get("supporting") or ())


def fewest_by_support(task: Task) -> int | None:
    """A search for each page that is named as support, and the answer. None: none is named."""
    return len(needed(task)) + 1 if needed(task) else None


def established(task: Task, said: str, opened: set[str]) -> bool:
    """Whether what was read, `said` on the pages `opened`, was enough to answer.

    An answer of a closed set, or one that the question itself holds, needs all pages that are named as support, or
    something read at all where none is named; any other has to stand in what was read.
    """
    if not task.answer or is_verdict(task.answer) or holds(task.question, task.answer):
        return needed(task) <= opened if needed(task) else bool(said.strip())
    return holds(said, task.answer)


def action_efficiency(tried: Trajectory, facts: Facts) -> Part:
    fewest = fewest_by_support(tried.task) or facts.fewest
    if not (tried.solved and acting(tried) and fewest):
        return Part()
    return Part(fewest / max(fewest, len(acts(tried, facts.mishap))), 1)


def tool_selection(tried: Trajectory, facts: Facts) -> Part:
    taken = acts(tried, facts.mishap)
    pages = list(tried.provenance.get("pages") or ())
    if not (needed(tried.task) and acting(tried)) or len(pages) != sum(_opened(tried, act, facts) for act in taken):
        return Part()
    read, opened = iter(pages), set[str]()
    said, page, right = "", "", 0
    for act in taken:
        enough = established(tried.task, said, opened)
        choice = {"search": not needed(tried.task) <= opened, "lookup": page in needed(tried.task) and not enough}
        right += act.mishap != "invalid" and {**choice, "finish": enough}.get(act.tool, False)
        if _opened(tried, act, facts):
            page = next(read)
            opened.add(page)
        said += "\n" + brought(tried.steps[act.place])
    return Part(right, len(taken))


def _opened(tried: Trajectory, act: Act, facts: Facts) -> bool:
    """Whether the action opened a page, again or for the first time."""
    return act.tool == "search" and not act.last and not facts.mishap(tried.steps[act.place].observation)


def recovery(tried: Trajectory, facts: Facts) -> Part:
    taken = acts(tried, facts.mishap)
    spells = [i for i, act in enumerate(taken) if act.mishap and not (i and taken[i - 1].mishap)]
    return Part(sum(_recovered(tried, taken[i:]) for i in spells), len(spells))


def _recovered(tried: Trajectory, rest: Sequence[Act]) -> bool:
    """Whether the first action that went well brought something, or was the one that solved the task."""
    well = next((act for act in rest if not act.mishap), None)
    return well is not None and (not well.last or tried.solved)


_LEAST = 3  # letters of a word that can be used
# With the word that a lookup is answered with.
_FUNCTION = frozenset(
    words(
        "and are but can for had has have her him his how its nor not off one our out own she that their them then "
        "there these they this those too was were what when where which who whose why will with you your also been "
        "from into more most other some such than very about after all any because before being between both each "
        "few here just only over same under until while would result"
    )
)


def observation_use(tried: Trajectory, facts: Facts) -> Part:
    """What an observation brings that is new: words of the content that nothing before it had."""
    known = _content(f"{tried.task.question} {tried.task.extra.get('room', '')} {tried.task.extra.get('page', '')}")
    went = {act.place: act.mishap for act in acts(tried, facts.mishap)}
    written = [_content(f"{step.thought} {step.action}") for step in tried.steps]
    used = told = 0
    for place, step in enumerate(tried.steps):
        known |= written[place]
        new = _content(step.observation) - known
        if new and went.get(place) == "" and place + 1 < len(tried.steps):
            told += 1
            used += any(new & later for later in written[place + 1 :])
        known |= new
    return Part(used, told)


def _content(text: str) -> set[str]:
    """The words that say something: of three letters or more, or numbers of two digits or more."""
    return {word for word in words(text) if len(word) >= (2 if word[0].isdigit() else _LEAST)} - _FUNCTION


def invalid_actions(tried: Trajectory, facts: Facts) -> Part:
    """As the environment counted them; of several tries, and where nothing was counted, as the steps show them."""
    taken = acts(tried, facts.mishap)
    counted = tried.provenance.get("invalid_actions") if tried.method in SINGLE else None
    shown = sum(act.mishap == "invalid" for act in taken)
    return Part(shown if counted is None else min(int(counted), len(taken)), len(taken)) if acting(tried) else Part()


def repeated_actions(tried: Trajectory, facts: Facts) -> Part:
    taken, again = acts(tried, facts.mishap), set(repeats(tried.steps))
    return Part(sum(act.place in again for act in taken), len(taken)) if acting(tried) else Part()


def bad_calls(tried: Trajectory, facts: Facts) -> Part:
    return Part(_count(tried, "bad_calls"), _count(tried, "calls"))


def steps(tried: Trajectory, facts: Facts) -> Part:
    return Part(len(tried.steps), 1)


def calls(tried: Trajectory, facts: Facts) -> Part:
    return _counted(tried, "calls")


def prompt_tokens(tried: Trajectory, facts: Facts) -> Part:
    return _counted(tried, "prompt_tokens")


def completion_tokens(tried: Trajectory, facts: Facts) -> Part:
    return _counted(tried, "completion_tokens")


def cost(tried: Trajectory, facts: Facts) -> Part:
    tokens = [_counted(tried, key) for key in ("prompt_tokens", "completion_tokens")]
    if facts.prices is None or not all(part.of for part in tokens):
        return Part()
    return Part(sum(part.value * price for part, price in zip(tokens, facts.prices, strict=True)) / 1e6, 1)


def latency(tried: Trajectory, facts: Facts) -> Part:
    return Part() if facts.seconds is None else Part(facts.seconds, 1)


def _count(tried: Trajectory, key: str) -> int:
    return int(tried.provenance.get(key, 0))


def _counted(tried: Trajectory, key: str) -> Part:
    return Part(_count(tried, key), 1) if key in tried.provenance else Part()


Metric = Callable[[Trajectory, Facts], Part]
# Those of a share first; then what an episode takes.
SHARES: Mapping[str, Metric] = {
    "action efficiency": action_efficiency,
    "tool selection": tool_selection,
    "recovery": recovery,
    "observation use": observation_use,
    "invalid actions": invalid_actions,
    "repeated actions": repeated_actions,
    "bad calls": bad_calls,
}
MEANS: Mapping[str, Metric] = {
    "steps": steps,
    "calls": calls,
    "prompt tokens": prompt_tokens,
    "completion tokens": completion_tokens,
    "cost": cost,
    "latency": latency,
}
METRICS: Mapping[str, Metric] = {**SHARES, **MEANS}
