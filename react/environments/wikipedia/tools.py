"""Search, lookup and finish: what an agent can do with Wikipedia.

    Search[Vaal River]       the first five sentences of the page, or titles like it
    Lookup[dam]              (Result 1 / 2) the next sentence of that page with "dam"
    Finish[South Africa]     the answer; the episode is over

It goes by one of two behaviours. `paper` is the paper's (section 3.1), and where that is silent the released code's
without its accidents. `reference` says what ReAct@6bdb3a1 wikienv.py said, byte for byte:

|                       | paper                              | reference
|-----------------------|------------------------------------|---------------------------------------------------
| sentences             | real ones                          | pieces between `. `, each with a `.` put behind it
| paragraphs            | all                                | those of more than two words
| many meanings         | what the snapshot knows as such    | a page with the words `may refer to:`
| tool names            | in any letter case                 | only the first letter may be a capital
| two actions at once   | invalid                            | one with a strange argument
| `Think[...]`          | invalid                            | `Nice thought.`
| an action not read    | shown as it was written            | with its first letter lower-cased
| after the last result | `No more results.`                 | the same, and a line break

What both leave out: the reward, which the reference announced at the end (here it is a field and never text), and its
reading of backslash escapes in pages. Of both the turns of a model are read by `react.reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from react.environments import Observation
from react.environments.wikipedia import Page, Wikipedia
from react.environments.wikipedia.sentences import pieces
from react.environments.wikipedia.titles import tidy
from react.tool_calls import Tool
from react.trajectory import Task

# Another value whenever the same words of a model could bring another observation from the same pages.
VERSION = "3"
_FIRST_SENTENCES = 5

TOOLS = (
    Tool(
        "search",
        "Opens a page of Wikipedia and shows its first sentences; where there is none, shows titles like it.",
        "entity",
        "The title of the page.",
        "Search[{}]",
    ),
    Tool(
        "lookup",
        "Shows the next sentence of the open page that contains the keyword.",
        "keyword",
        "The words to look for.",
        "Lookup[{}]",
    ),
    Tool("finish", "Hands in the answer and ends the task.", "answer", "The answer.", "Finish[{}]"),
)


@dataclass(frozen=True)
class Behaviour:
    """What differs from one Wikipedia to the other.

    `said` is an action as the tools see it, `form` matches its tool and argument, `shown` is how an observation repeats
    what a model wrote. `strict`: turns are read as the released code read them.
    """

    said: Callable[[str], str]
    form: re.Pattern[str]
    shown: Callable[[str], str]
    sentences: Callable[[Page], list[str]]
    ambiguous: Callable[[Page], bool]
    no_more: str
    strict: bool


def _lower_first(action: str) -> str:
    """The loop lower-cases the first character before the tools strip: a line break in front of it defeats that."""
    return (action[:1].lower() + action[1:]).strip()


BEHAVIOURS: Mapping[str, Behaviour] = {
    "paper": Behaviour(
        said=str.strip,
        # Two actions at once are none: it is not known which one is meant.
        form=re.compile(r"(?is)(search|lookup|finish)\[((?:(?!\][^\[\]]*\b(?:search|lookup|finish)\[).)*)\]"),
        shown=tidy,
        sentences=lambda page: list(page.sentences),
        ambiguous=lambda page: page.disambiguation,
        no_more="No more results.",
        strict=False,
    ),
    "reference": Behaviour(
        said=_lower_first,
        form=re.compile(r"(?s)(search|lookup|finish|think)\[(.*)\]"),
        # The loop takes these two characters out of all observations.
        shown=lambda words: words.replace("\\n", ""),
        sentences=lambda page: pieces(page.paragraphs),
        ambiguous=lambda page: any("may refer to:" in " ".join(paragraph) for paragraph in page.paragraphs),
        no_more="No more results.\n",
        strict=True,
    ),
}


def parse(action: str, behaviour: Behaviour = BEHAVIOURS["paper"]) -> tuple[str, str]:
    """The tool and its argument; the tool is empty where `action` is not `Tool[argument]` and nothing more."""
    said = behaviour.said(action)
    match = behaviour.form.fullmatch(said)
    return (match[1].lower(), match[2]) if match else ("", said)


_MISSED = re.compile(r"Could not find .*\. Similar: \[.*\]\.|No more results\.", re.DOTALL)


def mishap(observation: str) -> str:
    """See `environments.says`."""
    if observation.startswith("Invalid action:"):
        return "invalid"
    return "nothing" if _MISSED.fullmatch(observation.strip()) else ""


def glance(task: Task, seen: Sequence[str]) -> str:
    """See `environments.says`: opens the pages that a question needs, and looks a word of each title up in it."""
    titles = task.extra.get("supporting") or []
    if len(seen) // 2 >= len(titles):
        return ""
    title = str(titles[len(seen) // 2])
    return f"Lookup[{max(title.split(), key=len)}]" if len(seen) % 2 else f"Search[{title}]"


class Reader:
    """One reader of Wikipedia: the page that lies open, and where in it the last lookup stopped."""

    def __init__(self, wikipedia: Wikipedia, behaviour: Behaviour) -> None:
        self._wikipedia = wikipedia
        self._behaviour = behaviour
        self._sentences: list[str] = []
        self._keyword: str | None = None
        self._hits: list[str] = []
        self._next = 0

    def search(self, entity: str) -> Observation:
        """Opens the page of `entity`. Where there is none, or several, the page before stays open, at its place."""
        page = self._wikipedia.find(entity)
        if page is None:
            return self._miss(self._behaviour.shown(entity), entity)
        if self._behaviour.ambiguous(page):
            return self._miss(f"[{self._behaviour.shown(entity)}]", entity)
        self._sentences, self._keyword = self._behaviour.sentences(page), None
        return Observation(" ".join(self._sentences[:_FIRST_SENTENCES]), page=page.title)

    def _miss(self, shown: str, entity: str) -> Observation:
        return Observation(f"Could not find {shown}. Similar: {self._wikipedia.similar(entity)!r}.")

    def lookup(self, keyword: str) -> Observation:
        """The next sentence of the open page with `keyword`, in any letter case. Another keyword starts at the top."""
        if keyword != self._keyword:
            self._hits = [sentence for sentence in self._sentences if keyword.lower() in sentence.lower()]
            self._keyword, self._next = keyword, 0
        if self._next >= len(self._hits):
            return Observation(self._behaviour.no_more)
        self._next += 1
        return Observation(f"(Result {self._next} / {len(self._hits)}) {self._hits[self._next - 1]}")


class WikipediaEpisode:
    """An `Episode` of searching, looking up and finishing; `judge` gives the reward of the answer.

    `behaviour` is a name in BEHAVIOURS.
    """

    def __init__(self, wikipedia: Wikipedia, judge: Callable[[str], float], behaviour: str = "paper") -> None:
        self._behaviour = BEHAVIOURS[behaviour]
        self._reader = Reader(wikipedia, self._behaviour)
        self._judge = judge
        self._end: Observation | None = None
        self.answer = ""

    def act(self, action: str) -> Observation:
        """Carries out one action. After the end every action gives the last observation again, and does nothing."""
        if self._end is None:
            tool, argument = parse(action, self._behaviour)
            if tool == "search":
                return self._reader.search(argument)
            if tool == "lookup":
                return self._reader.lookup(argument)
            if tool == "think":
                return Observation("Nice thought.")
            if tool != "finish":
                return Observation(f"Invalid action: {self._behaviour.shown(argument)}", valid=False)
            self.answer = argument
            self._end = Observation("", done=True, reward=self._judge(argument))
        return self._end
