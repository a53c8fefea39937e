"""The whole encyclopedia: gathers the entities, leaves some facts out, ties them together, and writes the pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace

from data.world import culture, nature, places, towns
from data.world.articles import a, article, said, surname, write
from data.world.model import Entity, Fact, World, dice, rows
from data.world.table_earth import STATES

# How often a fact is left out: what the encyclopedia does not say is what a claim has NOT ENOUGH INFO about.
_LEFT_OUT = {
    "city": {"people": 0.15, "near": 0.12, "far": 0.1, "zone": 0.2, "latitude": 0.3},
    "country": {"currency": 0.12, "language": 0.12, "calling": 0.25, "domain": 0.25, "area": 0.2, "people": 0.3},
    "state": {"year": 0.2, "nickname": 0.2, "counties": 0.25, "largest": 0.2},
    "county": {"fips": 0.25, "zone": 0.2, "far": 0.2},
    "airport": {"height": 0.25, "icao": 0.3, "far": 0.3, "zone": 0.25},
    "person": {"birthplace": 0.12, "born": 0.2, "died": 0.0},
    "work": {"year": 0.2, "peer": 0.2, "hero": 0.2},
    "element": {"melting": 0.25, "boiling": 0.3, "density": 0.3, "year": 0.2, "weight": 0.3},
    "constellation": {"maker": 0.25, "star": 0.1, "short": 0.2},
    "star": {"magnitude": 0.25, "spectrum": 0.3, "colour": 0.25},
    "body": {"size": 0.25, "year": 0.2},
    "river": {"length": 0.25},
    "mountain": {"height": 0.2, "ascent": 0.2, "range": 0.1},
}
# Where a ratio means nothing: by how much less (or, for the magnitudes of stars, more) the other must be.
_STEPS = {"star": (0.3, 1.0), "county": (0.5, 4.0)}
# Articles of fewer sentences are left out; three are the least for any.
_SHORTEST = {"city": 4, "airport": 4}
# What to compare a thing by, and from what ratio or difference on the comparison is beyond doubt.
_MEASURES = {
    "city": "people",
    "county": "north",
    "airport": "height",
    "body": "size",
    "river": "length",
    "mountain": "height",
    "star": "magnitude",
}


def build(seed: int) -> World:
    """The encyclopedia of a seed."""
    entities = {e.key: _thinned(e, seed) for e in _gather(seed)}
    entities = {key: entity for key, entity in entities.items() if _needed(entity)}
    _hide_peers(entities)
    _tie(entities, seed)
    entities = {key: e for key, e in entities.items() if len(article(e, seed)[0]) >= _SHORTEST.get(e.topic, 3)}
    told = [replace(e, facts=_without_strangers(e, entities)) for e in entities.values()]
    return write(sorted(told, key=lambda e: e.key), seed)


def _gather(seed: int) -> list[Entity]:
    country_rows = places.country_rows()
    all_towns, codes = towns.all_towns(), towns.state_codes()
    seats = {code: f"city:{row['capital']},{code}" for code, row in country_rows.items()}
    wanted = (
        culture.places_wanted() | set(towns.river_of()) | {(row["capital"], code) for code, row in country_rows.items()}
    )
    seats |= {codes[s[0]]: f"city:{towns.spelt(s[1])},{codes[s[0]]}" for s in rows(STATES)}
    wanted |= {tuple(key[5:].rsplit(",", 1)) for key in seats.values()}  # type: ignore[misc]
    wanted = {place for place in wanted if place[1][:2] in {*country_rows, "US"}}
    chosen = towns.select(all_towns, wanted, country_rows)
    by_key = {town.key: town for town in chosen}
    seats = {region: key for region, key in seats.items() if key in by_key}
    names = {region: name for name, region in codes.items()}
    nations = places.countries(country_rows, seats)
    by_code = {n.key[8:]: n for n in nations}
    by_name = {n.name: n.key for n in nations}
    return [
        *nations,
        *places.currencies(nations),
        *places.languages(nations),
        *towns.cities(chosen, by_code, names, seats),
        *towns.states(chosen, codes),
        *towns.airports(chosen, seed, 360),
        *culture.counties(by_key, names, seats),
        *culture.people(),
        *culture.works(),
        *nature.elements(),
        *nature.sky(),
        *nature.bodies(),
        *nature.rivers(by_name),
        *nature.mountains(by_name),
    ]


def _needed(entity: Entity) -> bool:
    """Whether enough is known for an article."""
    return entity.topic not in ("mountain", "city") or "country" in entity.facts or "state" in entity.facts


def _thinned(entity: Entity, seed: int) -> Entity:
    chance = dice(seed, "left out", entity.key)
    rates = _LEFT_OUT.get(entity.topic, {})
    kept = {r: f for r, f in entity.facts.items() if chance.random() >= rates.get(r, 0.0)}
    return replace(entity, facts=kept)


def _hide_peers(entities: dict[str, Entity]) -> None:
    """Forgets that two are of the same year where the year of one is left out: the other's would tell it."""
    for key, entity in list(entities.items()):
        peer, measure = entity.facts.get("peer"), "born" if entity.topic == "person" else "year"
        if peer and not (measure in entity.facts and measure in entities[peer.target].facts):
            entities[key] = replace(entity, facts={r: f for r, f in entity.facts.items() if r != "peer"})


def _without_strangers(entity: Entity, entities: Mapping[str, Entity]) -> dict[str, Fact]:
    """The facts, with targets that have no article taken away."""
    return {r: f if f.target in entities else replace(f, target="") for r, f in entity.facts.items()}


