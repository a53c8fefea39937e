"""How fast the `local` back end is, beside transformers' own generate and beside one call after another.

    python -m benchmarks.local_model [--quick]

Without `--quick`, 16 questions behind 6 exemplars of about 2,000 tokens: minutes. With it a shorter prompt: under 40
seconds on a quiet machine.

One engine, in this process, on one thread of a CPU, with the embedded model. Seconds are the thread's CPU seconds, so
that a busy machine distorts less. All runs begin with nothing cached and write the same number of tokens greedily.
Last, one line of JSON:

* ratio_to_bare_generate      how many times longer transformers' generate takes for the same, in one padded batch
* ratio_to_unbatched          the engine's tokens a second with all questions at once, over those with one by one
* tokens_per_second           written, while all questions are read and answered at once
* decode_tokens_per_second    written, in the time after all prompts are read
* prefill_tokens_per_second   read, each shared token once
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from react.models import Completion, Request
from react.models._checkpoint import find
from react.models._engine import Engine
from react.models._load import read

INSTRUCTION = (
    "Solve a question answering task with interleaving Thought, Action, Observation steps. Thought can reason about "
    "the current situation, and Action can be of three types: Search[entity], which searches the exact entity on "
    "Wikipedia and returns the first paragraph if it exists; Lookup[keyword], which returns the next sentence "
    "containing keyword in the current passage; Finish[answer], which returns the answer and finishes the task.\n\n"
)
RIVERS = [
    ("Loire", "France", "Nantes", "1,006", "the Massif Central", "Paris"),
    ("Vistula", "Poland", "Kraków", "1,047", "the Silesian Beskids", "Warsaw"),
    ("Tagus", "Portugal", "Santarém", "1,007", "the Montes Universales", "Lisbon"),
    ("Chao Phraya", "Thailand", "Nakhon Sawan", "372", "the confluence of the Ping and Nan", "Bangkok"),
    ("Glomma", "Norway", "Fredrikstad", "621", "the mountains near Røros", "Oslo"),
    ("Magdalena", "Colombia", "Barranquilla", "1,528", "the Colombian Massif", "Bogotá"),
]
ASKED = ["Ebro", "Oder", "Volta", "Indus", "Neva", "Tiber", "Shannon", "Thames"]
ASKED += ["Ganges", "Mekong", "Niger", "Orinoco", "Danube", "Elbe", "Po", "Tisza"]


@dataclass(frozen=True)
class Size:
    """How much is measured: exemplars, questions at once, those that generate gets, those asked alone, tokens each."""

    exemplars: int = 6
    questions: int = 16
    bare: int = 16
    alone: int = 2
    tokens: int = 64


QUICK = Size(exemplars=1, bare=4, alone=1, tokens=24)


def exemplar(name: str, country: str, city: str, length: str, source: str, capital: str) -> str:
    """One solved question, in the paper's notation."""
    return (
        f"Question: What is the capital of the country in which the river {name} reaches the city of {city}?\n"
        f"Thought 1: I need to search {name}, find the country in which it reaches {city}, then find its capital.\n"
        f"Action 1: Search[{name}]\n"
        f"Observation 1: The {name} is a river of {length} kilometres. It rises in {source} and flows through several "
        f"regions before it passes {city}. Its basin has been settled since the earliest times, and its valley is "
        f"known for its towns, its trade, and the fertile land along its banks. Floods were frequent in the past.\n"
        f"Thought 2: The paragraph does not say in which country {city} lies. I need to search {city}.\n"
        f"Action 2: Search[{city}]\n"
        f"Observation 2: {city} is a city in {country}. It lies on the river {name} and is among the larger cities of "
        f"{country}, with a port, a university and several museums. Its old town was rebuilt several times.\n"
        f"Thought 3: {city} lies in {country}, and the capital of {country} is {capital}. So the answer is {capital}.\n"
        f"Action 3: Finish[{capital}]\n\n"
    )


def prompts(size: Size) -> tuple[str, list[str]]:
    """What all prompts begin with, and the prompts."""
    shots = INSTRUCTION + "".join(exemplar(*facts) for facts in RIVERS[: size.exemplars])
    asked = (f"Question: Into which sea does the river {name} flow, and where does it rise?\n" for name in ASKED)
    return shots, [f"{shots}{question}Thought 1:" for question in asked][: size.questions]


