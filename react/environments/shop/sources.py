"""The files that a catalogue is built of, read piece by piece: the official ones are larger than memory should be.

data/webshop/                             a folder with the official files of one size (or .gz, .bz2, .xz)
data/webshop/items_shuffle_1000.json      or its list of products, where the folder has both sizes

    items_shuffle(_1000).json             a list of products
    items_ins_v2(_1000).json              {asin: {"attributes", "instruction", "instruction_attributes"}}
    items_human_ins.json                  {asin: [{"instruction", "instruction_attributes", "instruction_options"}]}
    splits.json                           {"test": 100, "dev": 100, ...}: sizes, where they are not the paper's

hf://axon-rl/webshop                      the products as a data set: fields within fields are JSON in a text
hf://axon-rl/webshop_instructions         goals with a price bound, in the splits `test` and `train`
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import expanduser
from pathlib import Path
from typing import Any

from react.environments.shop.products import UNPRICED
from react.environments.wikipedia import hub, streams
from react.environments.wikipedia.reading import Read, Source, digest, signature
from react.environments.wikipedia.sources import HUB, Files

KINDS = ("human", "synthetic")
READY = "ready"  # goals that come as such

_PRODUCTS = "items_shuffle"
_FORMS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".json.bz2", ".json.xz")
_NAMED = re.compile(rf"{_PRODUCTS}(?P<size>_\w+)?(?P<form>{'|'.join(map(re.escape, _FORMS))})")
_NESTED = ("pricing", "customization_options", "options", "small_description", "Attributes", "instruction_attributes")
_PLAIN = ("asin", "name", "full_description", "category", "query", "product_category", "instruction_text")
_OF_GOALS = ("asin", "instruction_text", "attributes", "price_upper", "goal_options", "weight")


@dataclass(frozen=True)
class Data:
    """What a catalogue is built of.

    `known` is `items_ins_v2`, `written` is `items_human_ins`; `ready` has the goals of each split, where they come with
    the data; `splits` how many goals each split has.
    """

    items: Source
    known: Path | None = None
    written: Path | None = None
    ready: tuple[tuple[str, Source], ...] = ()
    splits: Path | None = None

    @property
    def names(self) -> str:
        """Of all its parts, in one line, without the folders that they lie in."""
        names = (self.items.name, *(str(path) for path in self._files()), *(source.name for _, source in self.ready))
        return " ".join(name if name.startswith(HUB) else Path(name).name for name in names)

    def kind(self, wanted: str) -> str:
        """Of the goals: what is wanted, or else what the data has. ValueError if it has none such."""
        if self.ready and wanted in ("", READY):
            return READY
        if wanted not in ("", *KINDS):
            raise ValueError(
                f"goals {wanted!r}: there are {', '.join(KINDS)}, and those of hf://.../webshop_instructions"
            )
        kind = wanted or ("human" if self.written else "synthetic")
        if kind == "human" and not self.written:
            raise ValueError(f"{self.items.name}: no items_human_ins.json beside it; without it goals can be synthetic")
        return kind

    def signatures(self) -> dict[str, str]:
        """What tells each of these data from others, without reading them."""
        sources = {source.name: source.signature() for source in (self.items, *(source for _, source in self.ready))}
        return sources | {str(path): signature([path]) for path in self._files()}

    def digest(self) -> bytes:
        total = hashlib.sha256(self.items.digest() + digest(self._files()))
        for split, source in self.ready:
            total.update(split.encode() + source.digest())
        return total.digest()

    def _files(self) -> list[Path]:
        return [path for path in (self.known, self.written, self.splits) if path]


def data(names: str | Path | Sequence[str | Path]) -> Data:
    """The data that are named: a folder, a list of products, or data sets. ValueError says what is missing."""
    listed = [expanduser(str(name)) for name in ([names] if isinstance(names, str | Path) else names)]
    if not listed or not all(name.strip() for name in listed):
        raise ValueError(f"{names!r}: must name a folder, a file of products, or data sets hf://OWNER/NAME")
    if len(listed) == 1 and not listed[0].startswith(HUB):
        return _official(Path(listed[0]))
    if not all(name.startswith(HUB) for name in listed) or len(listed) > 2:
        raise ValueError(f"{', '.join(listed)}: there may be two data sets hf://...: products, and goals for them")
    products = replace(hub.parse(listed[0]), columns=(*_PLAIN, *_NESTED))
    goals = [replace(hub.parse(name), columns=_OF_GOALS) for name in listed[1:]]
    ready = tuple((split, replace(found, split=split)) for found in goals for split in ("test", "train"))
    return Data(products, ready=ready)


def _official(path: Path) -> Data:
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if _NAMED.fullmatch(file.name))
        if len(found) != 1:
            have = f"there are {', '.join(file.name for file in found)}: name one of them" if found else "there is none"
            raise ValueError(f"{path}: must have one {_PRODUCTS}.json or {_PRODUCTS}_1000.json; {have}")
        path = found[0]
    if (unfinished := path.with_name(f"{path.name}.partial")).is_dir() and not path.exists():
        raise ValueError(
            f"{path}: its build has not ended ({unfinished.name}); the command that began it goes on: "
            f"python -m react.environments.shop build SOURCE --out {path}"
        )
    if not path.is_file():
        raise ValueError(f"{path}: neither a folder nor a file")
    if not (named := _NAMED.fullmatch(path.name)):
        raise ValueError(f"{path}: must be called {_PRODUCTS}.json or {_PRODUCTS}_1000.json, as the official files are")
    known = _beside(path, f"items_ins_v2{named['size'] or ''}") or _beside(path, "items_ins_v2")
    if not known:
        raise ValueError(f"{path}: items_ins_v2{named['size'] or ''}.json must lie beside it, with the attributes")
    splits = path.with_name("splits.json")
    written = _beside(path, "items_human_ins")
    return Data(Files(path), known, written, splits=splits if splits.is_file() else None)


def _beside(path: Path, name: str) -> Path | None:
    return next((file for form in _FORMS if (file := path.with_name(name + form)).is_file()), None)


def entries(path: Path) -> Iterator[tuple[str, Any, int]]:
    """What a file says of each asin, and how many of its bytes have been read. ValueError names the place."""
    with streams.named(path):
        for stream in streams.streams(path):
            for asin, value in streams.entries(stream.name, stream.file):
                yield asin, value, stream.consumed()


def split_sizes(path: Path) -> dict[str, int]:
    """How many goals each split has, in their order. ValueError names the file."""
    with streams.named(path):
        try:
            sizes = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not JSON: {error}") from None
    if not isinstance(sizes, dict) or not all(type(size) is int and size >= 0 for size in sizes.values()):
        raise ValueError(f"{path}: must say how many goals each split has, as {{'test': 100, ...}}")
    if wrong := [name for name in sizes if not name or not name.isprintable()]:
        raise ValueError(f"{path}: {wrong[0]!r} cannot be the name of a split")
    return sizes


def official(read: Read) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """A record in the official format, and what `items_ins_v2` would say of it, where the record itself says it."""
    row = read.record
    if "Attributes" not in row:
        return row, None
    nested = {name: _nested(row.get(name)) for name in _NESTED}
    record = {name: row[name] for name in _PLAIN if name in row} | {"small_description": nested["small_description"]}
    record |= {"pricing": _pricing(nested["pricing"]), "customization_options": _options(nested)}
    known = {"attributes": nested["Attributes"]}
    if row.get("instruction_text"):
        known |= {"instruction": row["instruction_text"], "instruction_attributes": nested["instruction_attributes"]}
    return record, known


def goal_record(read: Read) -> dict[str, Any]:
    """A ready goal, its nested fields as values."""
    row = dict(read.record)
    return row | {name: _nested(row.get(name)) for name in ("attributes", "goal_options", "price_upper", "weight")}


def _nested(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _pricing(value: Any) -> Any:
    """As a listing has it: the data set has the numbers that were read of it."""
    prices = value if isinstance(value, list) else [value]
    if not all(isinstance(price, int | float) for price in prices):
        return value
    return " - ".join(f"${price}" for price in prices) or f"${UNPRICED}"


def _options(nested: Mapping[str, Any]) -> Any:
    """As a listing has them: of each value no more than its name is needed."""
    if nested["customization_options"]:
        return nested["customization_options"]
    options = nested["options"]
    if not isinstance(options, dict):
        return options
    return {
        name: [{"value": value} for value in values] if isinstance(values, list) else values
        for name, values in options.items()
    }
