"""How near a collection comes to what its teacher can give: the command itself, with hundreds of episodes in flight.

    python -m benchmarks.bootstrap [--quick]

The teacher is a server in a process of its own that knows the embedded questions and takes a fixed time for each call.
`python -m bootstrap` collects from it: real episodes, every call recorded before it is used, every attempt journalled.
Ideal is what a client without any cost of its own would get: calls in flight, over the time that one takes. The table
says where the client's processor is the limit: one process has the calls a second of its last column, however many
calls are in flight and however short they are. A second process (another rank) has as many again on another core.

Then llama.cpp's own server, with SmolLM2, is asked by a collection and by a bare replay of the same requests, in turns.
Last, one line of JSON:

* ratio_to_ideal_at_512   calls a second over the ideal, 512 in flight, 50 ms a call: 10,240 a second
* ratio_to_ideal_at_1000  the same for 1,000 in flight, 500 ms a call: 2,000 a second
* cpu_us_per_call         processor time of the collecting process for one call, in microseconds, at those 1,000
* ratio_to_engine         tokens a second of a collection, over those of the replay; nothing where xllamacpp is not
* select_seconds_per_100k  processor seconds to select from 100,000 attempts (benchmarks.selection)
* memory_growth_mb        resident memory near the end of 100,000 attempts (of 4,000 with --quick), over that at a fifth
* selection_mb            what the selection at their end takes for a while; one attempt in thirty is kept
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import itertools
import json
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks._memory import memory_mb
from benchmarks._teacher import Seen, engine, teacher, turns
from benchmarks.rollout import script
from benchmarks.selection import attempts, seconds_of
from bootstrap.run import main as collect
from react import environments, models, trajectory
from react.completions import Recorded
from react.journal import Journal
from react.methods import Sampling
from react.models import Completion, Model, ModelConfig, Request
from react.rollout import attempt, roll_out
from react.scene import Scene
from react.trajectory import Task

PAGES = Path(__file__).parents[1] / "data" / "wikipedia" / "pages.jsonl.gz"
CELLS = [(0.05, 32), (0.05, 128), (0.05, 512), (0.05, 1000), (0.5, 32), (0.5, 128), (0.5, 512), (0.5, 1000)]
QUICK = [(0.05, 512), (0.5, 1000)]
AT_512, AT_1000 = QUICK
_TURNS = 3  # calls of an episode, nearly always
_ABOUT = 2500.0  # calls a second that may be expected of one process


@dataclass(frozen=True)
class Reading:
    """What one look at a running collection saw: processor seconds so far, what its teacher has seen, memory."""

    cpu: float
    seen: Seen
    mb: float


class Watch:
    """Looks at a collection in this process, and at its teacher, ten times a second."""

    def __init__(self, url: str) -> None:
        self.readings: list[Reading] = []
        self._url = f"{url}/seen"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self._read()

    def _read(self) -> None:
        with urllib.request.urlopen(self._url) as said:
            seen = Seen(**json.load(said))
        self.readings.append(Reading(time.process_time(), seen, memory_mb()))

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._read()

    def between(self, low: float, high: float) -> tuple[Reading, Reading]:
        """The first reading with this share of all calls, and the last with no more than that."""
        all = self.readings[-1].seen.calls
        within = [one for one in self.readings if low * all <= one.seen.calls <= high * all]
        if len(within) < 2:
            raise SystemExit(f"too short to be measured: {len(self.readings)} readings, {all} calls")
        return within[0], within[-1]


def questions(path: Path, tasks: list[Task], count: int, each: int) -> None:
    """`count` questions, going round over `tasks`: each has an id of its own, so that each is asked. What the teacher
    says is right of one in `each`.
    """
    with path.open("w") as file:
        for number, task in enumerate(itertools.islice(itertools.cycle(tasks), count)):
            facts = [[title, 0] for title in task.extra["supporting"]]
            answer = "nobody knows" if number % each else task.answer
            said = {"question": task.question, "answer": answer, "supporting_facts": facts}
            file.write(json.dumps({"id": f"q{number}", **said}) + "\n")


def collected(folder: Path, tasks: list[Task], latency: float, in_flight: int, count: int, each: int = 1) -> Watch:
    """A collection of `count` attempts, watched. One in `each` of them is kept."""
    questions(folder / "questions.jsonl", tasks, count, each)
    options = json.dumps({"train": str(folder / "questions.jsonl"), "pages": str(PAGES)})
    flags = ["--backend", "server", "--model", "teacher", "--attempts", "1", "--target", str(count)]
    flags += ["--output", str(folder), "--name", "run", "--rules", "correct"]
    flags += ["--environment_options", options, "--concurrency", str(in_flight)]
    told = io.StringIO()
    quiet = contextlib.redirect_stdout(told), contextlib.redirect_stderr(told)
    with teacher(turns(map(script, tasks)), latency) as url, Watch(url) as watch, quiet[0], quiet[1]:
        collect([*flags, "--base_url", url])
    if f"{-(-count // each)} kept" not in told.getvalue().replace(",", ""):
        raise SystemExit(f"not one in {each} of {count} attempts was kept:\n{told.getvalue()}")
    return watch


def cell(tasks: list[Task], latency: float, in_flight: int, seconds: float) -> tuple[float, float, float]:
    """Ratio to the ideal, calls a second, processor microseconds a call, of a collection of about so many seconds.

    Of the time between a fifth and four fifths of all calls. The ratio is how many are under way at the teacher on the
    average, of those in flight: in waves of equal calls, calls a second depend on where the clock is stopped.
    """
    ideal = in_flight / latency
    rounds = max(3, round(min(ideal, _ABOUT) * seconds / _TURNS / in_flight))
    with tempfile.TemporaryDirectory() as folder:
        watch = collected(Path(folder), tasks, latency, in_flight, rounds * in_flight)
    first, last = watch.between(0.2, 0.8)
    ratio = (last.seen.waited - first.seen.waited) / (last.seen.now - first.seen.now) / in_flight
    return ratio, ratio * ideal, (last.cpu - first.cpu) / (last.seen.calls - first.seen.calls) * 1e6


class Kept:
    """A model, and the requests that it was asked, by session."""

    def __init__(self, model: Model) -> None:
        self.name, self.fingerprint = model.name, model.fingerprint
        self.asked: dict[str, list[Request]] = defaultdict(list)
        self.tokens = 0
        self._model = model

    def complete(self, request: Request) -> list[Completion]:
        completions = self._model.complete(request)
        self.asked[request.session].append(request)
        self.tokens += sum(completion.completion_tokens for completion in completions)
        return completions

    def close(self) -> None:
        self._model.close()


def to_engine(episodes: int, tokens: int, rounds: int, at_once: int = 4) -> float:
    """Tokens a second of a collection over those of its replay, both over all rounds, which take turns."""
    staged = Scene(shots=1, max_tokens=tokens).staged()
    tasks = staged.tasks("dev")[:episodes]
    seconds = {"collection": 0.0, "replay": 0.0}
    written = dict.fromkeys(seconds, 0)
    with engine(at_once) as url, tempfile.TemporaryDirectory() as folder:
        model = Kept(models.load(ModelConfig("server", "smollm2", base_url=[url])))

        def collection(number: int) -> None:
            model.asked.clear()
            solver = staged.solver(Recorded(model, Path(folder) / f"{number}.sqlite"), {})
            journal = Journal(Path(folder) / f"{number}.jsonl")
            for record in roll_out(tasks, lambda task: attempt(solver, task, Sampling(max_tokens=tokens)), at_once):
                journal.append(record)

        def replay(number: int) -> None:
            sessions = [list(asked) for asked in model.asked.values()]
            for _ in roll_out(sessions, lambda asked: [model.complete(request) for request in asked], at_once):
                pass

        for number in range(rounds + 1):
            for kind, run in (("collection", collection), ("replay", replay)):
                began, before = perf_counter(), model.tokens
                run(number)
                if number:  # the first filled the caches
                    seconds[kind] += perf_counter() - began
                    written[kind] += model.tokens - before
    for kind in seconds:
        print(f"{kind:10}  {written[kind]:6,} tokens  {written[kind] / seconds[kind]:6.1f} tokens/s")
    return (written["collection"] / seconds["collection"]) / (written["replay"] / seconds["replay"])


def selecting(count: int) -> float:
    """Seconds of the processor to select from 100,000 attempts, by the cost of `count`: see benchmarks.selection."""
    with tempfile.TemporaryDirectory() as folder:
        trajectory.write(Path(folder) / "attempts.jsonl", attempts(environments.load("hotpotqa"), count))
        return round(seconds_of(Path(folder) / "attempts.jsonl", count) / count * 100_000, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two cells of the table, a few episodes")
    quick = parser.parse_args().quick
    tasks = list(Scene().staged().tasks("train"))
    figures: dict[str, float] = {}
    print("in flight  seconds a call   ideal/s  calls/s  ratio  us of CPU a call")
    for latency, in_flight in QUICK if quick else CELLS:
        ratio, rate, cpu = cell(tasks, latency, in_flight, 2.0 if quick else 10.0)
        print(f"{in_flight:9,}  {latency:14g}  {in_flight / latency:8,.0f} {rate:8,.0f}  {ratio:5.3f}  {cpu:16,.0f}")
        if (latency, in_flight) == AT_512:
            figures["ratio_to_ideal_at_512"] = round(ratio, 3)
        if (latency, in_flight) == AT_1000:
            figures |= {"ratio_to_ideal_at_1000": round(ratio, 3), "cpu_us_per_call": round(cpu)}
    if importlib.util.find_spec("xllamacpp"):
        figures["ratio_to_engine"] = round(to_engine(*((2, 8, 1) if quick else (16, 32, 3))), 3)
    with tempfile.TemporaryDirectory() as folder:
        watch = collected(Path(folder), tasks, 0.0, 64, 4000 if quick else 100_000, 30)
    first, last = watch.between(0.2, 0.99)
    figures["memory_growth_mb"] = round(last.mb - first.mb, 1)
    figures["selection_mb"] = round(max(one.mb for one in watch.readings) - last.mb, 1)
    figures["select_seconds_per_100k"] = selecting(2000 if quick else 100_000)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
