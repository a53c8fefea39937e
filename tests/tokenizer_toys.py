"""Toy tokenizers of every family that models of today have, trained on a few lines, without a network.

`FAITHFUL` ones give back every text; `LOSSY` ones do not, and no student can be trained with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

END, START, UNKNOWN = "</s>", "<s>", "<unk>"
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
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
QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
WORDS = [f"I need to search item {n}, then read. It says {n}. So the answer is {n}." for n in range(40)]
CORPUS = [
    *WORDS,
    *(f"Search[item {n}]\nItem {n} is a thing that is there and is there and ends.\nFinish[{n}]" for n in range(40)),
    "Thought 1: Action 2: Observation 3: Question: Finish[yes] Search[the river] Lookup[wall]\n" * 5,
    "Thought 3:\nAction 3: Lookup[wall]\nObservation 3:\nThought 4:\n" * 20,
    'The quick brown fox jumps over the lazy dog, 1234567890 times; naïve café. (Result 1 / 3) "Why?"\n' * 5,
    "> think: First I need to find a mug.\nOK.\n> go to desk 1\nYou see a mug 1.\n" * 5,
    "WebShop\nInstruction:\n[Search]\n\nAction: search[bottle]\nObservation: [Back to Search]\nAction: click[Buy Now]\n"
    * 5,
]


def gpt2() -> Tokenizer:
    """Byte-level BPE with GPT-2's pre-tokenizer; adds nothing."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return _trained(made, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def llama3() -> Tokenizer:
    """Byte-level BPE with Llama 3's pre-tokenizer, BOS, and trimmed offsets."""
    made = _split(LLAMA3)
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), _beginning(made)])
    return made


def qwen() -> Tokenizer:
    """Byte-level BPE after NFC; ChatML, and added tokens that are none of the special ones."""
    made = _split(QWEN, normalizers.NFC())
    made.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    made.add_tokens(["<tool_call>", "</tool_call>"])
    return made


def smollm() -> Tokenizer:
    """Byte-level BPE that keeps digits apart; BOS and EOS are ChatML's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    made = _trained(made, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    return made


def llama2() -> Tokenizer:
    """SentencePiece BPE with byte fallback, BOS, and a space before every text."""
    made = _pieces(models.BPE(byte_fallback=True, unk_token=UNKNOWN, fuse_unk=True), trainers.BpeTrainer)
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = _spaced(decoders.Strip(" ", 1, 0))
    made.post_processor = _beginning(made)
    return made


def gemma() -> Tokenizer:
    """SentencePiece BPE with byte fallback and BOS, without a space before a text; runs of line breaks are tokens."""
    made = _pieces(models.BPE(byte_fallback=True, unk_token=UNKNOWN, fuse_unk=True), trainers.BpeTrainer)
    made.add_tokens([AddedToken("\n" * n, normalized=False) for n in (1, 2, 3)])
    made.normalizer = normalizers.Replace(" ", "▁")
    made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    made.decoder = _spaced()
    made.post_processor = _beginning(made)
    return made


def unigram() -> Tokenizer:
    """SentencePiece unigram with byte fallback, which has its special tokens among its pieces."""
    made = _pieces(models.Unigram(), trainers.UnigramTrainer, unk_token=UNKNOWN)
    made.pre_tokenizer = _by_words()
    made.decoder = _spaced(decoders.Strip(" ", 1, 0))
    return made


def wordpiece() -> Tokenizer:
    """WordPiece over bytes: cased, with all white space."""
    made = Tokenizer(models.WordPiece(unk_token=UNKNOWN, max_input_chars_per_word=1_000_000))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    made = _trained(made, trainers.WordPieceTrainer, initial_alphabet=letters)
    content = json.loads(made.to_str())
    words = content["model"]["vocab"]
    for letter in sorted(letters):
        words.setdefault(f"##{letter}", len(words))
    made = Tokenizer.from_str(json.dumps(content))
    made.decoder = decoders.Sequence([decoders.Replace("##", ""), decoders.ByteLevel()])
    return made


def ended() -> Tokenizer:
    """WordPiece that puts a token before and one behind every text, as BERT does."""
    made = wordpiece()
    pair = [(word, made.token_to_id(word)) for word in (START, END)]
    made.post_processor = processors.TemplateProcessing(f"{START} $A {END}", special_tokens=pair)
    return made


def unsplit() -> Tokenizer:
    """BPE over the whole text, with byte fallback: its tokens go over every border."""
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made = _with_bytes(_trained(made, trainers.BpeTrainer))
    made.decoder = _spaced(decoders.Strip(" ", 1, 0))
    return made


def bert() -> Tokenizer:
    """WordPiece, lower-cased, without accents or line breaks."""
    made = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return _trained(made, trainers.WordPieceTrainer)


def t5() -> Tokenizer:
    """SentencePiece unigram after NFKC: a line break is a space like others."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return _trained(made, trainers.UnigramTrainer, unk_token=UNKNOWN)


def _split(pattern: str, normalizer: Any = None) -> Tokenizer:
    made = Tokenizer(models.BPE())
    if normalizer:
        made.normalizer = normalizer
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    return _trained(made, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def _by_words() -> Any:
    lines = pre_tokenizers.Split("\n", "isolated")
    return pre_tokenizers.Sequence([lines, pre_tokenizers.Metaspace("▁", prepend_scheme="first")])


def _pieces(model: Any, trainer: Any, **settings: Any) -> Tokenizer:
    """Pieces that do not go over a space or a line break, and every byte."""
    made = Tokenizer(model)
    made.pre_tokenizer = _by_words()
    made = _with_bytes(_trained(made, trainer, **settings))
    made.pre_tokenizer = None
    return made


def _with_bytes(made: Tokenizer) -> Tokenizer:
    content = json.loads(made.to_str())
    content["model"]["byte_fallback"] = True
    words = content["model"]["vocab"]
    if isinstance(words, dict):
        words |= {f"<0x{byte:02X}>": len(words) + byte for byte in range(256)}
    else:
        words += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)]
    return Tokenizer.from_str(json.dumps(content))


def _spaced(*more: Any) -> Any:
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *more])


def _beginning(made: Tokenizer) -> Any:
    return processors.TemplateProcessing(f"{START} $A", special_tokens=[(START, made.token_to_id(START))])


def _trained(made: Tokenizer, trainer: Any, **settings: Any) -> Tokenizer:
    special = [UNKNOWN, START, END]
    made.train_from_iterator(CORPUS, trainer(vocab_size=700, special_tokens=special, show_progress=False, **settings))
    return made


FAITHFUL: dict[str, Callable[[], Tokenizer]] = {
    made.__name__: made for made in (gpt2, llama3, qwen, smollm, llama2, gemma, unigram, wordpiece, ended, unsplit)
}
LOSSY: dict[str, Callable[[], Tokenizer]] = {made.__name__: made for made in (bert, t5)}
CHATS = ("qwen", "smollm")


@cache
def tokenizer(kind: str) -> Any:
    """A fast tokenizer of that kind."""
    from transformers import PreTrainedTokenizerFast

    start, end = ("<|im_start|>", "<|im_end|>") if kind in CHATS else (START, END)
    made = {**FAITHFUL, **LOSSY}[kind]()
    words = PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=start, eos_token=end, unk_token=UNKNOWN, name_or_path=kind
    )
    words.chat_template = CHATML if kind in CHATS else None
    return words
