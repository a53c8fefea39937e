"""A run folder that is read again: its settings, its tasks, and what was tried, also while ranks are at work in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any, get_type_hints

import yaml

from bootstrap.job import BootstrapConfig
from bootstrap.merge import ATTEMPTS, digest, homes
from bootstrap.own import Own
from bootstrap.run import pool
from react import trajectory
from react.config import fit
from react.methods import find
from react.mistakes import Mistake
from react.scene import Scene, Staged
from react.trajectory import RecordError, Task, Trajectory


@dataclass(frozen=True)
class Stored:
    """A run folder: its settings, the fingerprints in it, and its attempts."""

    folder: Path
    job: BootstrapConfig
    scene: Scene
    says: dict[str, Any]

    @property
    def prints(self) -> dict[str, Any]:
        """The fingerprints of what it was made with."""
        return {key: value for key, value in self.says.items() if key.endswith("_fingerprint")}

    @cached_property
    def staged(self) -> Staged:
        return self.scene.staged()

    @cached_property
    def tasks(self) -> list[Task]:
        """Its tasks in their order. Mistake where its settings name others by now."""
        tasks = pool(self.staged, self.job)
        if (now := trajectory.fingerprint(tasks)) != (then := self.says.get("tasks_fingerprint")):
            raise Mistake(
                f"{self.folder}: its settings name other tasks than they did (fingerprint {now}, then {then}); "
                "has the data changed?"
            )
        return tasks

    @cached_property
    def own(self) -> Own:
        """What its records say of it."""
        return Own.of(self.tasks, find(self.scene.method).name, "", self.scene.environment, self.prints)

    def attempts(self) -> Iterator[Trajectory]:
        """What was tried, in whole lines. RecordError names a line that is no trajectory, or none of this run."""
        for place, line in self._lines():
            try:
                record = trajectory.from_json(line.decode())
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{place}: not a trajectory: {error}") from None
            yield self.own.checked(record, place)

    def _lines(self) -> Iterator[tuple[str, bytes]]:
        """Each line and where it stands: what the run has, and what ranks have that are at work, or were killed.

        A merge, at work or killed, has lines in both: they are one.
        """
        with ExitStack() as held:
            shares = self._shares(held)  # before the run's own: what is merged from now on is read from them
            whole = held.enter_context((self.folder / ATTEMPTS).open("rb"))
            seen: set[bytes] = set()
            for file in (whole, *shares):
                for number, line in enumerate(file, 1):
                    if not line.endswith(b"\n"):
                        break  # torn by a kill, or being written
                    if shares:
                        if (known := digest(line)) in seen:
                            continue
                        seen.add(known)
                    yield f"{file.name}:{number}", line

    def _shares(self, held: ExitStack) -> list[BufferedReader]:
        found = []
        for home in homes(self.folder):
            with suppress(FileNotFoundError):  # it was merged, or its rank has tried nothing yet
                found.append(held.enter_context((home / ATTEMPTS).open("rb")))
        return found

    def fingerprint(self) -> str:
        """Changes with any byte of the attempts."""
        total = hashlib.sha256()
        for _, line in self._lines():
            total.update(line)
        return total.hexdigest()


def stored(folder: Path) -> Stored:
    """Opens a run folder. Mistake where it is none."""
    path = folder / "config.yaml"
    if not path.is_file() or not (folder / ATTEMPTS).is_file():
        raise Mistake(f"{folder} is no run of bootstrap: it lacks config.yaml or attempts.jsonl")
    try:
        says = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(says, dict):
            raise ValueError("it must hold `key: value` lines")
        return Stored(folder, BootstrapConfig(**of(BootstrapConfig, says)), Scene(**of(Scene, says)), says)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, TypeError, ValueError) as error:
        raise Mistake(f"{path}: is no run's configuration: {' '.join(str(error).split())}") from None


def of(kind: type[Any], says: dict[str, Any]) -> dict[str, Any]:
    """The settings of `kind` that a configuration has. What was one value once may be a list by now."""
    hints = get_type_hints(kind)
    return {
        field.name: fit(says[field.name], hints[field.name], field.name) for field in fields(kind) if field.name in says
    }
