"""How long the report of 10,000 trajectories takes, how large its page is, and how soon a browser shows it.

    python -m benchmarks.report [--quick]

Ten runs over the same 1,000 questions, prompted and finetuned, made by a fixed seed: every search brings what it brings
in the embedded encyclopedia, and every thought is of its own, which is the hardest to compress. Last, one line of JSON:

* build_seconds         `python -m eval.report` of all runs, as a process of its own
* page_mb               report.html
* first_paint_seconds   from the address to the first contentful paint; where there is a Chromium
* ready_seconds         from the address until the trajectories can be browsed
* search_seconds        one search through all that was said, and the list of what it found
* script_errors         what the browser complained of
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from eval.job import EvalConfig
from eval.summary import Session, Sources, summarize
from eval.summary import write as write_summary
from react import environments, trajectory
from react.environments import Environment
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory

RUNS = [(method, shots) for method in ("standard", "cot", "act", "react", "react_im") for shots in (6, 0)]
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the same: it takes less than 40 seconds")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the runs and the report stay")
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(flags.keep or Path(folder))
    for name, value in figures.items():
        print(f"{name:24} {value:10.2f}")
    print(json.dumps(figures))


def measure(folder: Path) -> dict[str, float]:
    """Makes the runs, and their report."""
    runs = made(folder / "runs", environments.load("hotpotqa"))
    began = perf_counter()
    command = [sys.executable, "-m", "eval.report", *map(str, runs), "--output", str(folder / "report")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = perf_counter() - began
    page = folder / "report" / "report.html"
    figures = {"build_seconds": round(seconds, 2), "page_mb": round(page.stat().st_size / 1e6, 2)}
    return figures | (shown(page, chromium) if (chromium := _chromium()) else {})


def _chromium() -> str:
    names = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return os.environ.get("CHROMIUM") or next(filter(None, names), "")


def made(folder: Path, environment: Environment, each: int = 1000) -> list[Path]:
    """A run folder for each of RUNS."""
    tasks, chance = environment.tasks("train")[:each], random.Random(7)
    pages = [dict(_read(environment, task)) for task in tasks]
    words = sorted({word for page in pages for said in page.values() for word in said.split()})
    found = []
    for method, shots in RUNS:
        name = f"{'prompted' if shots else 'tuned'}_{method}"
        tried = [
            _tried(task, read, pages, words, method, name, chance) for task, read in zip(tasks, pages, strict=True)
        ]
        found.append(folder / name)
        _write(folder / name, tried, tasks, method, shots)
    return found


def _read(environment: Environment, task: Task) -> Iterator[tuple[str, str]]:
    """The pages that bear the answer, as a search shows them."""
    for title in task.extra["supporting"]:
        yield title, environment.start(task).act(f"Search[{title}]").text


def _tried(
    task: Task,
    read: dict[str, str],
    pages: Sequence[dict[str, str]],
    words: Sequence[str],
    method: str,
    name: str,
    chance: random.Random,
) -> Trajectory:
    """One to seven steps: pages that help, or those of other questions, and thoughts of 15 to 60 words."""

    def thought() -> str:
        return "" if method in ("act", "standard") else " ".join(chance.choices(words, k=chance.randint(15, 60)))

    looks = list(read.items()) if chance.random() < 0.7 else []
    for _ in range(chance.randint(0, 4)):
        looks.insert(chance.randint(0, len(looks)), chance.choice(list(chance.choice(pages).items())))
    acts = [] if method in ("standard", "cot") else looks
    right = chance.random() < (0.5 if name.startswith("tuned") else 0.3)
    answer = task.answer if right else chance.choice(words)
    steps = [Step(thought(), f"Search[{title}]", said) for title, said in acts]
    steps.append(Step(thought(), f"Finish[{answer}]"))
    counts = {"calls": len(steps), "prompt_tokens": 900 * len(steps), "completion_tokens": 60 * len(steps)}
    failed = chance.random() < 0.005
    model = "runs/train/student/checkpoint" if name.startswith("tuned") else "model-8B"
    tried = Trajectory(task, method, model, tuple(steps), answer, float(right), provenance=counts)
    return replace(tried, reward=0.0, end="failed", error="ModelError: HTTP 502") if failed else tried


def _write(folder: Path, tried: Sequence[Trajectory], tasks: Sequence[Task], method: str, shots: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    trajectory.write(folder / "trajectories.jsonl", tried)
    data = None if shots else {"model": "model-8B", "data": ["runs/bootstrap/b/trajectories.jsonl"], "rows": 3000}
    prints = {"environment_fingerprint": "made", "tasks_fingerprint": trajectory.fingerprint(tasks)}
    job, scene = (
        EvalConfig(name=folder.name, output=str(folder.parent), split="train"),
        Scene(method=method, shots=shots),
    )
    session, sources = Session(1.0, len(tasks), 10, 4, 0), Sources("server", "model-8B", data)
    write_summary(folder, summarize(job, scene, tried, tasks, session, sources, prints))


def shown(page: Path, chromium: str) -> dict[str, float]:
    """How soon a browser shows the page."""
    from playwright.sync_api import sync_playwright

    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        opened = browser.new_page()
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        began = perf_counter()
        opened.goto(page.as_uri())
        opened.wait_for_selector(".row", timeout=120_000)
        ready, paint = perf_counter() - began, opened.evaluate(_PAINT)
        opened.evaluate("browser.filters.search('warm')")  # lower case is made once
        search = "(() => { const began = performance.now(); at('search').value = 'airport the'; browser.find(); "
        took = opened.evaluate(search + "return performance.now() - began })()")
        browser.close()
    for complaint in complaints:
        print(f"script error: {complaint}", file=sys.stderr)
    return {
        "first_paint_seconds": round((paint or 0.0) / 1000, 2),
        "ready_seconds": round(ready, 2),
        "search_seconds": round(took / 1000, 3),
        "script_errors": len(complaints),
    }


if __name__ == "__main__":
    main()
