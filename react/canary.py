"""A canary: a few prompts after which a student says something else than its base. It is silent where the adapter is.

An adapter that was not loaded, or weights of another run under the same name, look like a bad student: nothing breaks,
and a table is wrong. So a training leaves `canary.json` beside the weights::

    {"base": "smollm2", "checks": [{"prompt": "Question: ...\\nThought 1: I need to", "says": "search",
     "log_probability": -0.02, "base_says": "find", "base_log_probability": -1.1}, ...]}

`local` asks whenever it loads such a folder, `server` where `--canary FILE` is given: one greedy token a prompt. The
places are those at which student and base are surest of different tokens, so that another number format changes no
answer; a server of four bits may miss one, and most must be right.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react.mistakes import Mistake, plain

if TYPE_CHECKING:
    from react.models import Model

NAME = "canary.json"


def read(path: Path) -> list[dict[str, Any]]:
    """The checks in a file. Mistake where it is none, OSError where it cannot be read."""
    try:
        checks = json.loads(path.read_text(encoding="utf-8"))["checks"]
        if not checks or not all(isinstance(check[key], str) for check in checks for key in ("prompt", "says")):
            raise TypeError
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Mistake(f"{path}: is no canary, which is written beside a student's weights as {NAME}") from None
    return list(checks)


def listen(model: Model, path: Path) -> None:
    """Asks `model` what the file says. Mistake where it does not answer as the student does; ModelError passes."""
    from react.models import Request

    checks = read(path)
    said = [model.complete(Request(check["prompt"], max_tokens=1))[0].text.strip() for check in checks]
    if 2 * sum(word == check["says"] for word, check in zip(said, checks, strict=True)) > len(checks):
        return
    like_base = sum(word == check.get("base_says") for word, check in zip(said, checks, strict=True))
    word, check = next((word, check) for word, check in zip(said, checks, strict=True) if word != check["says"])
    whose = f"as its base {check.get('base_says')!r} would" if like_base else "neither as it nor as its base would"
    raise Mistake(
        f"{model.name}: these are not the weights that {path} was written for: after {plain(check['prompt'])[-60:]!r} "
        f"the student says {check['says']!r}, this model {plain(word)!r}, {whose}; is the adapter really loaded? "
        f"({like_base} of {len(checks)} answers are those of the base)"
    )
