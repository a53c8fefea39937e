"""How far judges agree, and what they found: Cohen's kappa, and the shares of classes by method and outcome."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from eval.failures import CLASSES, LOOP
from eval.page import table
from eval.sheet import Item
from eval.statistics import LEVEL, Estimate, normal, wilson
from react.methods import METHODS

# Judge -> item -> class.
Judgements = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Agreement:
    """Of two judges, on the `n` items that both judged: the share judged alike, and Cohen's kappa (None: undefined)."""

    n: int
    alike: float
    kappa: Estimate | None


def agreement(first: Sequence[str], second: Sequence[str]) -> Agreement:
    """Cohen (1960): kappa = (p_o - p_e) / (1 - p_e), where p_o is the share judged alike and p_e the one by chance.

    Undefined where both gave one and the same class to everything. The interval is of Fleiss, Cohen and Everitt's
    (1969) standard error; where all are judged alike that is 0, and the interval goes down to where Wilson's of the
    share would take kappa. ValueError: not the same number of items, or none.
    """
    n = len(first)
    if n != len(second) or not n:
        raise ValueError(f"{n} and {len(second)} judgements cannot be compared")
    names = sorted({*first, *second})
    joint = {(a, b): 0.0 for a in names for b in names}
    for pair in zip(first, second, strict=True):
        joint[pair] += 1 / n
    rows = {a: first.count(a) / n for a in names}
    columns = {b: second.count(b) / n for b in names}
    alike = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(rows[name] * columns[name] for name in names)
    if len(names) == 1:
        return Agreement(n, alike, None)
    kappa = (alike - chance) / (1 - chance)
    if alike == 1:
        return Agreement(n, alike, Estimate(1.0, (wilson(n, n).low - chance) / (1 - chance), 1.0))
    same = sum(joint[a, a] * ((1 - chance) - (rows[a] + columns[a]) * (1 - alike)) ** 2 for a in names)
    apart = sum(joint[a, b] * (columns[a] + rows[b]) ** 2 for a in names for b in names if a != b)
    variance = same + (1 - alike) ** 2 * apart - (alike * chance - 2 * chance + alike) ** 2
    z = normal(0.5 + LEVEL / 2)
    error = math.sqrt(max(0.0, variance) / n) / (1 - chance) ** 2
    return Agreement(n, alike, Estimate(kappa, max(-1.0, kappa - z * error), min(1.0, kappa + z * error)))


def between(judges: Judgements, among: Collection[str]) -> dict[tuple[str, str], Agreement]:
    """Every two judges, on what of `among` both have a class for. Those with nothing in common are left out."""
    found = {}
    for one, other in combinations(judges, 2):
        shared = sorted(item for item in among if judges[one].get(item) and judges[other].get(item))
        if shared:
            found[one, other] = agreement([judges[one][i] for i in shared], [judges[other][i] for i in shared])
    return found


def classes(items: Sequence[Item], judged: Mapping[str, str]) -> dict[tuple[str, str, str], tuple[int, int]]:
    """For each method, outcome and class: how many items of all that are judged. What has no class is not judged."""
    found: dict[tuple[str, str, str], tuple[int, int]] = {}
    for method in dict.fromkeys(item.method for item in items):
        for outcome, names in CLASSES.items():
            there = [item.id for item in items if (item.method, item.outcome) == (method, outcome)]
            labels = [judged[id] for id in there if judged.get(id)]
            found |= {(method, outcome, name): (labels.count(name), len(labels)) for name in names}
    return found


def told(items: Sequence[Item], judges: Judgements) -> str:
    """Table 2 of each judge, and how far every two agree."""
    parts = []
    for judge, judged in judges.items():
        count = sum(1 for item in items if judged.get(item.id))
        parts += [f"Classes by {judge}, {count} of {len(items)} judged, with 95% intervals:", _table(items, judged)]
    rows = []
    for outcome in CLASSES:
        among = [item.id for item in items if item.outcome == outcome]
        rows += [_row(names, outcome, found) for names, found in between(judges, among).items()]
    if rows:
        parts += ["Agreement (Cohen's kappa):", table(rows)]
    return "\n\n".join(parts)


def _table(items: Sequence[Item], judged: Mapping[str, str]) -> str:
    found = classes(items, judged)
    methods = list(dict.fromkeys(method for method, _, _ in found))
    rows = []
    for outcome, names in CLASSES.items():
        for name in names:
            shares = {METHODS[m].title: _share(*found[m, outcome, name]) for m in methods}
            rows.append({"outcome": outcome, "class": name, **shares})
            if name == LOOP:  # the paper has them as one
                both = {m: [found[m, outcome, one] for one in ("reasoning error", LOOP)] for m in methods}
                shares = {METHODS[m].title: _share(a[0] + b[0], a[1]) for m, (a, b) in both.items()}
                rows.append({"outcome": outcome, "class": "both of these", **shares})
    return table(rows)


def _share(count: int, of: int) -> str:
    if not of:
        return "-"
    share = wilson(count, of)
    return f"{share.value:.0%} [{share.low:.0%}, {share.high:.0%}], {count} of {of}"


def _row(names: tuple[str, str], outcome: str, found: Agreement) -> dict[str, str]:
    kappa = found.kappa
    words = "undefined" if kappa is None else f"{kappa.value:.2f} [{kappa.low:.2f}, {kappa.high:.2f}]"
    return {
        "judges": f"{names[0]}, {names[1]}",
        "outcome": outcome,
        "n": str(found.n),
        "judged alike": f"{found.alike:.0%}",
        "kappa": words,
    }
