"""How articles say things: for each topic the ways to define it, what a search shows, and what takes a lookup.

A slot lists alternatives, each with the relations that it needs; the first whose relations are known is used.
One marked `?` must be known but is not told.
In wordings {T} and {t} are the name (at the start and within a sentence), {S} and {s} a subject that stands for it,
{P} and {p} its possessive, {o} the same thing as an object; everything else is a relation.
"""

from __future__ import annotations

from dataclasses import dataclass

Slot = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Layout:
    """The slots of a topic, and the noun that may stand for its entities."""

    noun: str
    definition: Slot
    head: tuple[Slot, ...]
    tail: tuple[Slot, ...] = ()


def slot(relations: str, *wordings: str) -> Slot:
    return ((relations, wordings),)


CITY = Layout(
    "city",
    (
        (
            "is_capital country",
            ("{T} is the capital of {country}.", "{T} is a city in {country} and the capital of that country."),
        ),
        ("is_capital county state", ("{T} is the capital of the American state of {state} and lies in {county}.",)),
        ("is_capital state", ("{T} is the capital of the American state of {state}.",)),
        (
            "county state",
            (
                "{T} is a city in {county} in the American state of {state}.",
                "{T} is an American city in {county}, {state}.",
            ),
        ),
        (
            "state",
            ("{T} is a city in the American state of {state}.", "{T} is an American city in the state of {state}."),
        ),
        (
            "country",
            ("{T} is a city in {country}.", "{T} is a town in {country}.", "{T} is one of the cities of {country}."),
        ),
    ),
    (
        (
            (
                "people less",
                (
                    "About {people} people live there, more than in {less}.",
                    "{S} has about {people} inhabitants, which is more than {less} has.",
                    "With about {people} inhabitants, {s} is larger than {less}.",
                ),
            ),
            (
                "people",
                (
                    "About {people} people live there.",
                    "{S} has about {people} inhabitants.",
                    "{P} population is about {people}.",
                ),
            ),
        ),
        slot(
            "river",
            "{S} lies on the river that is called the {river}.",
            "The {river} flows through {o} on its way to its mouth.",
            "{S} stands on the banks of the {river}.",
            "The river that runs through {o} is the {river}.",
        ),
        slot(
            "airport",
            "Those who come by air arrive at {airport}.",
            "{P} airport is {airport}, which takes in most of the air travellers.",
            "{S} is served by {airport}.",
        ),
        slot(
            "far side seat",
            "{S} lies about {far} km {side} of {seat}, the capital.",
            "The distance to {seat}, the capital, is about {far} km, and {s} lies {side} of it.",
            "From {seat}, the capital, it is about {far} km to the {side}.",
        ),
        slot(
            "near near_far near_side",
            "The neighbouring city of {near} lies {near_far} km to the {near_side}.",
            "Another city nearby is {near}, {near_far} km to the {near_side}.",
            "{near}, another city, lies about {near_far} km to the {near_side}.",
        ),
    ),
    (
        slot(
            "native native_role",
            "The {native_role} {native} was born there.",
            "{S} is the birthplace of the {native_role} {native}.",
            "Among those born in {t} is the {native_role} {native}.",
        ),
        slot(
            "picture",
            "The painting {picture} hangs in one of {p} museums.",
            "One of {p} museums shows the painting {picture}.",
        ),
        slot(
            "country region",
            "The country around it belongs to {region}.",
            "The country to which it belongs lies in {region}.",
        ),
        slot("zone", "{P} clocks follow the time zone {zone}.", "The local time zone is {zone}."),
        slot(
            "latitude half",
            "{S} lies in the {half} hemisphere, at about {latitude} degrees of latitude.",
            "{P} latitude is about {latitude} degrees, in the {half} hemisphere.",
        ),
    ),
)

COUNTRY = Layout(
    "country",
    slot("region", "{T} is a country in {region}.", "{T} is a state in {region}."),
    (
        slot(
            "capital",
            "{P} capital is {capital}, from which it is governed.",
            "The capital of the country is {capital}.",
            "{S} is governed from {capital}, the capital.",
        ),
        slot(
            "currency",
            "The currency in use there is the {currency}.",
            "People there pay with the {currency}.",
            "{P} currency is called the {currency}.",
        ),
        slot(
            "language",
            "{P} official language is {language}.",
            "Laws and newspapers use {language}, the official language.",
            "The official language is {language}.",
        ),
        slot("borders", "By land {s} borders on {borders}.", "{S} has land borders with {borders}."),
        slot("area", "{S} covers about {area} square kilometres.", "{P} area is about {area} square kilometres."),
    ),
    (
        slot(
            "calling",
            "Calls from abroad begin with the calling code {calling}.",
            "{P} telephone calling code is {calling}.",
        ),
        slot("people", "About {people} people live there.", "{S} has roughly {people} inhabitants."),
        slot("peak", "One of {p} well-known mountains is {peak}.", "Among {p} mountains is {peak}."),
        slot("domain", "Internet addresses there end in {domain}.", "{P} internet domain is {domain}."),
        slot("iso", "The international country code is {iso}.", "In lists of countries {s} has the code {iso}."),
    ),
)

