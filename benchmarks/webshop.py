"""How fast the shop is walked and searched, and what its catalogue takes as it grows to 1.18 million products.

    python -m benchmarks.webshop [--quick] [--products 1180000]

The products are made up in the form and about the length of the official ones: titles, descriptions, five bullets and,
for half of them, options, in words of which few are common and most are rare (Zipf's law). They are written as one list
into a temporary folder, and built in a process of its own. Then one thread goes shopping, and asks: half of the queries
are words of a product, half are an instruction with a price. Nothing is asked twice. The original, in Java and Python,
takes about 20 steps a second, and 27 ms for a search of 1,000 products; each of its workers holds all products.

Last, one line of JSON, of the largest catalogue; `_1000` is that of 1,000 products:

* products, build_seconds, build_peak_mb   from the list to the catalogue; resident memory of the process at its most;
                                           `build_cpu_seconds` is the time that it had on a processor, whoever else ran
* search_p50_ms, search_p99_ms             of a query; `threads_p50_ms` when 8 threads ask at once
* steps_per_second                         of walks: search, open, read, choose, buy; a page is made for each
* worker_mb                                own memory of a further process that searches and walks, without the files
                                           that all processes share (`worker_resident_mb` is with what it has read)
"""

from __future__ import annotations

import argparse
import json
import random
import string
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._memory import memory_mb
from react.environments.shop import Goal, Product
from react.environments.shop.build import asked, build
from react.environments.shop.notebook import Client
from react.environments.shop.nouns import by_rule
from react.environments.shop.pages import Local
from react.environments.shop.reward import reward
from react.environments.shop.store import Store
from react.flags import whole

_COMMON = (
    "for and with the to of a in is your you or this on it are can be from that will as not any an up size all our "
    "home by have high 1 please easy use color black 2 women men pack design"
)
_WORDS = 400_000
_THREADS = 8
_INSTRUCTION = "i am looking for a {} with {}, and price lower than {}.00 dollars"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 and 10,000 products instead of up to 1.18 million")
    parser.add_argument("--products", type=whole(1), default=1_180_000, help="of the largest catalogue")
    flags = parser.parse_args()
    largest = 10_000 if flags.quick else flags.products
    sizes = [size for size in (1000, 10_000, 100_000) if size < largest] + [largest]
    print(
        "  products  build s  peak MB  files MB   search p50, p99 ms  8 threads p50   steps/s  worker MB (with files)",
        flush=True,
    )
    measured = [measure(size, 200 if flags.quick else 600) for size in sizes]
    small = {f"{name}_1000": measured[0][name] for name in ("steps_per_second", "search_p50_ms")}
    print(json.dumps(measured[-1] | small))


