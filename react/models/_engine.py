"""Continuous batching: every forward pass serves whoever is there, in one flat batch without padding.

    engine = Engine(model, tokenizer)
    engine.submit(request, done)       # any number, at any time; raises ContextFull
    while engine.busy: engine.step()   # calls `done` with the completions

A step takes one token from each row that is writing, and fills up to `chunk` tokens with prompts that are being read.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from react.models import Completion, ContextFull, Request
from react.models._attention import Plan, Pool, Segment
from react.models._memory import ROUND, Memory, Prefix, Slot, common
from react.models._probe import endings, fitted, forward, window_of
from react.models._sampling import ban, draw, generator
from react.models._text import Words, Writer
from react.tokens import Text

SHORTEST_PREFIX = 32
Done = Callable[[list[Completion]], None]


@dataclass(eq=False)
class Job:
    """One request and its rows' results."""

    request: Request
    prompt: list[int]
    shared: int
    done: Done
    results: dict[int, Completion] = field(default_factory=dict)
    read: bool = False


@dataclass(eq=False)
class Row:
    """One sample: its text so far, and how much of that its slot has computed."""

    job: Job
    sample: int
    ids: list[int]
    chance: random.Random
    writer: Writer
    slot: Slot | None = None
    cached: int = 0
    paid: bool = False
    reason: Literal["stop", "length", ""] = ""
    cut: int = 0

    @property
    def written(self) -> list[int]:
        return self.ids[len(self.job.prompt) : len(self.ids) - self.cut]


