"""What a collection may take: calls, tokens, money. When it is spent the run stops; the same command with more goes on.

Spending is counted from the record of calls: over all starts of a run, whatever killed them, and also for episodes that
never ended. A call that is answered from the record is free.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from react._store import Store
from react.completions import Stopped
from react.config import setting
from react.mistakes import Mistake, at_least
from react.models import Completion, Model, Request


@dataclass(frozen=True)
class Budget:
    """What may be spent, over all starts of the run; 0 is no bound."""

    PACE: ClassVar = frozenset({"budget_calls", "budget_tokens", "budget_usd", "price_in", "price_out"})

    budget_calls: int = setting(0, "stop after so many model calls, over all starts of the run; 0: no bound")
    budget_tokens: int = setting(0, "stop after so many tokens, of prompts and completions together; 0: no bound")
    budget_usd: float = setting(0.0, "stop after so many US dollars at price_in and price_out; 0: no bound")
    price_in: float = setting(0.0, "US dollars for a million prompt tokens (cached ones too)")
    price_out: float = setting(0.0, "US dollars for a million tokens that the model writes")

    def __post_init__(self) -> None:
        at_least(0, self, *sorted(self.PACE))
        if self.budget_usd and not (self.price_in or self.price_out):
            raise ValueError(f"budget_usd is {self.budget_usd}, and nothing has a price: set price_in and price_out")

    @property
    def priced(self) -> bool:
        return bool(self.price_in or self.price_out)

    def usd(self, spent: Spending) -> float:
        """What the tokens cost."""
        return (spent.prompt_tokens * self.price_in + spent.completion_tokens * self.price_out) / 1e6

    def told(self, spent: Spending) -> str:
        """A spending in words."""
        tokens = f", {_rounded(spent.tokens)} tokens" if spent.tokens else ""
        cost = f", ${self.usd(spent):,.2f}" if self.priced else ""
        return f"{spent.calls:,} calls{tokens}{cost}"

    def used_up(self, spent: Spending) -> str:
        """The bound that is passed if all of `spent` is, in words; empty if none is."""
        if self.budget_calls and spent.calls > self.budget_calls:
            return f"budget_calls {self.budget_calls:,}"
        if self.budget_tokens and spent.tokens > self.budget_tokens:
            return f"budget_tokens {self.budget_tokens:,}"
        if self.budget_usd and self.usd(spent) > self.budget_usd:
            return f"budget_usd {self.budget_usd:,.2f}"
        return ""


@dataclass(frozen=True)
class Spending:
    """What model calls took."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def with_further(self, calls: int) -> Spending:
        """With so many calls more that take what calls took so far."""
        each = (self.calls + calls) / max(self.calls, 1)
        tokens = round(self.prompt_tokens * each), round(self.completion_tokens * each)
        return Spending(self.calls + calls, *tokens)


class Metered:
    """`model`, asked only as long as the budget lasts: then Stopped, which says what is spent.

    A call is made if it fits beside those under way, each taken for a mean one; where it does not, it waits until they
    are known. So calls are bounded exactly, tokens and money to within what one call differs from the mean, but for the
    first calls of a run. `before` is what the run spent before this launch, `spent` what is spent here since,
    `elsewhere` what other ranks spend.
    """

    def __init__(self, model: Model, budget: Budget, before: Spending | None = None) -> None:
        self.name, self.fingerprint = model.name, model.fingerprint
        self.before = before or Spending()
        self.spent = Spending()
        self.elsewhere = Spending()
        self.used_up = ""
        self.budget = budget
        self._model = model
        self._flying = 0
        self._lock = threading.Lock()
        self._landed = threading.Condition(self._lock)

    @property
    def total(self) -> Spending:
        """What the whole run spent."""
        return self.before + self.spent + self.elsewhere

    def complete(self, request: Request) -> list[Completion]:
        with self._lock:
            while used_up := self.budget.used_up(self.total.with_further(self._flying + 1)):
                if not self._flying:
                    self.used_up = used_up
                    raise Stopped(f"{used_up} is spent")
                self._landed.wait()
            self._flying += 1
        took = Spending()
        try:
            completions = self._model.complete(request)
            took = spending(completions)
            self._want_usage(took)
        finally:
            with self._lock:
                self._flying -= 1
                self._landed.notify_all()
                self.spent = self.spent + took
        return completions

    def _want_usage(self, took: Spending) -> None:
        if (self.budget.budget_tokens or self.budget.budget_usd) and not took.tokens:
            raise Mistake(f"{self.name} does not say how many tokens its answers take: bound calls, with budget_calls")

    def close(self) -> None:
        self._model.close()


def _rounded(count: int) -> str:
    """A large number in three digits. What they would round up to the next unit is said in that one."""
    for unit, name in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= 0.9995 * unit:
            return f"{count / unit:.3g}{name}"
    return str(count)


def spending(completions: list[Completion]) -> Spending:
    """What one call took."""
    tokens = [(completion.prompt_tokens, completion.completion_tokens) for completion in completions]
    return Spending(1, sum(prompt for prompt, _ in tokens), sum(completion for _, completion in tokens))


def recorded_in(path: Path) -> Spending:
    """What the calls of a record took. OSError and ValueError: it is none."""
    store = Store(path, live=False)
    try:
        totals = store.totals()
    finally:
        store.close()
    return Spending(int(totals["calls"]), int(totals["prompt_tokens"]), int(totals["completion_tokens"]))


@dataclass(frozen=True)
class Account:
    """What a run spent in all, and before this launch, as the record of calls has it; and how long this one took."""

    budget: Budget
    before: Spending
    spent: Spending
    seconds: float

    @property
    def used_up(self) -> str:
        """The bound that another call would pass; empty if none does."""
        return self.budget.used_up(self.spent.with_further(1))

    @property
    def summary(self) -> dict[str, float]:
        cost = {"usd": round(self.budget.usd(self.spent), 4)} if self.budget.priced else {}
        return {**asdict(self.spent), **cost}
