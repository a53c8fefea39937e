"""Wikipedia, as an episode sees it: search a page, look a keyword up in it, finish.

sources    files, dumps, archives, data sets -> records, from any position on (reading, streams, hub, zim)
formats    a record -> its pages
build      pages -> one SQLite file; goes on where it was stopped (stages); the command is __main__
snapshot   that file, opened read-only: which page an entity means (titles), which titles are like it (similar, letters)
api        a wiki's own API, asked politely
recording  what a live wiki answered: the same questions again, without it
mediawiki  a wiki through the two: which page an entity means, as of now or as it was
opening    whichever of them a name in the settings means
tools      Search[entity], Lookup[keyword], Finish[answer]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Page:
    """One article, or a disambiguation page: paragraphs of sentences.

    Title and sentences are single lines without control characters, and no paragraph or sentence is empty. The text of
    a paragraph is its sentences, joined by spaces.
    """

    title: str
    paragraphs: tuple[tuple[str, ...], ...]
    redirects: tuple[str, ...] = ()
    disambiguation: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """Those of all paragraphs, in order."""
        return tuple(sentence for paragraph in self.paragraphs for sentence in paragraph)


class Wikipedia(Protocol):
    """Where pages come from. Safe to share between threads."""

    @property
    def fingerprint(self) -> str:
        """Changes when any answer below could change."""
        ...

    def find(self, entity: str) -> Page | None:
        """The page that Wikipedia's "go" would open for `entity`: by title, redirect, or either in another spelling."""
        ...

    def similar(self, entity: str) -> list[str]:
        """Up to five titles like `entity`, the likest first. For a disambiguation page, what it may refer to."""
        ...
