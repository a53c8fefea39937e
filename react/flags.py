"""What a flag may say, for argparse; and the parser of commands that have no settings of their own."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from react.mistakes import Mistake


class Flags(argparse.ArgumentParser):
    """argparse for commands without settings of their own: what is wrong is a Mistake of one line."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **given})

    def error(self, message: str) -> NoReturn:
        refuse(message)


def refuse(message: str) -> NoReturn:
    """argparse's way to say what is wrong, in one line and without its usage."""
    raise Mistake(message)


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


def finite(value: Any) -> float:
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