def engine_run(engine: Engine, shots: str, asked: list[str], tokens: int) -> tuple[float, float, list[Completion]]:
    """CPU seconds until all prompts are read, until all is written, and what."""
    found: dict[int, Completion] = {}
    began = time.process_time()
    for i, prompt in enumerate(asked):
        request = Request(prompt, max_tokens=tokens, shared=len(shots))
        engine.submit(request, lambda completions, i=i: found.update({i: completions[0]}))  # type: ignore[misc]
    while engine.busy and engine.reading:
        engine.step()
    read_by = time.process_time()
    while engine.busy:
        engine.step()
    return read_by - began, time.process_time() - began, [found[i] for i in range(len(asked))]


def bare_run(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, asked: list[str], tokens: int
) -> tuple[float, list[str]]:
    """CPU seconds of transformers' generate for all of `asked` in one padded batch, and its texts."""
    began = time.process_time()
    tokenizer.padding_side = "left"
    batch = tokenizer(asked, return_tensors="pt", padding=True)
    with torch.inference_mode():
        out = model.generate(**batch, max_new_tokens=tokens, do_sample=False, eos_token_id=None, pad_token_id=0)  # type: ignore[operator]
    texts = tokenizer.batch_decode(out[:, batch.input_ids.shape[1] :], skip_special_tokens=True)
    return time.process_time() - began, texts


def measure(size: Size, folder: Path) -> dict[str, float]:
    """All figures, printed as they come."""
    shots, asked = prompts(size)
    model, tokenizer = read(str(folder), str(folder), "", torch.float32)
    plain, _ = read(str(folder), str(folder), "", torch.float32)
    plain.set_attn_implementation("sdpa")
    first = Engine(model, tokenizer)
    lengths = len(tokenizer(shots).input_ids), len(tokenizer(asked[0]).input_ids)
    print(f"{len(asked)} prompts of about {lengths[1]} tokens, {lengths[0]} of them shared; {size.tokens} tokens each")

    def fresh() -> Engine:
        made = Engine(first.model, tokenizer)
        made.ends = frozenset()
        return made

    reading, whole, answers = engine_run(fresh(), shots, asked, size.tokens)
    written = len(asked) * size.tokens
    read_tokens = lengths[0] + sum(answer.prompt_tokens - lengths[0] for answer in answers)
    print(f"engine, all at once      {whole:6.1f} s  {written / whole:6.1f} tokens/s")
    print(f"  reading                {reading:6.1f} s  {read_tokens / reading:6.1f} tokens/s")
    decode = (written - len(asked)) / (whole - reading)
    print(f"  writing                {whole - reading:6.1f} s  {decode:6.1f} tokens/s")
    some = asked[: size.bare]
    same = whole if len(some) == len(asked) else engine_run(fresh(), shots, some, size.tokens)[1]
    bare, texts = bare_run(plain, tokenizer, some, size.tokens)
    agree = sum(text == answer.text for text, answer in zip(texts, answers, strict=False))
    print(f"bare generate, batch {len(some):2}  {bare:6.1f} s  {len(some) * size.tokens / bare:6.1f} tokens/s", end="")
    print(f"  (engine, same {len(some)}: {same:.1f} s; {agree} texts of {len(some)} equal)")
    alone = sum(engine_run(fresh(), "", [prompt], size.tokens)[1] for prompt in asked[: size.alone]) / size.alone
    print(f"engine, one by one       {alone:6.1f} s  {size.tokens / alone:6.1f} tokens/s")
    return {
        "ratio_to_bare_generate": bare / same,
        "ratio_to_unbatched": (written / whole) / (size.tokens / alone),
        "tokens_per_second": written / whole,
        "decode_tokens_per_second": decode,
        "prefill_tokens_per_second": read_tokens / reading,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a shorter prompt")
    size = QUICK if parser.parse_args().quick else Size()
    torch.set_num_threads(1)
    figures = measure(size, find("smollm2").folder)
    print(json.dumps({name: round(figure, 2) for name, figure in figures.items()}))


if __name__ == "__main__":
    main()
