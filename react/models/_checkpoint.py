"""Finds a checkpoint and says which weights it holds, without torch: what is wrong with a folder is told at once.

A model is `smollm2` (embedded), a folder, or a hub name. An adapter is a peft folder; where the model is one itself,
its base is looked for as it was written down, then from the adapter's folder, then among the converted checkpoints.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path
from typing import Any

from react import cache, canary
from react.models import _smollm2

EMBEDDED = "smollm2"
HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
IDENTITY = ("*.safetensors", "*.json", "*.model", "merges.txt", "vocab.txt", "*.jinja")
INCIDENTAL = ("transformers_version", "_name_or_path", "dtype", "torch_dtype")
GENERATION = "react_generation_config.json"  # for transformers' own generate: no back end here reads it
WHOLE = 8 << 20
BLOCK, BLOCKS = 1 << 16, 256


@dataclass(frozen=True)
class Checkpoint:
    """Where weights and tokenizer are. `adapter` is merged into `folder`'s weights."""

    folder: Path
    adapter: Path | None = None

    @property
    def tokenizer(self) -> Path:
        own = self.adapter is not None and (self.adapter / "tokenizer_config.json").is_file()
        return self.adapter if own and self.adapter is not None else self.folder

    @property
    def canary(self) -> Path | None:
        """What the weights must answer, as their training left it; an adapter's, where there is one."""
        path = (self.adapter or self.folder) / canary.NAME
        return path if path.is_file() else None

    @property
    def size(self) -> int:
        """Bytes of weights."""
        return sum(file.stat().st_size for file in self.folder.glob("*.safetensors"))

    def fingerprint(self) -> str:
        """Changes when weights or tokenizer do. Large files are sampled, so that it takes well under a second."""
        total = hashlib.sha256()
        for place in (self.folder, self.adapter):
            for file in _identity(place) if place else ():
                total.update(f"{file.name}:{_digest(file)}\n".encode())
        return f"sha256:{total.hexdigest()}"


def find(model: str, adapter: str = "") -> Checkpoint:
    """The checkpoint of that name; ValueError says what was looked for and what is wrong with it."""
    folder = _folder(model)
    patch = _adapter(adapter) if adapter else None
    if (folder / "adapter_config.json").is_file() and not (folder / "config.json").is_file():
        if patch is not None:
            raise ValueError(
                f"model {model!r} is an adapter itself, and takes no adapter {adapter!r}; merge them first"
            )
        patch, folder = _adapter(model), _base(folder)
    _check(folder, model)
    return Checkpoint(folder, patch)


def _folder(model: str) -> Path:
    if model == EMBEDDED:
        return _smollm2.checkpoint()
    path = Path(expanduser(model))
    if path.is_dir():
        return path
    if path.exists():
        raise ValueError(f"model {model!r} is no checkpoint: it is a file, not a folder")
    if not HUB_NAME.fullmatch(model):
        raise ValueError(f"model {model!r}: there is no such folder{cache.made_by(path) or _no_hub_name()}")
    return _from_hub(model)


def _no_hub_name() -> str:
    return f", and it is no hub name; {_choices()}"


def _choices() -> str:
    return f"there are: {EMBEDDED!r} (embedded), a checkpoint folder, or a hub name such as 'Qwen/Qwen3-0.6B'"


def _from_hub(model: str) -> Path:
    from huggingface_hub import snapshot_download

    wanted = list(IDENTITY)
    with suppress(Exception):  # not in the cache, in one of several ways
        return Path(snapshot_download(model, allow_patterns=wanted, local_files_only=True))
    try:
        return Path(snapshot_download(model, allow_patterns=wanted, etag_timeout=10))
    except Exception as error:
        said = str(error).strip().splitlines()
        reason = f"{type(error).__name__}: {said[0] if said else ''}"
        raise ValueError(
            f"model {model!r}: no folder of that name, not in the Hugging Face cache, and not to be had from the hub "
            f"({reason}); {_choices()}"
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file. ValueError names the file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: must hold a JSON object")
    return content


def _check(folder: Path, model: str) -> None:
    if not (folder / "config.json").is_file():
        inside = sorted(file.parent.name for file in folder.glob("*/config.json"))
        hint = f"; inside there are: {', '.join(inside)}" if inside else ""
        raise ValueError(f"model {model!r} is no checkpoint: {folder} has no config.json{hint}")
    if not any(folder.glob("*.safetensors")):
        pickled = sorted(file.name for file in folder.glob("*.bin"))
        hint = f"; {pickled[0]} is a pickle, which could run any code: convert it to safetensors" if pickled else ""
        raise ValueError(f"model {model!r} is no checkpoint: {folder} has no .safetensors weights{hint}")
    _read_json(folder / "config.json")
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = set(_read_json(index).get("weight_map", {}).values())
        if missing := sorted(shard for shard in shards if not (folder / shard).is_file()):
            raise ValueError(f"model {model!r} is no checkpoint: {folder} lacks {', '.join(missing)}")


def _adapter(name: str) -> Path:
    path = Path(expanduser(name))
    for file in ("adapter_config.json", "adapter_model.safetensors"):
        if not (path / file).is_file():
            raise ValueError(
                f"adapter {name!r} is no peft adapter: there is no file {path / file}{cache.made_by(path)}"
            )
    return path


def _base(adapter: Path) -> Path:
    named = str(_read_json(adapter / "adapter_config.json").get("base_model_name_or_path") or "")
    if named == EMBEDDED:
        return _smollm2.checkpoint()
    places = [Path(expanduser(named)), adapter / named, adapter / "base", cache.folder() / Path(named).name]
    for place in places if named else []:
        if (place / "config.json").is_file():
            return place
    if HUB_NAME.fullmatch(named):
        return _from_hub(named)
    tried = ", ".join(dict.fromkeys(map(str, places)))
    raise ValueError(
        f"adapter {str(adapter)!r} belongs to the base model {named!r}, which is not there (looked at: {tried}); "
        "give the base as `model` and this folder as `adapter`, or put the base into the adapter's folder as `base`"
    )


def _identity(folder: Path) -> Iterable[Path]:
    skipped = ("trainer_state.json", "training_args.json", canary.NAME, GENERATION)
    files = {file for pattern in IDENTITY for file in folder.glob(pattern) if file.name not in skipped}
    return sorted(files, key=lambda file: file.name)


def _digest(file: Path) -> str:
    """Of all bytes, or of the size, the beginning (which holds the header) and evenly spread blocks."""
    if file.name == "config.json":
        settings = {k: v for k, v in json.loads(file.read_text()).items() if k not in INCIDENTAL}
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    size, total = file.stat().st_size, hashlib.sha256()
    total.update(str(size).encode())
    with file.open("rb") as data:
        if size <= WHOLE:
            total.update(data.read())
        else:
            total.update(data.read(1 << 20))
            for i in range(BLOCKS):
                data.seek((size - BLOCK) * i // (BLOCKS - 1))
                total.update(data.read(BLOCK))
    return total.hexdigest()
