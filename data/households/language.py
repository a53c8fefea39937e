"""The PDDL domain and the text grammar of our games: one table of actions, written as TextWorld reads them.

They mean what those of ALFWorld 2.1.2 mean, so that one engine plays both. Predicates have ALFWorld's names, which its
experts look for in the facts. The grammar is TextWorld's format: `#rule#`, `{expression}`, `[{expression | facts}]`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from react.environments.household.play import BANNER
from react.environments.household.release import MOVE

DOMAIN_NAME = "household"
_HERE = "(atLocation ?a ?l) (receptacleAtLocation ?r ?l)"
_OPEN = "(or (not (openable ?r)) (opened ?r))"
_CONSTANTS = {
    "otype": ("KnifeType", "ButterKnifeType"),
    "rtype": ("SinkBasinType", "MicrowaveType", "FridgeType"),
}
CONSTANTS = frozenset(name for names in _CONSTANTS.values() for name in names)
_PREDICATES = """
atLocation ?a - agent ?l - location            | receptacleAtLocation ?r - receptacle ?l - location
objectAtLocation ?o - object ?l - location     | inReceptacle ?o - object ?r - receptacle
receptacleType ?r - receptacle ?t - rtype      | objectType ?o - object ?t - otype
canContain ?rt - rtype ?ot - otype             | inReceptacleObject ?inner - object ?outer - object
openable ?r - receptacle                       | opened ?r - receptacle
pickupable ?o - object                         | isReceptacleObject ?o - object
cleanable ?o - object                          | isClean ?o - object
heatable ?o - object                           | isHot ?o - object
coolable ?o - object                           | isCool ?o - object
sliceable ?o - object                          | isSliced ?o - object
toggleable ?o - object                         | isToggled ?o - object
holds ?a - agent ?o - object                   | holdsAny ?a - agent
noticed ?x - object
"""


@dataclass(frozen=True)
class Action:
    """What must be true, what becomes of it, what a player types, and what is answered."""

    name: str
    parameters: str
    needs: str
    effects: str
    command: str
    answer: str


def _treatment(verb: str, receptacle: str, needs: str, effects: str) -> Action:
    return Action(
        verb,
        "?a - agent ?l - location ?r - receptacle ?o - object",
        f"(holds ?a ?o) ({needs} ?o) (receptacleType ?r {receptacle}Type) {_HERE}",
        effects,
        f"{verb} {{o}} with {{r}}",
        f"You {verb} the {{o.name}} using the {{r.name}}.",
    )


# What changes nothing has an effect nevertheless: the planner leaves out actions that have none.
ACTIONS = (
    Action("look", "?a - agent ?l - location", "(atLocation ?a ?l)", "(noticed ?l)", "look", "#around#"),
    Action("inventory", "?a - agent", "", "(noticed ?a)", "inventory", "#hands#"),
    Action("help", "?a - agent", "", "(noticed ?a)", "help", f"\n{MOVE.help}"),
    Action(
        "inspect",
        "?a - agent ?l - location ?r - receptacle",
        _HERE,
        "(noticed ?r)",
        "examine {r}",
        "#receptacle#",
    ),
    Action("study", "?a - agent ?o - object", "(holds ?a ?o)", "(noticed ?o)", "examine {o}", "#thing#"),
    Action(
        "walk",
        "?a - agent ?from - location ?to - location ?r - receptacle",
        "(atLocation ?a ?from) (receptacleAtLocation ?r ?to) (not (= ?from ?to))",
        "(not (atLocation ?a ?from)) (atLocation ?a ?to)",
        "go to {r}",
        "You arrive at {r.name}. #receptacle#",
    ),
    Action(
        "open",
        "?a - agent ?l - location ?r - receptacle",
        f"(openable ?r) (not (opened ?r)) {_HERE}",
        "(opened ?r)",
        "open {r}",
        "You open the {r.name}. #receptacle#",
    ),
    Action(
        "close",
        "?a - agent ?l - location ?r - receptacle",
        f"(openable ?r) (opened ?r) {_HERE}",
        "(not (opened ?r))",
        "close {r}",
        "You close the {r.name}.",
    ),
    Action(
        "take",
        "?a - agent ?l - location ?o - object ?r - receptacle",
        f"(pickupable ?o) (inReceptacle ?o ?r) (not (holdsAny ?a)) {_HERE} {_OPEN}",
        "(holds ?a ?o) (holdsAny ?a) (not (inReceptacle ?o ?r)) (not (objectAtLocation ?o ?l))",
        "take {o} from {r}",
        "You pick up the {o.name} from the {r.name}.",
    ),
    Action(
        "put",
        "?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype",
        f"(holds ?a ?o) (objectType ?o ?ot) (receptacleType ?r ?rt) (canContain ?rt ?ot) {_HERE} {_OPEN}",
        "(not (holds ?a ?o)) (not (holdsAny ?a)) (inReceptacle ?o ?r) (objectAtLocation ?o ?l)",
        MOVE.put,
        MOVE.has_put.format(o="{o.name}", r="{r.name}"),
    ),
    _treatment("clean", "SinkBasin", "cleanable", "(isClean ?o)"),
    _treatment("heat", "Microwave", "heatable", "(isHot ?o) (not (isCool ?o))"),
    _treatment("cool", "Fridge", "coolable", "(isCool ?o) (not (isHot ?o))"),
    Action(
        "use",
        "?a - agent ?l - location ?o - object ?r - receptacle",
        f"(toggleable ?o) (inReceptacle ?o ?r) {_HERE}",
        "(isToggled ?o)",
        "use {o}",
        "You turn on the {o.name}.",
    ),
    Action(
        "slice",
        "?a - agent ?l - location ?o - object ?k - object",
        "(sliceable ?o) (objectAtLocation ?o ?l) (atLocation ?a ?l) (holds ?a ?k) "
        "(or (objectType ?k KnifeType) (objectType ?k ButterKnifeType))",
        "(isSliced ?o)",
        "slice {o} with {k}",
        "You sliced the {o.name} with the {k.name}.",
    ),
)


def domain() -> str:
    """What can be done in a household, in PDDL."""
    predicates = [f"  ({words.strip()})" for line in _PREDICATES.strip().splitlines() for words in line.split("|")]
    constants = [f"{' '.join(names)} - {type}" for type, names in _CONSTANTS.items()]
    lines = [
        f"(define (domain {DOMAIN_NAME})",
        " (:requirements :adl :typing)",
        " (:types agent location receptacle object rtype otype)",
        f" (:constants {' '.join(constants)})",
        " (:predicates",
        *predicates,
        " )",
    ]
    for action in ACTIONS:
        lines += [
            f" (:action {action.name}",
            f"  :parameters ({action.parameters})",
            f"  :precondition (and {action.needs})" if action.needs else "  :precondition ()",
            f"  :effect (and {action.effects}))",
        ]
    return "\n".join([*lines, ")", ""])


def grammar(sentence: str) -> str:
    """What is said in a household whose task is `sentence`."""
    rules = {name: [_rule(*rule) for rule in made] for name, made in _rules(sentence).items()}
    actions = [
        f'action {action.name} {{ template :: "{action.command}"; feedback :: "{action.answer}"; }}'
        for action in ACTIONS
    ]
    return "\n".join([f'grammar :: """\n{json.dumps(rules, indent=1)}\n""";', *actions, ""])


# Facts that have to be true for a text, and the text.
_Rule = tuple[str, str]


def _rule(condition: str, text: str) -> dict[str, str]:
    return {"condition": condition, "rhs": text} if condition else {"rhs": text}


def _rules(sentence: str) -> dict[str, list[_Rule]]:
    """By name, the texts of which the first that fits is said. The names that begin with `list` are TextWorld's."""
    before = "atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)"
    # TextWorld lists what it finds in the order in which the facts are asked for: objects come before receptacles.
    beside = (
        "atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) "
        "& receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)"
    )
    inside = _listed("o", "inreceptacle(o:object, r:receptacle)")
    return {
        "intro": [("", f"{BANNER}\n\n#around#\n\n#task#")],
        "task": [("", f"Your task is to: {sentence}")],
        "around": [
            (before, f"You are facing the [{{r.name | {before}}}]. Next to it, you see {_listed('o', beside)}."),
            (
                "",
                "You are in the middle of a room. Looking quickly around you, you see "
                f"{_listed('r', 'receptacleatlocation(r:receptacle, l:location)')}.",
            ),
        ],
        "receptacle": [
            ("openable(r:receptacle) & opened(r:receptacle)", f"The {{r.name}} is open. In it, you see {inside}."),
            ("openable(r:receptacle)", "The {r.name} is closed."),
            ("", f"On the {{r.name}}, you see {inside}."),
        ],
        "hands": [
            ("holdsany(a:agent)", f"You are carrying: {_listed('o', 'holds(a:agent, o:object)')}."),
            ("", "You are not carrying anything."),
        ],
        "thing": [
            (
                "isreceptacleobject(o:object)",
                "This is a normal {o.name}. In it, you see "
                f"{_listed('inner', 'inreceptacleobject(inner:object, o:object)')}.",
            ),
            *_conditions(),
            ("toggleable(o:object) & istoggled(o:object)", "This {o.name} is on."),
            ("sliceable(o:object) & issliced(o:object)", "This is a sliced {o.name}."),
            ("", "There's nothing special about {o.name}."),
        ],
        "list_empty": [("", "nothing")],
        "list_separator": [("", ", ")],
        "list_last_separator": [("", ", and ")],
    }


def _listed(variable: str, facts: str) -> str:
    return f"[{{{variable}.indefinite + ' ' + {variable}.name | {facts}}}]"


def _conditions() -> list[_Rule]:
    """Hot or cool, clean, sliced: whatever is true of a thing, the fullest description first."""
    found = []
    for sliced in ("sliced", ""):
        for clean in ("clean", ""):
            for warmth in ("hot", "cool", ""):
                if warmth or clean:
                    facts = " & ".join(f"is{word}(o:object)" for word in (warmth, clean, sliced) if word)
                    words = " and ".join(word for word in (warmth, clean) if word) + (sliced and " sliced")
                    found.append((facts, f"This is a {'cold' if words == 'cool' else words} {{o.name}}."))
    return found