def measure(size: int, queries: int) -> dict[str, float]:
    """Builds a catalogue of so many products, goes shopping in it, and prints a line of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder, target = Path(name), Path(name) / "shop"
        write(folder, size)
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            seconds, busy, peak = process.submit(_build, folder, target).result()
        _ask(target, 20, 1)  # the files are read for the first time
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            own, resident = process.submit(_work, target, queries // 2).result()
        alone, together = _ask(target, queries, 1), _ask(target, queries, _THREADS)
        steps = _walks(target, queries // 2)
        files = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(
        f"{size:10,} {seconds:8.1f} {peak:8.0f} {files / 1e6:9.0f} {_at(alone, 0.5):13.2f} {_at(alone, 0.99):6.1f}"
        f" {_at(together, 0.5):14.2f} {steps:9.0f} {own:10.0f} ({resident:.0f})",
        flush=True,
    )
    return {
        "products": size,
        "build_seconds": round(seconds, 1),
        "build_cpu_seconds": round(busy, 1),
        "build_peak_mb": round(peak, 1),
        "search_p50_ms": round(_at(alone, 0.5), 3),
        "search_p99_ms": round(_at(alone, 0.99), 3),
        "threads_p50_ms": round(_at(together, 0.5), 3),
        "steps_per_second": round(steps, 1),
        "worker_mb": round(own, 1),
        "worker_resident_mb": round(resident, 1),
    }


def _build(folder: Path, target: Path) -> tuple[float, float, float]:
    began, processor = perf_counter(), process_time()
    build(asked(folder), target)
    return perf_counter() - began, process_time() - processor, memory_mb("VmHWM")


def _work(target: Path, queries: int) -> tuple[float, float]:
    """What a process takes that does what episodes do: of its own, and with the files that it has mapped."""
    _ask(target, queries, 1)
    _walks(target, queries)
    return memory_mb("RssAnon"), memory_mb("VmRSS")


def _ask(target: Path, number: int, threads: int) -> list[float]:
    """What each query took, in milliseconds, sorted."""
    catalogue, chance = Store(target), random.Random(threads)
    queries = list(islice(_queries(catalogue, chance), number))

    def work(first: int) -> list[float]:
        taken = []
        for query in queries[first::threads]:
            began = perf_counter()
            catalogue.search(query)
            taken.append(1e3 * (perf_counter() - began))
        return taken

    with ThreadPoolExecutor(threads) as pool:
        return sorted(one for taken in pool.map(work, range(threads)) for one in taken)


def _queries(catalogue: Store, chance: random.Random) -> Iterator[list[str]]:
    """Of a product its words; or an instruction with a price."""
    for number in count():
        words = chance.choice(catalogue.goals).title.lower().split()
        product, other = (chance.sample(words, min(len(words), chance.randrange(2, 6))) for _ in range(2))
        if number % 2:
            yield _INSTRUCTION.format(" ".join(product), " ".join(other), 10 * chance.randrange(1, 30)).split(" ")
        else:
            yield product


def _walks(target: Path, walks: int) -> float:
    """Steps in a second of shoppers that search, open a product, read and choose, and buy, one after the other."""
    catalogue, chance, steps, began = Store(target), random.Random(0), 0, perf_counter()
    for query in islice(_queries(catalogue, chance), walks):
        if not (hits := catalogue.search(query)):
            continue  # nothing but stop words
        client = Client(Local(catalogue, chance.choice(catalogue.goals), _judge))
        client.act(f"search[{' '.join(query)}]")
        client.act(f"click[{chance.choice(hits[:10])}]")
        chosen = [f"click[{option}]" for option in [*client.options][:2]]
        actions = ["click[Description]", "click[< Prev]", "click[Features]", "click[< Prev]", *chosen, "click[Buy Now]"]
        for action in actions:
            told = client.act(action)
            assert told.valid, action
        assert told.done
        steps += 2 + len(actions)
    return steps / (perf_counter() - began)


def _judge(product: Product, goal: Goal, chosen: Any) -> float:
    return reward(product, goal, chosen, by_rule).total


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def write(folder: Path, size: int) -> None:
    """So many made-up products in the official format, with an instruction for each hundredth of them."""
    known, told = {}, {}
    with (folder / "items_shuffle.json").open("w", encoding="utf-8") as file:
        for number, item in enumerate(islice(made_up(), size)):
            file.write((", " if number else "[") + json.dumps(item, ensure_ascii=False))
            known[item["asin"]] = {"attributes": item["name"].lower().split()[:3]}
            if number % 100 == 0:
                wanted = {"instruction": f"i need {item['name'].lower()}.", "instruction_options": []}
                told[item["asin"]] = [wanted | {"instruction_attributes": known[item["asin"]]["attributes"]}]
        file.write("]")
    (folder / "items_ins_v2.json").write_text(json.dumps(known), encoding="utf-8")
    (folder / "items_human_ins.json").write_text(json.dumps(told), encoding="utf-8")


def made_up() -> Iterator[dict[str, Any]]:
    """Products under different asins, always the same ones."""
    words = _Words(random.Random(0))
    for batch in count():
        for place in range(1000):
            number = 1000 * batch + place
            described = int(words.chance.lognormvariate(3.9, 0.9))  # a median of 49 words, 79 on average
            options = {"Size": words.values(5), "Color": words.values(4)} if words.chance.random() < 0.48 else ""
            yield {
                "asin": f"B{number:09}",
                "name": words.text(18).title() + f" {words.model()}",
                "full_description": words.text(described).capitalize() + ".",
                "small_description": [words.text(15).capitalize() for _ in range(5)],
                "pricing": f"${words.chance.uniform(5, 300):.2f}",
                "customization_options": options,
                "category": words.chance.choice(("fashion", "garden", "beauty", "grocery", "electronics")),
                "query": words.text(2),
                "product_category": " \u203a ".join(words.text(3).split()),
            }


class _Words:
    """Texts of words of which the r-th commonest is in proportion to (r + 8) ** -1.1: about as officially."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._numbers = np.random.default_rng(0)
        self._words = [*dict.fromkeys(_COMMON.split())]
        syllables = [first + second for first in "bcdfghjklmnprstvwz" for second in "aeiou"]
        made = {"".join(chance.choices(syllables, k=chance.choice((2, 3, 3, 4)))) for _ in range(2 * _WORDS)}
        self._words += sorted(made, key=lambda word: (len(word), word[::-1]))[: _WORDS - len(self._words)]
        self._shares = np.cumsum((np.arange(_WORDS) + 8) ** -1.1)
        self._drawn: list[str] = []

    def text(self, length: int) -> str:
        if len(self._drawn) < length:
            self._drawn = self._draw(500_000)
        found, self._drawn[-length or len(self._drawn) :] = self._drawn[-length or len(self._drawn) :], []
        return " ".join(found)

    def _draw(self, number: int) -> list[str]:
        places: NDArray[np.int64] = np.searchsorted(self._shares, self._numbers.random(number) * self._shares[-1])
        return [self._words[place] for place in places.tolist()]

    def values(self, most: int) -> list[dict[str, str]]:
        return [{"value": word} for word in self.text(self.chance.randrange(1, most + 1)).split()]

    def model(self) -> str:
        """A number of its own, as many titles have one."""
        return f"{''.join(self.chance.choices(string.ascii_uppercase, k=2))}{self.chance.randrange(10**6)}"


if __name__ == "__main__":
    main()
