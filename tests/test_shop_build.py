"""Catalogues: what they are built of, that a build goes on where it was stopped, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from react.environments import _build
from react.environments.shop import indexing, stages
from react.environments.shop.__main__ import main
from react.environments.shop.build import open_catalogue
from react.environments.shop.sources import data
from react.environments.shop.store import Store
from react.environments.wikipedia.__main__ import main as wikipedia
from react.lock import hold
from tests import shops
from tests.shops import PRODUCTS, TINY, files, item, official, written

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return official(tmp_path / "data")


@pytest.mark.parametrize("kind", ["human", "synthetic"])
@pytest.mark.parametrize("of", ["tiny", pytest.param("real", marks=shops.real_data)])
def test_products_and_goals_are_those_made_in_memory(tmp_path: Path, of: str, kind: str) -> None:
    values = shops.tiny() if of == "tiny" else shops.real()
    folder = written(tmp_path / "data", **{name: values[name] for name in TINY})
    catalogue, shelf = open_catalogue(folder, goals=kind), shops.shelf(of, kind)
    assert list(catalogue.goals) == list(shelf.goals)
    assert {asin: catalogue.product(asin) for asin in shelf.products} == shelf.products
    assert int(catalogue.facts["products"]) == len(shelf.products) and catalogue.product("nothing") is None
    assert catalogue.goals[-1] == shelf.goals[-1] and catalogue.goals[1:3] == list(shelf.goals[1:3])


def test_what_was_built_is_only_opened(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_catalogue(source)
    assert first.facts["kind"] == "human" and len(first.goals) == len(range(0, PRODUCTS, 3))
    monkeypatch.setattr(stages, "run", lambda *_: pytest.fail("built again"))
    assert open_catalogue(source).fingerprint == first.fingerprint
    assert open_catalogue(first.folder).fingerprint == first.fingerprint


def test_the_fingerprint_follows_what_is_in_it(source: Path) -> None:
    made = [open_catalogue(source, **options) for options in ({}, {"seed": 1}, {"most": 7}, {"goals": "synthetic"})]
    assert len({catalogue.fingerprint for catalogue in made}) == 4 and int(made[2].facts["products"]) == 7
    items = json.loads((source / "items_shuffle.json").read_text())
    (source / "items_shuffle.json").write_text(json.dumps(items[::-1]))
    assert open_catalogue(source).fingerprint != made[0].fingerprint


PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("form", PACKED)
def test_files_may_be_compressed_and_lists_may_be_lines(source: Path, form: str) -> None:
    plain = open_catalogue(source).fingerprint
    for path in list(source.iterdir()):
        path.with_name(f"{path.name}.{form}").write_bytes(PACKED[form](path.read_bytes()))
        path.unlink()
    assert open_catalogue(source).fingerprint == plain
    items = PACKED[form](b"\n".join(json.dumps(item(number)).encode() for number in range(PRODUCTS)))
    (source / f"items_shuffle.json.{form}").write_bytes(items)
    assert open_catalogue(source).fingerprint == plain


def test_both_sizes_in_one_folder_are_told_apart(tmp_path: Path, source: Path) -> None:
    for name in ("items_shuffle", "items_ins_v2"):
        (source / f"{name}_1000.json").write_bytes((official(tmp_path / "small", 10) / f"{name}.json").read_bytes())
    with pytest.raises(ValueError, match=r"items_shuffle\.json, items_shuffle_1000\.json: name one"):
        open_catalogue(source)
    assert int(open_catalogue(source / "items_shuffle_1000.json").facts["products"]) == 10
    assert int(open_catalogue(source / "items_shuffle.json").facts["products"]) == PRODUCTS


def test_what_is_malformed_is_skipped_and_counted(tmp_path: Path) -> None:
    good = [item(number) for number in range(3)]
    bad: list[Any] = [{"asin": "nan"}, {}, good[0], item(7, name=None), item(8, pricing="free")]
    bad += [item(9, asin="\ud800"), item(10, name="\ud800")]
    goal = {"instruction": "find", "instruction_attributes": ["x"], "instruction_options": []}
    told: dict[str, Any] = {"B0000": [goal, {"instruction": 3}, goal | {"instruction_attributes": []}], "B0001": 5}
    told |= {"NOTHERE": [goal], "\ud800": [goal]}
    folder = written(tmp_path / "data", items_shuffle=[*good, *bad], items_ins_v2={}, items_human_ins=told)
    catalogue = open_catalogue(folder)
    assert len(catalogue.goals) == 1 and int(catalogue.facts["products"]) == 3
    for reason in ("3 no asin", "1 asin seen before", "1 malformed name", "1 malformed pricing", "1 malformed text"):
        assert reason in catalogue.facts["skipped"]
    for reason in ("2 malformed instruction", "1 instruction without attributes", "2 instruction without a product"):
        assert reason in catalogue.facts["skipped"]


GOAL = {"attributes": ["bright"], "instruction": "Find", "instruction_attributes": ["bright"]}
TOLD = {"instruction": "i want", "instruction_attributes": ["bright"], "instruction_options": ["red"]}
ODD: list[Any] = [5, [], "x", True, {}, {"attributes": None}, GOAL | {"attributes": ["\ud800"]}]
ODD += [GOAL | {"instruction": said} for said in (None, 5, " ", "\ud800")]
ODD += [GOAL | {"instruction_attributes": said} for said in (None, "x", [5], ["\ud800"])]


@pytest.mark.parametrize("kind", ["human", "synthetic"])
def test_what_is_known_of_a_product_and_no_record_costs_that_product_alone(source: Path, kind: str) -> None:
    known = json.loads((source / "items_ins_v2.json").read_text())
    for number, odd in enumerate([*ODD, None]):
        known[f"B{number:04}"] = odd
    catalogue = open_catalogue(written(source, items_ins_v2=known), kind)
    left = PRODUCTS - 7 if kind == "human" else (PRODUCTS - len(ODD) - 1) * 2
    assert int(catalogue.facts["products"]) == PRODUCTS - 7
    assert len(catalogue.goals) == (left if kind == "synthetic" else len([*range(0, PRODUCTS, 3)]) - 3)


def test_an_odd_instruction_costs_no_other(source: Path) -> None:
    odd: list[Any] = [TOLD | {name: "\ud800"} for name in TOLD if name == "instruction"]
    odd += [TOLD | {name: ["\ud800"]} for name in TOLD if name != "instruction"]
    odd += [None, 5, [], TOLD | {"instruction_options": {"a": "b"}}]
    catalogue = open_catalogue(written(source, items_human_ins={"B0001": [*odd, TOLD]}))
    assert len(catalogue.goals) == 1 and catalogue.facts["skipped"] == f"{len(odd)} malformed instruction"


def test_options_without_end_are_no_goals(source: Path) -> None:
    options = {str(name): [{"value": str(value)} for value in range(300)] for name in range(9)}
    items = json.loads((source / "items_shuffle.json").read_text())
    written(source, items_shuffle=[*items[:5], item(5, customization_options=options)])
    catalogue = open_catalogue(source, "synthetic")
    assert len(catalogue.goals) == 10 and int(catalogue.facts["products"]) == 6
    assert "1 instruction with too many combinations of options" in catalogue.facts["skipped"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"items_ins_v2": '{"a\\qb": {}}'}, r"items_ins_v2\.json\[0\]: its name is not JSON"),
        ({"items_human_ins": '{"A": [], "a\nb": []}'}, r"items_human_ins\.json\[1\]: its name is not JSON"),
        ({"items_shuffle": "[{}"}, r"items_shuffle\.json\[1\]: not JSON, or cut short"),
        ({"items_shuffle": "[]"}, "holds no products"),
        ({"items_shuffle": "[3]"}, "a int where a JSON object must be"),
        ({"items_shuffle": [{"asin": "nan"}]}, r"holds no products \(1 no asin\)"),
        ({"items_ins_v2": "[1, 2]"}, r"items_ins_v2\.json"),
        ({"items_ins_v2": '{"A": {}, "B"'}, r"items_ins_v2\.json"),
        ({"items_ins_v2": '{"A": {}} {}'}, "something follows"),
        ({"items_human_ins": {}}, "no human instruction"),
        ({"items_human_ins": "nonsense"}, r"items_human_ins\.json"),
        ({"splits": {"test": 9999}}, "9999 goals in its splits"),
        ({"splits": {"test": -1}}, r"splits\.json: must say"),
        ({"splits": "{"}, r"splits\.json: not JSON"),
    ],
)
def test_what_cannot_be_read_is_named(source: Path, cache: Path, change: dict[str, Any], problem: str) -> None:
    written(source, **change)
    with pytest.raises(ValueError, match=problem):
        open_catalogue(source)
    assert not list(cache.glob("shops/*.partial"))


@pytest.mark.parametrize(
    ("names", "options", "problem"),
    [
        ("missing", {}, "neither a folder nor a file"),
        ("data/items_ins_v2.json", {}, r"must be called items_shuffle\.json"),
        ("", {}, "must name"),
        ([], {}, "must name"),
        (["data", "data"], {}, "two data sets"),
        (["hf://a/b", "hf://a/c", "hf://a/d"], {}, "two data sets"),
        ("data", {"goals": "own"}, "there are human, synthetic"),
        ("data", {"seed": -1}, "seed is -1"),
        ("data", {"most": True}, "products is True"),
        ("made", {"goals": "synthetic"}, "built with kind human"),
        ("made", {"seed": 3}, "built with seed 0"),
        ("made", {"most": 3}, "built of 0 records"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, names: Any, options: Any, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if names == "made":
        main(["build", "data", "--out", "made"])
    with pytest.raises(ValueError, match=problem):
        open_catalogue(names, **options)


def test_without_human_instructions_there_are_synthetic_ones(source: Path) -> None:
    (source / "items_human_ins.json").unlink()
    assert open_catalogue(source).facts["kind"] == "synthetic"
    with pytest.raises(ValueError, match=r"no items_human_ins\.json beside it"):
        open_catalogue(source, goals="human")
    (source / "items_ins_v2.json").unlink()
    with pytest.raises(ValueError, match=r"items_ins_v2\.json must lie beside it"):
        open_catalogue(source)


def test_splits_of_their_own(source: Path) -> None:
    (source / "splits.json").write_text('{"test": 5, "train": 20}')
    assert json.loads(open_catalogue(source).facts["splits"]) == {"test": 5, "train": 20}


def hub(folder: Path, split: str, rows: list[dict[str, Any]]) -> None:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    path = folder / "data" / f"{split}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def hub_row(number: int) -> dict[str, Any]:
    """A product as the data set has it: what the original made of a record, and fields in fields as a text."""
    prices = [5.0, 25.5] if number % 2 else [7.0]
    row = {key: item(number)[key] for key in ("asin", "name", "full_description", "category", "product_category")}
    nested = {"pricing": prices, "options": {"color": ["red", "blue"]}, "small_description": ["Bright"]}
    nested |= {"Attributes": ["bright"], "instruction_attributes": ["bright"], "images": ["x"]}
    row |= {"query": "lamps", "instruction_text": "Find me a bright lamp", "page": 3}
    return row | {name: json.dumps(value) for name, value in nested.items()}


def test_products_of_the_hub_are_those_of_the_official_files(tmp_path: Path, source: Path) -> None:
    hub(tmp_path / "products", "train", [hub_row(number) for number in range(PRODUCTS)])
    found = open_catalogue(f"hf://{tmp_path / 'products'}")
    own = open_catalogue(source, goals="synthetic")
    assert found.fingerprint == own.fingerprint and found.facts["kind"] == "synthetic"


@pytest.mark.parametrize("number", ["1e400", "1" + "0" * 400, "NaN", '"much"', "[]"])
def test_a_goal_of_the_hub_whose_bound_is_no_number_is_left_out(tmp_path: Path, number: str) -> None:
    hub(tmp_path / "products", "train", [hub_row(1)])
    goal = {"asin": "B0001", "instruction_text": "a lamp", "attributes": "[]", "goal_options": "[]", "weight": "1"}
    bad = [{"price_upper": number}, {"price_upper": "1", "weight": number}]
    hub(tmp_path / "goals", "train", [goal | other for other in [{"price_upper": "30"}, *bad]])
    hub(tmp_path / "goals", "test", [goal | {"price_upper": "30"}])
    catalogue = open_catalogue([f"hf://{tmp_path / 'products'}", f"hf://{tmp_path / 'goals'}"])
    assert len(catalogue.goals) == 2 and catalogue.facts["skipped"] == "2 malformed instruction"


def test_goals_of_the_hub_keep_their_place_and_their_bound(tmp_path: Path) -> None:
    hub(tmp_path / "products", "train", [hub_row(number) for number in range(3)])
    goal = {"asin": "B0001", "instruction_text": "a lamp, and price lower than 30.00 dollars", "price_upper": "30.0"}
    goal |= {"attributes": '["bright"]', "goal_options": '{"color": "red"}', "weight": "0.25"}
    hub(tmp_path / "goals", "train", [goal, goal | {"asin": "GONE"}, goal | {"price_upper": "much"}])
    hub(tmp_path / "goals", "test", [goal | {"goal_options": '["red"]', "weight": "1"}])
    catalogue = open_catalogue([f"hf://{tmp_path / 'products'}", f"hf://{tmp_path / 'goals'}"])
    first, second = catalogue.goals
    assert (first.options, first.weight, second.options, second.weight) == (("red",), 1.0, (("color", "red"),), 0.25)
    assert (second.price_upper, second.query, second.title) == (30.0, "lamps", "Lamp 1 of tin")
    assert json.loads(catalogue.facts["splits"]) == {"test": 1, "train": 1} and catalogue.facts["kind"] == "ready"
    assert catalogue.facts["skipped"] == "1 instruction without a product, 1 malformed instruction"


# Runs the command in a process that saves each step, and kills itself (-9) in the `call`-th call of a function.
KILLED = """
import os, sys
from react.environments import _build
from react.environments.shop import build, goal_stage, indexing, rows, stages
from react.environments.shop.__main__ import main
_build._SAVED_SECONDS, stages._PART, goal_stage._PART, indexing._RUN = -1.0, 10, 10, 70
modules = {"os": os, "build": build, "indexing": indexing, "rows": rows, "stages": stages, "goal_stage": goal_stage}
module = modules[sys.argv[1]]
name, call = sys.argv[2], int(sys.argv[3])
real, calls = getattr(module, name), 0
def deadly(*args, **options):
    global calls
    calls += 1
    if calls == call:
        os.kill(os.getpid(), 9)
    return real(*args, **options)
