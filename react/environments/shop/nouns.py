"""The nouns of a title, by which the reward tells whether a product is of the kind that was meant.

WebShop takes them from a spaCy model. Where that is not installed they are words by a rule: then the type of a product,
and with it the reward, is the same for all purchases of what was meant, and for 97 of 100 others.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from react.mistakes import Mistake

KINDS = ("spacy", "rule")
MODEL = "en_core_web_sm"  # the one that WebShop@64fa2a5 names
RULE = "rule-1"  # another name whenever other words come of the same title
_KEPT = 100_000  # titles whose nouns are remembered

Nouns = Callable[[str], tuple[str, ...]]

_MODEL = re.compile(r"en_\w+")
# What a model does beside telling what kind of word each is.
_UNUSED = ["parser", "ner", "lemmatizer", "senter"]
_WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*")
# Words that are no nouns, or say nothing: those that spaCy lists for English.
_STOP = (  # noqa: SIM905
    "a about above across after afterwards again against all almost alone along already also although always am among "
    "amongst amount an and another any anyhow anyone anything anyway anywhere are around as at back be became because "
    "become becomes becoming been before beforehand behind being below beside besides between beyond both bottom but "
    "by ca call can cannot could did do does doing done down due during each eight either eleven else elsewhere empty "
    "enough even ever every everyone everything everywhere except few fifteen fifty first five for former formerly "
    "forty four from front full further get give go had has have he hence her here hereafter hereby herein hereupon "
    "hers herself him himself his how however hundred i if in indeed into is it its itself just keep last latter "
    "latterly least less made make many may me meanwhile might mine more moreover most mostly move much must my myself "
    "name namely neither never nevertheless next nine no nobody none noone nor not nothing now nowhere of off often on "
    "once one only onto or other others otherwise our ours ourselves out over own part per perhaps please put quite "
    "rather re really regarding same say see seem seemed seeming seems serious several she should show side since six "
    "sixty so some somehow someone something sometime sometimes somewhere still such take ten than that the their them "
    "themselves then thence there thereafter thereby therefore therein thereupon these they third this those though "
    "three through throughout thru thus to together too top toward towards twelve twenty two under unless until up "
    "upon us used using various very via was we well were what whatever when whence whenever where whereafter whereas "
    "whereby wherein whereupon wherever whether which while whither who whoever whole whom whose why will with within "
    "without would yet you your yours yourself yourselves"
).split()
_COMMON = frozenset(_STOP)


def load(kind: str = "") -> tuple[str, Nouns]:
    """What the nouns are called in a result, and how to get them; empty: spaCy's where the model is installed.

    `kind` is `rule`, `spacy`, or the package of another model of spaCy's, such as `en_core_web_lg`. Safe to share
    between threads. Mistake where there is no such kind, or the model is not installed.
    """
    if kind not in ("", *KINDS) and not _MODEL.fullmatch(kind):
        raise Mistake(
            f"unknown nouns {kind!r}; there are: {', '.join(KINDS)}, or the package of a spaCy model of English"
        )
    model = kind if _MODEL.fullmatch(kind) else MODEL
    version = _version(model)
    if kind == "rule" or (not kind and not version):
        return RULE, by_rule
    if not version:
        raise Mistake(f"nouns are to be those of {model}, which is not there: python -m spacy download {model}")
    return f"{model}-{version}", _Spacy(model)


def by_rule(title: str) -> tuple[str, ...]:
    """Its words in lower case that have a letter and are none of the common ones."""
    plain = title.lower().replace("\u2019", "'").replace("'s", "")
    words = _WORD.findall(plain)
    return tuple(word for word in words if word not in _COMMON and any(map(str.isalpha, word)))


def _version(package: str) -> str:
    """The version of a model, without loading spaCy; empty if it or the model is not there."""
    found = importlib.util.find_spec("spacy") and importlib.util.find_spec(package)
    if not found or not found.origin:
        return ""
    return str(json.loads((Path(found.origin).parent / "meta.json").read_text(encoding="utf-8"))["version"])


class _Spacy:
    """The tokens of spaCy's model that are nouns or names. For one title at a time; loaded when it is first needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._model: Any = None
        self._nouns = lru_cache(_KEPT)(self._tagged)

    def __call__(self, title: str) -> tuple[str, ...]:
        with self._lock:
            return self._nouns(title)

    def _tagged(self, title: str) -> tuple[str, ...]:
        if self._model is None:
            import spacy

            self._model = spacy.load(self._name, exclude=_UNUSED)
        return tuple(token.text.lower() for token in self._model(title) if token.pos_ in ("NOUN", "PROPN"))
