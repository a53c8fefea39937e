"""`report.html`: the report as one page that needs no network and no server; figure, tables, and all that was tried.

The page may load nothing, and runs no script and no style but its own two, which its policy names by their hashes. What
models and pages wrote is data in it, compressed, and becomes text: no letter of it can be markup. Without scripts the
figures and tables are there.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

from eval.page import NOTES
from eval.policy import policy
from eval.record import Report
from eval.sections import Section, sections
from eval.web import bars, items, learning, tables
from eval.web.markup import Markup, joined, tag

_HERE = Path(__file__).parent
SCRIPTS = ("texts.js", "filters.js", "episode.js", "list.js", "browser.js")


def page(report: Report) -> str:
    """The page of a report with its `folders` and what was `tried`."""
    found = items.browsed(report.runs, report.tried)
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    inside = _sections(report, found)
    students = learning.section(learning.learning(report.runs, report.folders))
    parts = {
        "POLICY": policy(script, style),
        "STYLE": style,
        "SCRIPT": script,
        "TITLE": joined(_title(report)),
        "WARNINGS": _warnings(report.warnings),
        "FIGURES": bars.figures(report.runs),
        "CONTENTS": _contents(inside, bool(students)),
        "SECTIONS": joined(*(tables.section(section, f"s{at}") for at, section in enumerate(inside, 1))),
        "LEARNING": students,
        "NOTES": joined(" ".join(NOTES.replace("*", "").split())),
        "DATA": _packed(found.data),
    }
    template = (_HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{([A-Z]+)\}", lambda slot: parts[slot[1]], template)


def _sections(report: Report, found: items.Browsed) -> list[Section]:
    classes = items.classes(report.runs, found.classes)
    return [*sections(report), *([classes] if classes.rows else [])]


def _title(report: Report) -> str:
    return "Prompted against finetuned: " + " and ".join(
        sorted({f"{run.environment} ({run.split})" for run in report.runs})
    )


def _warnings(warnings: Sequence[str]) -> Markup:
    if not warnings:
        return Markup()
    lines = [tag("li", warning) for warning in warnings]
    return tag("aside", tag("h2", "Warnings"), tag("ul", *lines), class_="warnings", aria_label="Warnings")


def _contents(found: Sequence[Section], learned: bool) -> Markup:
    names = {f"s{at}": section.title for at, section in enumerate(found, 1)}
    names |= {"learning": "How the students learned"} if learned else {}
    return joined(*(tag("li", tag("a", title, href=f"#{name}")) for name, title in names.items()))


def _packed(data: object) -> str:
    """Compressed JSON in letters that mean nothing in HTML; the same bytes for the same data."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
