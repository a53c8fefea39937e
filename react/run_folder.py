"""The folder of a run: made with settings, and never entered with others."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from react.lock import hold
from react.mistakes import Mistake, naming

# The `user:password@` of a URL.
CREDENTIALS = re.compile(r"//[^/\s]*@")


def folder_name(name: str) -> str:
    """`name` if it can name a folder in the place for runs; else a ValueError."""
    if Path(name).name != name or name in ("", "..") or not name.isprintable():
        raise ValueError(f"name is {name!r}; it must be the name of one folder, of letters that can be shown")
    return name


def enter(folder: Path, *parts: Any, derived: dict[str, Any] | None = None) -> int:
    """Makes a run folder, or enters it again, and keeps the resolved configuration in its `config.yaml`.

    `derived` adds what was worked out (fingerprints). A folder made with other settings is refused, as `agree` does.
    From the first change on the folder belongs to this process alone, until `os.close` of the result: OSError names the
    process that has it.
    """
    agree(folder, *parts, derived=derived)
    folder.mkdir(parents=True, exist_ok=True)
    lock = hold(folder / "run", called=folder)
    try:
        agree(folder, *parts, derived=derived)  # another may have made it since
        text = yaml.safe_dump(resolved(parts, derived), sort_keys=False, allow_unicode=True, width=1000)
        put(folder / "config.yaml", CREDENTIALS.sub("//", text))
    except BaseException:
        os.close(lock)
        raise
    return lock


def put(path: Path, text: str | Iterable[str]) -> None:
    """Writes a file in one piece: whoever reads it, and whatever is killed, there is the old one or the new.

    Pieces of a text are written as they come: a long one is never in memory whole.
    """
    partial = path.with_name(f"{path.name}.partial")
    with naming(path):
        with partial.open("w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
        partial.replace(path)


def agree(folder: Path, *parts: Any, derived: dict[str, Any] | None = None) -> None:
    """Mistake with the difference where a run folder was made with other settings. Changes nothing.

    Those that a part's class names in `PACE` may differ: they say how fast a run goes (concurrency, workers,
    endpoints), never what it gives.
    """
    path = folder / "config.yaml"
    if path.exists():
        pace = {name for part in parts for name in getattr(part, "PACE", ())}
        _refuse_change(path, {k: v for k, v in resolved(parts, derived).items() if k not in pace}, pace)


def resolved(parts: Sequence[Any], derived: dict[str, Any] | None = None) -> dict[str, Any]:
    """All settings of `parts` by their names, and what was worked out."""
    return {k: v for part in parts for k, v in dataclasses.asdict(part).items()} | (derived or {})


def _refuse_change(path: Path, new: dict[str, Any], pace: set[str]) -> None:
    try:
        old = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise Mistake(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(old, dict):
        raise Mistake(f"{path}: is no run's configuration")
    old = {key: value for key, value in old.items() if key not in pace}
    changed = [key for key in {**old, **new} if old.get(key) != json.loads(json.dumps(new.get(key)))]
    if changed:
        lines = [f"  {key}: {old.get(key)!r} -> {new.get(key)!r}" for key in changed]
        said = f"{path.parent} was made with other settings; give another --name, or delete that folder:"
        raise Mistake("\n".join([said, *lines]))
