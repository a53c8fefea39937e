"""How long a snapshot of Wikipedia takes to build, and an agent to search it, as it grows to a million pages.

    python -m benchmarks.wikipedia [--quick] [--pages 1000000]

The pages are made up as they are needed: titles in the letters of real ones (people, places, works, events; a fifth
with a qualifier such as `(film)`), redirects, an introduction of several sentences. Each snapshot is built in a process
of its own, in a temporary folder. Then eight threads ask at once, each waiting for its answer before it asks again, as
episodes do: what is measured is what one of them waits. Nothing is asked twice, so that no answer comes from memory.
Last, one line of JSON, of the largest snapshot:

* build_seconds, build_peak_mb      from the first page to the finished file; resident memory of the process at its most
* search_p50_ms, search_p99_ms      a page by its title
* similar_p50_ms                    titles like one that is misspelt, cut short, or has another qualifier or none
* similar_recall_at_5               how often the title that was meant is among the five; `recall` by kind in the table
"""

from __future__ import annotations

import argparse
import json
import random
import re
import string
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from benchmarks._memory import memory_mb
from react.environments.wikipedia import Page
from react.environments.wikipedia.build import build
from react.environments.wikipedia.snapshot import Snapshot
from react.environments.wikipedia.sources import pages

_EMBEDDED = Path(__file__).resolve().parents[1] / "data" / "wikipedia" / "pages.jsonl.gz"
_THREADS = 8
_KINDS_ASKED = "misspelt, partial, qualified"
_QUALIFIERS = [
    *("film", "album", "song", "band", "novel", "politician", "footballer", "musician", "actor", "river", "village"),
    *("ship", "surname", "magazine", "company", "1994 film", "TV series", "cricketer, born 1956", "New York", "Ohio"),
]
_KINDS = ["writer", "village", "river", "film", "painter", "album", "company", "species", "club", "station"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 and 30,000 pages instead of up to a million")
    parser.add_argument("--pages", type=int, default=1_000_000, help="of the largest snapshot")
    flags = parser.parse_args()
    sizes = (
        [1000, 30_000] if flags.quick else [size for size in (10_000, 100_000) if size < flags.pages] + [flags.pages]
    )
    print(
        "     pages  build s  peak MB  file MB    search p50, p99 ms   similar p50, p99 ms   recall at 5: "
        + _KINDS_ASKED
    )
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder) / "wiki.sqlite", size)
    print(json.dumps(figures))


