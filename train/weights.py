"""What of a row is trained, and how much: a weight for each kind of token.

One row, by the kinds of its tokens; `start` and `end` are the tokenizer's own BOS and EOS::

                                                        whole   without_observations   actions_only
    <s>                                 start            -              -                  -
    Question: Which river ...?          task             -              -                  -
    Thought 1:                          cue              1              -                  -
     I need to search ...               thought          1              1                  -
    Action 1: Search[Vaal]              action           1              1                  1
    Observation 1:                      stop             1              1                  1
     The Vaal is a river ...            observation      1              -                  -
    Thought 2:                          cue              1              -                  -
     ... Action 2: Finish[Orange]       thought, action
    </s>                                end              1              1                  1

`whole` is the paper's loss, over everything that follows the task (appendix B.1: thoughts, actions and observations).
The other two train what the model itself writes at run time, and none of what it is given. The stop and the end are
trained in each: a student that has not learnt to end its turn runs on into an observation of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from react.mistakes import Mistake, choose

KINDS = ("cue", "thought", "action", "stop", "observation", "end")
LOSSES = {
    "whole": dict.fromkeys(KINDS, 1.0),
    "without_observations": dict.fromkeys(("thought", "action", "stop", "end"), 1.0),
    "actions_only": dict.fromkeys(("action", "stop", "end"), 1.0),
}
IGNORED = -100  # what torch's cross entropy passes over


def resolve(loss: str, changes: Mapping[str, Any]) -> dict[str, float]:
    """The weight of each kind that is trained: those of `loss`, with `changes`. Mistake says which is none."""
    weights = {**LOSSES[choose("loss", loss, list(LOSSES))]}
    for kind, weight in changes.items():
        choose("kind in weights", kind, KINDS)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise Mistake(f"weights: {kind} is {weight!r}; it must be a number, 0 or more")
        weights[kind] = float(weight)
    if not (weights["stop"] and weights["end"]):
        raise Mistake("weights: stop and end must be more than 0, or a student does not learn to end its turn")
    return {kind: weight for kind, weight in weights.items() if weight}
