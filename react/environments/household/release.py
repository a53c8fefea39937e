"""The texts that all game files of a data release share, and the dialect that a game speaks for that reason.

A game file carries the whole domain and the whole text grammar. Within a release they differ in nothing but the
sentence of the task, so that both are recognised by their fingerprint and never interpreted: TextWorld evaluates what
it finds there. ALFWorld 0.4 made its games of 2.1.2 from those of 2.1.1 by turning `put` into `move` there,
and prompts that say `put`, as ReAct's do, lost most of their score by it (alfworld issue 96).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import lru_cache

_HELP = """Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
"""


@dataclass(frozen=True)
class Dialect:
    """How a release speaks where the releases differ; `{o}` is an object, `{r}` a receptacle, `{place}` a location.

    `help` is the answer to that command, which the older release does not have.
    """

    release: str
    put: str
    has_put: str
    arrives: str
    help: str = ""


PUT = Dialect("2.1.1", "put {o} in/on {r}", "You put the {o} in/on the {r}.", "You arrive at {place}. ")
MOVE = Dialect("2.1.2", "move {o} to {r}", "You move the {o} to the {r}.", "You arrive at {r}. ", _HELP)


def as_in_the_paper(dialect: Dialect) -> Dialect:
    """The same release in the words of ReAct's prompts: `put X in/on Y`, and no word of having arrived.

    ReAct@6bdb3a1 alfworld.ipynb drops `You arrive at loc 31. ` from the older release's observations.
    """
    text = dialect.help.replace("  move (object) to (receptacle):  ", "  put (object) in/on (receptacle): ")
    return replace(PUT, release=dialect.release, arrives="", help=text)


# Our own games: other words in the files, the same in play.
EMBEDDED = replace(MOVE, release="embedded")

# By the fingerprint of domain and grammar: the files of both releases, those that ALFWorld 0.4 itself generates, and
# those of data/households.
_KNOWN = {"81cc80b65047d570": PUT, "2a44d3d8771fd1bf": MOVE, "b4fd9add9eff7138": MOVE, "ba8cc879be45a785": EMBEDDED}

_TASK = re.compile(r'"Your task is to: ([^"\\{}\[\]#|<>\n]{1,300})"')


def recognise(domain: str, grammar: str) -> tuple[Dialect, str]:
    """The dialect of a game with these texts, and the sentence of its task. ValueError where they are not known."""
    sentences = _TASK.findall(grammar)
    if len(sentences) != 1:
        raise ValueError(f"its grammar has {len(sentences)} task sentences; a game has one")
    found = fingerprint(domain, grammar.replace(sentences[0], "", 1))
    if found not in _KNOWN:
        raise ValueError(
            f"its domain and grammar ({found}) are those of no known release; there are: "
            + ", ".join(sorted({dialect.release for dialect in _KNOWN.values()}))
        )
    return _KNOWN[found], sentences[0]


@lru_cache(maxsize=8)  # thousands of games share two texts
def fingerprint(domain: str, grammar: str) -> str:
    """The same for texts that differ in comments of the domain, indents or blank lines alone."""
    lines = [*re.sub(r";[^\n]*", "", domain).lower().split("\n"), *grammar.split("\n")]
    told = "\n".join(line.strip() for line in lines if line.strip())
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
