"""What a run was made with: libraries, the commit of the code, and the training of its checkpoint."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from react.models import ModelConfig

ORIGIN = ("model", "data", "data_fingerprint", "method", "rows", "rows_seen", "steps", "beta", "seed")
# What two trainings of one recipe may differ in.
OWN = ("name", "output", "seed")
LIBRARIES = ("staract", "numpy", "scipy", "torch", "transformers", "trl")


def versions() -> dict[str, str]:
    """What the run was made with: libraries, Python, and the commit of the code where it lies in a repository."""
    found = {"python": platform.python_version(), "commit": commit()}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The commit of the code, with `+` if something was changed since; empty outside of a repository."""
    try:
        command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
        said = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def origin(model: ModelConfig) -> dict[str, Any] | None:
    """Which training made a checkpoint, as the files beside it say; None for a model without them."""
    for place in filter(None, (model.adapter, model.model)):
        folder = Path(place).absolute().parent
        if not Path(place).is_dir() or not (folder / "config.yaml").is_file():
            continue
        settings = _read(folder / "config.yaml")
        said = settings | _read(folder / "summary.json")
        return {"run": folder.name} | {key: said[key] for key in ORIGIN if key in said} | {"recipe": _recipe(settings)}
    return None


def _recipe(settings: Mapping[str, Any]) -> str:
    """Names all settings of a training but its name and seed: trainings of one recipe are seeds of one another."""
    same = {key: value for key, value in settings.items() if key not in OWN}
    return hashlib.sha256(json.dumps(same, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    """A YAML file, or a JSON file, which is YAML too; nothing where it is missing or no mapping."""
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    return said if isinstance(said, dict) else {}
