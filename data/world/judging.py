"""The expert's steps for a claim: it reads the page, looks up what the first sentences do not give, and compares."""

from __future__ import annotations

from data.world.asking import typed
from data.world.claims import LABELS, Claim
from data.world.model import World, dice
from data.world.statements import THAT
from data.world.thinking import finish, looked_up, noun, searched, statement
from react.trajectory import Step

# The word that the expert looks up. Where an article puts it otherwise, it does not find it, and shows nothing.
_KEYWORDS = {
    "people": "inhabitants",
    "river": "river",
    "county": "County",
    "zone": "time zone",
    "currency": "currency",
    "language": "language",
    "calling": "calling code",
    "domain": "domain",
    "area": "square kilometres",
    "nickname": "nickname",
    "counties": "counties",
    "fips": "federal",
    "icao": "ICAO",
    "birthplace": "born",
    "born": "born",
    "hero": "character",
    "melting": "melt",
    "boiling": "boil",
    "density": "density",
    "discoverer": "discovered",
    "maker": "introduced",
    "star": "brightest",
    "short": "abbreviation",
    "magnitude": "magnitude",
    "spectrum": "spectral type",
    "size": "diameter",
    "length": "length",
    "ascent": "climbed",
    "range": "part of",
    ("state", "year"): "Union",
    ("work", "year"): "year",
    ("element", "year"): "discovered",
    ("airport", "height"): "sea level",
    ("mountain", "height"): "summit",
}


def judge(world: World, claim: Claim, seed: int) -> list[Step]:
    """The steps of a claim, without observations; none where the article words it so that a lookup would miss it."""
    page, relation = world.pages[claim.page], claim.relation
    topic, name = page.entity.topic, typed(page)
    wanted = noun(page, relation, THAT[topic])
    steps = searched(page, name, f"I need to search {name} and find {wanted}.")
    if not page.early(relation):
        keyword = _KEYWORDS.get((topic, relation)) or _KEYWORDS[relation]
        hit = next((i for i, sentence in enumerate(page.sentences) if keyword.lower() in sentence.lower()), -1)
        if page.late(relation) and hit != page.where[relation]:
            return []
        steps.append(looked_up(page, relation, keyword))
    end = dice(seed, "judged", claim.text).choice([", so the answer is {}.", ". So the answer is {}."])
    return [*steps, finish(_compared(claim, world) + end.format(claim.label), claim.label)]


def _compared(claim: Claim, world: World) -> str:
    page = world.pages[claim.page]
    if claim.label == LABELS[2]:
        return f"The page does not give {noun(page, claim.relation, THAT[page.entity.topic])}"
    same = "the same" if claim.label == LABELS[0] else claim.value
    return f"{statement(page, claim.relation)}. The claim says {same}"
