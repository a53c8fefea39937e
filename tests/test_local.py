"""The `local` back end against transformers' own generate, on random models of a few thousand weights."""

from __future__ import annotations

import copy
import functools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from react.models import Completion, ContextFull, ModelConfig, ModelError, Request, local
from react.models._checkpoint import find
from react.models._text import Writer

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

    from react.models._engine import Engine
    from react.models._memory import Memory

pytestmark = pytest.mark.usefixtures("one_thread")

LINES = [
    "Question: Which city is the capital of the country in which the river Loire flows?",
    "Thought 1: I need to search Loire, and find the country — then its capital.",
    "Action 1: Search[Loire]",
    "Observation 1: The Loire is the longest river in France (1,006 km); Orléans, Tours, Nantes 河流 🙂.",
    "Action 2: Finish[Paris]",
]
SHOTS = "\n".join(LINES) + "\n\n"
STOP = ("\nObservation",)
SMALL = {
    "vocab_size": 320,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "initializer_range": 0.25,
    "eos_token_id": 1,
    "bos_token_id": 0,
    "pad_token_id": 1,
}
SLIDING = {"sliding_window": 12, "layer_types": ["sliding_attention", "full_attention"]}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512}
KINDS = ("llama", "qwen2", "qwen3", "gemma2", "gemma3", "mixtral", "gpt2", "neox")


@functools.cache
def configs() -> dict[str, PreTrainedConfig]:
    from transformers import (
        Gemma2Config,
        Gemma3TextConfig,
        GPT2Config,
        GPTNeoXConfig,
        LlamaConfig,
        MixtralConfig,
        Qwen2Config,
        Qwen3Config,
    )

    return {
        "llama": LlamaConfig(**SMALL),
        "qwen2": Qwen2Config(**SMALL),
        "qwen3": Qwen3Config(**SMALL),
        "gemma2": Gemma2Config(**SMALL, **SLIDING, query_pre_attn_scalar=5, attn_logit_softcapping=2.0),
        "gemma3": Gemma3TextConfig(**SMALL, **SLIDING, query_pre_attn_scalar=5),
        "mixtral": MixtralConfig(**SMALL, num_local_experts=3, sliding_window=20),
        "gpt2": GPT2Config(vocab_size=320, **GPT2, initializer_range=0.25, eos_token_id=1, bos_token_id=0),
        "neox": GPTNeoXConfig(**{k: v for k, v in SMALL.items() if k not in ("head_dim", "num_key_value_heads")}),
    }


@functools.cache
def words(kind: str) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer that adds nothing, or one with word-start marks, byte fallback and a BOS."""
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "</s>"]
    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet)
        made.train_from_iterator(LINES, trainer)
    else:
        made = Tokenizer(models.BPE())
        made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        trainer = trainers.BpeTrainer(vocab_size=64, special_tokens=special, limit_alphabet=30)
        made.train_from_iterator(LINES, trainer)
        learnt = json.loads(made.to_str())["model"]
        vocabulary = learnt["vocab"] | {f"<0x{i:02X}>": 64 + i for i in range(256)}
        merges = [tuple(merge) for merge in learnt["merges"]]
        made.model = models.BPE(vocabulary, merges, byte_fallback=True)
        made.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")


@functools.cache
def network(kind: str) -> PreTrainedModel:
    """Random weights, for transformers to run; an engine takes a model over, so it gets a copy."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(7)
    model = AutoModelForCausalLM.from_config(configs()[kind]).eval()
    # Norms start as ones or noughts, biases as noughts: a mistake with them must show.
    for name, weight in model.named_parameters():
        if weight.ndim == 1 or "norm" in name:
            torch.nn.init.normal_(weight, 1.0 if "bias" not in name else 0.0, 0.2)
    return model


def engine(kind: str = "llama", tokens: str = "bytes", **settings: int | bool) -> Engine:
    from react.models._engine import Engine

    return Engine(copy.deepcopy(network(kind)), words(tokens), **settings)  # type: ignore[arg-type]