STATE = Layout(
    "state",
    slot(
        "?capital",
        "{T} is a state of the United States.",
        "{T} is one of the fifty states of the United States.",
        "{T} is an American state.",
    ),
    (
        slot(
            "capital",
            "{P} capital is {capital}.",
            "The state is governed from {capital}, the capital.",
            "The capital is {capital}.",
        ),
        slot("year", "{S} joined the Union in {year}.", "{T} became a state in {year}.", "Statehood came in {year}."),
        slot(
            "nickname", "{P} nickname is {nickname}.", "People often call it {nickname}.", "{S} is known as {nickname}."
        ),
        slot("largest", "{P} largest city is {largest}.", "The city with the most inhabitants is {largest}."),
    ),
    (
        slot("counties", "{S} is divided into {counties} counties.", "There are {counties} counties in the state."),
        slot("postal", "On letters its name is shortened to {postal}.", "The postal abbreviation is {postal}."),
        slot("peak", "One of {p} mountains is {peak}."),
        slot("native native_role", "The {native_role} {native} was born in the state."),
    ),
)

COUNTY = Layout(
    "county",
    slot(
        "state",
        "{T} is a county in the American state of {state}.",
        "{T} is one of the counties of {state}.",
        "{T} is a county in {state} in the United States.",
    ),
    (
        (
            (
                "city people",
                (
                    "The city of {city}, with about {people} inhabitants, lies in {o}.",
                    "{S} contains the city of {city}, where about {people} people live.",
                    "One of {p} cities is {city}, which has about {people} inhabitants.",
                ),
            ),
        ),
        slot("less", "{S} lies farther north than {less}.", "Seen on a map, it is farther north than {less}."),
        slot(
            "far side seat",
            "It lies about {far} km {side} of {seat}, where the state is governed.",
            "From {seat}, the state capital, it is about {far} km to the {side}.",
        ),
        slot("zone", "The time zone is {zone}.", "Clocks there follow the time zone {zone}."),
    ),
    (slot("fips", "In federal statistics {s} has the code {fips}.", "The federal code of the county is {fips}."),),
)

AIRPORT = Layout(
    "airport",
    slot(
        "city",
        "{T} is an airport that serves the city of {city}.",
        "{T} serves the city of {city}.",
        "{T} is the airport of {city}.",
    ),
    (
        slot(
            "iata",
            "{P} IATA code is {iata}.",
            "Tickets and baggage tags show the IATA code {iata}.",
            "{S} has the IATA code {iata}.",
        ),
        slot(
            "height",
            "{S} lies {height} m above sea level.",
            "{P} elevation is {height} m above the level of the sea.",
            "The runway lies at a height of {height} m above sea level.",
        ),
        slot(
            "far side",
            "The airport is about {far} km {side} of the city centre.",
            "From the city centre it is about {far} km to the {side}.",
        ),
        slot("zone", "Departure times follow the time zone {zone}.", "{S} uses the time zone {zone}."),
        slot("less", "It lies higher above the sea than {less}.", "{P} elevation is greater than that of {less}."),
    ),
    (
        slot(
            "icao",
            "Pilots know it by the ICAO code {icao}.",
            "In flight plans {s} has the ICAO code {icao}.",
            "{P} ICAO code is {icao}.",
        ),
    ),
)

