"""Toys to train with: trajectories about nothing, a random model of two small layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from react.console import Console
from react.environments import hotpotqa
from react.notation import PARTS, Notation, context
from react.storefront import Storefront
from react.tokens import Text
from react.trajectory import Step, Task, Trajectory, write
from tests.tokenizer_toys import FAITHFUL, LOSSY, tokenizer
from train.dataset import Rules, build

MAKERS = (*FAITHFUL, *LOSSY)
NOTATIONS = {
    "questions": lambda method: hotpotqa.notation(thoughts=PARTS[method][0], actions=PARTS[method][1]),
    "console": lambda method: Console(PARTS[method][0]),
    "shop": lambda method: Storefront(PARTS[method][0]),
}


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


def prompts(record: Trajectory, steps: Sequence[Step], notation: Notation) -> list[str]:
    """What the runtime shows a model before each of the steps."""
    return [context(notation, record.task, steps[:i]) for i in range(len(steps))]


def meets(rows: Sequence[Any], asked: Sequence[str], words: Any) -> bool:
    """Whether the tokens of every prompt, as the runtime has them, are the first tokens of one of the rows."""
    known = [Text(words).encode(prompt) for prompt in asked]
    return all(any(list(row.tokens[: len(tokens)]) == tokens for row in rows) for tokens in known)


def no_special(record: Trajectory, notation: Notation, vocabulary: str) -> None:
    """A row and the prompts of the `local` back end have the same tokens, and none of them is special."""
    words = tokenizer(vocabulary)
    rows, left_out = build([record], lambda method: notation, words, Rules(100_000, allow_unsolved=True))
    asked = prompts(record, record.steps, notation)
    assert (rows and meets(rows, asked, words)) or left_out[0].reason in ("unknown character", "other text")
    assert rows or vocabulary == "unsplit"
    for prompt in asked:
        tokens = Text(words).encode(prompt)
        assert not {words.eos_token_id, words.bos_token_id} & set(tokens[vocabulary == "llama3" :])


def student(folder: Path, width: int = 32, words: Any = None) -> Path:
    """A checkpoint folder: a random Llama of two small layers, and the `gpt2` tokenizer, or the one that is given."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    words = words or tokenizer("gpt2")
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


def dropping(folder: Path) -> Path:
    """The same of a GPT-2, whose dropout is a tenth."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    words = tokenizer("gpt2")
    torch.manual_seed(0)
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id}
    config = GPT2Config(vocab_size=len(words), n_embd=32, n_layer=2, n_head=4, n_positions=512, **ends)
    GPT2LMHeadModel(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
