"""Stages of a few lines for the loop over rounds: they read flags, do their work in steps, and go on after a kill.

Called as `python round_stages.py -m bootstrap FLAGS` or `... launch train.py FLAGS`, as the loop calls the real ones.
What happened, by whom and in which order, stands in `log` of the folder that `$STAGES` names; there `fail` names a
stage that fails, `slow` the seconds of a step, `keeps` how many trajectories each round keeps, `panel` what is asked.
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

HERE = Path(os.environ["STAGES"])
SCENE = {"environment": "e", "model": "base", "adapter": "", "shots": 0}
SCENE |= {"exemplars": "", "exemplars_by": "", "prompt_set": 0}
DEFAULTS = {
    "bootstrap": {**SCENE, "shots": 6},
    "train": {"environment": "e", "model": "base", "steps": 10, "batch_size": 4},
    "eval": SCENE,
}
KNOWN = {"bootstrap": {"backend", "hints", "limit", "rules"}, "train": {"data"}, "eval": {"backend", "limit"}}
STEPS = 4


def log(words):
    with (HERE / "log").open("a") as file:
        file.write(f"{words}\n")


def told(name, default):
    path = HERE / name
    return path.read_text() if path.exists() else default


def given(words):
    """The flags, each with its words."""
    values, key = {}, ""
    for word in words:
        if word.startswith("--"):
            key, _, value = word[2:].partition("=")
            values[key] = [value] if value else []
        else:
            values[key].append(word)
    return {key: " ".join(value) for key, value in values.items()}


def check(kind, flags):
    for key in flags.keys() - DEFAULTS[kind].keys() - KNOWN[kind] - {"name", "output", "check"}:
        sys.exit(print(f"error: unknown flag --{key}", file=sys.stderr) or 2)
    said = {key: int(value) if value.isdigit() else value for key, value in flags.items() if key != "limit"}
    print(json.dumps({**DEFAULTS[kind], **said}), "---", "{}", sep="\n")


def work(kind, flags):
    from react.lock import hold

    folder = Path(flags["output"]) / flags["name"]
    stage = f"{kind}/{flags['name']}"
    folder.mkdir(parents=True, exist_ok=True)
    hold(folder / "run")
    signal.signal(signal.SIGINT, lambda *_: (log(f"{stage} SIGINT"), sys.exit(130)))
    signal.signal(signal.SIGTERM, lambda *_: (log(f"{stage} SIGTERM"), sys.exit(143)))
    log(f"{stage} begin")
    progress = folder / "progress"
    for step in range(int(progress.read_text() or 0) if progress.exists() else 0, STEPS):
        time.sleep(float(told("slow", "0.01")))
        progress.write_text(str(step + 1))
    if told("fail", "") == stage:
        sys.exit(print("error: as told", file=sys.stderr) or 2)
    number = int(flags["name"].removeprefix("round"))
    {"bootstrap": collect, "train": train, "eval": evaluate}[kind](folder, number, flags)
    log(f"{stage} end")
    if kind == "bootstrap" and (HERE / "spent").exists():
        sys.exit(3)


def finish(folder, summary):
    (folder / "summary.json").write_text(json.dumps(summary))


def records(ids, answer, model):
    from react.trajectory import Step, Task, Trajectory

    for id in ids:
        task, steps = Task(f"t{id}", f"Which is {id}?", str(id)), (Step("So.", f"Finish[{id}]"),)
        yield Trajectory(task, "react", model, steps, str(answer), 1.0)


def known(model):
    """What a student has learned."""
    weights = Path(model) / "weights"
    return weights.read_text() if weights.exists() else "base"


def collect(folder, number, flags):
    from react import trajectory

    count = json.loads(told("keeps", "{}")).get(str(number), 5)
    ids = range(number, number + count)
    trajectory.write(folder / "trajectories.jsonl", records(ids, number, known(flags.get("model", "base"))))
    finish(folder, {"kept": count, "flags": flags})


def train(folder, number, flags):
    data = Path(flags["data"]).read_bytes()
    (folder / "checkpoint").mkdir(exist_ok=True)
    (folder / "checkpoint" / "weights").write_text(hashlib.sha256(data).hexdigest())
    finish(folder, {"flags": flags})


def evaluate(folder, number, flags):
    from react import trajectory

    ids = json.loads(told("panel", "[99]"))
    trajectory.write(folder / "trajectories.jsonl", records(ids, number, known(flags["model"])))
    finish(folder, {"flags": flags})


def table(folder):
    """All that a table could say."""
    summaries = sorted(Path(folder).glob("*/*/summary.json"))
    text = "".join(f"{path.relative_to(folder)} {path.read_text()}\n" for path in summaries)
    (Path(folder) / "rounds.md").write_text(text)
    log("table")


def main(words):
    if words[0] == "launch":
        log(" ".join(words[: words.index(next(word for word in words if word.endswith("train.py")))]))
    words = words[1:] if words[0] == "launch" else words
    if "eval.rounds" in words:
        return table(words[-1])
    at = next(i for i, word in enumerate(words) if word in ("bootstrap", "eval") or word.endswith("train.py"))
    kind, flags = words[at].removesuffix(".py").rpartition("/")[2], given(words[at + 1 :])
    check(kind, flags) if "check" in flags else work(kind, flags)


if __name__ == "__main__":
    main(sys.argv[1:])
