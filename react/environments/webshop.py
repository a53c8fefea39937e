"""WebShop: find what an instruction describes among many products, choose its options, buy it (paper, section 4).

A task is a goal: `fixed_17` is the eighteenth of the shuffled goals, as ReAct's notebook calls it. The reward of an
episode is what the purchase is worth, from 0 to 1; a success is a reward of 1 (arXiv 2207.01206).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from react.environments import Observation
from react.environments._questions import data_of
from react.environments.shop import nouns as titles
from react.environments.shop.goods import Goods, Served, Stocked
from react.environments.shop.notebook import INVALID, Client
from react.environments.shop.pages import Shopper
from react.environments.shop.server import GOALS, Server
from react.environments.shop.visit import VIEWS, Visitor
from react.mistakes import Mistake, choose, nearest
from react.notation import Notation, one_line
from react.storefront import HEARD, Storefront
from react.tool_calls import Tool
from react.trajectory import Task

METRIC = "success rate"
SCORED = True
TOOLS = (
    Tool("search", "Searches the shop for products.", "keywords", "What to search for.", "search[{}]"),
    Tool(
        "click",
        "Clicks a button, a product or an option of the page; `Buy Now` ends the task.",
        "button",
        "What stands in brackets on the page.",
        "click[{}]",
    ),
)
BEHAVIOURS = ("paper", "reference")
NOTEBOOK = "notebook"
FORMS = (NOTEBOOK, *VIEWS)
Names = str | list[str]
_EMBEDDED = Path(__file__).resolve().parents[2] / "data" / "webshop"
# Another value whenever the same actions could bring another text or reward.
_VERSION = "2"
_TURNS = 15  # ReAct@6bdb3a1 WebShop.ipynb; the first of them is its `reset`
_WINDOW = 6400  # characters of prompt and history, there
_THINK = "think"
_NO_BRACKETS = str.maketrans("[]", "  ")
_NO_RESULTS = "(Total results: 0)"
_PRODUCT = re.compile(r"\bB[0-9A-Z]{9}\b")
_ID = re.compile(r"fixed_(0|[1-9]\d*)")


def load(
    path: Names = "",
    goals: str = "",
    seed: int = 0,
    products: int = 0,
    form: str = NOTEBOOK,
    behaviour: str = "paper",
    nouns: str = "",
    server: str = "",
    server_goals: int = GOALS,
) -> WebShop:
    """WebShop from its files, a data set of the hub, or a catalogue that was built of them; else the embedded shop.

    `goals` are `human` or `synthetic`; `seed` draws prices and their bounds; `products` keeps so many at the head of
    the data. `form` is `notebook`, as in ReAct's prompts, or the text environment's `text` or `text_rich`. `nouns` are
    those of titles, see `shop/nouns.py`. A running WebShop at the URL `server` is asked instead, and has its own
    products, prices and nouns, and `server_goals` goals.
    """
    for name, value in {"path": path, "goals": goals, "nouns": nouns, "server": server}.items():
        many = name == "path" and isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        if not isinstance(value, str) and not many:
            raise Mistake(f"webshop: `{name}` is {value!r}; it must be a text{' or several' * (name == 'path')}")
    choose("form", form, FORMS)
    choose("behaviour", behaviour, BEHAVIOURS)
    if server:
        given = {"path": path, "goals": goals, "seed": seed, "products": products, "nouns": nouns}
        if said := next((name for name, value in given.items() if value), ""):
            raise Mistake(f"webshop: `{said}` is {given[said]!r}, but the server {server} has its own")
        served = _served(server, server_goals, form)
        return WebShop(served, form, behaviour, f"a running server: {served.stock}")
    if server_goals != GOALS:
        raise Mistake(f"webshop: `server_goals` is {server_goals!r}, but there is no `server` that would have them")
    judged_by, nouns_of = titles.load(nouns)
    from react.environments.shop.build import open_catalogue

    catalogue = open_catalogue(path or _EMBEDDED, goals, seed, products)
    stocked, data = Stocked(catalogue, judged_by, nouns_of), data_of(path or _EMBEDDED)
    return WebShop(stocked, form, behaviour, f"{data}: {stocked.stock}" if path or goals or products else data)


def _served(url: str, goals: int, form: str) -> Served:
    if form != NOTEBOOK:
        raise Mistake(f"webshop: `form` is {form!r}; over a server there is {NOTEBOOK} alone")
    if type(goals) is not int or goals < 1:
        raise Mistake(f"webshop: `server_goals` is {goals!r}; it must be the number of goals that the server has")
    return Served(Server(url), goals)


class WebShop:
    """The `Environment`. Opened once and shared by all threads."""

    name = "webshop"
    max_steps = _TURNS - 1

    def __init__(self, goods: Goods, form: str = NOTEBOOK, behaviour: str = "paper", data: str = "unnamed") -> None:
        self._goods = goods
        self._data = data
        self._form = form
        self._careful = behaviour == "paper"
        what = goods.fingerprint.partition(":")[0]
        told = "\n".join((self.name, _VERSION, form, behaviour, str(self.max_steps), goods.fingerprint))
        self.fingerprint = f"{what}:{hashlib.sha256(told.encode()).hexdigest()}"
        self._tasks: dict[str, tuple[Task, ...]] = {}

    @property
    def held_out(self) -> list[str]:
        return [split for split in self._goods.splits if split not in ("train", "exemplars")]

    def tasks(self, split: str) -> Sequence[Task]:
        """The goals of a split in their order. ValueError names the splits there are."""
        there = self._goods.splits
        if split not in there:
            raise ValueError(f"no split {split!r}; {nearest(split, list(there))}")
        if split not in self._tasks:
            numbers = there[split]
            asked = zip(numbers, self._goods.asked(numbers), strict=True)
            self._tasks[split] = tuple(self._task(number, *told) for number, told in asked)
        return self._tasks[split]

    @property
    def official(self) -> bool:
        """Whether the goals are all those of the paper."""
        return self._goods.official

    @property
    def stock(self) -> str:
        """How many goals there are, of which kind, and of how many products."""
        return self._goods.stock

    def data(self, split: str) -> str:
        return self._data

    def _task(self, number: int, question: str, extra: dict[str, str]) -> Task:
        task = Task(f"fixed_{number}", question, "", extra)
        if self._form == NOTEBOOK:
            return task
        return Task(task.id, question, "", {**extra, "page": self._shopper(task).first})

    def start(self, task: Task) -> Shopping:
        """A new shopper with the goal of that task. ValueError where there is none."""
        return Shopping(self._shopper(task), self._careful)

    def _shopper(self, task: Task) -> Shopper:
        named = _ID.fullmatch(task.id)
        index = int(named[1]) if named else -1
        if not any(index in numbers for numbers in self._goods.splits.values()):
            raise ValueError(f"there is no goal {task.id!r}")
        pages = self._goods.pages(index, task.question)
        if self._form == NOTEBOOK:
            return Client(pages, careful=self._careful)
        return Visitor(pages, str(index), self._form, careful=self._careful)

    def normalise(self, answer: str) -> str:
        return answer

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return notation(thoughts=thoughts, actions=actions, strict=not self._careful)


def mishap(observation: str) -> str:
    """See `environments.says`. Only the notebook's form says what is invalid; the others show the page again."""
    if observation == INVALID:
        return "invalid"
    return "nothing" if _NO_RESULTS in observation else ""