PERSON = Layout(
    "",
    (
        ("nation role ?died", ("{T} was {a_nation} {role}.",)),
        ("nation role", ("{T} is {a_nation} {role}.",)),
    ),
    (
        (
            (
                "birthplace born",
                (
                    "{S} was born in {birthplace} in {born}.",
                    "Born in {birthplace} in {born}, {s} became known as {a_role}.",
                    "In {born} {s} was born in {birthplace}.",
                ),
            ),
            ("birthplace", ("{S} was born in {birthplace}.", "{P} birthplace was {birthplace}.")),
            ("born", ("{S} was born in {born}.", "{P} year of birth was {born}.")),
        ),
        (
            (
                "died years",
                (
                    "{S} died in {died}, at the age of about {years}.",
                    "{P} death came in {died}, when {s} was about {years} years old.",
                    "{S} lived until {died} and reached an age of about {years} years.",
                ),
            ),
            ("died", ("{S} died in {died}.", "{P} death came in {died}.", "{S} lived until {died}.")),
        ),
        slot(
            "work work_kind",
            "{P} works include the {work_kind} {work}, which is still well known.",
            "One of {p} best-known works is the {work_kind} {work}.",
        ),
        slot(
            "found found_kind",
            "{S} is remembered for discovering the {found_kind} {found}.",
            "The {found_kind} {found} was discovered by {o}.",
        ),
        slot(
            "peer peer_role",
            "The {peer_role} {peer} was born in the same year.",
            "{S} was the same age as the {peer_role} {peer}.",
        ),
    ),
    (
        slot(
            "found2 found2_kind found2_year",
            "In {found2_year} came the discovery of the {found2_kind} {found2}.",
            "{S} found the {found2_kind} {found2} in {found2_year}.",
        ),
        slot(
            "work2 work2_kind work2_year",
            "The {work2_kind} {work2} dates from {work2_year}.",
            "{P} {work2_kind} {work2} came out in {work2_year}.",
        ),
        slot(
            "work3 work3_kind work3_year",
            "{S} also made the {work3_kind} {work3}, in {work3_year}.",
            "In {work3_year} followed the {work3_kind} {work3}.",
        ),
    ),
)

WORK = Layout(
    "",
    slot("kind author", "{T} is {a_kind} by {author}.", "{T} is {a_kind} that {author} created."),
    (
        slot(
            "year",
            "It dates from {year}.",
            "It first became known in {year}.",
            "The year in which it appeared was {year}.",
        ),
        slot(
            "peer peer_kind peer_author",
            "The {peer_kind} {peer} by {peer_author} dates from the same year.",
            "In the same year came the {peer_kind} {peer} by {peer_author}.",
        ),
        slot(
            "author age",
            "{author_short} was about {age} years old at the time.",
            "When it appeared, {author_short} was about {age} years old.",
        ),
        slot(
            "other other_kind",
            "{author_short} is also known for the {other_kind} {other}.",
            "Another work by {author_short} is the {other_kind} {other}.",
        ),
        slot(
            "before before_kind",
            "It is older than the {before_kind} {before}.",
            "It came some years before the {before_kind} {before}.",
        ),
        slot(
            "author_nation author_role",
            "{author_short} was {author_nation} {author_role}.",
            "Its creator was {author_nation} {author_role}.",
        ),
        (("place", ("It hangs in a museum in {place}.", "Visitors can see it in a museum in {place}.")),),
    ),
    (
        slot(
            "hero",
            "{P} leading figure is {hero}.",
            "The main character is {hero}.",
            "At the heart of the story is {hero}.",
        ),
    ),
)

ELEMENT = Layout(
    "element",
    slot(
        "symbol number",
        "{T} is a chemical element with the symbol {symbol} and the atomic number {number}.",
        "{T}, with the symbol {symbol}, is the chemical element of atomic number {number}.",
    ),
    (
        (
            (
                "discoverer year",
                ("{S} was discovered by {discoverer} in {year}.", "{discoverer} discovered it in {year}."),
            ),
            ("discoverer", ("{S} was discovered by {discoverer}.", "Its discoverer was {discoverer}.")),
        ),
        (
            ("group period", ("It stands in group {group} and period {period} of the periodic table.",)),
            ("period", ("It stands in period {period} of the periodic table.",)),
        ),
        slot("melting", "{S} melts at {melting} degrees Celsius.", "{P} melting point is {melting} degrees Celsius."),
        slot("after", "In the periodic table it is followed by {after}.", "The next element after it is {after}."),
        slot("before", "The element before it is {before}.", "In the periodic table it comes after {before}."),
    ),
    (
        slot("boiling", "{S} boils at {boiling} degrees Celsius.", "{P} boiling point is {boiling} degrees Celsius."),
        slot(
            "density",
            "{P} density is {density} grams per cubic centimetre.",
            "A cubic centimetre of it has a density of {density} grams.",
        ),
        slot("weight", "{P} atomic weight is about {weight}.", "The atomic weight is close to {weight}."),
    ),
)

CONSTELLATION = Layout(
    "constellation",
    slot(
        "figure", "{T} is a constellation that represents {figure}.", "{T} is a constellation in the shape of {figure}."
    ),
    (
        (
            (
                "ancient maker",
                (
                    "It is one of the old constellations that {maker} listed.",
                    "{maker} already described it in antiquity.",
                ),
            ),
            ("maker", ("It was introduced by {maker}.", "{maker} added it to the maps of the sky.")),
        ),
        slot("star", "{P} brightest star is {star}.", "The brightest of {p} stars is {star}."),
        slot("beside", "{S} borders on {beside}, among others.", "Among {p} neighbours are {beside}."),
        slot("half", "Most of it lies in the {half} sky.", "It belongs to the {half} sky."),
        slot("less", "It covers more of the sky than {less}.", "It is larger than {less}."),
    ),
    (slot("short", "Astronomers shorten its name to {short}.", "{P} official abbreviation is {short}."),),
)

