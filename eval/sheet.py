"""A stratified sample of trajectories for people to judge, as one page that needs no network; and what they judged.

`sheet.json` holds what each item is, and the first opinion on it; `index.html` shows the items without that, without
the model and without the run, in an order of its own.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval.failures import CLASSES, opinion, outcome
from eval.policy import policy
from eval.rates import Played, mishap_of
from react.mistakes import Mistake
from react.trajectory import Step, Trajectory, to_json

_PAGE = Path(__file__).with_name("sheet.html")
AUTOMATIC = "first opinion"


@dataclass(frozen=True)
class Item:
    """One trajectory of the sheet, with what the page does not show: `run`, `model`, and the first opinion on it."""

    id: str
    run: str
    model: str
    method: str
    outcome: str
    question: str
    gold: str
    answer: str
    end: str
    reward: float
    steps: tuple[Step, ...]
    label: str
    step: int
    reason: str


_SHOWN = ("id", "outcome", "question", "gold", "answer", "end", "reward", "steps")


@dataclass(frozen=True)
class Sheet:
    """The items in the order in which they are shown. `fingerprint` changes with anything that is shown."""

    items: tuple[Item, ...]

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(_json([_shown(item) for item in self.items]).encode()).hexdigest()[:16]

    @property
    def opinions(self) -> dict[str, str]:
        """The first opinions, as a judge's."""
        return {item.id: item.label for item in self.items}


def sample(runs: Sequence[Played], each: int, seed: int) -> Sheet:
    """At most `each` trajectories of every method and outcome, drawn at random from all runs of that method.

    Mistake where two runs have one name, or nothing was tried.
    """
    names = [run.name for run in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Mistake(f"two runs are called {twice[0]!r}; a name is how the sheet knows a run")
    if not any(run.tried for run in runs):
        raise Mistake("the runs have no finished episode to judge")
    strata: dict[tuple[str, str], list[tuple[Played, Trajectory]]] = {}
    for run in runs:
        for tried in run.tried:
            strata.setdefault((run.method, outcome(tried)), []).append((run, tried))
    drawer = random.Random(seed)
    items = []
    for _, there in sorted(strata.items()):
        items += [_item(run, tried) for run, tried in drawer.sample(there, min(each, len(there)))]
    drawer.shuffle(items)
    return Sheet(tuple(items))


def _item(run: Played, tried: Trajectory) -> Item:
    found = opinion(tried, mishap_of(run.environment))
    id = hashlib.sha256(f"{run.name}\n{to_json(tried)}".encode()).hexdigest()[:12]
    task = tried.task
    shown = (task.question, task.answer, tried.answer, tried.end, tried.reward, tried.steps)
    return Item(id, run.name, tried.model, run.method, outcome(tried), *shown, found.label, found.step, found.reason)


def write(folder: Path, sheet: Sheet) -> None:
    """`sheet.json` and `index.html`."""
    folder.mkdir(parents=True, exist_ok=True)
    said = {"fingerprint": sheet.fingerprint, "items": [asdict(item) for item in sheet.items]}
    (folder / "sheet.json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(page(sheet), encoding="utf-8")


def page(sheet: Sheet) -> str:
    """The page. What models and pages wrote is data in it, and becomes text: no letter of it can be markup."""
    data = {"sheet": sheet.fingerprint, "classes": CLASSES, "items": [_shown(item) for item in sheet.items]}
    template = _PAGE.read_text(encoding="utf-8")
    allowed = policy(*(_inside(template, tag) for tag in ("script", "style")))
    return template.replace("{POLICY}", allowed, 1).replace("{DATA}", _inert(_json(data)), 1)


def _inside(template: str, tag: str) -> str:
    """The one script, or style, of the page; its data are in a script with attributes."""
    return template.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def _inert(text: str) -> str:
    """JSON that ends no element and begins none."""
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _shown(item: Item) -> dict[str, Any]:
    said = asdict(item)
    return {name: said[name] for name in _SHOWN}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


def read(path: Path) -> Sheet:
    """The sheet of a `sheet.json`. Mistake where it is none, or was changed."""
    said = _object(path)
    try:
        items = [{**item, "steps": tuple(Step(**step) for step in item["steps"])} for item in said["items"]]
        sheet = Sheet(tuple(Item(**item) for item in items))
        same = said["fingerprint"] == sheet.fingerprint
    except (KeyError, TypeError, ValueError) as error:
        raise Mistake(f"{path}: is no sheet.json of `python -m eval.judge sheet`: {error}") from None
    if not same:
        raise Mistake(f"{path}: was changed since it was written; make the sheet again")
    return sheet


def read_judgements(path: Path, sheet: Sheet) -> tuple[str, dict[str, str]]:
    """The name of a judge, and a class for each item that was judged. Mistake where they are not of this sheet."""
    said = _object(path)
    if said.get("sheet") != sheet.fingerprint:
        raise Mistake(f"{path}: judges another sheet ({said.get('sheet')!r}, not {sheet.fingerprint!r})")
    outcomes = {item.id: item.outcome for item in sheet.items}
    judged = said.get("judgements")
    if not isinstance(judged, dict):
        raise Mistake(f"{path}: `judgements` is {judged!r}; it must be a JSON object")
    found = {}
    for id, one in judged.items():
        label = one.get("class") if isinstance(one, dict) else None
        if id not in outcomes:
            raise Mistake(f"{path}: the sheet has no item {id!r}")
        if label not in ("", None, *CLASSES[outcomes[id]]):
            known = ", ".join(CLASSES[outcomes[id]])
            raise Mistake(f"{path}: {id}: {label!r} is no class of a {outcomes[id]}; there are: {known}")
        if label:
            found[id] = str(label)
    return str(said.get("judge") or path.stem), found


def judgements(sheet: Sheet, judge: str, judged: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """What a judge said, as the page writes it: a class and a note for each item."""
    said = {id: {"class": label, "note": note} for id, (label, note) in judged.items()}
    return {"sheet": sheet.fingerprint, "judge": judge, "judgements": said}


def _object(path: Path) -> dict[str, Any]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Mistake(f"{path}: cannot be read: {error}") from None
    if not isinstance(said, dict):
        raise Mistake(f"{path}: must hold a JSON object, not {type(said).__name__}")
    return said
