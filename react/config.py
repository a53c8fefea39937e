"""YAML + flags -> dataclasses. The file sets the flags' defaults, flags win, an unknown key is an error.

Every stage says what it needs as dataclasses and opens with::

    with mistakes():
        job, model = parse((Job, ModelConfig), __doc__)

The resolved configuration is written into the run folder; the same folder is not entered with another one.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import math
import os
import re
import sqlite3
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import yaml

from react.cache import made_by
from react.lock import hold
from react.signals import status
from react.trajectory import RecordError


class Mistake(ValueError):
    """Something that the user can put right. The message names the value, the place and the valid choices."""


def setting(default: Any, text: str) -> Any:
    """A dataclass field with the words that `--help` has for it."""
    if isinstance(default, list | dict):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata={"help": text})
    return dataclasses.field(default=default, metadata={"help": text})


@contextmanager
def mistakes(*kinds: type[Exception]) -> Iterator[None]:
    """Ends the program with status 2 and one message, no traceback, on a `Mistake` or one of `kinds`.

    With 130 on Ctrl-C; where signals are `endable`, with 143 on SIGTERM and 129 on SIGHUP.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        print("\nStopped. The same command again continues where this one ended.", file=sys.stderr)
        raise SystemExit(status(error)) from None
    except Exception as error:
        if not isinstance(error, (Mistake, *kinds)):
            raise
        print("\n".join(map(plain, f"error: {_words(error)}".split("\n"))), file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError of writing says nothing of where (a full disk): it names `path`."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


# What loading may raise for a user's mistake. While a run is under way a ValueError is a bug and keeps its traceback.
LOADING = (ValueError, OSError, sqlite3.Error, ImportError)
# The `user:password@` of a URL.
CREDENTIALS = re.compile(r"//[^/\s]*@")
RUNNING = (OSError, sqlite3.Error, RecordError)


def plain(text: str) -> str:
    """`text`, which others may have written, as one line that cannot command a terminal."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename:
        missing = made_by(error.filename) if isinstance(error, FileNotFoundError) else ""
        return f"{error.filename}: {error.strerror}{missing}"
    return str(error) or type(error).__name__


class Flags(argparse.ArgumentParser):
    """argparse for commands without settings of their own: what is wrong is a Mistake of one line."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **given})

    def error(self, message: str) -> typing.NoReturn:
        _refuse(message)


def whole(least: int) -> Callable[[str], int]:
    """What a flag says, as a whole number of at least `least`; for argparse."""

    def read(value: str) -> int:
        try:
            found = int(value)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"{value!r} must be a whole number of at least {least}")
        return found

    return read


def new_file(value: str) -> Path:
    """What a flag says, as a file that can be written, in a folder that can be made; for argparse."""
    if Path(value).is_dir():
        raise argparse.ArgumentTypeError(f"{value!r} is a folder; it must be the name of a file")
    if not (above := Path(value).parent.parent).is_dir():  # more than one folder to make is a slip of the pen
        raise argparse.ArgumentTypeError(f"{value!r} lies in no folder: {above} is not there")
    return Path(value)


