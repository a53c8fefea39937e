"""What may be asked of an attempt before it is learned from: a rule is a name, and says what in an attempt breaks it.

    correct        the environment gave the full reward
    well_formed    it has steps, none of them empty; no thought holds the header of another turn; neither a thought nor
                   an action holds a mark that chat models begin and end turns with
    valid          the environment understood every action
    unrepeated     no action was done twice to the same effect, no thought alone was thought twice
    clean          the three before it: well_formed, valid, unrepeated
    complete       every turn was whole: nothing asked twice, cut by max_tokens, or read as other words than were
                   written, and none was written before a part of the history alone
    grounded       the answer stands in an observation, or (yes, no, a label, no answer at all) something was observed
    supported      the pages that the data set names as support were opened: a lucky two-way answer did not read both
    steps:N        it has at most N steps
    characters:N   question, steps and observations have at most N characters together

    distinct, uncontaminated   see `screen`: they look at the task alone. Of several attempts at one task that are kept,
                   `distinct` also wants what the model wrote to differ

Rules are tried in the order in which they are named; the first that is broken is the reason. A hinted trajectory that
breaks none must also stand without its hint: see `rationalize.leak`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from bootstrap.rationalize import leak
from react.grounds import grounded, repeats, supported
from react.mistakes import Mistake, choose
from react.trajectory import Trajectory

# What breaks a rule, in words; empty where nothing does.
Test = Callable[[Trajectory], str]

# With its number anywhere, without one where a line or a sentence begins: "the action: ..." are words.
_HEADER = re.compile(
    r"\b(?:thought|action|observation) ?\d+[*_` ]*[:\uff1a]"
    r"|(?:^|[.!?…]\s)[\s*_`#>]*(?:thought|action|observation)[*_` ]*[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
_BOUND = re.compile("0*[1-9][0-9]{0,8}")
_CHAT_MARK = re.compile(r"<\|\w+\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>")


def correct(trajectory: Trajectory) -> str:
    if trajectory.solved and not trajectory.partial:  # how an episode ends at a cap is nothing to learn
        return ""
    ended = "" if trajectory.end == "finished" else f", {trajectory.end.replace('_', ' ')}"
    wanted = f", not {trajectory.task.answer!r}" if trajectory.task.answer else ""
    said = f": {trajectory.answer!r}{wanted}" if trajectory.answer else ""
    return f"reward {trajectory.reward:g}{ended}{said}"


def well_formed(trajectory: Trajectory) -> str:
    if not trajectory.steps:
        return "no steps"
    for number, step in enumerate(trajectory.steps, 1):
        if not (step.thought.strip() or step.action.strip()):
            return f"step {number} is empty"
        if found := _HEADER.search(step.thought) or _CHAT_MARK.search(f"{step.thought}\n{step.action}"):
            return f"step {number} has {found[0].strip()!r} in it"
    return ""


def valid(trajectory: Trajectory) -> str:
    count = trajectory.provenance.get("invalid_actions")
    return f"{count} invalid" if count else ""


def unrepeated(trajectory: Trajectory) -> str:
    steps = trajectory.steps
    return next((f"{steps[i].action or steps[i].thought!r} a second time" for i in repeats(steps)), "")


_COUNTS = {
    "bad_calls": "asked again for an action",
    "cut_calls": "cut by max_tokens",
    "repaired_calls": "read as other words than were written",
    "shortened_calls": "written before a part of the history",
}


def complete(trajectory: Trajectory) -> str:
    return next((f"{n} {told}" for count, told in _COUNTS.items() if (n := trajectory.provenance.get(count))), "")


def _steps(most: int, trajectory: Trajectory) -> str:
    return f"{count} steps" if (count := len(trajectory.steps)) > most else ""


def _characters(most: int, trajectory: Trajectory) -> str:
    parts = [part for step in trajectory.steps for part in (step.thought, step.action, step.observation)]
    count = len(trajectory.task.question) + sum(map(len, parts))
    return f"{count:,} characters" if count > most else ""


RULES: dict[str, Test] = {
    "correct": correct,
    "well_formed": well_formed,
    "valid": valid,
    "unrepeated": unrepeated,
    "complete": complete,
    "grounded": grounded,
    "supported": supported,
}
TOGETHER = {"clean": ("well_formed", "valid", "unrepeated")}
BOUNDS: dict[str, Callable[[int, Trajectory], str]] = {"steps": _steps, "characters": _characters}
OF_TASKS = ("distinct", "uncontaminated")
NAMES = (*RULES, *TOGETHER, *(f"{name}:N" for name in BOUNDS), *OF_TASKS)
DEFAULT = ("correct", "grounded", "clean", "distinct", "uncontaminated")
OBSERVING = ("grounded", "supported")


def spelled_out(rules: Sequence[str]) -> tuple[str, ...]:
    """The single rules that `rules` are, each once. Mistake names one that there is not."""
    for rule in rules:
        name, colon, bound = rule.partition(":")
        if colon and name in BOUNDS and not _BOUND.fullmatch(bound):
            shown = bound if len(bound) <= 30 else f"{bound[:29]}\u2026"
            said = f"{shown!r} is no bound; it must be a whole number from 1 with at most 9 digits, as in {name}:20"
            raise Mistake(f"rule {name!r}: {said}")
        if not (colon and name in BOUNDS):
            choose("rule", rule, NAMES)
    return tuple(dict.fromkeys(one for rule in rules for one in TOGETHER.get(rule, (rule,))))


def broken(trajectory: Trajectory, rules: Sequence[str]) -> tuple[str, str]:
    """The first of `rules` that the trajectory breaks, or what its hint left in it, and how; both empty if none is."""
    for rule, test in _tests(tuple(rules)):
        if found := test(trajectory):
            return rule, found
    if trajectory.provenance.get("hinted") and (found := leak(trajectory)):
        return f"hinted: {found}", f"answer {trajectory.task.answer!r}"
    return "", ""


@lru_cache
def _tests(rules: tuple[str, ...]) -> tuple[tuple[str, Test], ...]:
    named = [rule for rule in spelled_out(rules) if rule not in OF_TASKS]
    return tuple((rule, RULES[rule] if rule in RULES else _bounded(*rule.split(":"))) for rule in named)


def _bounded(name: str, most: str) -> Test:
    return partial(BOUNDS[name], int(most))
