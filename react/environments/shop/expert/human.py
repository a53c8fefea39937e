"""The logs of the people who shopped for the official data -> trajectories, so that they can be imitated (the row IL).

    python -m react.environments.shop.expert.human LOG... --out human.jsonl --environment_options '{"path": ...}'

A log is JSON lines, a page each (WebShop's `human_trajs`), shortened::

    {"page": "index", "goal": {"asin": "B096FSTFLS", "instruction_text": "i am looking for a teal ..., and price ..."}}
    {"page": "search_results", "goal": ..., "content": {"keywords": ["teal", "strap"], "page": 1, ...}}
    {"page": "item_page", "goal": ..., "content": {"asin": "B096FSTFLS", "options": {"color": "teal"}, ...}}
    {"page": "done", "goal": ..., "content": {...}, "reward": 1.0}

What was done is what leads from each page to the next. Observations and reward are the environment's, in which it is
done again: prices were drawn anew each time the original was started.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from react import environments, trajectory
from react.config import LOADING, Flags, Mistake, json_object, mistakes, new_file
from react.environments import Environment
from react.progress import Progress
from react.trajectory import End, Step, Task, Trajectory

_MOST_TURNS = 100  # of pages: 50 products are found, of a category many more
_LONGEST_QUERY = 4000
_NOT_THERE = "its goal is not in the catalogue"
_PRICE = re.compile(r",? and price lower than [\d.]+ dollars")


class Unfollowable(ValueError):
    """A log in which no action leads from a page to the next; the message says where."""


@dataclass(frozen=True)
class _Seen:
    """A page that somebody saw."""

    page: str
    keywords: tuple[str, ...] = ()
    number: int = 1
    asin: str = ""
    options: tuple[tuple[str, str], ...] = ()
    sub: str = ""


def actions(pages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What leads from each page to the next. Unfollowable where nothing does, as after a browser's own way back."""
    try:
        seen = [_seen(page) for page in pages]
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        raise Unfollowable("a page without what such a page has") from None
    return [action for before, after in itertools.pairwise(seen) for action in _way(before, after)]


