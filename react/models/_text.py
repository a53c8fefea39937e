"""Where the first stop of a completion is: in a text, and while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

MARGIN = 8


class Words(Protocol):
    """Between a request's prompt and tokens: `react.tokens.Text`, or a chat template (`react.chat_template`)."""

    def encode(self, prompt: str) -> list[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


class Writer:
    """Follows one completion token by token: is a stop in it, what is its text."""

    def __init__(self, text: Words, stop: Sequence[str]) -> None:
        self._text, self._stop = text, [s for s in stop if s]
        # A character may take four tokens of one byte each.
        self._reach = 4 * max(map(len, self._stop), default=0) + MARGIN

    def stopped(self, tokens: Sequence[int]) -> bool:
        """Whether the newest token completed a stop. Looks only as far back as the longest stop can reach."""
        if not self._stop:
            return False
        recent = self._text.decode(tokens[-self._reach :])
        if not any(stop in recent for stop in self._stop):
            return False
        whole = self._text.decode(tokens)
        return any(stop in whole for stop in self._stop)

    def read(self, tokens: Sequence[int]) -> str:
        """The completion's text, before the first stop, without a character that was left unfinished."""
        whole = self._text.decode(tokens)
        text = before(whole, self._stop)
        return text if len(text) < len(whole) else whole.rstrip("\ufffd")


def before(text: str, stops: Sequence[str]) -> str:
    """`text` up to the first of the stop strings."""
    return text[: min((at for stop in stops if stop and (at := text.find(stop)) >= 0), default=None)]
