"""Why a trajectory succeeded or failed: a first opinion, from the record alone, in the classes of the paper's table 2.

| outcome | class               | digit |
|---------|---------------------|-------|
| success | true positive       | 1     | the answer is right, and so are its reasons and facts
|         | false positive      | 2     | the answer is right; reasons or facts are made up, or were never looked at
| failure | reasoning error     | 1     | what was needed was read, or was never gone for; a wrong conclusion
|         | loop                | 2     | a reasoning error, which the paper counts among them: the same again and again
|         | search result error | 3     | searches brought nothing, or nothing that helps
|         | hallucination       | 4     | facts that were read nowhere
|         | label ambiguity     | 5     | right, in other words than the label's

An opinion is for people to overrule (`eval.judge`): it sees words, not their meaning. How it is formed, and what it has
no opinion on, is said in `docs/metrics.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eval.measures import Act, acting, acts, established, needed
from react.grounds import LABELS, brought, grounded, is_verdict, observed, repeats, supported
from react.trajectory import Trajectory
from react.wording import fold, holds, words

SUCCESS = ("true positive", "false positive")
FAILURE = ("reasoning error", "loop", "search result error", "hallucination", "label ambiguity")
CLASSES = {"success": SUCCESS, "failure": FAILURE}
LOOP = "loop"
_AGAIN = 3  # so often the same is a loop
# A proper name that begins no sentence, or a number of two digits and more.
_NAMED = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'\u2019-]+|\b\d[\d.,]*\d\b", re.MULTILINE)
_POSSESSIVE = re.compile("['\u2019]s?$")
_ARTICLES = {"a", "an", "the"}
_CAPITAL = re.compile(r"\b(?:[A-Z]\w*|\d+)")


@dataclass(frozen=True)
class Opinion:
    """A class of table 2, empty for no opinion; the step that shows it (from 1; 0: none alone), and the reason."""

    label: str
    step: int
    reason: str


def outcome(tried: Trajectory) -> str:
    """`success` or `failure`, as the environment judged."""
    return "success" if tried.solved else "failure"


def opinion(tried: Trajectory, mishap: Callable[[str], str]) -> Opinion:
    """The first opinion on a trajectory that the infrastructure did not fail."""
    if not tried.task.answer:
        return _of_a_game(tried)
    if not acting(tried):
        return _of_a_thought(tried)
    return _of_a_success(tried) if tried.solved else _of_a_failure(tried, acts(tried, mishap))


def _of_a_game(tried: Trajectory) -> Opinion:
    """Of a household or a shop: what was done is a fact, and nothing is claimed."""
    if tried.solved:
        return Opinion("true positive", len(tried.steps), "the environment saw it done")
    return _loop(tried) or Opinion("reasoning error", 0, f"it ended {_ended(tried)} with reward {tried.reward:g}")


def _of_a_thought(tried: Trajectory) -> Opinion:
    """Of a method that looks at nothing: all facts are from memory, and the record cannot check them."""
    thought = "\n".join(step.thought for step in tried.steps).strip()
    if not tried.solved and (loose := ambiguity(tried)):
        return Opinion("label ambiguity", len(tried.steps), loose)
    if not thought:
        return Opinion("", 0, "there is no reasoning to judge")
    if tried.solved:
        fits = is_verdict(tried.answer) or holds(thought, tried.answer)
        said = "comes to" if fits else "does not come to"
        return Opinion(SUCCESS[not fits], 1, f"the reasoning {said} {tried.answer!r}; its facts are unchecked")
    if repeated := _repeated_sentence(thought):
        return Opinion(LOOP, 1, f"{repeated!r} stands {_AGAIN} times or more")
    if made_up := _names(thought, tried.task.question):
        return Opinion("hallucination", 1, f"facts from memory led to a wrong answer: {_listed(made_up)}")
    return Opinion("reasoning error", 1, f"it comes to {tried.answer!r} without a fact of its own")


def _of_a_success(tried: Trajectory) -> Opinion:
    last = len(tried.steps)
    if missing := grounded(tried) or _unsupported(tried):
        return Opinion("false positive", last, missing)
    if made_up := _unread(tried):
        return Opinion("false positive", last, f"the last thought names what was read nowhere: {_listed(made_up)}")
    return Opinion("true positive", _shown_at(tried) or last, "what was read bears the answer")


def _unsupported(tried: Trajectory) -> str:
    """A verdict, or an answer of the question itself, was right without its pages: half of such guesses are."""
    closed = is_verdict(tried.task.answer) or holds(tried.task.question, tried.task.answer)
    return supported(tried) if closed else ""


def _of_a_failure(tried: Trajectory, taken: Sequence[Act]) -> Opinion:
    last = len(tried.steps)
    if loose := ambiguity(tried):
        return Opinion("label ambiguity", last, loose)
    if found := _loop(tried):
        return found
    looked = [act for act in taken if not act.last]
    if looked and all(act.mishap == "invalid" for act in looked):
        return Opinion("reasoning error", looked[0].place + 1, "no action was one that the environment understands")
    if not looked:
        wrong = "hallucination" if tried.answer.strip() else "reasoning error"
        return Opinion(wrong, last, f"{_handed_in(tried)}, and nothing was looked at")
    if not established(tried.task, observed(tried), set(tried.provenance.get("pages") or ())):
        return _unfound(tried, looked)
    if made_up := "" if is_verdict(tried.answer) or not tried.answer.strip() else grounded(tried):
        return Opinion("hallucination", last, made_up)
    if unread := _unread(tried):
        return Opinion("hallucination", last, f"the last thought names what was read nowhere: {_listed(unread)}")
    read = f"step {step} brought {tried.task.answer!r}" if (step := _shown_at(tried)) else "all that it takes was read"
    return Opinion("reasoning error", last, f"{read}, and {_handed_in(tried)}")


def _unfound(tried: Trajectory, looked: Sequence[Act]) -> Opinion:
    failed = [act for act in looked if act.mishap]
    place = (failed or looked)[-1].place + 1
    closed = is_verdict(tried.task.answer) or holds(tried.task.question, tried.task.answer)
    missing = supported(tried) if closed and needed(tried.task) else f"no observation holds {tried.task.answer!r}"
    return Opinion("search result error", place, f"{missing}; {len(failed)} of {len(looked)} actions brought nothing")


def _loop(tried: Trajectory) -> Opinion | None:
    """Its last turn was done before, where it ran out of steps; or one turn, or thought, stands three times."""
    again = repeats(tried.steps)
    if tried.end != "finished" and again and again[-1] == len(tried.steps) - 1:
        return Opinion(LOOP, again[0] + 1, f"it ended {_ended(tried)} in what it had done before")
    turns = [f"{step.action}\n{step.observation}" if step.action else "" for step in tried.steps]
    thoughts = [" ".join(words(step.thought)) for step in tried.steps]
    for place in range(len(tried.steps)):
        for what, said in (("turn", turns), ("thought", thoughts)):
            if said[place] and said[: place + 1].count(said[place]) == _AGAIN:
                return Opinion(LOOP, place + 1, f"the same {what} for the third time")
    return None


def _repeated_sentence(thought: str) -> str:
    sentences = [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n", thought) if one.strip()]
    return next((one for one in sentences if sentences.count(one) >= _AGAIN), "")


def ambiguity(tried: Trajectory) -> str:
    """How a wrong answer is right all the same; empty where it is not, as far as its words show.

    The same words (of any case, order, accents, with numbers in words or digits), the label within the answer,
    half of the label or more, one the initials of the other, or an alias that the data set names.
    """
    answer, gold = tried.answer, tried.task.answer
    if not words(answer) or not words(gold):
        return ""
    if is_verdict(gold):
        label = " ".join(words(gold)) in LABELS
        same = words(answer)[0] == words(gold)[0] or (label and _stems_meet(answer, gold))
        return f"{answer!r} says {gold!r} in other words" if same and not is_verdict(answer) else ""
    if sorted(words(answer)) == sorted(words(gold)):
        return f"{answer!r} has the words of {gold!r}"
    if holds(answer, gold):
        return f"{answer!r} holds {gold!r}"
    if holds(gold, answer) and not is_verdict(answer) and 2 * len(words(answer)) >= len(words(gold)):
        return f"{answer!r} is at least half of {gold!r}"
    if _initials(answer, gold) or _initials(gold, answer):
        return f"one of {answer!r} and {gold!r} are the initials of the other"
    aliases = tried.task.extra.get("aliases")
    known = [one for one in aliases if isinstance(one, str)] if isinstance(aliases, list) else []
    return next((f"{answer!r} is an alias: {one!r}" for one in known if words(one) == words(answer)), "")


def _stems_meet(answer: str, gold: str) -> bool:
    """Such as `supported` and SUPPORTS."""
    one, other = fold(answer).strip(), fold(gold).strip()
    return one[:6] == other[:6]


def _initials(short: str, long: str) -> bool:
    letters = re.sub(r"[\W_]+", "", short)
    found = "".join(word if word.isdigit() else word[0] for word in _CAPITAL.findall(long))
    return len(letters) > 1 and letters.isupper() and letters == found


def _unread(tried: Trajectory) -> list[str]:
    """What the last thought names that neither the question nor anything that was read has."""
    pages = " . ".join(map(str, tried.provenance.get("pages") or ()))
    read = "\n".join((tried.task.question, pages, observed(tried)))
    return _names(tried.steps[-1].thought, read) if tried.steps else []


def _names(text: str, known: str) -> list[str]:
    found = (_POSSESSIVE.sub("", name) for name in _NAMED.findall(text))
    return list(dict.fromkeys(name for name in found if {*words(name)} - _ARTICLES and not holds(known, name)))


def _shown_at(tried: Trajectory) -> int:
    """The first step (from 1) that brought the answer; 0 where none did."""
    answer = tried.task.answer
    return next((i for i, step in enumerate(tried.steps, 1) if holds(brought(step), answer)), 0)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more


def _handed_in(tried: Trajectory) -> str:
    return f"{tried.answer!r} was handed in" if tried.answer.strip() else "nothing was handed in"


def _ended(tried: Trajectory) -> str:
    return tried.end.replace("_", " ")