def _seen(page: Mapping[str, Any]) -> _Seen:
    content = page.get("content") or {}
    keywords = content.get("keywords") or ()
    if isinstance(keywords, str):  # as it stands in the address: "['teal', 'strap']"
        if len(keywords) > _LONGEST_QUERY:
            raise ValueError("a query that nobody can have written")
        keywords = re.findall(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", keywords)
        keywords = [one or other for one, other in keywords]
    options = tuple((str(name), str(value)) for name, value in (content.get("options") or {}).items())
    sub = unquote(str(page.get("url", ""))).split("/")[-2] if page["page"] == "item_sub_page" else ""
    asin, number = str(content.get("asin", "")), int(content.get("page") or 1)
    return _Seen(str(page["page"]), tuple(map(str, keywords)), number, asin, options, sub)


def _way(before: _Seen, after: _Seen) -> list[str]:
    if before == after:
        return []
    if after.page == "index":
        return ["click[Back to Search]"]
    if after.page == "search_results":
        return _to_results(before, after)
    if not after.asin:
        raise Unfollowable(f"a page {after.page!r} of no product")
    way = _to_item(before, after)
    if after.page == "item_sub_page":
        way.append(f"click[{after.sub}]")
    elif after.page == "done":
        way.append("click[Buy Now]")
    elif after.page != "item_page":
        raise Unfollowable(f"a page {after.page!r}")
    return way


def _to_results(before: _Seen, after: _Seen) -> list[str]:
    same = before.keywords == after.keywords
    if same and before.page == "search_results":
        turns = after.number - before.number
        if abs(turns) > _MOST_TURNS:
            raise Unfollowable(f"page {after.number} of results")
        return ["click[Next >]" if turns > 0 else "click[< Prev]"] * abs(turns)
    if same and before.page in ("item_page", "item_sub_page") and before.number == after.number:
        return ["click[< Prev]"] * (1 + (before.page == "item_sub_page"))
    if after.number != 1:
        raise Unfollowable(f"page {after.number} of results out of nowhere")
    back = [] if before.page == "index" else ["click[Back to Search]"]
    return [*back, f"search[{' '.join(after.keywords)}]"]


def _to_item(before: _Seen, after: _Seen) -> list[str]:
    """To the page of an item with its options."""
    if before.page in ("item_page", "item_sub_page"):
        back = ["click[< Prev]"] if before.page == "item_sub_page" else []
        if before.asin == after.asin:
            return back + _choices(before.options, after.options)
        before, way = _Seen("search_results", before.keywords, before.number), [*back, "click[< Prev]"]
    else:
        way = []
    if before.page != "search_results" or (before.keywords, before.number) != (after.keywords, after.number):
        raise Unfollowable(f"{after.asin} is opened where it was not found")
    return [*way, f"click[{after.asin}]", *_choices((), after.options)]


def _choices(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    if not dict(before).keys() <= dict(after).keys():
        raise Unfollowable("an option is taken back")
    return [f"click[{value}]" for name, value in after if dict(before).get(name) != value]


def read_log(path: Path) -> list[Mapping[str, Any]]:
    """The pages of a log. ValueError names the file, the line and what is wrong there."""
    pages = []
    for number, line in enumerate(_lines(path), 1):
        try:
            page = json.loads(line)
            said = page["goal"]["instruction_text"], page["page"]
        except (ValueError, LookupError, TypeError, RecursionError):
            said = None, None
        if not all(isinstance(one, str) for one in said):
            raise ValueError(f"{path}:{number}: not a page of a log: no `page`, or no `goal` with an instruction")
        pages.append(page)
    return pages


def _lines(path: Path) -> list[str]:
    """The lines of a log. A text in one may hold what breaks lines elsewhere, such as U+2028."""
    try:
        text = path.read_text(encoding="utf-8").rstrip("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8: {error}") from None
    return text.split("\n") if text else []


def imported(
    logs: Iterable[Path], environment: Environment, goals: Iterable[Task], skipped: Counter[str]
) -> Iterator[Trajectory]:
    """The logs whose goals are among these, in their order. `skipped` counts the others, by reason."""
    tasks: dict[str, list[Task]] = {}
    for task in goals:
        tasks.setdefault(_asked(task.question), []).append(task)
    for path in logs:
        pages = read_log(path)
        if not pages or pages[-1]["page"] != "done":
            skipped["nothing was bought"] += 1
            continue
        meant = tasks.get(_asked(pages[0]["goal"]["instruction_text"]), [])
        if len(meant) != 1:
            skipped["several goals have its instruction" if meant else _NOT_THERE] += 1
            continue
        try:
            found = _done_again(path, meant[0], actions(pages), environment)
        except Unfollowable as error:
            skipped[f"cannot be followed: {error}"] += 1
            continue
        if found.end == "finished":
            yield found
        else:
            skipped[f"nothing is bought within {environment.max_steps} steps"] += 1


def _asked(instruction: str) -> str:
    """An instruction without its price, which may have been drawn anew."""
    return " ".join(_PRICE.sub("", instruction).lower().split()).strip(". ")


def _done_again(path: Path, task: Task, said: Sequence[str], environment: Environment) -> Trajectory:
    episode = environment.start(task)
    steps: list[Step] = []
    page, reward = "", 0.0
    end: End = "out_of_steps"
    for action in said[: environment.max_steps]:
        action = _as_shown(action, page)
        seen = episode.act(action)
        steps.append(Step(action=action, observation="" if seen.done else seen.text))
        page = seen.text if "[" in seen.text else page  # to choose an option shows no page
        if seen.done:
            end, reward = "finished", seen.reward
            break
    made = {"environment": environment.name, "log": path.name}
    return Trajectory(task, "act", "human", tuple(steps), episode.answer, reward, end, provenance=made)


def _as_shown(action: str, page: str) -> str:
    """A click with the blanks that the page has in it: in a log `38 | 40 mm` may be `38  |  40 mm`."""
    name, _, said = action[:-1].partition("[")
    shown = re.search(r"\s+".join(map(re.escape, said.split())), page) if name == "click" else None
    return f"click[{shown[0]}]" if shown else action


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Flags(prog="python -m react.environments.shop.expert.human", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="log files, or folders of them (*.jsonl)")
    parser.add_argument("--out", type=new_file, required=True, help="the file to write, JSON lines")
    parser.add_argument("--split", nargs="+", default=["train"], help="whose goals: %(default)s")
    parser.add_argument("--environment_options", type=json_object, default={}, help="which shop, as JSON")
    skipped: Counter[str] = Counter()
    with mistakes(*LOADING):
        flags = parser.parse_args(args)
        logs = [log for path in flags.logs for log in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
        environment = environments.load("webshop", flags.environment_options)
        goals = goals_of(environment, flags.split)
        with Progress("logs", len(logs)) as progress:
            progress.begin()
            found = []
            for one in imported(logs, environment, goals, skipped):
                found.append(one)
                progress.advance(len(found) + sum(skipped.values()))
        if not found:
            raise Mistake(
                f"none of {len(logs)} logs can be used: {_told(skipped)}"
                + _hint(environment) * bool(skipped[_NOT_THERE])
            )
        flags.out.parent.mkdir(exist_ok=True)
        trajectory.write(flags.out, found)
    print(f"{len(found)} of {len(logs)} logs{f'; left out: {_told(skipped)}' if skipped else ''}")
    print(f"{sum(one.solved for one in found)} with the full reward\nWritten: {flags.out}")


def goals_of(environment: Environment, splits: Sequence[str]) -> list[Task]:
    """The goals of these splits. Mistake where there is none such: a part of the shop has test goals alone."""
    try:
        return [task for split in splits for task in environment.tasks(split)]
    except ValueError as error:
        raise Mistake(f"{error}{_hint(environment)}") from None


def _hint(environment: Environment) -> str:
    return (
        f"; the logs are of the whole shop, and this is {environment.data('')}: `path` must name a folder with the "
        "whole items_shuffle.json, and --split those of their goals: test, dev, train, or several"
    )


def _told(skipped: Counter[str]) -> str:
    return ", ".join(f"{count} ({reason})" for reason, count in sorted(skipped.items())) or "there are none"


if __name__ == "__main__":
    main()
