"""The shop as a whole, from the official files to the reward, against what the original did: search and all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from react.environments.shop import Goal, Product
from react.environments.shop.build import open_catalogue
from react.environments.shop.notebook import Client
from react.environments.shop.pages import Local
from react.environments.shop.reward import reward
from react.environments.shop.store import Store
from react.environments.shop.visit import Visit
from tests.shops import REAL, TINY, real, real_data, steps, tiny, written

TRACES = [("tiny", trace["tag"]) for trace in tiny()["traces"]]
TRACES += [("real", path.stem) for path in sorted((REAL / "traces").glob("*.json"))]
REACT = sorted((REAL / "traces_react").glob("*.json"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory):
    """Catalogues as `load` opens them, kept for the tests of this file."""
    root = tmp_path_factory.mktemp("shops")
    official = written(root / "tiny", **{name: tiny()[name] for name in TINY})

    @cache
    def opened(of: str, kind: str) -> Store:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STARACT_CACHE", str(root / "cache"))
            return open_catalogue(official if of == "tiny" else REAL, kind)

    return opened


def pages(store: Store, data: Mapping[str, Any], goal: Goal, attributes: bool = False) -> Local:
    def nouns(title: str) -> list[str]:
        return by_title[title]

    def judge(product: Product, goal: Goal, chosen: Mapping[str, str]) -> float:
        return reward(product, goal, chosen, nouns).total

    by_title = {
        item["name"]: data["nouns"][item["asin"]] for item in data["items_shuffle"] if item["asin"] in data["nouns"]
    }
    return Local(store, goal, judge, attributes=attributes)


@pytest.mark.parametrize(("of", "tag"), TRACES)
def test_the_text_environment(of: str, tag: str, shop) -> None:
    data = tiny() if of == "tiny" else real()
    (trace,) = [trace for trace in data["traces"] if trace["tag"] == tag]
    store = shop(of, "human" if trace["setup"]["human_goals"] else "synthetic")
    number = trace["goal_index"]
    visit = Visit(pages(store, data, store.goals[number], trace["setup"]["show_attrs"]), str(number))
    for step in steps(trace):
        came = visit.act(step["action"])
        assert (came.reward, came.done) == (step["reward"], step["done"]), step["action"]
        seen = {"text": visit.text, "text_rich": visit.rich, "url": visit.url}
        assert seen == {key: step[key] for key in seen}, step["action"]
        assert list(visit.clickables()) == step["available_actions"]["clickables"], step["action"]


@real_data
@pytest.mark.parametrize("path", REACT, ids=[path.stem for path in REACT])
def test_the_notebook(path: Path, shop) -> None:
    trace, store = json.loads(path.read_text()), shop("real", "human")
    goal = store.goals[int(trace["session"].partition("_")[2])]
    client = Client(pages(store, real(), goal), careful=False)
    assert client.first == trace["steps"][0]["observation"]
    for step in trace["steps"][1:]:
        told = client.act(step["action"])
        text = "OK." if step["action"].startswith("think") else told.text
        if step["action"] != "search[<r>]":  # at random there and here
            assert (text, told.score or 0.0, told.done) == (step["observation"], step["reward"], step["done"])
