"""The answer as a hint: STaR's rationalization (Zelikman et al. 2022, arXiv 2203.14465, section 3.3).

A task that was not solved is tried again with its answer told in the question, and so are the exemplars' before it::

    Question: What is the largest city of the American state that contains Shawnee County? (Hint: Wichita)

The hint is part of the question that is asked, and of nothing that is kept: a record holds the task as it was.
"""

from __future__ import annotations

from dataclasses import replace

from react.notation import one_line
from react.trajectory import Task

_MARK = " (Hint: "


def hinted(task: Task) -> Task:
    """`task` with its answer in the question. ValueError where it has no answer to tell."""
    if not task.answer.strip():
        raise ValueError(f"task {task.id!r} has no answer that could be a hint")
    return replace(task, question=f"{one_line(task.question)}{_MARK}{one_line(task.answer)})")


def unhinted(question: str) -> str:
    """The question without its hint."""
    return question.rpartition(_MARK)[0] if _MARK in question and question.endswith(")") else question