setattr(module, name, deadly)
main(sys.argv[4:])
"""


@pytest.mark.parametrize(
    ("module", "name", "call", "kind"),
    [
        pytest.param("stages", "_keep", 35, "human", marks=pytest.mark.slow),
        ("rows", "add_product", 35, "human"),
        pytest.param("rows", "add_product", 229, "synthetic", marks=pytest.mark.slow),
        pytest.param("rows", "add_goal", 9, "human", marks=pytest.mark.slow),
        pytest.param("rows", "add_goal", 135, "synthetic", marks=pytest.mark.slow),
        pytest.param("goal_stage", "_fingerprint", 1, "human", marks=pytest.mark.slow),
        pytest.param("indexing", "text", 100, "human", marks=pytest.mark.slow),
        ("indexing", "merge", 1, "human"),
        pytest.param("indexing", "write", 17, "human", marks=pytest.mark.slow),
        pytest.param("indexing", "_remove", 5, "human", marks=pytest.mark.slow),
        pytest.param("build", "_compact", 1, "human", marks=pytest.mark.slow),
        pytest.param("build", "seal", 1, "human", marks=pytest.mark.slow),
        pytest.param("os", "replace", 1, "human", marks=pytest.mark.slow),
        pytest.param("os", "replace", 2, "human", marks=pytest.mark.slow),
        pytest.param("os", "replace", 3, "human", marks=pytest.mark.slow),
        pytest.param("os", "replace", 4, "human", marks=pytest.mark.slow),
    ],
)
def test_a_build_that_was_killed_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, call: int, kind: str
) -> None:
    source, command = official(tmp_path / "data"), ["--goals", kind]
    bad = [item(500, pricing="free"), item(3), item(500)]  # the last has the asin of a record that was left out
    items = json.loads((source / "items_shuffle.json").read_text())
    (source / "items_shuffle.json").write_text(json.dumps([*items[:20], *bad[:2], *items[20:], bad[2]]))
    run = [sys.executable, "-c", KILLED, module, name, str(call), "build", str(source), "--out", str(tmp_path / "shop")]
    assert subprocess.run([*run, *command], capture_output=True).returncode == -signal.SIGKILL
    assert not (tmp_path / "shop").exists() and (tmp_path / "shop.partial").exists()
    monkeypatch.setattr(indexing, "_RUN", 70)
    with monkeypatch.context() as patch:
        if module in ("indexing", "os", "build"):
            patch.setattr(stages, "products", lambda *_: pytest.fail("read again"))
        main(["build", str(source), "--out", str(tmp_path / "shop"), *command])
    main(["build", str(source), "--out", str(tmp_path / "whole"), *command])
    assert files(tmp_path / "shop") == files(tmp_path / "whole")
    assert not (tmp_path / "shop.partial").exists() and not (tmp_path / "shop.lock").exists()
    assert not list((tmp_path / "shop").rglob("run-*"))


def test_a_build_of_other_data_begins_anew(tmp_path: Path, source: Path) -> None:
    run = [
        sys.executable,
        "-c",
        KILLED,
        "rows",
        "add_product",
        "35",
        "build",
        str(source),
        "--out",
        str(tmp_path / "s"),
    ]
    assert subprocess.run(run, capture_output=True).returncode == -signal.SIGKILL
    other = official(tmp_path / "other", 40)
    main(["build", str(other), "--out", str(tmp_path / "s")])
    assert int(Store(tmp_path / "s").facts["products"]) == 40


@pytest.mark.parametrize("what", ["a file", "a folder", "a link", "other data", "other settings", "a partial folder"])
def test_what_is_there_and_something_else_is_left_as_it_is(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    out, settings = tmp_path / "shop", []
    if what == "a file":
        out.write_text("mine")
    elif what == "a folder":
        written(out, mine="1")
    elif what == "a partial folder":
        written(tmp_path / "shop.partial", mine="1")
    elif what == "a link":
        (tmp_path / "shop.partial").symlink_to(written(tmp_path / "elsewhere", mine="1"))
    else:
        main(["build", str(source if what == "other settings" else official(tmp_path / "few", 5)), "--out", str(out)])
        settings = ["--seed", "3"] if what == "other settings" else []
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit) as ended:
        main(["build", str(source), "--out", str(out), *settings])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("error: ") and said.count("\n") == 1 and "shop" in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command_says_what_it_made_and_finds_it_made(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["build", str(source), "--out", str(tmp_path / "shop")]
    main(command)
    said = capsys.readouterr().out
    assert f"shop: {PRODUCTS} products, 77 human goals, fingerprint {Store(tmp_path / 'shop').fingerprint[:12]}" in said
    monkeypatch.setattr(stages, "run", lambda *_: pytest.fail("built again"))
    main(command)
    assert capsys.readouterr().out == said


def test_builds_that_nobody_goes_on_with_are_swept_away(source: Path, cache: Path) -> None:
    for name in ("old", "held", "new"):
        (cache / "shops" / f"{name}.partial").mkdir(parents=True)
        (cache / "shops" / f"{name}.partial" / "catalogue.sqlite").touch()
    for name in ("old", "held"):
        long_ago = time.time() - 2 * 24 * 3600
        os.utime(cache / "shops" / f"{name}.partial" / "catalogue.sqlite", (long_ago, long_ago))
    lock = hold(cache / "shops" / "held")
    open_catalogue(source)
    os.close(lock)
    assert sorted(path.stem for path in (cache / "shops").glob("*.partial")) == ["held", "new"]


def test_builds_that_ended_before_they_began_are_no_hindrance(tmp_path: Path, source: Path, cache: Path) -> None:
    """Killed before its database was there, or ended by another process while this one looks for what is stale."""
    (cache / "shops" / "other.partial").mkdir(parents=True)
    (tmp_path / "shop.partial").mkdir()
    main(["build", str(source), "--out", str(tmp_path / "shop")])
    assert open_catalogue(source).fingerprint == Store(tmp_path / "shop").fingerprint


def test_what_is_made_is_found_where_nothing_can_be_written(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["build", str(source), "--out", str(tmp_path / "shop")]
    main(command)
    monkeypatch.setattr(_build, "hold", lambda *_, **__: pytest.fail("a lock is written"))
    main(command)


def test_a_build_that_has_not_ended_is_told_from_nothing(tmp_path: Path) -> None:
    (tmp_path / "shop.partial").mkdir()
    says = (
        rf"shop: its build has not ended \(shop\.partial\); .* goes on: python -m .* build SOURCE --out {tmp_path}/shop"
    )
    with pytest.raises(ValueError, match=says):
        open_catalogue(tmp_path / "shop")
    with pytest.raises(ValueError, match="neither a folder nor a file"):
        open_catalogue(tmp_path / "other")


@pytest.mark.parametrize("command", [main, wikipedia])
def test_a_command_without_its_verb_says_how_it_goes(command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command([])
    assert "the following arguments are required: build SOURCE --out ..." in capsys.readouterr().err


def test_data_have_names_without_folders(source: Path) -> None:
    assert data(source).names == "items_shuffle.json items_ins_v2.json items_human_ins.json"
    assert data(["hf://axon-rl/webshop", "hf://axon-rl/webshop_instructions"]).kind("") == "ready"


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ("", "the following arguments are required: --out"),
        ("--out made --seed -1", "--seed: '-1' must be a whole number of at least 0"),
        ("--out made --products -1", "--products: '-1' must be a whole number of at least 0"),
        ("--out made --products many", "--products: 'many' must be a whole number of at least 0"),
        ("--out made --goals own", "goals 'own': there are human, synthetic"),
        ("--out made --prod 3", "unrecognized arguments: --prod 3"),
    ],
)
def test_a_wrong_flag_is_one_line(source: Path, capsys: pytest.CaptureFixture[str], flags: str, problem: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["build", str(source), *flags.split()])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("error: ") and said.count("\n") == 1 and problem in said
