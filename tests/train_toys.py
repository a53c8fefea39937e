"""Toys to train with: trajectories about nothing, tokenizers of all kinds, a random model of two small layers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from react.trajectory import Step, Task, Trajectory, write

# As in tokenizer.json of meta-llama/Meta-Llama-3-8B; GPT-2's is built into tokenizers.
LLAMA3 = "|".join(
    [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
END, START, UNKNOWN = "</s>", "<s>", "<unk>"


def trajectory(n: int = 1, words: int = 4, method: str = "react", **changes: Any) -> Trajectory:
    """A solved one of two steps, different for each `n`; `words` make the observation longer."""
    thought = "" if method in ("act", "standard") else f"I need to search item {n}, then read."
    steps: tuple[Step, ...] = (
        Step(thought, f"Search[item {n}]", f"Item {n} is a thing that " + "is there and " * words + "ends."),
        Step(thought and f"It says {n}. So the answer is {n}.", f"Finish[{n}]"),
    )
    if method in ("standard", "cot"):
        steps = (Step(thought, f"Finish[{n}]"),)
    record = Trajectory(Task(f"t{n:03}", f"Which thing is item {n}?", str(n)), method, "toy", steps, str(n), 1.0)
    return Trajectory(**{**vars(record), **changes})


def trajectories(path: Path, count: int = 24) -> Path:
    """A file of solved trajectories of different lengths."""
    write(path, [trajectory(n, words=n % 5) for n in range(count)])
    return path


CORPUS = [part for n in range(40) for step in trajectory(n).steps for part in vars(step).values()] + [
    "Thought 1: Action 2: Observation 3: Question: Finish[yes] Search[the river] Lookup[wall]\n" * 5,
    "Thought 3:\nAction 3: Lookup[wall]\nObservation 3:\nThought 4:\n" * 20,
    'The quick brown fox jumps over the lazy dog, 1234567890 times; naïve café. (Result 1 / 3) "Why?"\n' * 5,
]


@cache
def tokenizer(kind: str) -> Any:
    """A fast tokenizer of that kind, trained on a few lines."""
    from transformers import PreTrainedTokenizerFast

    made = MAKERS[kind]()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=START, eos_token=END, unk_token=UNKNOWN, name_or_path=kind
    )


def gpt2() -> Tokenizer:
    """Byte-level BPE with GPT-2's pre-tokenizer; adds nothing."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return _trained(made, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def llama3() -> Tokenizer:
    """Byte-level BPE with Llama 3's pre-tokenizer, BOS, and trimmed offsets."""
    made = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(_regex(LLAMA3), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    made = _trained(made, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    start = processors.TemplateProcessing(f"{START} $A", special_tokens=[(START, made.token_to_id(START))])
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), start])
    return made


def unigram() -> Tokenizer:
    """SentencePiece unigram with metaspace, as in T5: a line break is a space like others."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(_regex(r"\s"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return _trained(made, trainers.UnigramTrainer, unk_token=UNKNOWN)


def unsplit() -> Tokenizer:
    """BPE over the whole text without a pre-tokenizer, with byte fallback, as in Llama 2."""
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    content = json.loads(_trained(made, trainers.BpeTrainer).to_str())
    words = content["model"]["vocab"]
    words |= {f"<0x{byte:02X}>": len(words) + byte for byte in range(256)}
    return Tokenizer.from_str(json.dumps(content))


def wordpiece() -> Tokenizer:
    """WordPiece, lower-cased, without accents or line breaks, as in BERT without its template."""
    made = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _trained(made, trainers.WordPieceTrainer)


def bert() -> Tokenizer:
    """WordPiece that puts a token behind every text."""
    made = wordpiece()
    made.post_processor = processors.TemplateProcessing(f"$A {END}", special_tokens=[(END, made.token_to_id(END))])
    return made


def _regex(pattern: str) -> Any:
    from tokenizers import Regex

    return Regex(pattern)


def _trained(made: Tokenizer, trainer: Any, **settings: Any) -> Tokenizer:
    special = [UNKNOWN, START, END]
    made.train_from_iterator(CORPUS, trainer(vocab_size=700, special_tokens=special, show_progress=False, **settings))
    return made


MAKERS = {made.__name__: made for made in (gpt2, llama3, unigram, unsplit, wordpiece, bert)}


def student(folder: Path, width: int = 32) -> Path:
    """A checkpoint folder: a random Llama of two small layers, and the `gpt2` tokenizer."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tokenizer("gpt2")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        tie_word_embeddings=True,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
