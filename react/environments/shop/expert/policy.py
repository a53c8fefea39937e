"""What an expert does next, given all that it has seen.

It searches for the words that count, opens the result that says most of them and can be paid, reads its features where
its page does not tell everything, chooses the options that are asked for, and buys. What lacks something is left for
another result, and results that all do for another search, while there is time; then the closest is bought.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import dataclass

from react.environments.shop.expert.judging import Fit, fit, named, optional, ranked
from react.environments.shop.expert.reading import Item, Offer, Wish, Word, read_item, read_results
from react.environments.shop.expert.thinking import Voice
from react.trajectory import Step

Steps = Generator[Step, str, None]
_OPENED = 2  # results of a search that are opened at most, before other words are tried


@dataclass(frozen=True)
class Seen:
    """An item that was opened: where, and what it is worth. The fewer `missing` the better."""

    search: int
    asin: str
    fit: Fit

    @property
    def lacks(self) -> tuple[bool, int]:
        return not self.fit.affordable, len(self.fit.missing)


class Expert:
    """One episode of an expert: `steps` yields what it does and is sent what that brought. `time` is its turns."""

    def __init__(self, wish: Wish, voice: Voice, time: int) -> None:
        self._wish = wish
        self._voice = voice
        self._left = time
        self._searches: list[str] = []
        self._shown: list[Offer] = []
        self._thing: frozenset[Word] = frozenset()  # what most titles of the first search say: what it is called
        self._seen: list[Seen] = []

    def steps(self) -> Steps:
        """All that it does, until something is bought, or nothing can be."""
        query: str | None = self._query(self._wish.words) or self._wish.text
        while query:
            yield from self._search(query)
            if (yield from self._try_results()):
                return
            query = self._other_query()
        yield from self._settle()

    # What it does.

    def _do(self, action: str) -> Generator[Step, str, str]:
        self._left -= 1
        return (yield Step(action=action))

    def _think(self, thought: str, needed: int) -> Steps:
        """Thinks, where that leaves time for what is `needed`."""
        if thought and self._left > needed:
            self._left -= 1
            yield Step(thought=thought)

    def _search(self, query: str) -> Steps:
        if self._searches:
            yield from self._do("click[Back to Search]")
        self._searches.append(query)
        self._shown = read_results((yield from self._do(f"search[{query}]")))
        self._thing = self._thing or self._common()

    def _try_results(self) -> Generator[Step, str, bool]:
        """Opens the likely results one after the other; whether something was bought."""
        offers = self._likely()
        yield from self._think(self._voice.results(self._wish, offers), 6)
        for i, offer in enumerate(offers[:_OPENED]):
            judged = yield from self._open(offer)
            if judged is None:
                return False
            last = i + 1 == len(offers[:_OPENED])
            again = last and self._other_query() is not None
            cost = 1 + again + 2 + len(judged.fit.chosen) + 1
            if not any(judged.lacks) or self._left < cost or (last and not again):
                yield from self._buy_best(judged)
                return True
            yield from self._think(self._voice.turned_down(self._wish, judged.fit, again=again), cost)
            if not last:
                yield from self._do("click[< Prev]")
        return False

    def _open(self, offer: Offer) -> Generator[Step, str, Seen | None]:
        """Opens an item and reads what has to be read of it. None where there is none."""
        item = read_item((yield from self._do(f"click[{offer.asin}]")))
        if item is None:
            return None
        found = fit(item, self._wish, "")
        if self._worth_reading(found):
            found = yield from self._read(item, found)
        self._seen.append(seen := Seen(len(self._searches), offer.asin, found))
        return seen

    def _worth_reading(self, found: Fit) -> bool:
        """Whether features could tell what is missing, and there is time: to read, return, choose and buy."""
        described = found.missing and found.affordable and not any(map(optional, found.missing))
        return bool(described) and self._left >= 3 + len(found.chosen)

    def _read(self, item: Item, found: Fit) -> Generator[Step, str, Fit]:
        yield from self._think(self._voice.unsure(self._wish, found.missing), 4 + len(found.chosen))
        details = yield from self._do("click[Features]")
        yield from self._do("click[< Prev]")
        return fit(item, self._wish, details)

    def _buy_best(self, here: Seen) -> Steps:
        """Buys what is open, or, if that was better and there is time, what was seen among the same results."""
        best = min((seen for seen in self._seen if seen.search == here.search), key=lambda seen: seen.lacks)
        if best.lacks < here.lacks and self._left >= 3 + len(best.fit.chosen):
            yield from self._do("click[< Prev]")
            yield from self._do(f"click[{best.asin}]")
            here = best
        yield from self._buy(here.fit)

    def _buy(self, found: Fit) -> Steps:
        yield from self._think(self._voice.bought(self._wish, found), len(found.chosen) + 1)
        for value in found.chosen[: max(self._left - 1, 0)]:  # without the purchase they are worth nothing
            yield from self._do(f"click[{value}]")
        yield from self._do("click[Buy Now]")

    def _settle(self) -> Steps:
        """No search is left: opens the first thing that can be paid, or the first at all, and buys it as it is."""
        for offer in [*ranked(self._shown, self._wish), *self._shown]:
            if (judged := (yield from self._open(offer))) is not None:
                yield from self._buy(judged.fit)
            return

    # What it knows.

    def _likely(self) -> list[Offer]:
        """The results that are the thing, can be paid, and were not opened yet; the best first."""
        opened = {seen.asin for seen in self._seen}
        able = [offer for offer in ranked(self._shown, self._wish) if offer.asin not in opened]
        return [offer for offer in able if self._thing.issubset(named(offer, self._wish))]

    def _common(self) -> frozenset[Word]:
        """The words of the wish that all titles say; where there is none, those that most say."""
        said = [set(named(offer, self._wish)) for offer in self._shown]
        counts = {word: sum(word in words for words in said) for word in self._wish.words}
        least = len(said) if len(said) in counts.values() else len(said) // 2 + 1
        return frozenset(word for word, count in counts.items() if said and count >= least)

    def _query(self, words: Collection[Word]) -> str:
        """These words in the order of the instruction."""
        return " ".join(word.text for word in self._wish.words if word in words and word.text)

    def _other_query(self) -> str | None:
        """The thing with what was missing, or with fewer words; none that was tried, nor where time is short."""
        if self._left < 6 or len(self._searches) > 3:
            return None
        rest = [word for word in self._wish.words if word not in self._thing]
        half = (len(rest) + 1) // 2
        missing = [word for seen in self._seen for word in seen.fit.missing]
        tries = [missing, rest[half:], rest[:half], []] if missing else [rest[half:], rest[:half], []]
        queries = (self._query({*self._thing, *words}) for words in tries)
        return next((query for query in queries if query and query not in self._searches), None)
