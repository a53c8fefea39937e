"""Search, lookup and finish: what an agent can do with Wikipedia.

    Search[Vaal River]       the first five sentences of the page, or titles like it
    Lookup[dam]              (Result 1 / 2) the next sentence of that page with "dam"
    Finish[South Africa]     the answer; the episode is over

The behaviour is the paper's (section 3.1) where it speaks, else that of ReAct@6bdb3a1 wikienv.py without its accidents
(text of the site around the page, `..` where a paragraph ends, line breaks after fixed texts).
"""

from __future__ import annotations

from collections.abc import Callable

from react.environments import Observation
from react.environments.wikipedia import Page, Wikipedia
from react.environments.wikipedia.titles import tidy

# Another value whenever the same action could bring another observation from the same pages.
VERSION = "1"
_TOOLS = ("search", "lookup", "finish")
_FIRST_SENTENCES = 5


def parse(action: str) -> tuple[str, str]:
    """The tool and its argument; the tool is empty where `action` is not `Tool[argument]` and nothing more.

    Only the case of the first letter is free: the reference's loop lower-cases that one alone.
    """
    action = _lower_first(action.strip())
    name, opened, argument = action.partition("[")
    if opened and name in _TOOLS and argument.endswith("]"):
        return name, argument[:-1]
    return "", action


class Reader:
    """One reader of Wikipedia: the page that lies open, and where in it the last lookup stopped."""

    def __init__(self, wikipedia: Wikipedia) -> None:
        self._wikipedia = wikipedia
        self._page: Page | None = None
        self._keyword: str | None = None
        self._hits: list[str] = []
        self._next = 0

    def search(self, entity: str) -> Observation:
        """Opens the page of `entity`. Where there is none, or several, the page before stays open, at its place."""
        page = self._wikipedia.find(entity)
        if page is None:
            return self._miss(tidy(entity), entity)
        if page.disambiguation:
            return self._miss(f"[{tidy(entity)}]", entity)
        self._page, self._keyword = page, None
        return Observation(" ".join(page.sentences[:_FIRST_SENTENCES]), page=page.title)

    def _miss(self, shown: str, entity: str) -> Observation:
        return Observation(f"Could not find {shown}. Similar: {self._wikipedia.similar(entity)!r}.")

    def lookup(self, keyword: str) -> Observation:
        """The next sentence of the open page with `keyword`, in any letter case. Another keyword starts at the top."""
        if keyword != self._keyword:
            sentences = self._page.sentences if self._page else ()
            self._hits = [sentence for sentence in sentences if keyword.lower() in sentence.lower()]
            self._keyword, self._next = keyword, 0
        if self._next >= len(self._hits):
            return Observation("No more results.")
        self._next += 1
        return Observation(f"(Result {self._next} / {len(self._hits)}) {self._hits[self._next - 1]}")


class WikipediaEpisode:
    """An `Episode` of searching, looking up and finishing; `judge` gives the reward of the answer."""

    def __init__(self, wikipedia: Wikipedia, judge: Callable[[str], float]) -> None:
        self._reader = Reader(wikipedia)
        self._judge = judge
        self._end: Observation | None = None
        self.answer = ""

    def act(self, action: str) -> Observation:
        """Carries out one action. After the end every action gives the last observation again, and does nothing."""
        if self._end is None:
            tool, argument = parse(action)
            if tool == "search":
                return self._reader.search(argument)
            if tool == "lookup":
                return self._reader.lookup(argument)
            if tool != "finish":
                return Observation(f"Invalid action: {tidy(argument)}", valid=False)
            self.answer = argument
            # The verdict is no text: a student must not learn to announce its own success.
            self._end = Observation("", done=True, reward=self._judge(argument))
        return self._end


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
