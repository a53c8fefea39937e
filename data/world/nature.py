"""Elements, sky, rivers and mountains: entities from mendeleev, ephem and the hand-written tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import ephem  # type: ignore[import-untyped]
import ephem.stars  # type: ignore[import-untyped]
from mendeleev.fetch import fetch_table

from data.world.model import Entity, Fact, dice, number, rows
from data.world.places import the
from data.world.table_earth import MOUNTAINS, RIVERS
from data.world.table_sky import BODIES, CONSTELLATIONS, DISCOVERIES
from data.world.towns import river_of

_ABSOLUTE_ZERO = 273.15
# The heaviest elements are known by single atoms; their melting points are guesses.
_HEAVIEST = 98
# Elements of several forms, or that pass into vapour without melting.
_UNSETTLED = frozenset(["P", "S", "As", "Se", "C", "He", "Sn"])
_COLOURS = {"O": "blue", "B": "blue-white", "A": "white", "F": "yellow-white", "G": "yellow", "K": "orange", "M": "red"}
# Constellations whose brightest star ephem does not name.
_UNSURE = frozenset(["Aquarius", "Libra", "Hercules", "Vela", "Andromeda"])
_ALIASES = {"Agena", "Albereo", "Adara", "Alcaid", "Etamin", "Formalhaut", "Sirrah", "Gienah", "Electra", "Atlas"} | {
    "Maia",
    "Merope",
    "Taygeta",
}


def elements() -> list[Entity]:
    """One entity a chemical element up to californium."""
    found = {symbol: (who, year) for symbol, who, year in rows(DISCOVERIES)}
    heat: dict[int, tuple[float, float]] = {}
    for number_, allotrope, melting, boiling in _columns(
        "phasetransitions", "atomic_number", "allotrope", "melting_point", "boiling_point"
    ):
        if not isinstance(allotrope, str):
            heat[int(number_)] = float(melting), float(boiling)
    made = []
    for row in _columns(
        "elements", "symbol", "name", "atomic_number", "period", "group_id", "atomic_weight", "density"
    ):
        if int(row[2]) <= _HEAVIEST:
            made.append(_element(row, *heat.get(int(row[2]), (math.nan, math.nan)), found))
    made.sort(key=lambda e: e.facts["number"].number)
    return [
        _placed(e, made[i - 1] if i else None, made[i + 1] if i + 1 < len(made) else None) for i, e in enumerate(made)
    ]


def _columns(table: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in fetch_table(table)[list(names)].itertuples(index=False)]


def _element(row: tuple[Any, ...], melting: float, boiling: float, found: dict[str, tuple[str, str]]) -> Entity:
    symbol, given, place, period, group, weight, density = row
    name = {"Aluminum": "Aluminium", "Cesium": "Caesium"}.get(given, str(given))
    facts = {
        "symbol": Fact(symbol),
        "number": Fact(str(place), "", place),
        "period": Fact(str(int(period))),
        "weight": Fact(f"{weight:.1f}", "", weight),
    }
    if not math.isnan(group):
        facts["group"] = Fact(str(int(group)))
    for relation, kelvin in (("melting", melting), ("boiling", boiling)):
        if not math.isnan(kelvin) and symbol not in _UNSETTLED:
            celsius = round(kelvin - _ABSOLUTE_ZERO)
            facts[relation] = Fact(f"{'minus ' if celsius < 0 else ''}{abs(celsius):,}", "", celsius)
    if density > 0.1:
        facts["density"] = Fact(f"{density:.2f}", "", density)
    if symbol in found:
        who, year = found[symbol]
        facts |= {"discoverer": Fact(who, f"person:{who}"), "year": Fact(year, "", float(year))}
    return Entity(f"element:{name}", name, "element", facts, (symbol,) if len(symbol) == 2 else ())


def _placed(e: Entity, before: Entity | None, after: Entity | None) -> Entity:
    facts = dict(e.facts)
    if before:
        facts["before"] = Fact(before.name.lower(), before.key)
    if after:
        facts["after"] = Fact(after.name.lower(), after.key)
    return Entity(e.key, e.name, e.label, facts, e.aliases)


def sky() -> list[Entity]:
    """Constellations and named stars."""
    areas, beside, lean = _survey()
    found = {name: Fact(name, f"constellation:{name}") for name, *_ in rows(CONSTELLATIONS)}
    stars = [_star(name, found) for name in sorted(ephem.stars.stars) if name not in _ALIASES]
    brightest: dict[str, Entity] = {}
    for star in stars:
        home = star.facts["constellation"].value
        if home not in brightest or star.facts["magnitude"].number < brightest[home].facts["magnitude"].number:
            brightest[home] = star
    made = []
    for name, figure, maker, short in rows(CONSTELLATIONS):
        facts = {"figure": Fact(figure), "short": Fact(short)}
        if lean[name]:
            facts["half"] = Fact(lean[name])
        if smaller := [n for n in sorted(areas) if 0.4 * areas[name] < areas[n] < 0.8 * areas[name]]:
            facts["less"] = Fact(dice("larger", name).choice(smaller))
        if maker == "Ptolemy":
            facts["ancient"] = Fact("yes")
        facts["maker"] = Fact(maker, "" if maker == "Ptolemy" else f"person:{maker}")
        near = [n for n, _ in beside[name].most_common(2)]
        facts["beside"] = Fact(f"{near[0]} and {near[1]}")
        facts["first_near"] = Fact(near[0], f"constellation:{near[0]}")
        if name in brightest and name not in _UNSURE:
            facts["star"] = Fact(brightest[name].name, brightest[name].key)
        made.append(Entity(f"constellation:{name}", name, "constellation", facts, (short,)))
    return made + stars


def _survey() -> tuple[Counter[str], dict[str, Counter[str]], dict[str, str]]:
    """The sky on a grid of two degrees: the size, the borders and the side of each constellation."""
    grid: dict[tuple[int, int], str] = {}
    for dec in range(-89, 90, 2):
        for ra in range(0, 360, 2):
            grid[ra, dec] = _spelt(ephem.constellation((math.radians(ra), math.radians(dec)))[1])
    areas: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for (ra, dec), name in sorted(grid.items()):
        areas[name] += round(1000 * math.cos(math.radians(dec)))
        for other in (grid[(ra + 2) % 360, dec], grid.get((ra, dec + 2), name)):
            if other != name:
                beside[name][other] += 1
                beside[other][name] += 1
    north = Counter(name for (_, dec), name in grid.items() if dec > 0)
    cells = Counter(grid.values())
    sides = {
        name: "northern" if north[name] > 0.7 * n else "southern" if north[name] < 0.3 * n else ""
        for name, n in cells.items()
    }
    return areas, beside, sides


def _spelt(constellation: str) -> str:
    return {"Bootes": "Boötes", "Serpens Caput": "Serpens", "Serpens Cauda": "Serpens"}.get(
        constellation, constellation
    )


def _star(name: str, found: dict[str, Fact]) -> Entity:
    star = ephem.star(name)
    star.compute("2000/1/1", epoch="2000")
    facts = {
        "constellation": found[_spelt(ephem.constellation(star)[1])],
        "magnitude": Fact(f"{star.mag:.2f}".replace("-", "minus "), "", star.mag),
    }
    if (kind := star._spect) and kind[0] in _COLOURS:
        facts |= {"spectrum": Fact(kind), "colour": Fact(_COLOURS[kind[0]])}
    facts["half"] = Fact("northern" if star.dec > 0 else "southern")
    return Entity(f"star:{name}", name, "star", facts)


def bodies() -> list[Entity]:
    """Planets, moons and the first asteroids."""
    keys = {name.partition(" (")[0]: name for name, *_ in rows(BODIES)}
    made = []
    for name, kind, home, who, year, size in rows(BODIES):
        facts = {"kind": Fact(kind), "size": Fact(size, "", number(size))}
        facts["home"] = Fact(home, f"body:{keys[home]}" if home in keys else "")
        if who:
            facts |= {"discoverer": Fact(who, f"person:{who}"), "year": Fact(year, "", float(year))}
        made.append(Entity(f"body:{name}", name.partition(" (")[0], kind, facts))
    return made


def rivers(nations: dict[str, str]) -> list[Entity]:
    """Rivers; `nations` gives the key of a country by its name."""
    known = {name for name, *_ in rows(RIVERS)}
    on: dict[str, list[str]] = defaultdict(list)
    for (town, _), river in sorted(river_of().items()):
        on[river].append(town)
    made = []
    for name, mouth, length, nation in rows(RIVERS):
        into = next((r for r in (mouth.removeprefix("the "),) if r in known), "")
        facts = {"mouth": Fact(mouth, f"river:{into}" if into else ""), "length": Fact(length, "", number(length))}
        if nation in nations:
            facts["country"] = Fact(the(nation), nations[nation])
        if len(on[name]) >= 2:
            facts["cities"] = Fact(f"{on[name][0]} and {on[name][-1]}")
        if len(on[name]) >= 1:
            facts["city"] = Fact(on[name][0])
        shown = name.partition(" (")[0]
        label = name.partition(" (")[2].rstrip(")") or "river"
        aliases = (f"{shown} River",) if "River" not in shown and "Rio" not in shown else ()
        made.append(Entity(f"river:{name}", shown, label, facts, aliases))
    return made


def mountains(nations: dict[str, str]) -> list[Entity]:
    """Mountains; `nations` gives the key of a country by its name."""
    made = []
    for name, height, nation, around, year in rows(MOUNTAINS):
        facts = {"height": Fact(height, "", number(height))}
        if nation in nations:
            facts["country"] = Fact(the(nation), nations[nation])
        if around:
            facts["range"] = Fact(around)
        if year:
            facts["ascent"] = Fact(year, "", float(year))
        aliases = (name.removeprefix("Mount "),) if name.startswith("Mount ") else ()
        made.append(Entity(f"mountain:{name}", name, "mountain", facts, aliases))
    return made
