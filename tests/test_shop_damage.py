"""Finished catalogues that are damaged, or replaced while they are read: named, and never an answer."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from react.environments.shop.__main__ import main
from react.environments.shop.build import open_catalogue
from react.environments.shop.goods import Stocked
from react.environments.shop.nouns import by_rule
from react.environments.shop.seal import SUMS, CatalogueError, seal
from react.environments.shop.store import Store
from react.environments.webshop import WebShop
from react.methods import METHODS, Sampling, Solver
from react.rollout import attempt
from tests.shops import shop
from tests.toys import Said

pytestmark = pytest.mark.usefixtures("cache")

FILES = ("catalogue.sqlite", "order.bin", SUMS)
FILES += tuple(f"index/{name}" for name in ("facts.json", "starts.bin", "documents.bin", "counts.bin", "lengths.bin"))
FILES += ("index/ranks.bin",)
NAMES = [f"{colour} {thing}" for colour in ("red", "blue", "green") for thing in ("lamp", "sofa", "pan", "cup")]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shops")
    shop(folder / "one", NAMES)
    shop(folder / "other", [name.replace("lamp", "lantern") for name in NAMES[1:]])
    return folder


@pytest.fixture
def made(once: Path, tmp_path: Path) -> Path:
    """A catalogue, with another one in `other/made` beside its folder."""
    shutil.copytree(once, tmp_path / "shops")
    return tmp_path / "shops" / "one" / "made"


def test_the_sums_are_of_all_files(made: Path) -> None:
    found = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert found == set(FILES)
    assert {line.split()[1] for line in (made / SUMS).read_text().splitlines()} == found - {SUMS}


def flipped(path: Path, chance: Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def test_any_flipped_bit_is_named(made: Path) -> None:
    """Of the sums, a bit in the name of a file or in a sum blames that file, and any other the sums."""
    chance = Random(0)
    for number in range(150):
        name = FILES[number % len(FILES)]
        whole = (made / name).read_bytes()
        flipped(made / name, chance)
        blamed = "|".join(FILES) if name == SUMS else name
        with pytest.raises(CatalogueError, match=rf"{made}/({blamed}): damaged.*; remove {made} and build it again$"):
            Store(made)
        (made / name).write_bytes(whole)
    assert Store(made).search(["lamp"])


CHANGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "long": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "other": lambda path: path.write_bytes(b"no database"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_missing_or_cut_is_named(made: Path, name: str, change: str) -> None:
    CHANGES[change](made / name)
    blamed = "|".join(FILES) if name == SUMS else name
    with pytest.raises(CatalogueError, match=f"{made}/({blamed}): "):
        open_catalogue(made)


def test_a_mixture_of_two_catalogues_is_refused(made: Path) -> None:
    shutil.copytree(made.parents[1] / "other" / "made" / "index", made / "index", dirs_exist_ok=True)
    with pytest.raises(CatalogueError, match=r"index/facts\.json: damaged"):
        Store(made)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            "UPDATE meta SET value = 'staract-shop-0' WHERE name = 'format'",
            "of format 'staract-shop-0'",
        ),
        ("DROP TABLE meta", "catalogue.sqlite: cannot be read: no such table"),
        ("DROP TABLE shares", "catalogue.sqlite: cannot be read: no such table"),
        ("DROP TABLE terms", "catalogue.sqlite: cannot be read: no such table"),
        ("DROP TABLE products", "catalogue.sqlite: cannot be read: no such table"),
        ("UPDATE products SET record = 'x'", "catalogue.sqlite: cannot be read: "),
        ("UPDATE goals SET record = '[]'", "catalogue.sqlite: cannot be read: "),
        ("DELETE FROM goals", "catalogue.sqlite: cannot be read: it has no goal 1"),
    ],
)
def test_what_another_program_made_and_sealed_is_named(made: Path, change: str, problem: str) -> None:
    with sqlite3.connect(made / "catalogue.sqlite") as database:
        database.execute(change)
    seal(made)

    def use() -> None:
        store = Store(made)
        store.search(["lamp"])
        store.product(store.search(["<r>"])[0])
        assert store.goals[:]

    with pytest.raises(CatalogueError, match=problem):
        use()


def test_a_catalogue_of_before_says_so(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (made / SUMS).unlink()
    with pytest.raises(SystemExit) as ended:
        main(["build", str(made.parent), "--out", str(made)])
    assert ended.value.code == 2
    assert f"{SUMS}: is missing: the catalogue is damaged, or of a version before" in capsys.readouterr().err


@pytest.mark.parametrize("name", FILES)
def test_the_command_names_a_file_that_its_catalogue_lacks(
    made: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (made / name).unlink()
    with pytest.raises(SystemExit) as ended:
        main(["build", str(made.parent), "--out", str(made)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"error: {made / name}: " in said and f"remove {made} and build it again" in said


@pytest.mark.parametrize("name", FILES)
def test_a_disk_that_cannot_be_read_is_no_damage(made: Path, name: str) -> None:
    """Reading the memory of a process from 0 on is a real EIO."""
    (made / name).unlink()
    (made / name).symlink_to("/proc/self/mem")
    with pytest.raises(OSError) as raised:
        Store(made)
    assert raised.value.filename == str(made / name) and "error" in str(raised.value.strerror)


def replaced(made: Path) -> None:
    """Another catalogue under the same name, as `rm` and `build` make it."""
    made.rename(made.with_name("before"))
    (made.parents[1] / "other" / "made").rename(made)


def rebuilt(made: Path) -> None:
    """The same, built once more: other files, of which nobody knows what is in them."""
    shutil.copytree(made, made.with_name("copy"))
    shutil.rmtree(made)
    made.with_name("copy").rename(made)


def rewritten(name: str) -> Callable[[Path], None]:
    def change(made: Path) -> None:
        content = (made / name).read_bytes()
        (made / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    return change


LATER: dict[str, Callable[[Path], None]] = {
    "replaced": replaced,
    "rebuilt": rebuilt,
    "removed": shutil.rmtree,
    **{f"{name} is gone": lambda made, name=name: (made / name).unlink() for name in FILES if name != SUMS},  # type: ignore[misc]
    **{f"{name} is another": rewritten(name) for name in FILES if name != SUMS},
}


ASKED: dict[str, Callable[[Store], Any]] = {
    "search": lambda store: store.search(["sofa"]),
    "product": lambda store: store.product("P0002"),
    "goal": lambda store: store.goals[0],
    "random": lambda store: store.search(["<r>"]),
    "category": lambda store: store.search(["<c>", "c"]),
}


# What each answer does not come out of: there it is still right.
UNUSED = dict.fromkeys(ASKED, ("index/", "order.bin")) | {"search": (), "goal": ("index/",)}


@pytest.mark.parametrize("change", LATER)
def test_what_is_changed_under_its_readers_answers_nothing_more(made: Path, change: str) -> None:
    """Neither in the thread that read before nor in one that opens the database only now. What was read before is
    still right, and so is what comes out of files that are as they were."""
    store, whole = Store(made), Store(made)
    before = {name: ask(whole) for name, ask in ASKED.items()} | {"lamp": store.search(["lamp"])}
    LATER[change](made)
    for name, ask in ASKED.items():
        with ThreadPoolExecutor(1) as other:
            for call in (lambda ask=ask: ask(store), lambda ask=ask: other.submit(ask, store).result()):
                if change.startswith(UNUSED[name]):
                    assert call() == before[name]
                    continue
                with pytest.raises(CatalogueError, match=rf"{made}/\S+: (is gone|was changed or replaced) while it is"):
                    call()
    assert store.search(["lamp"]) == before["lamp"]


def test_many_readers_get_answers_of_what_they_opened_or_none(made: Path) -> None:
    words = [name.split() for name in NAMES] + [[name] for name in {*" ".join(NAMES).split()}]
    alone = {" ".join(query): Store(made).search(query) for query in words}
    store = Store(made)

    begins, ended = Event(), Event()

    def ask(number: int) -> tuple[bool, bool, bool]:
        """Whether it began after the change, got an answer, and was done before the change began."""
        if number == 300:
            begins.set()
            replaced(made)
            ended.set()
        elif number > 500:
            ended.wait(60)
        query, after = words[number % len(words)], ended.is_set()
        store._search.cache_clear()
        try:
            assert store.search(query) == alone[" ".join(query)]
        except CatalogueError:
            return after, False, not begins.is_set()
        return after, True, not begins.is_set()

    with ThreadPoolExecutor(8) as threads:
        told = [*threads.map(ask, range(600))]
    before = [answered for _, answered, done in told if done]
    after = [answered for began, answered, _ in told if began]
    assert before and all(before) and after and not any(after)


def test_a_stop_stays_one_over_a_replaced_catalogue(made: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Store(made)._database.reading():
        replaced(made)
        raise KeyboardInterrupt


def test_an_episode_over_a_replaced_catalogue_fails_and_is_no_wrong_answer(made: Path) -> None:
    environment = WebShop(Stocked(Store(made), "rule", by_rule))
    (task,) = environment.tasks("test")
    turns = iter([" search[lamp]", " click[P0004]", " click[Back to Search]", " search[sofa]"])

    def answer(_: object) -> str:
        said = next(turns)
        if "sofa" in said:
            replaced(made)
        return said

    record = attempt(Solver(METHODS["react"], environment, Said(answer), lambda task: ""), task, Sampling())
    assert (record.end, record.reward, record.answer) == ("failed", 0.0, "")
    assert record.error.startswith(f"CatalogueError: {made}/catalogue.sqlite: was changed or replaced")


def test_a_damaged_catalogue_in_the_cache_is_named_and_built_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop(tmp_path / "data", NAMES)
    store = open_catalogue(tmp_path / "data")
    found = store.search(["lamp"])
    flipped(store.folder / "index" / "counts.bin", Random(1))
    again = open_catalogue(tmp_path / "data")
    assert again.search(["lamp"]) == found and again.fingerprint == store.fingerprint
    assert f"warning: {store.folder}/index/counts.bin: damaged" in capsys.readouterr().err
    with pytest.raises(CatalogueError, match="while it is in use"):
        store.search(["sofa"])


def test_the_facts_are_those_that_are_told(made: Path) -> None:
    facts = json.loads((made / "index" / "facts.json").read_text())
    assert facts["documents"] == len(NAMES) == int(Store(made).facts["products"])
    assert os.path.getsize(made / "index" / "ranks.bin") == 4 * len(NAMES)