def run(engine: Engine, *requests: Request) -> list[list[Completion]]:
    """All of them at once."""
    found: dict[int, list[Completion]] = {}
    for i, request in enumerate(requests):
        engine.submit(request, functools.partial(found.__setitem__, i))
    while engine.busy:
        engine.step()
    assert all(not slot.busy for slot in engine.memory.slots)
    return [found[i] for i in range(len(requests))]


def texts(engine: Engine, *requests: Request) -> list[str]:
    return [completions[0].text for completions in run(engine, *requests)]


@functools.cache
def generated(kind: str, tokens: str, prompt: str, size: int) -> str:
    """What transformers' generate writes after `prompt`."""
    return read_on(tokens, generated_ids(kind, tokens, prompt, size))


def generated_ids(kind: str, tokens: str, prompt: str, size: int) -> list[int]:
    ids = words(tokens)(prompt, return_tensors="pt").input_ids
    limits = {"max_new_tokens": size, "min_new_tokens": 1, "eos_token_id": 1, "pad_token_id": 1}
    return network(kind).generate(ids, do_sample=False, **limits)[0, ids.shape[1] :].tolist()


def read_on(tokens: str, ids: list[int]) -> str:
    """The text of tokens that follow others."""
    word = words(tokens)("x", add_special_tokens=False).input_ids
    return words(tokens).decode([*word, *ids], skip_special_tokens=True)[1:].rstrip("\ufffd")


def questions(count: int) -> list[str]:
    chance = random.Random(count)
    return [f"Question: {' '.join(chance.choices(SHOTS.split(), k=chance.randint(1, 40)))}" for _ in range(count)]


FEW = ("llama", "gemma2")