def parse(
    classes: Sequence[type[Any]],
    description: str,
    args: Sequence[str] | None = None,
    checks: Callable[..., object] | None = None,
) -> tuple[Any, ...]:
    """One instance of each class from the command line. Mistake says which key or value is wrong, and where.

    What a class names in `BY_FLAG`, with the reason why, a file cannot set to anything but its default. `checks` is
    called with the instances by `--check`, for what only the command itself can see.
    """
    from trl import TrlParser  # type: ignore[attr-defined]

    about = description.strip().split("\n")[0]
    parser = TrlParser(cast(Any, tuple(classes)), prog=_program(), description=about, allow_abbrev=False)
    parser.add_argument("--config", metavar="FILE", help="YAML file with defaults for the flags")
    parser.add_argument("--check", action="store_true", help="only read the settings, print them, and end")
    hints = {name: hint for cls in classes for name, hint in typing.get_type_hints(cls).items()}
    hints = {field.name: hints[field.name] for cls in classes for field in dataclasses.fields(cls)}
    for action in parser._actions:
        hint = hints.get(action.dest)
        if typing.get_origin(hint) is dict:
            action.type = json_object
        if hint in (float, list[float]):
            action.type = _finite
    words = [part for word in (sys.argv[1:] if args is None else args) for part in _split_config(word)]
    path, words = _take_config(words)
    parser.error = _refuse  # type: ignore[method-assign]
    given = {word.partition("=")[0].removeprefix("--") for word in words if word.startswith("--")}
    if path:
        values = _read_yaml(Path(path), hints)
        for cls in classes:
            _want_flags(path, cls, {key: values[key] for key in values.keys() - given})
        parser.set_defaults_with_config(**values)
    try:
        *parsed, unknown = parser.parse_args_into_dataclasses(
            args=words, look_for_args_file=False, return_remaining_strings=True
        )
    except ValueError as error:
        raise Mistake(f"{path if path and _of_file(parser, str(error), given) else 'command line'}: {error}") from None
    if unknown:
        flag = unknown[0].lstrip("-").partition("=")[0]
        raise Mistake(f"unknown flag {unknown[0]!r}; {nearest(flag, sorted([*hints, 'check', 'config']))}")
    if parsed[-1].check:
        if checks:
            checks(*parsed[: len(classes)])
        _show(parsed[: len(classes)])
    return tuple(parsed[: len(classes)])


def _of_file(parser: Any, error: str, given: set[str]) -> bool:
    """Whether a mistake is the file's, which has set the defaults, and not of the flags that were `given`."""
    if error.removeprefix("argument --").partition(" ")[0].rstrip(":") in given:  # messages begin with their setting
        return False
    try:
        parser.parse_args_into_dataclasses(args=[], look_for_args_file=False)
    except ValueError:
        return True
    return False  # by itself the file is right


def _show(parts: Sequence[Any]) -> typing.NoReturn:
    """Prints two YAML documents and ends: what a run folder is bound to, and what may change in it (`PACE`)."""
    pace = {name for part in parts for name in getattr(part, "PACE", ())}
    settings = _resolved(parts, None)
    bound = {key: value for key, value in settings.items() if key not in pace}
    free = {key: value for key, value in settings.items() if key in pace}
    print(CREDENTIALS.sub("//", yaml.safe_dump_all([bound, free], sort_keys=False, allow_unicode=True, width=1000)))
    raise SystemExit(0)


def _want_flags(path: str, cls: type[Any], values: dict[str, Any]) -> None:
    for name, why in getattr(cls, "BY_FLAG", {}).items():
        if name in values and (value := values[name]) != getattr(cls, name):
            raise Mistake(
                f"{path}: {name} is {value!r}, and {why}; is this the configuration of another command? "
                f"if it is meant, say so by the flag --{name} {value}"
            )


def _refuse(message: str) -> typing.NoReturn:
    """argparse's way to say what is wrong, in one line and without its usage."""
    raise Mistake(message)


def _program() -> str:
    """What a person types: `python -m bootstrap`, `train.py`."""
    script = Path(sys.argv[0])
    if script.name == "__main__.py":
        return f"python -m {script.parent.name}"
    package = (script.parent / "__init__.py").is_file()
    return f"python -m {script.parent.name}.{script.stem}" if package else script.name


