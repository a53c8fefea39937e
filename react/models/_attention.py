"""Attention over key-value memory that the engine owns: one forward pass serves any mix of prompts and next tokens.

A batch is flat: the tokens of all rows in one line, no padding. A row's keys lie in two places of the `Pool`: the
first `used` tokens of a shared prefix, and a range of its own. All rows of one prefix attend to it in one matrix
product for each key-value head, so that a prefix is read once a step and not once a row. One softmax covers both parts.

transformers calls `attend` through its AttentionInterface, under the name `NAME`, for which no mask function is
registered, so that no mask is made. What a forward pass needs beyond queries and keys is the `Plan` of `planned`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface

NAME = "staract"
# Arguments of transformers' attention functions that change nothing here: no training, no padding, no cache object.
HARMLESS = frozenset(
    {"dropout", "is_causal", "position_ids", "cache", "past_key_values", "use_cache", "cache_position"}
    | {"output_router_logits"}
)
_here = threading.local()


class Unsupported(ValueError):
    """This model cannot be computed by this engine."""


@dataclass(frozen=True)
class Shape:
    """What one attention layer keeps of a token: heads, and the sizes of a key and a value."""

    heads: int
    key: int
    value: int


class Pool:
    """Room for the keys and values of `capacity` tokens in every layer, handed out in ranges, first fit."""

    def __init__(
        self, shapes: Sequence[Shape], capacity: int, dtype: torch.dtype, device: torch.device, clean: bool
    ) -> None:
        self.capacity = capacity
        # Unless it must be clean, memory that is never written is never taken from the system.
        make = torch.zeros if clean else torch.empty
        self.keys = [make(s.heads, capacity, s.key, dtype=dtype, device=device) for s in shapes]
        self.values = [make(s.heads, capacity, s.value, dtype=dtype, device=device) for s in shapes]
        self._free = [(0, capacity)]

    @property
    def free(self) -> int:
        return sum(end - start for start, end in self._free)

    def take(self, size: int) -> int | None:
        """The start of a range of `size` tokens, or None when no gap is that large."""
        for i, (start, end) in enumerate(self._free):
            if end - start >= size:
                self._free[i : i + 1] = [(start + size, end)] if end - start > size else []
                return start
        return None

    def give(self, start: int, size: int) -> None:
        """Takes a range back, and joins it to its free neighbours."""
        joined: list[tuple[int, int]] = []
        for low, high in sorted([*self._free, (start, start + size)]):
            if joined and joined[-1][1] == low:
                joined[-1] = (joined[-1][0], high)
            else:
                joined.append((low, high))
        self._free = joined

    def copy(self, source: int, target: int, size: int) -> None:
        """Keys and values of `size` tokens, from one range to another that does not overlap."""
        for memory in (*self.keys, *self.values):
            memory[:, target : target + size] = memory[:, source : source + size]


@dataclass(frozen=True)
class Segment:
    """Consecutive new tokens of one row: `ids` stand at `position` in the text.

    The row sees `used` tokens of the prefix at `prefix` in the pool (which is `length` long), then its own at `own`.
    `row` is the caller's: a plan puts segments into an order of its own.
    """

    ids: Sequence[int]
    position: int
    own: int
    prefix: int = 0
    length: int = 0
    used: int = 0
    row: int = 0

    @property
    def seen(self) -> int:
        """Own tokens after this segment, itself included."""
        return self.position - self.used + len(self.ids)


@dataclass
class Group:
    """The segments that share a prefix; they are neighbours in the flat batch, single tokens first."""

    segments: list[Segment]
    start: int
    device: torch.device
    masks: dict[int, tuple[Tensor | None, Tensor]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = self.segments[0]
        self.prefix, self.length = first.prefix, first.length
        self.size = sum(len(segment.ids) for segment in self.segments)
        self.width = max(segment.seen for segment in self.segments)
        self.single = sum(len(segment.ids) == 1 for segment in self.segments)
        self.full = all(segment.used == self.length for segment in self.segments)
        self._gather: Tensor | None = None
        self._scores: dict[tuple[int, int], Tensor] = {}

    def scores(self, heads: int, share: int, like: Tensor) -> Tensor:
        """Room for one layer's scores. Layers take turns: fresh memory of this size costs more than what fills it."""
        if (heads, share) not in self._scores:
            self._scores[heads, share] = like.new_empty(heads, self.size, share, self.length + self.width)
        return self._scores[heads, share]

    def mask(self, window: int) -> tuple[Tensor | None, Tensor]:
        """What each token must not see, of the prefix (None: it sees all) and of its own. `window` 0 is unlimited."""
        if window not in self.masks:
            self.masks[window] = self._mask(window)
        return self.masks[window]

    def _mask(self, window: int) -> tuple[Tensor | None, Tensor]:
        counts = torch.tensor([len(segment.ids) for segment in self.segments])
        used = torch.tensor([segment.used for segment in self.segments]).repeat_interleave(counts)
        position = torch.cat([torch.arange(s.position, s.position + len(s.ids)) for s in self.segments])
        own = torch.arange(self.width)[None] + used[:, None]
        before = torch.arange(self.length)[None]
        hidden = own > position[:, None]
        hidden_before = None if self.full else before >= used[:, None]
        if window:
            oldest = position[:, None] - window
            hidden |= own <= oldest
            gone = before <= oldest
            hidden_before = gone if hidden_before is None else hidden_before | gone
        shaped = hidden[None, :, None].to(self.device)
        return None if hidden_before is None else hidden_before[None, :, None].to(self.device), shaped

    def gather(self, capacity: int) -> Tensor:
        """Where in the pool the own tokens of each single-token row lie, [rows, width]."""
        if self._gather is None:
            starts = torch.tensor([segment.own for segment in self.segments[: self.single]])
            places = starts[:, None] + torch.arange(self.width)[None]
            self._gather = places.clamp_(max=capacity - 1).to(self.device)
        return self._gather


