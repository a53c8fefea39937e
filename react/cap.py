"""What one episode may take: steps, tokens, money. At its cap no call is made, and the best partial answer counts.

An episode is everything that is tried for a task: all samples of a vote, both methods of a back-off. What counts as
its best partial answer is said in docs/budgets.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from react.mistakes import Mistake
from react.models import Completion


@dataclass(frozen=True)
class Cap:
    """What an episode may take; 0 is no bound. Prices are US dollars for a million tokens."""

    steps: int = 0
    tokens: int = 0
    usd: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.steps or self.tokens or self.usd)

    @property
    def told(self) -> str:
        """The bounds in words, such as `5 steps or $0.02`."""
        bounds = [
            f"{self.steps:,} step{'s' * (self.steps > 1)}" if self.steps else "",
            f"{self.tokens:,} tokens" if self.tokens else "",
            f"${self.usd:g} (at ${self.price_in:g} and ${self.price_out:g} a million tokens)" if self.usd else "",
        ]
        return " or ".join(filter(None, bounds))


class OutOfBudget(Exception):
    """The episode is at its cap: no further call is made."""


@dataclass
class Purse:
    """What an episode has taken of its cap. Used by one thread at a time.

    A call that is answered from a record counts as it did when it was made.
    """

    cap: Cap = Cap()
    steps: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def reached(self, steps: int = 0, prompt_tokens: int = 0, completion_tokens: int = 0) -> bool:
        """Whether the cap is reached; or would be, with so much more."""
        cap, read, written = self.cap, self.prompt_tokens + prompt_tokens, self.completion_tokens + completion_tokens
        return (
            0 < cap.steps <= self.steps + steps
            or 0 < cap.tokens <= read + written
            or 0 < cap.usd <= (read * cap.price_in + written * cap.price_out) / 1e6
        )

    def want_more(self) -> None:
        """Raises OutOfBudget where the cap is reached."""
        if self.reached():
            raise OutOfBudget(self.cap.told)

    def pay(self, completion: Completion, name: str) -> None:
        """Counts a call. Mistake where the model called `name` does not say what it took."""
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        if (self.cap.tokens or self.cap.usd) and not completion.prompt_tokens + completion.completion_tokens:
            raise Mistake(f"{name} does not say how many tokens its answers take: cap steps, with episode_steps")