def _split_config(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith("--config=") else [word]


def _take_config(words: list[str]) -> tuple[str, list[str]]:
    if "--config" not in words:
        return "", words
    at = words.index("--config")
    if at + 1 == len(words):
        raise Mistake("--config needs a file")
    return words[at + 1], words[:at] + words[at + 2 :]


def _read_yaml(path: Path, hints: dict[str, Any]) -> dict[str, Any]:
    """The values of a file, each checked here against its annotation: argparse takes defaults as they are."""
    try:
        values = _values(yaml.compose(path.read_text(encoding="utf-8"), yaml.SafeLoader))
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Mistake(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise Mistake(f"{path}: must hold `key: value` lines")
    for key in values:
        if key not in hints:
            raise Mistake(f"{path}: unknown key {key!r}; {nearest(str(key), sorted(hints))}")
    return {key: fit(value, hints[key], f"{path}: {key}") for key, value in values.items()}


def _values(node: yaml.Node | None) -> Any:
    """What a document says. PyYAML takes the last of two values for one key, which YAML itself forbids: ValueError."""
    todo: list[yaml.Node] = [node] if node else []
    visited: set[int] = set()  # an anchor may stand in many places, and in itself
    while todo:
        inner = todo.pop()
        if isinstance(inner, yaml.MappingNode) and id(inner) not in visited:
            visited.add(id(inner))
            _refuse_twice(inner)
            todo += [value for _, value in inner.value]
    return yaml.SafeLoader("").construct_document(node) if node else None


def _refuse_twice(mapping: yaml.MappingNode) -> None:
    seen: set[str] = set()
    for key, _ in mapping.value:
        line = f"line {key.start_mark.line + 1}"
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError(f"{line}: a key must be a word, not a {key.id}")
        if key.value in seen:
            raise ValueError(f"{line}: the key {key.value!r} is there a second time")
        seen.add(str(key.value))


def nearest(name: str, names: Sequence[str]) -> str:
    """What a message says of `names` where `name` is none of them."""
    close = difflib.get_close_matches(name, names, n=1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"there are: {', '.join(names)}"


def choose(what: str, name: str, names: Sequence[str]) -> str:
    """`name` if it is one of `names`; else a Mistake that lists them."""
    if name not in names:
        raise Mistake(f"unknown {what} {name!r}; {nearest(str(name), names)}")
    return name


def fit(value: Any, hint: Any, place: str) -> Any:
    """`value` as the annotation wants it; Mistake if it is something else."""
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is float:
        return _number(value, place)
    if kind is list:
        items = value if isinstance(value, list) else [value]
        if inner[0] is float:
            return [_number(item, place) for item in items]
        if not all(isinstance(item, inner[0]) for item in items):
            raise Mistake(f"{place}: {value!r} must be a list of {inner[0].__name__}")
        return items
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Mistake(f"{place}: {value!r} is {type(value).__name__}; it must be {kind.__name__}")
    return value


def _number(value: Any, place: str) -> float:
    try:
        if isinstance(value, bool):
            raise TypeError
        return _finite(value)  # YAML reads 1e-4, without a dot, as text
    except (TypeError, ValueError, OverflowError, argparse.ArgumentTypeError):
        raise Mistake(f"{place}: {value!r} must be a finite number") from None


def _finite(value: Any) -> float:
    """A number that can be compared: nan is not even itself, so that a run folder would refuse its own settings."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{value!r} must be a finite number")
    return number


def json_object(value: str) -> dict[str, Any]:
    """What a flag says of a dict. argparse turns the ArgumentTypeError into its usage message."""
    try:
        parsed = json.loads(value, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{value!r} is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise argparse.ArgumentTypeError(f"{value!r} must be a JSON object")
    return parsed


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON takes the last of two values for one key, as PyYAML does: ValueError."""
    keys = [key for key, _ in pairs]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise ValueError(f"the key {twice[0]!r} is there a second time")
    return dict(pairs)


def at_least(least: float, part: Any, *names: str) -> None:
    """ValueError for the first of the settings `names` of `part` that is less than `least`."""
    for name in names:
        if getattr(part, name) < least:
            raise ValueError(f"{name} is {getattr(part, name)}; it must be at least {least}")


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
        path = folder / "config.yaml"
        partial = path.with_suffix(".partial")
        text = yaml.safe_dump(_resolved(parts, derived), sort_keys=False, allow_unicode=True, width=1000)
        with naming(path):
            partial.write_text(CREDENTIALS.sub("//", text), encoding="utf-8")
            partial.replace(path)
    except BaseException:
        os.close(lock)
        raise
    return lock


def agree(folder: Path, *parts: Any, derived: dict[str, Any] | None = None) -> None:
    """Mistake with the difference where a run folder was made with other settings. Changes nothing.

    Those that a part's class names in `PACE` may differ: they say how fast a run goes (concurrency, workers,
    endpoints), never what it gives.
    """
    path = folder / "config.yaml"
    if path.exists():
        pace = {name for part in parts for name in getattr(part, "PACE", ())}
        _refuse_change(path, {k: v for k, v in _resolved(parts, derived).items() if k not in pace}, pace)


def _resolved(parts: Sequence[Any], derived: dict[str, Any] | None) -> dict[str, Any]:
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
