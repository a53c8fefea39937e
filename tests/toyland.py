"""A folder with a toy environment that is found by its name, its exemplars, and an expert's script."""

import sys

from react import environments, trajectory
from tests.toys import Toy, script

ENVIRONMENT = """
import time
from dataclasses import dataclass, replace
from tests.toys import Echo, Toy
from react.trajectory import Task

class Slow(Echo):
    pause = 0.0
    def act(self, action):
        time.sleep(self.pause)
        return super().act(action)

@dataclass
class Kinds(Toy):
    pause: float = 0.0
    def tasks(self, split):
        kinds = "even", "odd"
        return [replace(task, extra={"kind": kinds[int(task.answer) % 2]}) for task in super().tasks(split)]
    def start(self, task):
        episode = Slow(task)
        episode.pause = self.pause
        return episode

def load(size=20, pause=0.0):
    return Kinds(size=size, pause=pause)

def f1(prediction, gold):
    return 1.0 if prediction == gold else 0.5 if prediction else 0.0
"""
EXEMPLARS = """
instruction: Say the number, then hand it in.
exemplars:
- {question: "Which number is 900?", answer: "900", kind: even, reasoning: It is 900., steps: [{thought: x, im: y, action: "Finish[900]"}]}
- {question: "Which number is 3?", answer: "3", kind: odd, reasoning: It is 3., steps: [{thought: x, im: y, action: "Finish[3]"}]}
"""  # noqa: E501


def found(tmp_path, monkeypatch):
    """Makes the folder, goes there, and forgets the environment in the end."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "toyland.py").write_text(ENVIRONMENT)
    (tmp_path / "shots.yaml").write_text(EXEMPLARS)
    said = [script(task, "wrong" if int(task.answer) % 5 == 0 else task.answer) for task in Toy(size=60).tasks("dev")]
    trajectory.write(tmp_path / "expert.jsonl", said)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(environments, "__path__", [*environments.__path__, str(tmp_path / "home")])
    monkeypatch.delitem(sys.modules, "react.environments.toyland", raising=False)
    yield tmp_path
    sys.modules.pop("react.environments.toyland", None)
