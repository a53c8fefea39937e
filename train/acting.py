"""The student that acts while it is trained: how often it is right is looked at, not only how small its loss is.

Every `act_every` steps, and after the last one, all processes gather the weights, the first writes them as it would at
the end of the training (merged, in the base's number format) and lets workers of the `local` back end read that folder.
They act on a panel of held-out tasks as `eval` does, with the same stops, the same notation and no exemplars, while the
training waits: what is measured is, token for token, what comes out. Nothing of the training is touched by it, neither
its weights nor its random numbers. The best step stays in `acting/<step>/`, and becomes `checkpoint/` in the end.

A state to resume from is saved before each panel. A run that is killed meanwhile goes on inside the panel, and no call
is made twice. Imported only when training starts.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerState

from react import models
from react.completions import Recorded
from react.journal import Journal
from react.methods import Sampling
from react.models import ModelConfig, ModelError
from react.models._checkpoint import find
from react.rollout import Outage, Patience, attempt, roll_out
from react.run_folder import put
from react.signals import Ended
from react.trajectory import Task, Trajectory
from train import curve
from train.aside import Shared, undisturbed, unranked
from train.export import export, publish
from train.panel import Panel
from train.recipe import Recipe

FOLDERS = ("checkpoint", "adapter")


class Acting(TrainerCallback):
    """Asks the student the panel, keeps the best step and ends the training where patience does.

    `panel` is of the first process; the others have None, wait, and hear what came of it.
    """

    def __init__(self, recipe: Recipe, panel: Panel | None, base: str, tokenizer: Any) -> None:
        self._recipe, self._panel, self._base, self._tokenizer = recipe, panel, base, tokenizer
        self._folder, self._path = recipe.folder / "acting", recipe.folder / "curve.jsonl"
        self._entries: list[dict[str, Any]] = []
        self._shared = Shared()
        if panel:
            panel.folder.mkdir(parents=True, exist_ok=True)
            put(panel.folder / "panel.json", json.dumps(panel.said(), indent=2) + "\n")

    def join(self, trainer: Any, stopping: Callable[[], int], note: Callable[[str], None]) -> None:
        """Is called back by `trainer`. `stopping` is the signal that stops the run, or 0; `note` shows what goes on."""
        self._trainer, self._stopping, self._note = trainer, stopping, note
        self._entries = self._shared.first(curve.read(self._path))
        trainer.add_callback(self)

    def over(self, step: int) -> bool:
        """Whether a run that is resumed at `step` had ended by patience there."""
        return bool(self._entries) and self._entries[-1]["step"] == step and self._impatient()

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        """A panel that a kill or a stop left open is asked first: the weights are those of its step."""
        if self._due(state) and state.global_step not in {entry["step"] for entry in self._entries}:
            self._ask(state, control)

    def on_step_end(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        if self._due(state):
            control.should_save = True
            # Should this panel be the last, it is with the loss of its step.
            control.should_log |= self._impatient(ahead=1)

    def on_save(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        if self._due(state):
            self._ask(state, control)

    def _due(self, state: TrainerState) -> bool:
        step = state.global_step
        return step > 0 and (step % self._recipe.act_every == 0 or step == state.max_steps)

    def _impatient(self, ahead: int = 0) -> bool:
        return 0 < self._recipe.patience <= curve.since_best(self._entries) + ahead

    def _ask(self, state: TrainerState, control: Any) -> None:
        """One panel, on all processes."""
        folder = self._folder / str(state.global_step)
        with undisturbed():
            export(self._trainer, self._tokenizer, self._base, self._recipe, folder)
            entries = self._first(folder, state, control) if self._panel else None
            entries, signal = self._shared.first((entries, self._stopping()))
        if entries is None:
            raise Ended(signal)
        self._entries = entries
        control.should_training_stop |= self._impatient()

    def _first(self, folder: Path, state: TrainerState, control: Any) -> list[dict[str, Any]] | None:
        """What the first process does: acts, notes, keeps the best. None where somebody stops it."""
        assert self._panel
        step = state.global_step
        entry = self._entry(folder, step)
        if entry is None:
            return None
        entries = [*(before for before in self._entries if before["step"] < step), entry]
        curve.write(self._path, entries)
        top = curve.best(entries)
        for other in self._folder.glob("[0-9]*/"):
            if int(other.name) > step:
                shutil.rmtree(other)  # of a training that was taken back
            elif top is None or int(other.name) != top["step"]:
                for name in FOLDERS:
                    shutil.rmtree(other / name, ignore_errors=True)
        (folder / "completions.sqlite").unlink(missing_ok=True)
        print(f"step {step}: {_told(entry, top, len(self._panel.tasks))}", flush=True)
        if entry["success"] is not None:
            logs = {"eval_success": entry["success"], "eval_reward": entry["reward"]}
            self._trainer.callback_handler.on_log(self._trainer.args, state, control, logs)
        return entries

    def _entry(self, folder: Path, step: int) -> dict[str, Any] | None:
        """The line of the curve for the student in `folder`."""
        assert self._panel
        began = time.monotonic()
        fingerprint = find(str(folder / "checkpoint")).fingerprint()
        own = folder / "fingerprint"
        if own.exists() and own.read_text(encoding="utf-8") != fingerprint:  # tries of other weights
            for name in ("trajectories.jsonl", "completions.sqlite"):
                (folder / name).unlink(missing_ok=True)
        put(own, fingerprint)
        tried: list[Trajectory] | None = []
        error = "not all were asked"
        try:
            tried = act(
                self._panel, folder, lambda: bool(self._stopping()), lambda words: self._note(f"acting, {words}")
            )
        except (ModelError, Outage, ValueError) as failure:
            error = " ".join(str(failure).split())
        if tried is None:
            return None
        ended = [one for one in tried if one.end != "failed"]
        if failed := [one.error for one in tried if one.end == "failed"]:
            error = f"{len(failed)} episodes failed, such as with {failed[0]}"
        whole = len(ended) == len(self._panel.tasks)
        return {
            "step": step,
            "success": sum(one.solved for one in ended) / len(ended) if whole else None,
            "n": len(ended),
            "reward": round(sum(one.reward for one in ended) / len(ended), 6) if whole else None,
            "seconds": round(time.monotonic() - began, 1),
            "fingerprint": fingerprint,
            **({} if whole else {"error": error}),
        }

    def settle(self) -> bool:
        """Puts the best step's folders where the student is looked for. False where no panel came to an end.

        On all processes; after a kill it goes on where it was.
        """
        top = curve.best(self._entries)
        if top and self._panel:
            for name in FOLDERS:
                if (made := self._folder / str(top["step"]) / name).is_dir():
                    publish(made, self._recipe.folder / name)
        return top is not None

    def facts(self) -> dict[str, Any]:
        """What the summary says, on the first process: which step is kept, and by which panel it was chosen."""
        assert self._panel
        top = curve.best(self._entries)
        return {"kept": top and {key: top[key] for key in ("step", "success", "n")}, "chosen_on": self._panel.said()}


def act(
    panel: Panel, folder: Path, stopping: Callable[[], bool], note: Callable[[str], None]
) -> list[Trajectory] | None:
    """One trajectory a task of the student in `folder/checkpoint`: those of earlier tries too.

    What failed is tried a second time. None where `stopping` said so. ModelError, ValueError: there is no model.
    Outage: nothing but failures.
    """
    with unranked():
        api = "tools" if panel.calls else "completions"
        model = models.load(ModelConfig(model=str(folder / "checkpoint"), api=api))
    recorded = Recorded(model, folder / "completions.sqlite")
    journal = Journal(folder / "trajectories.jsonl")
    scene = panel.staged.scene
    sampling = Sampling(0.0, max_tokens=scene.max_tokens, seed=scene.seed)
    prints = panel.staged.fingerprints(recorded, panel.tasks)
    solver = panel.staged.solver(recorded, prints, calls=panel.calls)

    def solve(task: Task) -> Trajectory:
        tried = attempt(solver, task, sampling)
        journal.append(tried)
        return tried

    try:
        tried = {one.task.id: one for one in journal.read() if one.end != "failed"}
        for _ in range(2):
            todo = [task for task in panel.tasks if task.id not in tried or tried[task.id].end == "failed"]
            patience = Patience(max(10, scene.concurrency))
            for one in roll_out(todo, solve, scene.concurrency, look=stopping):
                if stopping():
                    return None
                patience.bear(one.error)
                tried[one.task.id] = one
                right = sum(one.solved for one in tried.values())
                note(f"{len(tried)} of {len(panel.tasks)}, {right} right")
            if stopping():
                return None
        return list(tried.values())
    finally:
        journal.close()
        recorded.close()


def _told(entry: curve.Entry, top: curve.Entry | None, tasks: int) -> str:
    """A line of the curve for a person."""
    if entry["success"] is None:
        return f"no success is known: {entry['error'][:300]}"
    right = f"{round(entry['success'] * tasks)} of {tasks} tasks right ({entry['success']:.3f})"
    assert top
    return right + (", the best so far" if top is entry else f"; the best is step {top['step']} ({top['success']:.3f})")