class Plan:
    """One forward pass: which tokens, where they stand, where their keys go, what they see."""

    def __init__(self, pool: Pool, segments: Sequence[Segment], device: torch.device, gather: bool) -> None:
        self.pool, self.use_gather = pool, gather
        self.segments = sorted(segments, key=lambda s: (s.length, s.prefix, len(s.ids) > 1))
        self.groups = list(self._grouped(device))
        ids = [token for segment in self.segments for token in segment.ids]
        positions = [s.position + i for s in self.segments for i in range(len(s.ids))]
        places = [s.own + s.position - s.used + i for s in self.segments for i in range(len(s.ids))]
        self.ids, self.positions, self.places = torch.tensor([ids, positions, places], device=device)
        ends = torch.tensor([len(segment.ids) for segment in self.segments]).cumsum(0) - 1
        self.last = ends.to(device)

    def _grouped(self, device: torch.device) -> Iterator[Group]:
        start = 0
        by_prefix: dict[tuple[int, int], list[Segment]] = {}
        for segment in self.segments:
            by_prefix.setdefault((segment.prefix, segment.length), []).append(segment)
        for segments in by_prefix.values():
            group = Group(segments, start, device)
            start += group.size
            yield group


@contextmanager
def planned(plan: Plan | Probe) -> Iterator[None]:
    """Forward passes of this thread follow `plan`."""
    _here.plan = plan
    try:
        yield
    finally:
        _here.plan = None


class Probe:
    """Stands in for a plan: records what a model's attention layers look like."""

    def __init__(self) -> None:
        self.shapes: dict[int, Shape] = {}
        self.windows: dict[int, int] = {}

    def see(self, layer: int, key: Tensor, value: Tensor, window: int) -> None:
        self.shapes[layer] = Shape(key.shape[1], key.shape[3], value.shape[3])
        self.windows[layer] = window


def attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """The attention function that transformers calls: queries [1, heads, tokens, size] -> [1, tokens, heads, size]."""
    changing = [name for name, given in others.items() if given is not None and name not in HARMLESS]
    if attention_mask is not None:
        changing.append("attention_mask")
    if changing:
        raise Unsupported(f"its attention takes {', '.join(sorted(changing))}")
    plan: Plan | Probe = _here.plan
    layer, scale = int(module.layer_idx), query.shape[3] ** -0.5 if scaling is None else scaling  # type: ignore[arg-type]
    if isinstance(plan, Probe):
        plan.see(layer, key, value, sliding_window or 0)
        return query.new_zeros(1, query.shape[2], query.shape[1], value.shape[3]), None
    keys, values = plan.pool.keys[layer], plan.pool.values[layer]
    keys.index_copy_(1, plan.places, key[0])
    values.index_copy_(1, plan.places, value[0])
    heads, tokens, size = keys.shape[0], query.shape[2], query.shape[3]
    queries = (query[0] * scale).view(heads, -1, tokens, size).transpose(1, 2).contiguous()
    out = queries.new_empty(heads, tokens, queries.shape[2], values.shape[2])
    for group in plan.groups:
        part = slice(group.start, group.start + group.size)
        _attend(plan, group, queries[:, part], keys, values, out[:, part], sliding_window or 0, softcap)
    return out.transpose(0, 1).reshape(1, tokens, query.shape[1], values.shape[2]), None


def _attend(
    plan: Plan,
    group: Group,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    out: Tensor,
    window: int,
    softcap: float | None,
) -> None:
    """One group: [heads, tokens, queries of a head, size]. Scores of prefix and own tokens side by side."""
    heads, _, share, _ = query.shape
    before, own = slice(group.prefix, group.prefix + group.length), group.length
    scores = group.scores(heads, share, query)
    if group.length:
        _product(query, keys[:, before].transpose(1, 2), scores[..., :own])
    _own_scores(plan, group, query, keys, scores[..., own:])
    if softcap is not None:
        scores.div_(softcap).tanh_().mul_(softcap)
    hidden_before, hidden = group.mask(window)
    scores[..., own:].masked_fill_(hidden, float("-inf"))
    if hidden_before is not None:
        scores[..., :own].masked_fill_(hidden_before, float("-inf"))
    if scores.dtype == torch.float32:
        weights = torch.softmax(scores, -1, out=scores)
    else:
        weights = torch.softmax(scores, -1, dtype=torch.float32).to(query.dtype)
    if group.length:
        _product(weights[..., :own], values[:, before], out)
    else:
        out.zero_()
    _own_values(plan, group, weights[..., own:], values, out)


def _product(left: Tensor, right: Tensor, out: Tensor) -> None:
    """`left` [heads, tokens, share, a] times `right` [heads, a, b], into `out`, without copying either."""
    torch.bmm(_flat(left), right, out=_flat(out))


def _flat(rows: Tensor) -> Tensor:
    """A view of [heads, tokens, share, size] as [heads, tokens * share, size], where `view` is too strict."""
    heads, tokens, share, size = rows.shape
    step = rows.stride(2) if share > 1 else rows.stride(1)
    return rows.as_strided((heads, tokens * share, size), (rows.stride(0), step, 1))


def _own_scores(plan: Plan, group: Group, query: Tensor, keys: Tensor, scores: Tensor) -> None:
    start, segments = 0, group.segments
    if plan.use_gather and group.single:
        start, segments = group.single, segments[group.single :]
        scores[:, :start] = query[:, :start] @ keys[:, group.gather(plan.pool.capacity)].transpose(2, 3)
    for segment in segments:
        end = start + len(segment.ids)
        own = keys[:, segment.own : segment.own + segment.seen].transpose(1, 2)
        found = torch.bmm(query[:, start:end].flatten(1, 2), own)
        scores[:, start:end, :, : segment.seen] = found.view(len(found), end - start, -1, segment.seen)
        start = end


def _own_values(plan: Plan, group: Group, weights: Tensor, values: Tensor, out: Tensor) -> None:
    start, segments = 0, group.segments
    if plan.use_gather and group.single:
        start, segments = group.single, segments[group.single :]
        out[:, :start] += weights[:, :start] @ values[:, group.gather(plan.pool.capacity)]
    for segment in segments:
        end = start + len(segment.ids)
        own = values[:, segment.own : segment.own + segment.seen]
        weighed = torch.bmm(weights[:, start:end, :, : segment.seen].flatten(1, 2), own)
        out[:, start:end] += weighed.view(len(weighed), end - start, -1, weighed.shape[2])
        start = end


AttentionInterface.register(NAME, attend)