STAR = Layout(
    "star",
    slot(
        "constellation",
        "{T} is a star in the constellation {constellation}.",
        "{T} is one of the stars of {constellation}.",
        "{T} is a star that belongs to {constellation}.",
    ),
    (
        slot("magnitude", "{P} magnitude is {magnitude}.", "{S} shines with a magnitude of {magnitude}."),
        slot("colour", "{P} light is {colour}.", "Seen through a telescope it looks {colour}."),
        slot("half", "It stands in the {half} half of the sky.", "It lies in the {half} half of the sky."),
        slot("less", "It appears brighter than {less}.", "{S} outshines {less}."),
    ),
    (slot("spectrum", "{P} spectral type is {spectrum}.", "Astronomers class it as spectral type {spectrum}."),),
)

BODY = Layout(
    "",
    (("kind home", ("{T} is {a_kind} of {home}.",)),),
    (
        (
            (
                "discoverer year",
                ("It was discovered by {discoverer} in {year}.", "{discoverer} discovered it in {year}."),
            ),
            ("discoverer", ("It was discovered by {discoverer}.",)),
        ),
        slot("size", "{P} diameter is about {size} km.", "It measures about {size} km across."),
        slot("less", "It is larger than {less}.", "In size it exceeds {less}."),
        slot("sibling", "Its discoverer also found {sibling}.", "{sibling} has the same discoverer."),
    ),
)

RIVER = Layout(
    "river",
    slot("mouth", "{T} is a river that flows into {mouth}.", "{T} is a river that ends in {mouth}."),
    (
        slot(
            "length",
            "{S} is about {length} km long.",
            "{P} length is about {length} km.",
            "From source to mouth it measures about {length} km.",
        ),
        (
            ("cities", ("Among the cities on its banks are {cities}.", "It flows past {cities}.")),
            ("city", ("The city of {city} lies on its banks.", "It flows past {city}.")),
        ),
        slot("country", "Its mouth lies in {country}.", "It reaches its mouth in {country}."),
        slot("less", "It is longer than the {less}.", "In length it exceeds the {less}."),
        slot("feeder", "One of the rivers that feed it is the {feeder}.", "It takes up the waters of the {feeder}."),
    ),
)

MOUNTAIN = Layout(
    "mountain",
    slot("country", "{T} is a mountain in {country}.", "{T} is one of the best-known mountains of {country}."),
    (
        slot(
            "height", "{P} summit is {height} m above sea level.", "{S} is {height} m high.", "{S} rises to {height} m."
        ),
        slot("range", "It belongs to {range}.", "It is part of {range}, like other peaks nearby."),
        slot("ascent", "It was first climbed in {ascent}.", "The first known ascent of it was made in {ascent}."),
        slot("region", "The country in which it rises lies in {region}.", "Travellers find it in {region}."),
        slot("less", "It is higher than {less}.", "It stands taller than {less}."),
    ),
)

CURRENCY = Layout(
    "currency",
    (
        ("country", ("{T} is the currency of {country}.", "{T} is the money used in {country}.")),
        ("users", ("{T} is a currency used in {users}.",)),
    ),
    (
        slot("iso", "Banks write it as {iso}.", "{P} ISO code is {iso}."),
        slot("region", "The country that uses it lies in {region}.", "It is used in {region}."),
        slot("numeric", "Payment systems also know it by the number {numeric}.", "{P} numeric code is {numeric}."),
    ),
)

LANGUAGE = Layout(
    "language",
    (
        (
            "country",
            ("{T} is the official language of {country}.", "{T} is a language with official status in {country}."),
        ),
        ("users", ("{T} is the official language of several countries, such as {users}.",)),
    ),
    (
        slot(
            "region",
            "It is spoken above all in {region}.",
            "Most of the countries where it is official lie in {region}.",
        ),
        slot("iso", "Its ISO code is {iso}.", "Libraries and computers use the code {iso} for it."),
    ),
)

LAYOUTS = {
    "city": CITY,
    "country": COUNTRY,
    "state": STATE,
    "county": COUNTY,
    "airport": AIRPORT,
    "person": PERSON,
    "work": WORK,
    "element": ELEMENT,
    "constellation": CONSTELLATION,
    "star": STAR,
    "body": BODY,
    "river": RIVER,
    "mountain": MOUNTAIN,
    "currency": CURRENCY,
    "language": LANGUAGE,
}
