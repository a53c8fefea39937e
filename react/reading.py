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
| `Finish[Lima].`, `Finish[Lima]` line break and more   | `Finish[Lima]`
| `Finish[Lima] is not it yet`, `Finish[Lima] (Peru)`   | invalid: it cannot be taken back, so words behind it count
| `Finish(C) 2001 by Foo`, `Search: [Lima] and [Peru]`  | invalid: where does the argument end?
| `Search[Lima [Peru]]`, `Search[“Lima”]`, `Finish[ ]`  | as it stands: an argument is never altered
| `Search[Lima] and Search[Peru]`                       | invalid: which of them?
| `Search[Lima`, `Search Lima`, `I will Search[Lima]`   | invalid: where does the argument end, is it one?
| `Think[...]`, another tool, nothing                   | invalid
| `Thought: I look.` line break `Action 2: Search[...]` | the action (Act alone)

After `Thought: Let's think step by step.` (CoT) and `Answer:` (Standard)

| written                                               | read
|-------------------------------------------------------|-------------------------------------------------------------
| `It is so.` line break `Answer: Lima`                 | as it stands
| `It is so.` alone                                     | asked again after `Answer:` (CoT)
| `**Answer:** Lima`, `Final answer: Lima`              | the header
| `Answer: Lima` line break and more                    | the answer is one line
| `Finish[Lima]`                                        | `Lima`
| `#9 Dream`, `*NSYNC`, `> 5`, `**Lima**`               | as it stands: an answer is never altered
| `Lima] Search[Peru]`                                  | `Lima`: the answer ends before a bracket and an action

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
_EMPHASIS = "[*_`]"
_FENCE = re.compile(r"^```\w*$", re.MULTILINE)
_FINISH = re.compile(r"Finish\[(.*)\]", re.IGNORECASE)
# Inside `Finish[...]` it would be a second action, and the answer none.
_RUN_ON = re.compile(r"(?i)\][^\[\]]*\b(?:search|lookup|finish)\[.*")
_WORD = re.compile(r"[^\W_]")
_CLOSING = {"[": "]", "(": ")", "［": "］", "（": "）", "【": "】"}


def one_line(value: str) -> str:
    """`value` as one line: line breaks, control characters, lone surrogates are spaces, runs of white space one."""
    return " ".join((value if value.isprintable() else _UNPRINTABLE.sub(" ", value)).split())


def turn(completion: str, tools: tuple[str, ...]) -> Step:
    """The thought and the action of a ReAct turn. An action that is not there is empty."""
    thought, rest = _parts(completion, _ACTING, "action")
    return Step(thought, _first_action(rest, tools))


def action(completion: str, tools: tuple[str, ...]) -> str:
    """The action of an Act turn, also behind a thought that says that it is one."""
    said = _own(completion, _ACTING).lstrip()
    thought = _headers("thought").match(said)
    header = (thought and _headers("action", after="thought").search(said)) or _headers(_ACTING).match(said)
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
    said, before = completion, ""
    while said != before:
        before, said = said, _FENCE.sub("", _own(said, _ANSWERING)).strip()
        header = _headers("(?:final )?answer").match(said)
        said = (said[header.end() :] if header else said).strip().partition("\n")[0]
        said = match[1].strip() if (match := _FINISH.fullmatch(said)) else said
        said = _RUN_ON.sub("", said).strip()
    return f"Finish[{said}]" if said else ""


def _lines(said: str) -> str:
    return "\n".join(map(one_line, said.splitlines()))


@cache
def _headers(names: str, after: str = "") -> re.Pattern[str]:
    """Headers of these names where a line begins, one or several, also behind those of the names `after`.

    Emphasis right behind the colon is of a header only where it has begun before it; the rest is what was said.
    """
    before, these = (
        rf"{_MARKS}(?:(?<={_EMPHASIS})(?:{some}) ?\d*[*_` ]*+[:：]{_EMPHASIS}*+"
        rf"|(?<!{_EMPHASIS})(?:{some}) ?\d* ?[:：])"
        for some in (f"{after}|{names}".strip("|"), names)
    )
    return re.compile(rf"^(?:{before})*{these} *", re.IGNORECASE | re.MULTILINE)


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
    """Lines as one, without fences, and without headers that came about at its start."""
    line, before = one_line(said if "\n" not in said else _FENCE.sub("", said)), ""
    while line != before:
        before, line = line, _FENCE.sub("", line)
        header = _headers(f"{headers}|{_INVENTED}").match(line)
        line = line[header.end() :] if header else line
    return line


def _first_action(said: str, tools: tuple[str, ...]) -> str:
    """The action that stands here, before the header of another turn."""
    following = _headers(_ACTING).search(said)
    own = _FENCE.sub("", said[: following.start()] if following else said)
    line = _joined(own, _ACTING)
    return _canonical(own, tools) or _canonical(line, tools) or line


@cache
def _opening(tools: tuple[str, ...]) -> re.Pattern[str]:
    """The name of a tool, and a bracket or a colon before its argument."""
    names = "|".join(tools)
    return re.compile(rf"(?i)\b(?P<tool>(?a:{names}))(?: ?(?=[\[［【])|(?=[(（])|(?P<colon> ?[:：] ?))")


def _canonical(said: str, tools: tuple[str, ...]) -> str:
    """`Tool[argument]` where that and nothing else is said; otherwise nothing."""
    opening = _opening(tools).match(said, len(said) - len(said.lstrip("#*_`>-•\"'“”‘’ \n")))
    if not opening:
        return ""
    tool = next(tool for tool in tools if tool.lower() == opening["tool"].lower())
    behind = said[opening.end() :].strip()
    closed = _closed(behind)
    if opening["colon"] and not behind.startswith("["):
        argument, rest, ends = behind, behind, bool(behind)  # all that follows
    else:
        # Words behind a call do no harm, except where they could belong to it, or cannot be undone.
        argument, rest = behind[1 : closed - 1], behind[closed:]
        harmless = behind.startswith(("[", "［", "【")) and not opening["colon"] and tool != "Finish"
        ends = closed > 0 and (harmless or not _WORD.search(rest.partition("\n")[0]))
    call = one_line(f"[{argument}]")
    return f"{tool}{call}" if ends and not _opening(tools).search(rest) and _closed(call) == len(call) else ""


def _closed(said: str) -> int:
    """Where the bracket that opens a text has been closed; 0 if it is not, or if there is none."""
    closing, depth = _CLOSING.get(said[:1]), 0
    for at, letter in enumerate(said if closing else "", 1):
        depth += (letter == said[0]) - (letter == closing)
        if depth == 0:
            return at
    return 0
