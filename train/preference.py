"""What is preferred to what, and how strongly: the settings of DPO."""

from __future__ import annotations

from dataclasses import dataclass

from react.config import setting
from react.mistakes import Mistake, at_least, choose
from train.recipe import Recipe

SPANS = ("without_observations", "actions_only")  # what the model itself wrote, or a part of it


@dataclass(frozen=True)
class Preference(Recipe):
    """A recipe whose sequences are pairs: `batch_size` and `micro_batch` count those. `max_length` is of each side."""

    data: list[str] = setting([], "one or several attempts.jsonl of bootstrap: every try, solved or not")
    model: str = setting("smollm2", "a finetuned student's folder, or another: the start, and the reference")
    loss: str = setting("without_observations", f"{', '.join(SPANS)}: whose log-probability counts")
    learning_rate: float = setting(1e-6, "at its highest")
    steps: int = setting(200, "optimizer steps")
    beta: float = setting(0.1, "how dear it is to leave the reference (Rafailov et al. 2023)")
    pairs: int = setting(4, "pairs of one task at most")
    repaired: bool = setting(False, "take attempts that were asked again, repaired or cut, too: not all is the model's")

    def __post_init__(self) -> None:
        super().__post_init__()
        choose("loss of pairs", self.loss, list(SPANS))
        for name in ("weights", "packing", "allow_unsolved"):
            if value := getattr(self, name):
                raise Mistake(f"{name} is {value!r}, and is no setting of pairs: leave it out")
        if self.form != "text":
            raise Mistake(f"form is {self.form!r}, and pairs are of the form text: leave it out")
        at_least(1, self, "pairs")
        if self.beta <= 0:
            raise ValueError(f"beta is {self.beta}; it must be greater than 0")