def measure(target: Path, size: int) -> dict[str, float]:
    """Builds a snapshot of so many pages, asks it, and prints a line of the table."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        seconds, peak = process.submit(_build, target, size).result()
    snapshot, chance = Snapshot(target), random.Random(1)
    titles = _titles(snapshot, chance, 24_000)
    search = _latencies(snapshot.find, titles[: len(titles) * 5 // 6])
    asked = [
        (spoil, title, spoil(title, chance)) for title in titles[-1200:] for spoil in (_misspelt, _partial, _qualified)
    ]
    asked = [(spoil, title, entity) for spoil, title, entity in asked if snapshot.find(entity) is None]
    similar = _latencies(snapshot.similar, [entity for _, _, entity in asked])
    hits: dict[Callable[..., str], list[bool]] = defaultdict(list)
    for spoil, title, entity in asked:
        hits[spoil].append(title in snapshot.similar(entity))
    recall = [sum(hits[kind]) / len(hits[kind]) for kind in (_misspelt, _partial, _qualified)]
    every = sum(map(sum, hits.values())) / len(asked)
    print(
        f"{size:10,} {seconds:8.1f} {peak:8.0f} {target.stat().st_size / 1e6:8.0f}"
        f" {_at(search, 0.5):14.3f} {_at(search, 0.99):6.3f} {_at(similar, 0.5):14.2f} {_at(similar, 0.99):6.2f}"
        f"   {', '.join(f'{share:.3f}' for share in recall)}",
        flush=True,
    )
    return {
        "pages": int(snapshot.facts["pages"]),
        "build_seconds": round(seconds, 1),
        "build_peak_mb": round(peak, 1),
        "search_p50_ms": round(_at(search, 0.5), 3),
        "search_p99_ms": round(_at(search, 0.99), 3),
        "similar_p50_ms": round(_at(similar, 0.5), 2),
        "similar_recall_at_5": round(every, 4),
    }


def _build(target: Path, size: int) -> tuple[float, float]:
    began = perf_counter()
    build(made_up(size, seed=0), target)
    return perf_counter() - began, memory_mb("VmHWM")


def _latencies(ask: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """What each answer took, in milliseconds, sorted, when eight threads ask at once."""

    def work(number: int) -> list[float]:
        ask(f"warm {number}")  # opens the connection of this thread
        taken = []
        for question in questions[number::_THREADS]:
            began = perf_counter()
            ask(question)
            taken.append(1e3 * (perf_counter() - began))
        return taken

    with ThreadPoolExecutor(_THREADS) as threads:
        return sorted(one for taken in threads.map(work, range(_THREADS)) for one in taken)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _titles(snapshot: Snapshot, chance: random.Random, count: int) -> list[str]:
    rows = snapshot._database().execute("SELECT name FROM names WHERE NOT redirect").fetchall()
    return [title for (title,) in chance.sample(rows, min(count, len(rows)))]


def _misspelt(title: str, chance: random.Random) -> str:
    """One letter left out, put in, changed, or changed places with the next."""
    at, letter = chance.randrange(len(title)), chance.choice(string.ascii_lowercase)
    here, after = title[:at], title[at + 1 :]
    return chance.choice(
        (here + after, here + letter + title[at:], here + letter + after, here + after[:1] + title[at] + after[1:])
    )


def _partial(title: str, chance: random.Random) -> str:
    """Without its end; or, where two words are left, without one of its words."""
    words = title.partition(" (")[0].split()
    if len(words) < 3 or chance.random() < 0.5:
        return title[: max(2 * len(title) // 3, 4)]
    del words[chance.randrange(len(words))]
    return " ".join(words)


def _qualified(title: str, chance: random.Random) -> str:
    """Without its qualifier, or with a wrong one."""
    base, found, _ = title.partition(" (")
    return base if found else f"{base} ({chance.choice(_QUALIFIERS)})"


def made_up(count: int, seed: int) -> Iterator[Page]:
    """So many pages under different titles, the same for the same seed."""
    chance = random.Random(seed)
    words, phrases = _Words(chance), _phrases()
    seen: set[int] = set()
    while len(seen) < count:
        title, others = words.title()
        if hash(title) in seen:
            continue
        seen.add(hash(title))
        lead = f"{title} is a {chance.choice(_KINDS)} of {words.name()}: {chance.choice(phrases)}."
        rest = [f"{chance.choice(phrases)}, and {chance.choice(phrases)}." for _ in range(chance.randrange(2, 7))]
        yield Page(title, ((lead, *rest),), others)


def _phrases() -> list[str]:
    """Pieces of sentences of the embedded encyclopedia."""
    found = (
        piece for page in pages(_EMBEDDED) for sentence in page.sentences for piece in re.split(r"[,;.]", sentence)
    )
    return sorted({piece.strip() for piece in found if 20 < len(piece) < 80})


class _Words:
    """Words in the letters of real titles, some of them common and most of them rare."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        real: list[str] = [word for page in pages(_EMBEDDED) for word in re.findall(r"\w+", page.title)]
        after: dict[str, list[str]] = defaultdict(list)
        for word in (f"   {word}\n" for word in real):
            for at in range(3, len(word)):
                after[word[at - 3 : at]].append(word[at])
        made = {self._made(after) for _ in range(120_000)}
        self._names = [*dict.fromkeys(real), *sorted(made - set(real) - {""})]
        chance.shuffle(self._names)
        # Zipf's law, flattened: the most common name is in about one title of a hundred.
        self._weights = list(accumulate(1 / (rank + 50) for rank in range(len(self._names))))

    def _made(self, after: dict[str, list[str]]) -> str:
        word = "   "
        while len(word) < 20 and (letter := self._chance.choice(after[word[-3:]])) != "\n":
            word += letter
        return word.strip()

    def name(self) -> str:
        return self._chance.choices(self._names, cum_weights=self._weights)[0]

    def title(self) -> tuple[str, tuple[str, ...]]:
        """A title, and other names of its page."""
        chance, (one, two, three) = self._chance, self._chance.choices(self._names, cum_weights=self._weights, k=3)
        kind = chance.random()
        if kind < 0.4:
            title, other = f"{one} {two}", f"{one} {three[0]}. {two}"
        elif kind < 0.55:
            title, other = f"{one}, {two}", f"{one} {two}"
        elif kind < 0.7:
            title, other = f"The {one} of {two} {three}", f"{one} of {two} {three}"
        elif kind < 0.8:
            year = chance.randrange(1900, 2024)
            title, other = f"{year} {one} {two} Championship", f"{two} Championship {year}"
        elif kind < 0.9:
            title, other = one, f"{one}s"
        else:
            title, other = f"{one}-{two} {three} {chance.randrange(1, 400)}", f"{one} {three}"
        if chance.random() < 0.2:
            title = f"{title} ({chance.choice(_QUALIFIERS)})"
        return title, (other,) if chance.random() < 0.5 else ()


if __name__ == "__main__":
    main()
