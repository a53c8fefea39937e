"""Which of several processes this one is, as their launcher says: torchrun, accelerate launch, or srun.

RANK of WORLD_SIZE on all machines, LOCAL_RANK of LOCAL_WORLD_SIZE on this one. Without them there is one process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from react.mistakes import Mistake

VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")


def placed(environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Rank and number of ranks. Mistake where the environment says no such thing."""
    return _pair(environment, "RANK", "WORLD_SIZE")


def placed_here(environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Rank and number of ranks on this machine. Where only one is known of it, all are."""
    if "LOCAL_RANK" in environment and "LOCAL_WORLD_SIZE" not in environment:
        environment = {**environment, "LOCAL_WORLD_SIZE": environment.get("WORLD_SIZE", "1")}
    return _pair(environment, "LOCAL_RANK", "LOCAL_WORLD_SIZE")


def _pair(environment: Mapping[str, str], rank: str, world: str) -> tuple[int, int]:
    said = {name: environment.get(name, default) for name, default in ((rank, "0"), (world, "1"))}
    if not all(value.isascii() and value.isdecimal() for value in said.values()) or int(said[rank]) >= int(said[world]):
        told = ", ".join(f"{name}={environment.get(name, '(not set)')}" for name in said)
        raise Mistake(f"the environment says {told}; a rank must be a number from 0 below the number of ranks")
    return int(said[rank]), int(said[world])
