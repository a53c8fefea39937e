"""A small wiki that speaks the MediaWiki Action API over loopback, and fails on purpose as its script says.

It does what MediaWiki 1.43 does for the questions that are put to it: titles are normalised, redirects followed, near
matches are those in another letter case, a search is for any of the words. `extracts = False` is a wiki without the
extension TextExtracts.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fault_server import Fault, FaultServer, Handler

TEXTS = {
    "Vaal River": "The Vaal is a river. It rises near Breyten.\n\n\n== Course ==\nIt flows west to the Orange River.",
    "Breyten": "Breyten is a town in Mpumalanga. It was founded by Dr. Nicolaas Breytenbach.",
    "Béla Bartók": "Béla Bartók was a composer.",
    "Mercury": "Mercury most commonly refers to:\n\nThe god Mercury (mythology)\nMercury (planet), near the Sun\n"
    "Mercury (element), a metal\n\n\n== Others ==\nFreddie Mercury (1946-1991), singer",
    "Mercury (planet)": "Mercury is the first planet. It is small.",
    "Mercury (element)": "Mercury is a metal.",
    "Mercury (mythology)": "Mercury is a god.",
    "Freddie Mercury": "Freddie Mercury was a singer.",
    "Vaal": "Vaal may refer to:\n\nVaal River, a river",
    "Quicksilver (band)": "Quicksilver is a band.",
}
REDIRECTS = {"Vaal Rivier": "Vaal River", "Quicksilver": "Mercury (element)"}
DISAMBIGUATIONS = {"Mercury"}
_NO_TITLE = re.compile(r"[\[\]{}|#<>\x00-\x1f]")


class Wiki:
    """What the wiki holds, and what it answers."""

    def __init__(self) -> None:
        self.texts, self.redirects = dict(TEXTS), dict(REDIRECTS)
        self.html: dict[str, str] = {}
        self.extracts = True

    def answer(self, query: dict[str, str]) -> dict[str, Any]:
        if (query["format"], query["formatversion"], query["maxlag"]) != ("json", "2", "5"):
            return error("unknown_format")
        if query["action"] == "parse":
            title = query["page"]
            lines = self.texts.get(title, "").split("\n")
            page = self.html.get(title) or "".join(f"<p>{line}</p>" for line in lines)
            return {"parse": {"title": title, "text": page}} if title in self.texts else error("missingtitle")
        answer: dict[str, Any] = {"batchcomplete": True}
        if query.get("meta") == "siteinfo":
            answer["query"] = {"general": {"generator": "MediaWiki 1.43.0", "sitename": "Wiki"}}
        elif query.get("generator") == "links":
            answer["query"] = {"pages": self._links(query["titles"])}
        elif query.get("generator") == "search":
            near = self._near(query["gsrsearch"])
            answer |= {"query": self._pages(near, query)} if near else {}
        elif "titles" in query:
            answer["query"] = self._pages(query["titles"], query)
        if query.get("list") == "search":
            answer.setdefault("query", {})["search"] = self._search(query["srsearch"])[: int(query["srlimit"])]
        return answer

    def _pages(self, name: str, query: dict[str, str]) -> dict[str, Any]:
        if _NO_TITLE.search(name):
            return {"pages": [{"title": name, "invalidreason": "it is", "invalid": True}]}
        if name.startswith("fr:"):
            return {"interwiki": [{"title": name, "iw": "fr"}]}
        title = name[:1].upper() + name[1:].replace("_", " ")
        if title.startswith(("Special:", "Talk:")):
            return {"pages": [{"ns": -1 if title[0] == "S" else 1, "title": title, "extract": "Not an article."}]}
        title = self.redirects.get(title, title)
        if title not in self.texts:
            return {"pages": [{"ns": 0, "title": title, "missing": True}]}
        page: dict[str, Any] = {"pageid": 7, "ns": 0, "title": title}
        if self.extracts and "extracts" in query["prop"]:
            page["extract"] = self.texts[title]
        if title in DISAMBIGUATIONS:
            page["pageprops"] = {"disambiguation": ""}
        return {"pages": [page]}

    def _near(self, sought: str) -> str:
        bare = sought.strip('"').casefold()
        return next((title for title in (*self.texts, *self.redirects) if title.casefold() == bare), "")

    def _links(self, title: str) -> list[dict[str, Any]]:
        titles = sorted(other for other in self.texts if other in self.texts[title] and other != title)
        return [{"ns": 0, "title": other} for other in titles] + [{"ns": 0, "title": "Mercury (not yet)", "missing": 1}]

    def _search(self, words: str) -> list[dict[str, Any]]:
        sought = set(words.casefold().split())
        hits = {title: sought & _words(f"{title} {text}") for title, text in self.texts.items()}
        return [
            {"ns": 0, "title": title} for title in sorted(hits, key=lambda one: (-len(hits[one]), one)) if hits[title]
        ]


class WikiServer(FaultServer):
    """`queries`: the parameters of each request, in order. `most`: how many were being answered at once, at most.

    Each answer takes `pause` seconds.
    """

    def __init__(self, *script: Fault, port: int = 0) -> None:
        super().__init__(port=port)
        self.models = self._meet  # what it does with every GET
        self.script = list(script)
        self.wiki = Wiki()
        self.queries: list[dict[str, str]] = []
        self.agents: list[str] = []
        self.pause = 0.0
        self.most = self._now = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/w/api.php"

    def _meet(self, handler: Handler, _: dict[str, Any]) -> None:
        query = dict(parse_qsl(urlsplit(handler.path).query, keep_blank_values=True))
        with self.lock:
            self.queries.append(query)
            self.agents.append(handler.headers["User-Agent"])
            self._now += 1
            self.most = max(self.most, self._now)
            fault = self.script.pop(0) if self.script else None
        time.sleep(self.pause)
        if fault:
            fault(handler, {"seed": 0, "n": 1})
        else:
            self._say(handler, self.wiki.answer(query))
        with self.lock:
            self._now -= 1

    def _say(self, handler: Handler, value: object) -> None:
        content = json.dumps(value).encode()
        if handler.headers.get("Accept-Encoding") == "gzip":
            handler.say(200, gzip.compress(content), headers={"Content-Encoding": "gzip"})
        else:
            handler.say(200, content)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def error(code: str, info: str = "words") -> dict[str, Any]:
    return {"error": {"code": code, "info": info, "docref": "See the documentation."}}


class Clock:
    """Time that passes only where somebody sleeps; `waits` are his sleeps."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.waits: list[float] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)
            self.time += seconds
