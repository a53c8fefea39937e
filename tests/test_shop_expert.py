"""An expert of the shop reads, compares, chooses and buys; what it and people did is replayed as it was."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from react.environments.shop.expert import human
from react.environments.shop.expert.judging import fit, ranked
from react.environments.shop.expert.reading import Item, Offer, read_item, read_results, read_wish

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT.parent / "shared" / "data" / "webshop" / "human_trajs_sample"

RESULTS = """
[Back to Search] 
Page 1 (Total results: 50) 
[Next >] 
[B0345PB2B5] 
Harrowell Cat Tree, for Indoor Cats [2 pack] 
$86.95 
[B0M7J463P5] 
Marlowick Cat Tree Tower, for Small Spaces 
$89.99 to $99.0 """
ITEM = """
[Back to Search] 
[< Prev] 
color [light grey][[dark grey]][grey  |  orange]
size [36 inch][48 inch (pack of 2)]
Marlowick Cat Tree Tower, for Small Spaces 
Price: $89.99 to $99.0 
Rating: N.A. 
[Description] 
[Features] 
[Reviews] 
[Buy Now] """


@pytest.mark.parametrize(
    ("instruction", "words", "bound"),
    [
        (
            "i want a leak proof, navy blue water bottle in size 24 ounce, and price lower than 30.00 dollars",
            "leak proof navy blue water bottle 24 ounce",
            30.0,
        ),
        ("Hi there, i need yoga pants. the size should be x-large. thanks!", "yoga pants x-large", math.inf),
        ("a sulfate free, paraben free shampoo", "sulfate free paraben free shampoo", math.inf),
        ("do you have a travel size charger that is easy to use?", "travel size charger easy use", math.inf),
        ("", "", math.inf),
    ],
)
def test_the_words_of_an_instruction_that_count(instruction, words, bound):
    wish = read_wish(instruction)
    assert (" ".join(word.text for word in wish.words), wish.bound) == (words, bound)


def test_words_are_told_as_they_stand_together():
    wish = read_wish("find me a leak proof, easy to clean water bottle in navy blue")
    assert wish.phrases(wish.words) == ["leak proof", "easy to clean water bottle", "navy blue"]
    assert wish.phrases([word for word in wish.words if word.text in ("clean", "blue")]) == ["clean", "blue"]


def test_pages_are_read():
    assert read_results(RESULTS) == [
        Offer("B0345PB2B5", "Harrowell Cat Tree, for Indoor Cats [2 pack]", (86.95, 86.95)),
        Offer("B0M7J463P5", "Marlowick Cat Tree Tower, for Small Spaces", (89.99, 99.0)),
    ]
    options = (("color", ("light grey", "dark grey", "grey  |  orange")), ("size", ("36 inch", "48 inch (pack of 2)")))
    assert read_item(ITEM) == Item("Marlowick Cat Tree Tower, for Small Spaces", (89.99, 99.0), options)
    for other in ("", "Invalid action!", "OK.", "\nWebShop \nInstruction:  \na cat tree \n[Search] "):
        assert read_results(other) == [] and read_item(other) is None
    assert read_item(RESULTS) is None and read_results(ITEM) == []


@pytest.mark.parametrize(
    ("instruction", "values", "chosen"),
    [
        ("a shirt in x-large", ("large", "x-large", "xx-large"), "x-large"),
        ("a shirt, size large", ("x-large", "large"), "large"),
        ("nuts, 8 ounce, pack of 2", ("8 ounce", "8 ounce (pack of 2)"), "8 ounce (pack of 2)"),
        ("a 4 ounce jar", ("24 ounce", "4 ounce"), "4 ounce"),
        ("shoes in size 9", ("9.5", "9"), "9"),
        ("a navy blue hat", ("sky blue", "navy blue"), "navy blue"),
        ("black loafers", ("black1901", "brown"), ""),
        ("a silver wig", ("rl56 silver", "rl38 walnut"), "rl56 silver"),
        ("a plain hat", ("red", "green"), ""),
    ],
)
def test_options_are_chosen_that_the_instruction_names(instruction, values, chosen):
    found = fit(Item("thing", (5.0, 5.0), (("option", values),)), read_wish(instruction), "")
    assert found.chosen == ((chosen,) if chosen else ())


def test_what_costs_too_much_is_never_first():
    wish = read_wish("a leak proof water bottle, and price lower than 30.00 dollars")
    offers = [
        Offer("A", "Leak Proof Water Bottle", (30.0, 30.0)),
        Offer("B", "Leak Proof Water Bottle", (20.0, 40.0)),
        Offer("C", "Water Bottle", (29.99, 29.99)),
    ]
    assert [offer.asin for offer in ranked(offers, wish)] == ["C", "B"]


def log(name, goal, *pages):
    """Pages of a log in the official form."""
    return [{"page": page, "url": f"http://shop/{name}", "goal": goal, **said} for page, said in pages]


def test_a_jump_of_the_browser_cannot_be_followed():
    goal = {"asin": "B0", "instruction_text": "x"}
    found = {"content": {"keywords": ["a"], "page": 1}}
    item = {"content": {"keywords": "['b']", "page": "1", "asin": "B01", "options": {}}}
    with pytest.raises(human.Unfollowable, match="B01 is opened where it was not found"):
        human.actions(log("s", goal, ("index", {}), ("search_results", found), ("item_page", item)))
    chosen = {"content": {**item["content"], "options": {"color": "red"}}}
    with pytest.raises(human.Unfollowable, match="an option is taken back"):
        human.actions(log("s", goal, ("item_page", chosen), ("item_page", item)))


@pytest.mark.skipif(not LOGS.exists(), reason="the real data are not there")
def test_the_logs_of_real_people_can_be_followed():
    found = {path.stem: human.actions(human.read_log(path)) for path in sorted(LOGS.glob("*.jsonl"))}
    assert len(found) == 9 and all(did[-1] == "click[Buy Now]" for did in found.values())
    assert found["20220427_1_7"] == [
        "search[lenovo chromebook i3-8130u cpu]",
        "click[B07XC7GVRK]",
        "click[Description]",
        "click[< Prev]",
        "click[Buy Now]",
    ]
    assert found["20220427_1_23"][:3] == ["search[red earbud headphones]", "click[Next >]", "click[B08CZ8WS38]"]
    assert found["20220427_1_17"][2:4] == ["click[teal]", "click[38 | 40 | 41 mm]"]
