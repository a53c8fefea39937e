"""The report as LaTeX: a table with booktabs for each section, to be taken into a paper with its `input` command."""

from __future__ import annotations

from eval.record import Report
from eval.sections import Section, sections

_HEAD = r"""% Wants \usepackage{booktabs,graphicx}."""
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def latex(report: Report) -> str:
    """`report.tex`: one table a section, as wide as the text."""
    return "\n\n".join([_HEAD, *map(_table, sections(report))]) + "\n"


def _table(section: Section) -> str:
    names = list(section.rows[0])
    columns = "".join("r" if all(map(_number, [row[name] for row in section.rows])) else "l" for name in names)
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{escaped(section.title)}.}}",
        r"\resizebox{\linewidth}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(escaped, names)) + r" \\",
        r"\midrule",
        *(" & ".join(escaped(row[name]) for name in names) + r" \\" for row in section.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *(rf"\par\smallskip\footnotesize {escaped(line)}" for line in section.below),
        r"\end{table}",
    ]
    return "\n".join(lines)


def _number(cell: str) -> bool:
    """Whether a cell begins as numbers do."""
    return not cell or cell[0] in "0123456789+-<"


def escaped(text: str) -> str:
    """Text that LaTeX sets as it is, whatever stands in it; what cannot be shown becomes a space."""
    return "".join(_ESCAPED.get(letter, letter if letter.isprintable() else " ") for letter in text)
