"""What models write in a turn, and what is read of it.

Where the meaning is plain, a turn is read as the step that was meant and written as `react.notation` writes it: prompt,
record and training row show that one form. Such calls are counted (`repaired_calls` of a record; the rule `complete` of
bootstrap leaves their trajectories out). Where it is not plain the words stay as they are, and the environment answers
that the action is invalid.

After `Thought 2:` (ReAct)

| written                                               | read
|-------------------------------------------------------|-------------------------------------------------------------
| `I look.` line break `Action 2: Search[Lima]`         | as it stands
| `I look.` alone, or an action without its header      | a thought; asked again after `Action 2:` ("bad call")
| `ACTION 2:`, `action:`, `**Action 2:**`, `# Action:`  | the header
| `Action 3:`                                           | the header: a turn has one action, whatever its number
| `Thought 2:` before the thought, or a second one      | one thought, without the headers
| no thought                                            | an action with an empty thought
| `Observation 3: ...`, `Question: ...`, in any form    | the turn ended before it: a model cannot observe
| `Thought 3: ...` or `Action 3: ...` after the action  | the turn ended before it
| line breaks, fences around it                         | spaces, nothing

After `Action 2:` (ReAct, and Act alone)

| written                                               | read
|-------------------------------------------------------|-------------------------------------------------------------
| `Search[Lima]`                                        | as it stands
| `search[Lima]`, `SEARCH [Lima]`                       | `Search[Lima]`
| `Search(Lima)`, `Search: Lima`, `Search［Lima］`       | `Search[Lima]`
| `**Search[Lima]**`, `"Search[Lima]".`, in backticks   | `Search[Lima]`
| `Search[Lima] to find its river`, `Search[Lima]]`     | `Search[Lima]`
| `Search[Lima [Peru]]`, `Search[“Lima”]`, `Finish[ ]`  | as it stands: an argument is never altered
| `Search[Lima] and Search[Peru]`                       | invalid: which of them?
| `Search[Lima`, `Search Lima`, `I will Search[Lima]`   | invalid: where does the argument end, is it one?
| `Think[...]`, another tool, nothing                   | invalid

After `Thought: Let's think step by step.` (CoT) and `Answer:` (Standard)

| written                                               | read
|-------------------------------------------------------|-------------------------------------------------------------
| `It is so.` line break `Answer: Lima`                 | as it stands
| `It is so.` alone                                     | asked again after `Answer:` (CoT)
| `**Answer:** Lima`, `Final answer: Lima`              | the header
| `Answer: Lima` line break and more                    | the answer is one line
| `Finish[Lima]`                                        | `Lima`

`reference_turn` reads as the released code did: strictly, and what is no turn is asked again or invalid.
"""

# ruff: noqa: RUF001, RUF002
from __future__ import annotations

import re
from functools import cache

from react.trajectory import Step

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Headers that end a turn: a model does not say what it observes, and does not ask itself.
_INVENTED = "observation|question|claim"
_ACTING, _ANSWERING = "thought|action", "thought|(?:final )?answer"
_MARKS = "[ *_`#>]*+"  # of markdown
_FENCE = re.compile(r"^```\w*$", re.MULTILINE)
_FINISH = re.compile(r"Finish\[(.*)\]", re.IGNORECASE)
_CLOSING = {"[": "]", "(": ")", "［": "］", "（": "）", "【": "】"}


def one_line(value: str) -> str:
    """`value` as one line: line breaks, control characters, lone surrogates are spaces, runs of white space one."""
    return " ".join((value if value.isprintable() else _UNPRINTABLE.sub(" ", value)).split())


def turn(completion: str, tools: tuple[str, ...]) -> Step:
    """The thought and the action of a ReAct turn. An action that is not there is empty."""
    thought, rest = _parts(completion, _ACTING, "action")
    return Step(thought, _first_action(rest, tools))


def action(completion: str, tools: tuple[str, ...]) -> str:
    """The action of an Act turn."""
    said = _own(completion, _ACTING).lstrip()
    header = _headers(_ACTING).match(said)
    return _first_action(said[header.end() :] if header else said, tools)


def reference_turn(completion: str, i: int) -> Step:
    """A turn as ReAct@6bdb3a1 hotpotqa.ipynb reads it, with its line breaks: two parts, or a thought of one line."""
    said = completion.strip()
    parts = said.split(f"\nAction {i}: ")
    return Step(*parts) if len(parts) == 2 else Step(said.partition("\n")[0])