def notation(*, thoughts: bool, actions: bool, strict: bool = False) -> Notation:
    """How WebShop is written, without opening any of its data: all that training needs."""
    if not actions:
        raise Mistake(
            "webshop has no method without actions: nothing can be bought by answering; there are: act, react"
        )
    return Storefront(thoughts, strict, window=_WINDOW if strict else 0)


def paper_panel(environment: WebShop, split: str) -> range:
    """The goals that the paper's numbers are made of: all 500 of the official test split."""
    test = range(500)
    if (split, len(environment.tasks(split))) != ("test", len(test)) or not environment.official:
        raise ValueError(
            f"the paper's panel is the {len(test)} test goals among the {GOALS:,} human goals of all products, and "
            f"there are {environment.stock}; `path` must name a folder with the whole items_shuffle.json"
        )
    return test


def glance(task: Task, seen: Sequence[str]) -> str:
    """See `environments.says`: searches for what is asked, and looks at the first product and what is said of it."""
    if not seen:
        return f"search[{one_line(task.question).translate(_NO_BRACKETS)}]"
    product = _PRODUCT.search(seen[0])
    return ["", f"click[{product[0]}]" if product else "", "click[Description]"][len(seen)] if len(seen) < 3 else ""


class Shopping:
    """The `Episode`: a shopper, and thoughts, which are answered and change nothing. It ends with a purchase."""

    def __init__(self, shopper: Shopper, careful: bool) -> None:
        self._shopper = shopper
        self._careful = careful
        self.answer = ""  # the product that was bought

    def act(self, action: str) -> Observation:
        """One action. `reward` is that of a purchase; `page` the product whose page was opened from the results."""
        if self._shopper.place.page == "done":
            return Observation(INVALID, done=True, valid=False)
        said = action.strip() if self._careful else action
        if said.startswith(_THINK):
            return Observation(HEARD)
        before = self._shopper.place
        told = self._shopper.act(said)
        place = self._shopper.place
        if told.done:
            self.answer = place.asin
            return Observation(told.text, done=True, reward=told.score or 0.0)
        opened = place.asin if before.page == "results" and place.page == "item" else ""
        return Observation(told.text, valid=told.valid, page=opened)
