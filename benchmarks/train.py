"""How fast a finetuning is, beside a loop written by hand, packed beside padded, and beside what the processor can do.

    python -m benchmarks.train [--quick]
    python -m benchmarks.train --model Qwen/Qwen3-1.7B-Base --batch_size 64 --micro_batch 16     # on a GPU

Random weights of a shape that train/shapes.yaml names, and rows of the embedded demonstrations in the embedded tokens:
no network. On a CPU it is SmolLM2-135M, on one thread, and seconds are CPU seconds, so that a busy machine distorts
less; with `--quick` a small model: under 40 seconds. A GPU holds two trainings at once: 16 bytes a parameter each in a
full finetune, so that 80 GB do for 1.7 B, and 8 B needs `--finetune lora`.

Each training has a process of its own. They take turns, a step each; the first steps are left out, and the figures are
medians over the rounds. Both trainings must come to the same losses. Last, one line of JSON:

* ratio_to_bare_loop      our tokens a second over those of the loop (benchmarks/_training.py says what it does)
* packed_over_padded      tokens a second of packed rows over those of padded ones; padding is no token
* tokens_per_second       ours, padded
* flops_per_second        of them: forward and backward, as train/plan.py counts: the output for each token, although a
                          CPU computes it for trained ones alone; that matters where a model is little but output
* mfu                     the share of the peak that this is: of the GPU's data sheet, else of a multiplication measured
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path
from statistics import mean, median

from benchmarks._training import child, step_tokens
from react import trajectory
from train.base import gpu, open_tokenizer
from train.dry_run import here
from train.plan import flops
from train.recipe import Recipe
from train.sft import read_rows
from train.shapes import Shape, shape_of

DEMONSTRATIONS = Path(__file__).parent.parent / "data" / "hotpotqa" / "demonstrations.jsonl.gz"
SMALL = Shape("llama", 128, 352, 6, 2, 1, 64, 49152, tied=True, source="a small Llama with SmolLM2's vocabulary")
PACKED = 1024  # tokens of a packed sequence: about four rows


@dataclass(frozen=True)
class Match:
    """Seconds and tokens of each training in each round, and its losses."""

    rounds: list[dict[str, tuple[float, int]]]
    losses: dict[str, list[float]]

    def rates(self, name: str) -> list[float]:
        """Tokens a second."""
        return [tokens / seconds for seconds, tokens in (each[name] for each in self.rounds)]

    def ratio(self, name: str, other: str) -> float:
        return median(one / two for one, two in zip(self.rates(name), self.rates(other), strict=True))


@contextmanager
def started(names: Mapping[str, tuple[str, Recipe]], shape: Shape) -> Iterator[dict[str, Connection]]:
    """A process for each training, that waits for its turns."""
    # What is imported once need not be again; but CUDA does not live in a fork.
    context: SpawnContext | ForkServerContext = SpawnContext()
    if not gpu():
        context = ForkServerContext()
        context.set_forkserver_preload(["benchmarks._training"])
    ends, processes = {}, []
    for name, (kind, recipe) in names.items():
        ends[name], theirs = context.Pipe()
        processes.append(context.Process(target=child, args=(kind, recipe, shape, theirs), daemon=True))
        processes[-1].start()
        theirs.close()
    try:
        yield ends
    finally:
        for process in processes:
            process.terminate()
            process.join()


def match(names: Mapping[str, tuple[str, Recipe]], shape: Shape, steps: int, left_out: int) -> Match:
    """All trainings in turns, each round beginning with another one."""
    order, rounds = list(names), []
    with started(names, shape) as ends:
        for end in ends.values():
            end.recv()
        for number in range(steps):
            found = {}
            for name in order:
                ends[name].send(None)
                found[name] = ends[name].recv()
            order = order[1:] + order[:1]
            rounds.append(found)
            print(f"step {number + 1:3}", *(f"  {name} {found[name][0]:7.3f} s" for name in names), flush=True)
        losses = {}
        for name, (kind, _) in names.items():
            if kind != "peak":
                ends[name].send(None)
                losses[name] = ends[name].recv()
    return Match(rounds[left_out:], losses)


def same(losses: Mapping[str, list[float]]) -> None:
    """Ends the program where two trainings did not learn the same."""
    for step, (one, two) in enumerate(zip(losses["ours"], losses["bare"], strict=True), 1):
        if abs(one - two) > 0.02 * two:
            raise SystemExit(f"step {step}: our loss is {one:.4f}, and that of the loop by hand {two:.4f}")


def measure(recipe: Recipe, shape: Shape, left_out: int) -> dict[str, float]:
    """All figures."""
    packed = replace(
        recipe,
        name="packed",
        packing=True,
        batch_size=max(1, recipe.batch_size // 4),
        micro_batch=max(1, recipe.micro_batch // 4),
    )
    rows = read_rows(recipe, open_tokenizer(recipe.model))[0]
    tokens = mean(step_tokens(rows, recipe))
    print(
        f"{shape.parameters / 1e6:.1f} M parameters ({shape.source}), {recipe.finetune}; a step of about {tokens:.0f}"
    )
    print(
        f"tokens a step, {recipe.batch_size} rows, {recipe.micro_batch} at once; packed {packed.batch_size} x {PACKED}"
    )
    first = {"ours": ("ours", recipe), "bare": ("bare", recipe), "peak": ("peak", recipe)}
    beside = match(first, shape, recipe.steps, left_out)
    same(beside.losses)
    second = {"padded": ("ours", recipe), "packed": ("ours", packed)}
    against = match(second, shape, recipe.steps, left_out)
    length = mean(len(row.tokens) for row in rows)
    each = flops(replace(recipe, gradient_checkpointing=False), shape, length)
    speed, machine = each * median(beside.rates("ours")), here()
    known = machine.speed if machine else 0.0
    return {
        "ratio_to_bare_loop": beside.ratio("ours", "bare"),
        "packed_over_padded": against.ratio("packed", "padded"),
        "tokens_per_second": median(beside.rates("ours")),
        "flops_per_second": speed,
        "mfu": speed / known if known else each * beside.ratio("ours", "peak"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small model, and few steps")
    parser.add_argument("--model", default="", help="whose shape; empty: SmolLM2-135M, or a small one with --quick")
    parser.add_argument("--finetune", default="full", choices=("full", "lora"))
    parser.add_argument("--batch_size", type=int, default=4, help="rows of a step")
    parser.add_argument("--micro_batch", type=int, default=4, help="rows at once")
    parser.add_argument("--steps", type=int, default=0, help="all of them, those that are left out, too")
    parser.add_argument("--attention", default="auto", help="as of train.py")
    flags = parser.parse_args()
    shape = shape_of(flags.model or "smollm2") if flags.model or not flags.quick else SMALL
    steps, left_out = (flags.steps or 7, 2) if flags.quick else (flags.steps or 12, 3)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "trajectories.jsonl"
        records = list(trajectory.read(DEMONSTRATIONS))
        trajectory.write(data, records[: 2 * steps * flags.batch_size])
        recipe = Recipe(
            name="padded",
            output=folder,
            data=[str(data)],
            max_length=PACKED,
            steps=steps,
            batch_size=flags.batch_size,
            micro_batch=flags.micro_batch,
            finetune=flags.finetune,
            attention=flags.attention,
            learning_rate=1e-4,
            logging_every=1,  # more often than usual: all that a log costs is in every step
        )
        figures = measure(recipe, shape, left_out)
    for name, value in figures.items():
        print(f"{name:20} {value:15,.3f}")
    print(json.dumps({name: float(f"{value:.4g}") for name, value in figures.items()}))


if __name__ == "__main__":
    main()
