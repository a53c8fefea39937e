"""YAML + flags -> dataclasses. The file sets the flags' defaults, flags win, an unknown key is an error.

Every stage says what it needs as dataclasses and opens with::

    with mistakes():
        job, model = parse((Job, ModelConfig), __doc__)
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

import yaml

from react.flags import finite, json_object, refuse
from react.mistakes import Mistake, nearest
from react.run_folder import CREDENTIALS, resolved


def setting(default: Any, text: str) -> Any:
    """A dataclass field with the words that `--help` has for it."""
    if isinstance(default, list | dict):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata={"help": text})
    return dataclasses.field(default=default, metadata={"help": text})


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
            action.type = finite
    words = [part for word in (sys.argv[1:] if args is None else args) for part in _split_config(word)]
    path, words = _take_config(words)
    parser.error = refuse  # type: ignore[method-assign]
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


def _show(parts: Sequence[Any]) -> NoReturn:
    """Prints two YAML documents and ends: what a run folder is bound to, and what may change in it (`PACE`)."""
    pace = {name for part in parts for name in getattr(part, "PACE", ())}
    settings = resolved(parts)
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
        return finite(value)  # YAML reads 1e-4, without a dot, as text
    except (TypeError, ValueError, OverflowError, argparse.ArgumentTypeError):
        raise Mistake(f"{place}: {value!r} must be a finite number") from None
