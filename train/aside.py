"""What a training is left as while its first process acts: the others wait, and no random number of it is drawn."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import torch

from react.ranks import VARIABLES

_PATIENCE = 1_000  # times torch's own half hour: how long processes wait while the first one acts


class Shared:
    """What the first process knows, on all. The others may wait long: longer than NCCL would let them."""

    def __init__(self) -> None:
        there = torch.distributed.is_available() and torch.distributed.is_initialized()
        self._group: Any = None
        if there:
            from torch.distributed.constants import default_pg_timeout

            self._group = torch.distributed.new_group(backend="gloo", timeout=_PATIENCE * default_pg_timeout)

    def first(self, value: Any) -> Any:
        """`value` of the first process."""
        if self._group is None:
            return value
        box = [value]
        torch.distributed.broadcast_object_list(box, src=0, group=self._group)
        return box[0]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Gives back the random states of this process, whatever draws from them meanwhile, and a GPU's spare memory."""
    states = random.getstate(), numpy.random.get_state(), torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    if cuda:
        torch.cuda.empty_cache()
    try:
        yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
        torch.set_rng_state(states[2])
        if cuda:
            torch.cuda.set_rng_state_all(cuda)


@contextmanager
def unranked() -> Iterator[None]:
    """The first process acts with all that its machine has, as long as the others wait."""
    held = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(held)
