"""The embedded shop as it lies in the repository: official formats, every wish can be fulfilled, people speak."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from data.catalogue.goals import SPLITS
from data.catalogue.tables import features, kinds
from data.catalogue.wording import OTHERWISE
from react.environments.shop.build import open_catalogue
from react.environments.shop.nouns import by_rule
from react.environments.shop.reward import reward

ROOT = Path(__file__).resolve().parents[1]
SHOP = ROOT / "data" / "webshop"
FILES = ("items_shuffle.json.gz", "items_ins_v2.json.gz", "items_human_ins.json.gz", "splits.json")


@cache
def load(name):
    with gzip.open(SHOP / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


@cache
def items():
    return {item["asin"]: item for item in load("items_shuffle")}


def wishes():
    return [wish for of in load("items_human_ins").values() for wish in of]


def test_the_seed_makes_the_files_again_byte_for_byte(tmp_path):
    command = [sys.executable, "-m", "data.catalogue", "--out", str(tmp_path), "--seed", "0"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    assert sorted(path.name for path in (tmp_path / "webshop").iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / "webshop" / name).read_bytes() == (SHOP / name).read_bytes(), name


def test_what_ships_is_small():
    assert sum((SHOP / name).stat().st_size for name in FILES) < 300_000


def test_ten_categories_of_six_kinds_are_sold_and_each_kind_is_asked_for():
    sold = Counter((item["category"], item["query"]) for item in items().values())
    assert len(items()) == len(load("items_shuffle")) >= 1000
    assert len({category for category, _ in sold}) == 10 and len(sold) == 60 and set(sold.values()) == {18}
    asked = Counter(items()[wish["asin"]]["query"] for wish in wishes())
    assert len(asked) == 60 and max(asked.values()) - min(asked.values()) <= 1
    assert {feature for kind in kinds() for feature in kind.features} == set(features())


def test_a_product_is_asked_for_once_so_that_splits_share_none():
    assert sum(SPLITS.values()) == len(wishes()) == len({wish["asin"] for wish in wishes()}) == 800
    assert json.loads((SHOP / "splits.json").read_text()) == SPLITS


def test_a_wish_is_told_by_the_page_and_asked_for_in_the_instruction():
    for wish in wishes():
        item, said = items()[wish["asin"]], wish["instruction"]
        page = " ".join([item["name"], *item["small_description"], item["full_description"]]).lower()
        offered = {
            value["value"].strip().replace("/", " | ").lower(): name.lower()
            for name, values in item["customization_options"].items()
            for value in values
        }
        assert wish["instruction_attributes"] and wish["instruction_options"]
        assert set(wish["instruction_attributes"]) <= set(wish["attributes"])
        for attribute in wish["instruction_attributes"]:
            assert attribute in page, (wish, attribute)
            assert attribute in said or OTHERWISE[attribute] in said, (said, attribute)
        assert set(wish["instruction_options"]) <= set(offered), wish
        for value in wish["instruction_options"]:
            words = value.replace("(", "").replace(")", "").replace("|", "").split()
            assert all(word in said.replace(",", "").replace("(", "") for word in words), (said, value)


def test_what_is_meant_brings_the_full_reward_for_every_goal_and_most_others_of_its_kind_do_not():
    shop = open_catalogue(SHOP, "", 0, 0)
    assert len(shop.goals) == 800 and shop.facts["splits"]
    full = tried = 0
    some = {goal.asin for goal in shop.goals[::8]}
    of_kind = {}
    for asin in items():
        of_kind.setdefault(shop.product(asin).query, []).append(shop.product(asin))
    for goal in shop.goals:
        meant = shop.product(goal.asin)
        chosen = {name: value for name, values in meant.options for value in values if value in goal.options}
        found = reward(meant, goal, chosen, by_rule)
        assert found.total == 1.0 and meant.price < goal.price_upper, goal
        for other in of_kind[goal.query]:
            if other is not meant and goal.asin in some:
                chosen = {name: value for name, values in other.options for value in values if value in goal.options}
                full, tried = full + (reward(other, goal, chosen, by_rule).total == 1.0), tried + 1
    assert 0.02 < full / tried < 0.2


def test_wishes_are_worded_as_by_many_people():
    said = [wish["instruction"] for wish in wishes()]
    assert len(set(said)) == len(said)
    assert all(text == text.lower() and "  " not in text and " ," not in text and " ." not in text for text in said)
    begin = Counter(" ".join(text.split()[:3]) for text in said)
    assert len(begin) > 80 and begin.most_common(1)[0][1] < len(said) / 10
    assert min(len(text.split()) for text in said) >= 4 and max(len(text.split()) for text in said) <= 45
    ends = Counter(text[-1] for text in said)
    assert ends["?"] > 30 and ends["."] > 400


def test_a_feature_is_told_word_for_word():
    for feature in features().values():
        assert len(feature.sentences) == 2
        assert all(feature.name in said.lower() and said.endswith(".") for said in feature.sentences), feature.name


def test_everything_that_is_made_is_in_make_world():
    (lines,) = re.findall(r"(?m)^world: .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text())
    for path in (ROOT / "data").glob("*/__main__.py"):
        assert f"-m data.{path.parent.name}\n" in lines
    for path in (ROOT / "data").glob("*/demonstrations.jsonl.gz"):
        made_by_world = path.parent.name in ("hotpotqa", "fever")
        assert made_by_world or f"--out {path.relative_to(ROOT)}\n" in lines, path
