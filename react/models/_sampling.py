"""Choosing the next token. Every sample has a generator of its own, so that its company in a batch does not matter."""

from __future__ import annotations

import random
from collections.abc import Collection

import torch
from torch import Tensor


def generator(seed: int, sample: int) -> random.Random:
    """The source of chance for one sample of one request."""
    return random.Random(f"{seed}:{sample}")


def ban(logits: Tensor, tokens: Collection[int]) -> Tensor:
    """`logits` under which none of `tokens` can be chosen."""
    banned = logits.clone()
    banned[list(tokens)] = float("-inf")
    return banned


def draw(logits: Tensor, temperature: float, top_p: float, chance: random.Random) -> int:
    """One token out of [vocabulary] logits. Float64 on the CPU: the draw is the same beside any other work."""
    odds = torch.softmax(logits.to("cpu", torch.float64) / temperature, -1)
    order = None
    if top_p < 1:
        odds, order = torch.sort(odds, descending=True, stable=True)
        nucleus = int((odds.cumsum(0) < top_p).sum()) + 1
        odds = odds[:nucleus]
    heap = odds.cumsum(0)
    place = min(int(torch.searchsorted(heap, chance.random() * float(heap[-1]), right=True)), len(odds) - 1)
    return place if order is None else int(order[place])