def _tie(entities: dict[str, Entity], seed: int) -> None:
    """Adds what follows from other entities: who was born where, who made what, which is larger."""
    extra: dict[str, dict[str, Fact]] = defaultdict(dict)
    everything = list(entities.values())
    dice(seed, "ties").shuffle(everything)
    for e in everything:
        if e.topic == "person" and "birthplace" in e.facts:
            _note(extra, e.facts["birthplace"].target, native=e, native_role=e.facts["role"])
        elif e.topic == "work":
            _made(extra, e, "work", e.facts["author"].target)
            if "place" in e.facts:
                _note(extra, e.facts["place"].target, picture=e)
        elif e.topic in ("element", "body") and "discoverer" in e.facts:
            _made(extra, e, "found", e.facts["discoverer"].target)
        elif e.topic == "airport":
            if "only" in e.facts:
                _note(extra, e.facts["city"].target, airport=e)
        elif e.topic == "county":
            _note(extra, e.facts["city"].target, county=e)
        elif e.topic == "mountain":
            _note(extra, e.facts["country"].target, peak=e)
        elif e.topic == "river" and e.facts["mouth"].target:
            _note(extra, e.facts["mouth"].target, feeder=e)
    natives = Counter(
        e.facts["birthplace"].target for e in everything if e.topic == "person" and "birthplace" in e.facts
    )
    for key in natives:
        extra[key]["native"] = replace(extra[key]["native"], number=natives[key])
    _compare(everything, extra, seed)
    _describe(entities, extra, seed)
    for key, facts in extra.items():
        if key in entities:
            entities[key] = replace(entities[key], facts={**entities[key].facts, **facts})


def _note(extra: dict[str, dict[str, Fact]], key: str, **facts: Entity | Fact) -> None:
    if next(iter(facts)) not in extra[key]:
        extra[key] |= {r: f if isinstance(f, Fact) else Fact(f.name, f.key) for r, f in facts.items()}


def _made(extra: dict[str, dict[str, Fact]], e: Entity, verb: str, maker: str) -> None:
    """The first work or discovery of a person is named alone, the next ones with their years."""
    kind = e.facts["kind"] if "kind" in e.facts else Fact("element")
    place = next((p for p in ("", "2", "3") if f"{verb}{p}" not in extra[maker]), "")
    if f"{verb}{place}" in extra[maker] or (place and "year" not in e.facts):
        return
    facts = {f"{verb}{place}": Fact(said(e), e.key), f"{verb}{place}_kind": kind}
    if place:
        facts[f"{verb}{place}_year"] = e.facts["year"]
    extra[maker] |= facts


def _compare(everything: list[Entity], extra: dict[str, dict[str, Fact]], seed: int) -> None:
    """Each thing of a measured topic is set beside one that is plainly smaller (or, for stars, fainter)."""
    for topic, measure in _MEASURES.items():
        measured = [e for e in everything if e.topic == topic and measure in e.facts]
        for e in measured:
            size = e.facts[measure].number
            if topic in _STEPS:
                low, high = _STEPS[topic]
                lesser = [
                    o
                    for o in measured
                    if low < abs(o.facts[measure].number - size) < high and _below(topic, o, e, measure)
                ]
            else:
                lesser = [o for o in measured if 0.5 * size < o.facts[measure].number < 0.9 * size]
            if lesser:
                other = dice(seed, "less", e.key).choice(lesser)
                extra[e.key]["less"] = Fact(other.name, other.key)


def _below(topic: str, other: Entity, e: Entity, measure: str) -> bool:
    return (other.facts[measure].number < e.facts[measure].number) != (topic == "star")


def _describe(entities: Mapping[str, Entity], extra: dict[str, dict[str, Fact]], seed: int) -> None:
    works = [e for e in entities.values() if e.topic == "work" and "year" in e.facts]
    by_author: dict[str, list[Entity]] = defaultdict(list)
    by_finder: dict[str, list[Entity]] = defaultdict(list)
    for e in entities.values():
        if e.topic == "mountain" and "region" in entities.get(e.facts["country"].target, e).facts:
            extra[e.key]["region"] = entities[e.facts["country"].target].facts["region"]
        if e.topic == "person" and {"born", "died"} <= set(e.facts):
            extra[e.key]["years"] = Fact(f"{e.facts['died'].number - e.facts['born'].number:.0f}")
        if e.topic == "work":
            by_author[e.facts["author"].target].append(e)
        if e.topic == "body" and "discoverer" in e.facts:
            by_finder[e.facts["discoverer"].target].append(e)
    for author, made in by_author.items():
        for i, work in enumerate(made):
            born = entities[author].facts.get("born")
            if (
                born
                and "year" in work.facts
                and work.facts["year"].number <= entities[author].facts.get("died", Fact("", "", 3000)).number
            ):
                extra[work.key]["age"] = Fact(f"{work.facts['year'].number - born.number:.0f}")
            writer = entities[author].facts
            extra[work.key] |= {
                "author_nation": Fact(a(writer["nation"].value)),
                "author_role": writer["role"],
                "author_short": Fact(surname(entities[author].name)),
            }
            if "year" in work.facts:
                later = [
                    w
                    for w in works
                    if 3 < w.facts["year"].number - work.facts["year"].number < 40
                    and w.facts["author"] != work.facts["author"]
                ]
                if later:
                    other = dice(seed, "later", work.key).choice(later)
                    extra[work.key] |= {"before": Fact(other.name, other.key), "before_kind": other.facts["kind"]}
            if len(made) > 1:
                other = made[(i + 1) % len(made)]
                extra[work.key] |= {"other": Fact(other.name, other.key), "other_kind": other.facts["kind"]}
    for made in by_finder.values():
        for i, body in enumerate(made):
            if len(made) > 1:
                extra[body.key]["sibling"] = Fact(made[(i + 1) % len(made)].name, made[(i + 1) % len(made)].key)