@pytest.mark.parametrize("gather", [False, True])
@pytest.mark.parametrize(
    "kind", [kind if kind in FEW else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_greedy_text_is_that_of_generate(kind: str, gather: bool) -> None:
    made = engine(kind, batch=5, chunk=37, gather=gather)
    prompts = [*questions(4), *(SHOTS + question for question in questions(4))]
    requests = [
        Request(prompt, max_tokens=8 + i % 5, shared=len(SHOTS) if i > 3 else 0) for i, prompt in enumerate(prompts)
    ]
    expected = [generated(kind, "bytes", r.prompt, r.max_tokens) for r in requests]
    assert texts(made, *requests) == expected
    assert len(made.memory.prefixes) == 1


@pytest.mark.parametrize("tokens", ["bytes", "marks"])
def test_episodes_compute_only_what_is_new(tokens: str) -> None:
    made = engine("llama", tokens, batch=4)
    episodes = [SHOTS + question for question in questions(6)]
    for step in range(3):
        requests = [Request(e, max_tokens=7, shared=len(SHOTS), session=str(i)) for i, e in enumerate(episodes)]
        answers = [found[0] for found in run(made, *requests)]
        assert [a.text for a in answers] == [generated("llama", tokens, e, 7) for e in episodes]
        if step:
            assert all(a.cached_tokens >= 0.8 * a.prompt_tokens for a in answers)
        episodes = [f"{e}{a.text}\nObs {step}: {i}" for i, (e, a) in enumerate(zip(episodes, answers, strict=True))]


@pytest.mark.parametrize("gather", [False, True])
def test_half_precision_runs(gather: bool) -> None:
    import torch

    from react.models._engine import Engine

    model = copy.deepcopy(network("gemma3")).to(torch.bfloat16)
    made = Engine(model, words("bytes"), gather=gather)
    found = run(made, *(Request(SHOTS + q, max_tokens=8, shared=len(SHOTS), n=2) for q in questions(3)))
    assert all(one.text == two.text and one.completion_tokens for one, two in found)


def test_little_memory_means_eviction_and_the_same_text() -> None:
    made = engine(batch=6, capacity=900)
    shots = [SHOTS[cut:] for cut in (0, 40, 80)]
    prompts = [(s, s[:200] + f"{i}: {q}") for i, (s, q) in enumerate(zip(shots * 4, questions(12), strict=True))]
    for _ in range(2):
        requests = [Request(p, max_tokens=6, shared=200, session=p[-9:]) for _, p in prompts]
        assert texts(made, *requests) == [generated("llama", "bytes", p, 6) for _, p in prompts]
    memory: Memory = made.memory
    held = sum(s.size for s in memory.slots) + sum(len(p.ids) for p in memory.prefixes)
    assert memory.pool.free + held == memory.pool.capacity


def test_a_diverging_session_is_recomputed() -> None:
    made, (one, other) = engine(), questions(2)
    for prompt in (one, other, one + " and", one):
        assert texts(made, Request(prompt, max_tokens=5, session="s")) == [generated("llama", "bytes", prompt, 5)]


@pytest.mark.parametrize("shared", [60, len(SHOTS) - 3, len(SHOTS) + 1, 10_000])
def test_a_shared_length_that_cuts_a_token_is_harmless(shared: int) -> None:
    prompts = [SHOTS + question for question in questions(3)]
    found = texts(engine(), *(Request(p, max_tokens=5, shared=shared) for p in prompts))
    assert found == [generated("llama", "bytes", p, 5) for p in prompts]


def test_samples_differ_and_do_not_depend_on_company() -> None:
    prompt = SHOTS + "Question:"
    asked = Request(prompt, max_tokens=9, n=5, temperature=0.9, top_p=0.95, seed=3, shared=len(SHOTS))
    alone = [c.text for c in run(engine(), asked)[0]]
    others = [Request(q, max_tokens=11, n=2, temperature=1.0, seed=i) for i, q in enumerate(questions(5))]
    crowded = [c.text for c in run(engine(batch=4, chunk=16), *others, asked, *others)[len(others)]]
    assert alone == crowded
    assert len(set(alone)) > 1
    reseeded = Request(prompt, max_tokens=9, n=5, temperature=0.9, top_p=0.95, seed=4, shared=len(SHOTS))
    assert [c.text for c in run(engine(), reseeded)[0]] != alone


def test_samples_of_a_prompt_share_its_reading() -> None:
    first, *rest = run(engine(), Request(SHOTS, n=3, temperature=1.0, max_tokens=3))[0]
    assert first.cached_tokens == 0
    assert all(c.cached_tokens == c.prompt_tokens - 1 for c in rest)


def test_draws_follow_the_odds() -> None:
    import torch

    from react.models._sampling import draw

    logits, chance = torch.tensor([2.0, 0.0, 1.0]), random.Random(0)
    drawn = [draw(logits, 0.5, 1.0, chance) for _ in range(2000)]
    odds = torch.softmax(logits.double() / 0.5, -1).tolist()
    assert all(abs(drawn.count(i) / 2000 - odds[i]) < 0.03 for i in range(3))
    assert {draw(logits, 1.0, 0.9, chance) for _ in range(500)} == {0, 2}
    assert {draw(logits, 1.0, 1e-9, chance) for _ in range(50)} == {0}


@functools.cache
def _long(tokens: str) -> tuple[str, list[int]]:
    prompt = questions(3)[2]
    return prompt, generated_ids("neox", tokens, prompt, 40)


@pytest.mark.parametrize("tokens", ["bytes", "marks"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_text_ends_before_the_first_stop(tokens: str, data: st.DataObject) -> None:
    """The first to be complete, as the text reads after the token that completes it."""
    prompt, ids = _long(tokens)
    whole = read_on(tokens, ids)
    start = data.draw(st.integers(0, max(0, len(whole) - 2)))
    inside = whole[start : start + data.draw(st.integers(1, 9))].rstrip("\ufffd")  # a last one may be half of something
    stops = (inside, *data.draw(st.lists(st.text("abcdS: \n", min_size=1, max_size=3), max_size=2)))
    found = run(_shared_engine(tokens), Request(prompt, stop=stops, max_tokens=40))[0][0]
    seen = read_on(tokens, ids[: found.completion_tokens])
    cuts = [at for stop in stops if stop and (at := seen.find(stop)) >= 0]
    assert found.text == seen[: min(cuts, default=len(seen))]
    assert found.reason == ("stop" if cuts else "length") or found.completion_tokens < 40
    before = read_on(tokens, ids[: found.completion_tokens - 1])
    assert not any(stop in before for stop in stops if stop and "\ufffd" not in stop)


@functools.cache
def _shared_engine(tokens: str) -> Engine:
    return engine("neox", tokens)


def test_a_full_window() -> None:
    made = engine(capacity=400)
    window = made.window
    with pytest.raises(ContextFull, match=rf"{window + 3} tokens.*window {window}"):
        made.submit(Request("Q" * (window + 3)), lambda _: None)
    found = run(made, Request("Q" * (window - 3), max_tokens=50))[0][0]
    assert (found.reason, found.completion_tokens) == ("length", 3)


@pytest.mark.parametrize("tokens", ["bytes", "marks"])
def test_what_looks_like_a_special_token_is_text(tokens: str) -> None:
    text = engine(tokens=tokens).text
    assert text.encode("a</s>b<s>c").count(1) == 0 and text.encode("a</s>b<s>c").count(0) == (tokens == "marks")
    if tokens == "bytes":
        assert text.decode(text.encode("a</s>b<s>c")) == "a</s>b<s>c"


def test_a_completion_never_begins_with_the_end() -> None:
    made = engine()
    free = run(made, Request("A", max_tokens=4))[0][0]
    (first,) = (slot.ids[1] for slot in made.memory.slots)
    made.ends = frozenset({first})
    banned = run(made, Request("A", max_tokens=4))[0][0]
    assert (free.completion_tokens, banned.reason) == (4, "stop")
    assert banned.completion_tokens > 1


def test_a_character_left_unfinished_is_left_out() -> None:
    text = engine().text
    ids = text.encode("tours 河🙂")
    assert Writer(text, ()).read(ids[:-1]) in ("tours 河", "tours ")
    assert Writer(text, ()).read(ids) == "tours 河🙂"


def test_the_space_before_a_completion_is_kept() -> None:
    text = engine(tokens="marks").text
    whole = text.encode("Which city河")
    for cut in range(2, len(whole) - 3):
        assert text.decode(whole[:cut]) + text.decode(whole[cut:]) == " Which city河"


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("mamba", {"state_size": 4}, "attention interface|attention"),
        ("gpt_oss", {"num_local_experts": 2, "num_experts_per_tok": 1, "sliding_window": 8}, "s_aux"),
    ],
)
def test_a_model_that_this_engine_would_get_wrong_is_refused(kind: str, changes: dict[str, int], why: str) -> None:
    from transformers import AutoConfig, AutoModelForCausalLM

    from react.models._engine import Engine

    sizes = SMALL if kind == "gpt_oss" else {"vocab_size": 320, "hidden_size": 32, "num_hidden_layers": 2}
    config = AutoConfig.for_model(kind, **sizes, **changes)
    with pytest.raises(ValueError, match=rf"(?s)({why}).*`server`"):
        Engine(AutoModelForCausalLM.from_config(config), words("bytes"))


def save(folder: Path, kind: str = "llama") -> Path:
    model = network(kind)
    model.save_pretrained(folder)
    words("bytes").save_pretrained(folder)
    return folder


def refuse(model: str, why: str, **others: str) -> None:
    """Said by the caller's own process, before any worker is started."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match=why):
        patch.setattr(local, "Worker", None)
        local.load(ModelConfig(model=model, **others))  # type: ignore[arg-type]


def test_what_is_no_checkpoint_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    refuse(str(tmp_path), "is no checkpoint.*no config.json")
    refuse(str(tmp_path / "nothing"), "no such folder")
    refuse("runs/train/x/checkpoint", "no such folder; it is made by: accelerate launch train.py --name x")
    refuse("~nobody-of-that-name/model", "no such folder")
    refuse("nobody/nothing", "nobody/nothing.*not in the Hugging Face cache")
    folder = save(tmp_path / "run" / "checkpoint-5")
    refuse(str(folder.parent), "inside there are: checkpoint-5")
    refuse(str(folder), "unknown dtype 'int3'", dtype="int3")
    refuse(str(folder), "unknown device 'tpu'", device="tpu")
    refuse(str(folder), "no peft adapter", adapter=str(tmp_path))
    good = (folder / "config.json").read_text()
    for damage in (good[:-9], "[]"):
        (folder / "config.json").write_text(damage)
        refuse(str(folder), r"config\.json: (not JSON|must hold)")
    (folder / "config.json").write_text(good)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    refuse(str(folder), "pytorch_model.bin is a pickle")


def test_the_fingerprint_is_of_weights_and_tokenizer(tmp_path: Path) -> None:
    one, two = save(tmp_path / "one"), save(tmp_path / "two")
    assert find(str(one)).fingerprint() == find(str(two)).fingerprint()
    weights = two / "model.safetensors"
    changed = bytearray(weights.read_bytes())
    changed[-7] ^= 1
    weights.write_bytes(changed)
    assert find(str(one)).fingerprint() != find(str(two)).fingerprint()


def test_an_adapter_is_merged_and_finds_its_base(tmp_path: Path) -> None:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    from react.models._engine import Engine
    from react.models._load import read

    base, adapter, merged = save(tmp_path / "base"), tmp_path / "adapter", tmp_path / "merged"
    torch.manual_seed(1)
    plain = AutoModelForCausalLM.from_pretrained(base)
    tuned = get_peft_model(plain, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    tuned.save_pretrained(adapter)
    tuned.merge_and_unload().save_pretrained(merged)
    words("bytes").save_pretrained(merged)

    def write(model: str, adapter: str = "") -> list[str]:
        found = find(model, adapter)
        folder, patch = str(found.folder), str(found.adapter or "")
        model_, tokenizer = read(folder, str(found.tokenizer), patch, torch.float32)
        return texts(Engine(model_, tokenizer), *(Request(q, max_tokens=9) for q in questions(3)))

    expected = write(str(merged))
    assert expected != write(str(base))
    assert write(str(base), str(adapter)) == expected
    assert write(str(adapter)) == expected
    base.rename(tmp_path / "moved")
    with pytest.raises(ValueError, match=r"belongs to the base model.*not there"):
        find(str(adapter))
    (tmp_path / "moved").rename(adapter / "base")
    assert write(str(adapter)) == expected
    assert find(str(adapter)).fingerprint() != find(str(merged)).fingerprint()


@pytest.fixture(scope="module", params=[1, pytest.param(2, marks=pytest.mark.slow)])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.LocalModel]:
    folder = save(tmp_path_factory.mktemp("checkpoint"))
    model = local.load(ModelConfig(model=str(folder), device="cpu", workers=request.param))
    yield model
    model.close()
    model.close()
    with pytest.raises(ModelError, match="is closed"):
        model.complete(Request("A"))


def test_workers_answer_many_threads(served: local.LocalModel) -> None:
    requests = [Request(q, max_tokens=6, stop=STOP, session=str(i % 7)) for i, q in enumerate(questions(20))]
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(served.complete, requests))
    found = [a[0].text for a in answers]
    assert found == [generated("llama", "bytes", r.prompt, 6) for r in requests]
    assert all(worker.served for worker in served._workers)
    with pytest.raises(ContextFull, match="window 512"):
        served.complete(Request("<s>" * 600))


def test_a_killed_worker_is_an_error_and_comes_back(served: local.LocalModel) -> None:
    asked = Request(SHOTS, max_tokens=400, session="killed")
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(served.complete, asked)
        while not any(worker.load for worker in served._workers):
            time.sleep(0.001)
        os.kill(next(worker.pid for worker in served._workers if worker.load), signal.SIGKILL)
        with pytest.raises(ModelError, match=r"died .signal 9"):
            answer.result(20)
    again = Request(SHOTS, max_tokens=6, session="killed")
    assert served.complete(again)[0].text == generated("llama", "bytes", SHOTS, 6)


OWNER = """
import sys
from react.models import ModelConfig, local
model = local.load(ModelConfig(model=sys.argv[1], device="cpu", workers=1))
print(*(worker.pid for worker in model._workers), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_no_worker_outlives_its_owner(tmp_path: Path) -> None:
    folder = save(tmp_path / "checkpoint")
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    worker = int(owner.stdout.readline())
    owner.kill()
    owner.communicate()
    gone = _eventually(lambda: not _runs(worker))
    assert gone


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _eventually(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.02)
    return False


def test_common() -> None:
    from react.models._memory import common

    assert [common([1, 2, 3], [1, 2, 4]), common([], [1]), common([1, 2], [1, 2, 3]), common([2], [1])] == [2, 0, 2, 0]