class Engine:
    """A causal transformers model that completes many requests at once. Not for several threads."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        *,
        text: Words | None = None,
        batch: int = 0,
        chunk: int = 0,
        capacity: int = 0,
        gather: bool | None = None,
        sharers: int = 1,
    ) -> None:
        model.train(False)
        self.model, self.device = model, model.device
        self.text: Words = text or Text(tokenizer)
        on_cpu = self.device.type == "cpu"
        self.batch = batch or (32 if on_cpu else 128)
        self.chunk = chunk or (256 if on_cpu else 1024)
        self.gather = not on_cpu if gather is None else gather
        shapes = fitted(model)
        dtype = next(model.parameters()).dtype
        token = sum(s.heads * (s.key + s.value) for s in shapes) * dtype.itemsize
        room = capacity or _capacity(self.device, token, sharers)
        # Whatever else the pool holds can be dropped, and then one row fits on either side of its prefix.
        self.window = min(window_of(model, tokenizer), (room - 4 * ROUND) // 2)
        if self.window < 2:
            raise ValueError(f"the device has memory for {room} tokens, too few to work with")
        room = min(room, (self.batch * 2 + 8) * self.window)
        self.memory = Memory(Pool(shapes, room, dtype, self.device, clean=self.gather))
        self.ends = endings(model, tokenizer)
        self._waiting: deque[Row] = deque()
        self._rows: list[Row] = []
        self._filling: list[Prefix] = []
        self._beginnings: dict[str, list[int]] = {}

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._rows)

    @property
    def reading(self) -> bool:
        """Whether a prompt is not read to its end yet."""
        return bool(self._waiting or self._filling) or any(not row.written for row in self._rows)

    def submit(self, request: Request, done: Done) -> None:
        """Queues a request; `done` gets its completions from within a later `step`."""
        prompt = self.text.encode(request.prompt)
        if len(prompt) >= self.window:
            raise ContextFull(f"the prompt has {len(prompt)} tokens, the model's window {self.window}")
        if not prompt:
            raise ContextFull("the prompt has 0 tokens: there is nothing to complete")
        job = Job(request, prompt, self._shared(request, prompt), done)
        for sample in range(request.n):
            writer = Writer(self.text, request.stop)
            self._waiting.append(Row(job, sample, list(prompt), generator(request.seed, sample), writer))

    def step(self) -> None:
        """One forward pass: one more token for every row that has read its prompt."""
        self._admit()
        segments, sources = self._batch()
        if not segments:
            raise RuntimeError(f"no memory for a request, with {self.memory.pool.free} tokens free and nobody at work")
        plan = Plan(self.memory.pool, segments, self.device, self.gather)
        logits = forward(self.model, plan)
        ready = list(self._record(plan, sources))
        self._filling = [prefix for prefix in self._filling if prefix.filled < len(prefix.ids)]
        for (_, row), token in zip(ready, self._choose(logits, ready), strict=True):
            row.job.read = True
            self._extend(row, token)
        self._finish([row for _, row in ready if row.reason])

    def _record(self, plan: Plan, sources: list[Row | Prefix]) -> Iterator[tuple[int, Row]]:
        """Notes what is computed now; the rows that have no token left to read, and where their logits are."""
        for at, segment in enumerate(plan.segments):
            source = sources[segment.row]
            if isinstance(source, Prefix):
                source.filled += len(segment.ids)
                continue
            assert source.slot is not None
            source.slot.ids.extend(segment.ids)
            if len(source.slot.ids) == len(source.ids):
                yield at, source

    def _shared(self, request: Request, prompt: list[int]) -> int:
        """How many tokens of the prompt belong to its shared beginning, and will for other prompts of it."""
        beginning = request.prompt[: request.shared]
        if beginning not in self._beginnings:
            while len(self._beginnings) >= 64:
                del self._beginnings[next(iter(self._beginnings))]
            self._beginnings[beginning] = self.text.encode(beginning) if beginning else []
        size = min(common(self._beginnings[beginning], prompt), len(prompt) - 1)
        return size if size >= SHORTEST_PREFIX else 0

    def _admit(self) -> None:
        """Gives waiting rows their memory, first come first served, as long as there is any."""
        kept: deque[Row] = deque()
        while self._waiting and len(self._rows) < self.batch:
            row = self._waiting.popleft()
            if not self._ready(row):
                kept.append(row)
            elif self._place(row):
                self._rows.append(row)
            else:
                kept.append(row)
                break
        self._waiting.extendleft(reversed(kept))

    def _ready(self, row: Row) -> bool:
        """Samples of one prompt wait until the first of them has read it."""
        return row.sample == 0 or row.job.read

    def _place(self, row: Row) -> bool:
        prefix, job = None, row.job
        if job.shared:
            beginning = job.prompt[: job.shared]
            prefix = self.memory.prefix(beginning)
            if prefix is None:
                prefix = self.memory.new_prefix(beginning)
                row.paid = True
                if prefix is None:
                    return False
                self._filling.append(prefix)
        shared = min(common(prefix.ids, job.prompt), len(job.prompt) - 1) if prefix else 0
        room = min(len(job.prompt) + job.request.max_tokens, self.window) - shared
        row.slot = self.memory.slot(row.ids, room, job.request.session, prefix, shared)
        if row.slot is None:
            return False
        row.cached = len(row.slot.ids) - (shared if row.paid else 0)
        return True

    def _batch(self) -> tuple[list[Segment], list[Row | Prefix]]:
        """This step's tokens: next tokens first, then prompts in their order, up to `chunk`."""
        segments: list[Segment] = []
        sources: list[Row | Prefix] = []
        left = self.chunk
        for prefix in self._filling:
            ids = prefix.ids[prefix.filled : prefix.filled + left]
            if ids:
                segments.append(Segment(ids, prefix.filled, prefix.start, row=len(sources)))
                sources.append(prefix)
            left -= len(ids)
        for row in self._rows:
            slot = row.slot
            assert slot is not None
            if slot.prefix is not None and slot.prefix.filled < len(slot.prefix.ids):
                continue
            known = len(slot.ids)
            writing = len(row.ids) - known == 1
            ids = row.ids[known:] if writing else row.ids[known : known + left]
            if not ids:
                continue
            left -= 0 if writing else len(ids)
            before = (slot.prefix.start, len(slot.prefix.ids)) if slot.prefix else (0, 0)
            segments.append(Segment(ids, known, slot.start, *before, used=slot.shared, row=len(sources)))
            sources.append(row)
        return segments, sources

    def _choose(self, logits: Tensor, ready: Iterable[tuple[int, Row]]) -> list[int]:
        greedy = logits.argmax(-1).tolist()
        chosen = []
        for at, row in ready:
            request, first = row.job.request, len(row.ids) == len(row.job.prompt)
            # Chat models asked for plain text often end at once; an empty completion helps nobody.
            odds = ban(logits[at], self.ends) if first else logits[at]
            if request.temperature > 0:
                chosen.append(draw(odds, request.temperature, request.top_p, row.chance))
            else:
                chosen.append(int(odds.argmax()) if first else greedy[at])
        return chosen

    def _extend(self, row: Row, token: int) -> None:
        row.ids.append(token)
        if token in self.ends:
            row.reason, row.cut = "stop", 1
        elif row.writer.stopped(row.written):
            row.reason = "stop"
        elif len(row.written) >= row.job.request.max_tokens or len(row.ids) >= self.window:
            row.reason = "length"

    def _finish(self, rows: list[Row]) -> None:
        for row in rows:
            assert row.slot is not None and row.reason
            self._rows.remove(row)
            self.memory.release(row.slot)
            job = row.job
            text = row.writer.read(row.written)
            counts = (len(job.prompt), len(row.ids) - len(job.prompt), row.cached)
            job.results[row.sample] = Completion(text, row.reason, *counts)
            if len(job.results) == job.request.n:
                job.done([job.results[sample] for sample in range(job.request.n)])


def _capacity(device: torch.device, token: int, sharers: int) -> int:
    """Tokens that the pool may hold, `token` bytes each: most of a GPU's free memory, a share of a CPU's."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0] * 0.7) // token
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(min(max(memory * 0.2 / sharers, 1 << 30), 8 << 30)) // token