def reasoning(completion: str) -> Step:
    """The reasoning and the answer of CoT. An answer that is not there is an empty action."""
    thought, rest = _parts(completion, _ANSWERING, "(?:final )?answer")
    return Step(thought, answer(rest))


def answer(completion: str) -> str:
    """`Finish[...]` of the answer that stands after `Answer:`; empty where there is none."""
    said, before = _FENCE.sub("", _lines(completion)).strip().partition("\n")[0], ""
    while said != before:
        before, said = said, _headers("(?:final )?answer").sub("", said).strip()
        said = match[1].strip() if (match := _FINISH.fullmatch(said)) else said
    return f"Finish[{said}]" if said else ""


def _lines(said: str) -> str:
    return "\n".join(map(one_line, said.splitlines()))


@cache
def _headers(names: str, after: str = "") -> re.Pattern[str]:
    """Headers of these names where a line begins, one or several, also behind those of the names `after`."""
    before, these = (rf"(?:{some}) ?\d*{_MARKS}[:：]{_MARKS}" for some in (f"{after}|{names}".strip("|"), names))
    return re.compile(rf"^{_MARKS}(?:{before})*{these}", re.IGNORECASE | re.MULTILINE)


def _own(completion: str, headers: str) -> str:
    """The lines that belong to the turn: those before what the model made up, an observation or a question."""
    said = _lines(completion)
    invented = _headers(_INVENTED, after=headers).search(said)
    return said[: invented.start()] if invented else said


def _parts(completion: str, headers: str, second: str) -> tuple[str, str]:
    """The thought, and what stands behind the first header of the `second` part."""
    said = _own(completion, headers)
    header = _headers(second, after="thought").search(said)
    thought, rest = (said[: header.start()], said[header.end() :]) if header else (said, "")
    return _joined(_headers("thought").sub("", thought), headers), rest


def _joined(said: str, headers: str) -> str:
    """Lines as one, without fences, and without a header that came about at its start."""
    line = one_line(_FENCE.sub("", said))
    header = _headers(f"{headers}|{_INVENTED}").match(line)
    return line[header.end() :] if header else line


def _first_action(said: str, tools: tuple[str, ...]) -> str:
    """The action that stands here, before the header of another turn."""
    following = _headers(_ACTING).search(said)
    return _canonical(_joined(said[: following.start()] if following else said, _ACTING), tools)


@cache
def _opening(tools: tuple[str, ...]) -> re.Pattern[str]:
    """The name of a tool, and a bracket or a colon before its argument."""
    return re.compile(rf"\b({'|'.join(tools)})(?: ?(?=[\[［【])|(?=[(（])|(?P<colon> ?[:：] ?))", re.IGNORECASE)


def _canonical(said: str, tools: tuple[str, ...]) -> str:
    """`Tool[argument]` where a line says that and nothing else; otherwise the line."""
    opening = _opening(tools).match(said, len(said) - len(said.lstrip("*_`>-•\"'“”‘’ ")))
    argument, rest = _argument(said[opening.end() :], bare=bool(opening["colon"])) if opening else ("", "")
    if not argument or not opening or _opening(tools).search(rest):
        return said
    found = next(tool for tool in tools if tool.lower() == opening[1].lower())
    return f"{found}{argument}" if _argument(argument) == (argument, "") else said


def _argument(said: str, bare: bool = False) -> tuple[str, str]:
    """The argument in square brackets, and the rest behind it; empty where its bracket is never closed.

    A `bare` one follows a colon, may stand without brackets, and is all that follows; it is the rest too.
    """
    closed = _closed(said)
    if bare and not (said.startswith("[") and closed == len(said)):
        return (f"[{said}]" if said else "", said)
    return (f"[{said[1 : closed - 1]}]", said[closed:]) if closed else ("", "")


def _closed(said: str) -> int:
    """Where the bracket that opens a text has been closed; 0 if it is not, or if there is none."""
    closing, depth = _CLOSING.get(said[:1]), 0
    for at, letter in enumerate(said if closing else "", 1):
        depth += (letter == said[0]) - (letter == closing)
        if depth == 0:
            return at
    return 0
