"""A record -> its pages. What a record is, is told by its fields:

pages        {"title": "Vaal River", "text": "The Vaal is ...", "redirects": ["Vaal"], "kind": "article"}; each line of
             `text` is a paragraph; where its sentences are known, `sentences`, a list, is one instead. The rows of
             Hugging Face's wikimedia/wikipedia (id, url, title, text) are such records.
HotpotQA     a question with its `context`, [[title, [sentence, ...]], ...]: each paragraph of it is a page
its dump     {"title": "Vaal River", "text": ["The Vaal is ...", " It ..."]}: abstracts; of whole pages, a list of these
FEVER        {"id": "Vaal_-LRB-river-RRB-", "lines": "0\\tThe Vaal is ...\\tlinks\\n1\\t"}: its wiki-pages, in which
             brackets and quotes are written as the Penn Treebank does
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from react.environments.wikipedia import Page
from react.environments.wikipedia.sentences import split
from react.environments.wikipedia.titles import clean, tidy

_KINDS = ("article", "disambiguation")
_KNOWN = "`title` and `text`, a question's `context`, or FEVER's `id` and `lines`"
# https://www.cis.upenn.edu/~treebank/tokenization.html, and FEVER's own `-COLON-`
_TREEBANK = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}", "COLON": ":"}
_ESCAPE = re.compile(rf"-({'|'.join(_TREEBANK)})-")
_QUOTE = re.compile(r"`` ?| ?''")
_AFTER_OPENING = re.compile(r"(?<=[(\[{]) (?=\S)")
_BEFORE_CLOSING = re.compile(r"(?<=\S) (?=[,;:?!)\]}%](?:\W|$)|\.(?!\.)(?:\W|$)|'(?:s|re|ve|ll|d|m)\b|n't\b)")
_NEXT_LINE = re.compile(r"\n(?=\d+(?:\t|$))")


def pages_of(record: Mapping[str, Any]) -> Iterator[Page]:
    """The pages of one record. Such without text have redirects at most. ValueError says what is wrong."""
    if "context" in record:
        for title, sentences in _context(record["context"]):
            yield _page(title, [sentences])
    elif "lines" in record and "title" not in record:
        yield from _fever(_text(record.get("id"), "id"), _text(record["lines"], "lines"))
    elif not record.keys() & {"title", "text", "sentences"}:
        raise ValueError(f"a record with the fields {', '.join(map(repr, sorted(record)))[:80]}; known are {_KNOWN}")
    else:
        kind = record.get("kind") or "article"
        if kind not in _KINDS:
            raise ValueError(f"`kind` is {kind!r}; it must be one of {', '.join(_KINDS)}")
        redirects = _texts(record.get("redirects") or [], "redirects")
        yield _page(_text(record.get("title"), "title"), _paragraphs(record), redirects, kind == "disambiguation")


def unescaped(text: str) -> str:
    """FEVER's text as it was before it was cut into tokens: brackets, quotes, no space before a comma."""
    text = _QUOTE.sub('"', _ESCAPE.sub(lambda escape: _TREEBANK[escape[1]], text))
    return _BEFORE_CLOSING.sub("", _AFTER_OPENING.sub("", text))


def fever_title(id: str) -> str:
    """The title of a page of FEVER: `Younger (TV series)` for `Younger_-LRB-TV_series-RRB-`."""
    return clean(_ESCAPE.sub(lambda escape: _TREEBANK[escape[1]], id))


def _page(
    title: str, paragraphs: Iterable[Sequence[str]], redirects: Sequence[str] = (), disambiguation: bool = False
) -> Page:
    if not clean(title):
        raise ValueError("`title` is empty")
    lines = (tuple(line for sentence in sentences if (line := tidy(sentence))) for sentences in paragraphs)
    tidied = tuple(paragraph for paragraph in lines if paragraph)
    # ReAct@6bdb3a1 wikienv.py tells a disambiguation page by these words.
    disambiguation = disambiguation or any("may refer to:" in " ".join(paragraph) for paragraph in tidied)
    names = tuple(name for redirect in redirects if (name := clean(redirect)))
    return Page(clean(title), tidied, names, disambiguation)


def _paragraphs(record: Mapping[str, Any]) -> list[list[str]]:
    if record.get("sentences") is not None:
        return [_texts(record["sentences"], "sentences")]
    text = record.get("text")
    if isinstance(text, list):
        return _dumped(text, record.get("title"))
    return [split(line) for line in _text(text, "text").splitlines()]


def _dumped(text: list[Any], title: object) -> list[list[str]]:
    """The paragraphs of HotpotQA's dump. In that of whole pages the first paragraph is the title."""
    if not any(isinstance(item, list) for item in text):
        return [_texts(text, "text")]
    paragraphs = [_texts(paragraph, "text") for paragraph in text]
    return paragraphs[1:] if [tidy(line) for line in paragraphs[0]] == [tidy(str(title))] else paragraphs


def _context(context: object) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(context, list):
        raise ValueError("`context` must be a list of [title, sentences]")
    for item in context:
        if not isinstance(item, list) or len(item) != 2:
            raise ValueError(f"`context` must be a list of [title, sentences], not of {str(item)[:80]!r}")
        yield _text(item[0], "context title"), _texts(item[1], "context sentences")


def _fever(id: str, lines: str) -> Iterator[Page]:
    """A page, unless it is the empty one with which each file of FEVER begins. An empty line ends a paragraph."""
    paragraphs: list[list[str]] = [[]]
    for line in _NEXT_LINE.split(lines):
        sentence = "".join(line.split("\t")[1:2])
        if sentence.strip():
            paragraphs[-1].append(unescaped(sentence))
        else:
            paragraphs.append([])
    if id.strip():
        yield _page(fever_title(id), paragraphs)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        problem = "is missing" if value is None else f"must be a text, not {str(value)[:80]!r}"
        raise ValueError(f"`{field}` {problem}")
    return value


def _texts(value: object, field: str) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(f"`{field}` must be a list of texts, not {str(value)[:80]!r}")
    return [_text(item, field) for item in value]
