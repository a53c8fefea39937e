"""The search of the shop: its terms, its index, and the ranking of the original's engine."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments.shop import analyzer, index, indexing, rows
from react.environments.shop.analyzer import _tokens, terms
from react.environments.shop.build import open_catalogue
from react.environments.shop.index import decoded, encoded
from react.environments.shop.products import product
from react.environments.shop.stemmer import stem
from react.environments.shop.store import Store
from tests.shops import REAL, named, real_data, shop

pytestmark = pytest.mark.usefixtures("cache")

WORDS = ["red", "blue", "sofa", "soft", "cotton", "size", "large", "of", "lamp", "café", "12", "style:brown", "★"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Women's usb-c, 3.5mm T-Shirts", ["women", "usb", "c", "3.5mm", "t", "shirt"]),
        ("the a to !!!", []),
        ("can't non_slip style:brown a:1 1:2", ["can't", "non_slip", "style:brown", "1", "1", "2"]),
        ("1,000.50 10; 20 9.5.", ["1,000.50", "10", "20", "9.5"]),
        ("日本ひらカタカナ 한국", ["日", "本", "ひ", "ら", "カタカナ", "한국"]),
        ("★soft♬ ❤️ 👩‍👩‍👧 👍🏽 🇺🇸🇩🇪 #️⃣ ®x", ["★", "soft", "♬", "❤️", "👩‍👩‍👧", "👍🏽", "🇺🇸", "🇩🇪", "#️⃣", "®", "x"]),
        ("café crème ipods\u2019s", ["café", "crème", "ipod"]),
        ("relational sensibly possibly theology", ["relat", "sensibl", "possibl", "theologi"]),
        ("_a_ __ a__b", ["_a_", "a__b"]),
        ("ไทย", ["ไทย"]),
        ("x" * 600, ["x" * 255, "x" * 255, "x" * 90]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@real_data
def test_terms_of_queries_are_those_of_the_original() -> None:
    for asked_ in json.loads((REAL / "ref_search_1k.json").read_text()):
        assert terms(asked_["query"]) == asked_["tokens"]


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1_.,:'\u2019-\u200d\ufe0f\u0301❤👍🏽🇺日 \t\xa0#\u20e3א\"")), st.text())
def test_a_text_is_its_chunks_and_a_token_is_of_the_text(joined: str, other: str) -> None:
    for text in (joined, other):
        tokens = list(_tokens(text))
        assert "".join(tokens) == "" or all(token and not token.isspace() for token in tokens)
        at = 0
        for token in tokens:
            at = text.index(token, at) + len(token)
        assert tokens == [token for chunk in text.split() for token in _tokens(chunk)]


@pytest.mark.parametrize("piece", ["_", "a_", "1:", "\u200d", "❤\u200d", "a'", "\u0301", 'א"', "🇺", "👍🏽", "a\u0301"])
def test_no_text_is_slow(piece: str) -> None:
    assert len("".join(_tokens(piece * 4000))) <= len(piece) * 4000


def test_stems() -> None:
    """What nltk's PorterStemmer(MARTIN_EXTENSIONS) makes of words that take every rule; of two letters Lucene's."""
    for line in Path(__file__).with_name("golden").joinpath("stems.txt").read_text().splitlines():
        word, expected = line.split()
        assert stem(word) == expected, word


def test_lengths_are_exact_below_40_and_lossy_above() -> None:
    lengths = np.arange(100_000)
    kept = decoded(encoded(lengths).astype(np.int64))
    assert (kept[:40] == lengths[:40]).all() and (kept <= lengths).all()
    assert [int(kept[length]) for length in (40, 41, 42, 56, 57, 1000)] == [40, 40, 42, 56, 56, 984]
    assert (encoded(decoded(np.arange(256))) == np.arange(256)).all()


@real_data
def test_the_first_hits_are_those_of_the_original() -> None:
    catalogue = open_catalogue(REAL)
    for query in json.loads((REAL / "ref_search_1k.json").read_text()):
        assert catalogue.search(query["query"].split(" ")) == [asin for asin, _ in query["hits"]], query["query"]


def plain(names: list[str], words: str, count: int) -> list[int]:
    """The formula of the specification, without an index. Ties go to the later name, whose asin is the smaller."""
    f, texts = np.float32, [Counter(terms(name)) for name in names]
    lengths = [text.total() for text in texts]
    having = [length for length in lengths if length]
    average = f(sum(having) / max(len(having), 1))
    scores = {}
    for number, text in enumerate(texts):
        score, kept = 0.0, f(decoded(encoded(np.array([lengths[number]])).astype(np.int64))[0])
        for term, boost in Counter(terms(words)).items():
            of = sum(term in other for other in texts)
            if term in text:
                weight = f(boost) * f(np.log(1 + (len(having) - of + 0.5) / (of + 0.5)))
                norm = f(1) / (f(0.9) * ((f(1) - f(0.4)) + f(0.4) * kept / average))
                score += float(weight - weight / (f(1) + f(text[term]) * norm))
        if score:
            scores[number] = f(score)
    return sorted(scores, key=lambda number: (-scores[number], -number))[:count]


NAMES = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=40)


@settings(deadline=None, max_examples=50)
@given(NAMES, st.lists(st.sampled_from([*WORDS, "unseen"]), max_size=6).map(" ".join), st.integers(1, 12))
def test_the_ranking_is_that_of_the_formula_however_long_the_runs(names: list[str], words: str, count: int) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "_RUN", 7)
        database = sqlite3.connect(":memory:")
        database.executescript(rows.TABLES + indexing.TABLES)
        asins = [f"P{len(names) - number:04}" for number in range(len(names))]
        for name, asin in zip(names, asins, strict=True):
            rows.add_product(database, product(named(name, asin), None, Random(0)))
        arrays = Path(folder) / "index"
        assert list(indexing.runs(database, None, arrays, len(names)))
        assert list(indexing.merge(arrays, asins)) and not [*arrays.glob("run*")]
        numbers = dict(database.execute("SELECT term, id FROM terms"))
        asked_ = {numbers[term]: boost for term, boost in Counter(terms(words)).items() if term in numbers}
        assert index.Index(arrays).search(asked_, count) == plain(names, words, count)


def test_special_keywords(tmp_path: Path) -> None:
    store = shop(tmp_path, [f"red lamp {number}" for number in range(60)])
    assert len(store.search(["<c>", "c"])) == len(store.search(["<q>", "q"])) == 60
    assert store.search(["<c>", "c"])[0] == "P0060"
    found = store.search(["<r>"])
    assert len({*found}) == 50 and found == store.search(["<r>"]) != store.search(["<r>", "again"])
    for nothing in (["<c>"], ["<c>", "d"], ["<q>", "Q"], ["<a>", "x"], [""], [], ["the"], ["\ud800"], ["x" * 10_000]):
        assert store.search(nothing) == []


def test_many_threads_find_what_one_finds(tmp_path: Path) -> None:
    names = [f"{WORDS[n % 5]} {WORDS[n % 7]} {WORDS[n % 11]} {n}" for n in range(300)]
    store, fresh = shop(tmp_path, names), Store(tmp_path / "made")
    asked_ = [[first, second, str(n)] for n, first in enumerate(WORDS) for second in WORDS]
    alone = [(store.search(words), [store.product(asin) for asin in store.search(words)[:3]]) for words in asked_]
    with ThreadPoolExecutor(16) as threads:
        found = threads.map(lambda words: (fresh.search(words), [*map(fresh.product, fresh.search(words)[:3])]), asked_)
        assert list(found) == alone


def test_a_keyword_that_cannot_be_stored_finds_nothing(tmp_path: Path) -> None:
    store = shop(tmp_path, ["red lamp", "blue lamp"])
    for keywords in (["<c>", "\ud800"], ["<q>", "\ud800"], ["\ud800"]):
        assert store.search(keywords) == []
    assert store.product("\ud800") is None


@pytest.mark.parametrize("unit", ["x", "inging", "a.b:", "1,", "\u200d", "a_"])
def test_a_text_without_white_space_is_cut_as_if_each_of_its_tokens_stood_alone(unit: str) -> None:
    calls: list[int] = []
    real = analyzer._WORD

    class Counting:
        def search(self, chunk: str, at: int, end: int = 1 << 60) -> Any:
            calls.append(min(end, len(chunk)) - at)
            return real.search(chunk, at, end)

        def match(self, *where: Any) -> Any:
            return real.match(*where)

    chunk = unit * (30_000 // len(unit))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyzer, "_WORD", Counting())
        found = [*analyzer._tokens(chunk)]
    at, whole = 0, []
    while one := real.search(chunk, at):
        one = real.match(chunk, one.start(), one.start() + 255) if one.end() - one.start() > 255 else one
        whole.append(one[0])
        at = one.end()
    assert found == whole
    assert sum(calls) < 20 * len(chunk)


def test_low_lines_before_a_word_break_nothing() -> None:
    for count in (1, 254, 255, 300, 5000):
        assert terms(f"{'_' * count}a b")[-1] == "b"
