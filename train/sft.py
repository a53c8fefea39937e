"""accelerate launch train.py --config configs/train/demo_expert.yaml: finetunes a student on a teacher's trajectories.

Writes into `runs/train/<name>/`: `checkpoint/` (an ordinary transformers folder; with LoRA the merged model, beside
`adapter/`), `README.md`, `losses.jsonl`, `left_out.jsonl`, `config.yaml`, and last `summary.json`. The same command
continues a stopped run; Ctrl-C saves the last finished step first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from react import environments, trajectory
from react.config import parse
from react.mistakes import LOADING, RUNNING, Mistake, choose, mistakes
from react.native import Calling
from react.notation import PARTS, Notation
from react.run_folder import agree, enter
from react.trajectory import RecordError, Trajectory
from train.base import bfloat16, gpu, keep_memory, load_model, open_base, open_tokenizer
from train.beside import leave_beside
from train.card import write_card
from train.chats import Chats
from train.dataset import LeftOut, Notations, Row, Rules, build
from train.dry_run import refuse, show
from train.export import export, whole_weights
from train.panel import actor, prepare
from train.plan import AT_ONCE, WHOLE_ONLY, Wish, sharding_here
from train.recipe import Layout, Recipe, layout, order
from train.way import Way

RANK = int(os.environ.get("RANK", "0"))
PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
DEVICE = "ACCELERATE_TORCH_DEVICE"  # by which accelerate is told of a device


def main(args: list[str] | None = None) -> None:
    """The command."""
    run(SFT, __doc__ or "", args)


def run(way: Way, about: str, args: list[str] | None = None) -> None:
    """The command of any kind of training. `about` is what `--help` says of it."""
    with ExitStack() as held, _once(), mistakes(*LOADING):
        recipe, wish = parse((way.recipe, Wish), about, args)
        if wish.dry_run:
            return _say(show(recipe, wish, PROCESSES, lambda: lengths(way.read(recipe, opened(recipe))[0])))
        derived = {"data_fingerprint": fingerprint(recipe.data), **way.derived(recipe)}
        if recipe.chat_template:
            derived["chat_template_fingerprint"] = fingerprint([recipe.chat_template])
        if RANK == 0:
            agree(recipe.folder, recipe, derived=derived)
        if (recipe.folder / "summary.json").exists():
            return _say(f"{recipe.folder} is finished: {recipe.folder / 'checkpoint'}")
        launched(recipe)
        shared = layout(recipe, PROCESSES, at_once=AT_ONCE if gpu() else 1)
        items, left_out = way.read(recipe, opened(recipe))
        refuse(recipe, wish, PROCESSES, lengths(items))
        base, tokenizer = open_base(recipe.model, recipe.chat_template)
        # Now: a file of the data may be replaced while the training runs.
        facts = {**derived, **counts(items, left_out), "teachers": teachers(recipe), **way.facts(recipe, items)}
        methods = [recipe.method] if recipe.method else sorted({one.method for one in read_records(recipe)})
        panel = prepare(recipe) if RANK == 0 else None
        settings = way.arguments(recipe, shared)  # before the model: ZeRO-3 then shares it out while it is read
        if not gpu():
            keep_memory()
        model = load_model(base, recipe)
        if RANK == 0:
            held.callback(os.close, enter(recipe.folder, recipe, derived=derived))
            way.note(recipe.folder, items, left_out)
        _say(f"one step: {shared}")
        later = held.pop_all()
    with later, mistakes(*RUNNING):
        acting = actor(recipe, panel, base, tokenizer)
        trainer, seen = train(recipe, settings, model, tokenizer, items, acting, way)
        if not (acting and acting.settle()):
            export(trainer, tokenizer, base, recipe)
        if RANK == 0:
            facts |= {**seen, **(acting.facts() if acting else {})}
            if facts.get("kept"):
                facts |= way.schedule(items, recipe, facts["kept"]["step"])[1]
            with whole_weights(settings):
                facts |= leave_beside(recipe, base, tokenizer, way.rows(items), methods, notations(recipe.environment))
            finish(recipe, shared, trainer, base, facts, way)


@contextmanager
def _once() -> Iterator[None]:
    """Lets only the first process say what went wrong: all have the same to say."""
    if RANK == 0:
        yield
    else:
        nowhere = open(os.devnull, "w")  # noqa: SIM115  # libraries keep it as the place of their logs: never closed
        with redirect_stderr(nowhere):
            yield


def _say(words: str) -> None:
    if RANK == 0:
        print(words, flush=True)


def lengths(rows: Sequence[Any]) -> list[int]:
    """Tokens of each row."""
    return [len(row.tokens) for row in rows]


def launched(recipe: Recipe) -> None:
    """Mistake where this launch is none for the recipe: weights that are shared out without GPUs, or in 4 bits."""
    sharding = sharding_here()
    if sharding in ("none", "ddp"):
        return
    if not (gpu() or DEVICE in os.environ):
        raise Mistake(f"this launch is {sharding}, which needs GPUs; without, there is configs/accelerate/cpu2.yaml")
    if recipe.finetune == "qlora":
        raise Mistake(f"this launch is {sharding}, and {WHOLE_ONLY}")


def fingerprint(paths: Sequence[str]) -> str:
    """Changes with any byte of the data."""
    if not paths:
        raise Mistake("data is empty: name one or several trajectories.jsonl")
    digest = hashlib.sha256()
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]


def notations(environment: str) -> Notations:
    """How an environment writes the trajectories of a method. Opens none of its data."""
    choose("environment", environment, environments.names())
    module = import_module(f"react.environments.{environment}")

    @cache
    def of(method: str) -> Notation:
        thoughts, actions = PARTS[method]
        notation: Notation = module.notation(thoughts=thoughts, actions=actions)
        return notation

    return of


def callings(environment: str) -> Callable[[str], Calling]:
    """How an environment writes the trajectories of a method as chats. Mistake where it has no tools to call."""
    write, tools = notations(environment), environments.says(environment, "TOOLS", ())
    if not tools:
        raise Mistake(f"form is 'tools', and {environment} has no tools to call (TOOLS of its module)")

    @cache
    def of(method: str) -> Calling:
        thoughts, actions = PARTS[method]
        return Calling.of(write(method), tools, thoughts=thoughts, actions=actions)

    return of


def opened(recipe: Recipe) -> Any:
    """The student's tokenizer."""
    return open_tokenizer(recipe.model, recipe.chat_template)


def read_records(recipe: Recipe) -> Iterator[Trajectory]:
    """The trajectories of all data files."""
    return (record for path in recipe.data for record in trajectory.read(Path(path)))


def read_rows(recipe: Recipe, tokenizer: Any) -> tuple[list[Row], list[LeftOut]]:
    """The rows of all data files. Mistake where none is left."""
    records = list(read_records(recipe))
    if not records:
        raise RecordError(f"{', '.join(recipe.data)}: no trajectories")
    rules = Rules(recipe.max_length, recipe.method, recipe.allow_unsolved, recipe.environment, recipe.trained())
    chats = Chats.of(tokenizer, callings(recipe.environment)) if recipe.form == "tools" else None
    rows, left_out = build(records, notations(recipe.environment), tokenizer, rules, chats)
    if not rows:
        first = left_out[0]
        said = f"{reasons(left_out)}; {first.id}: {first.detail}"
        raise Mistake(f"none of {len(records)} trajectories can be trained on: {said}")
    return rows, left_out


def reasons(left_out: list[LeftOut]) -> str:
    """How many were left out for each reason: `3 over-long, 1 unsolved`."""
    return ", ".join(f"{count} {reason}" for reason, count in Counter(row.reason for row in left_out).items())


def teachers(recipe: Recipe) -> list[str]:
    """Whose trajectories the data holds: models by name, or `expert`."""
    return sorted({record.model for record in read_records(recipe)})


def note_left_out(folder: Path, rows: list[Any], left_out: list[LeftOut], unit: str = "rows") -> None:
    """Lists what is not trained on, in a file and in one line."""
    path = folder / "left_out.jsonl"
    path.write_text("".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in left_out), encoding="utf-8")
    told = f"left out: {reasons(left_out)} (listed in {path})" if left_out else "none left out"
    _say("; ".join([f"{len(rows)} {unit}", *(f"{count} {note}" for note, count in notes(rows).items()), told]))


def notes(rows: list[Any]) -> dict[str, int]:
    """What is odd about rows that are trained on, and about how many."""
    return dict(Counter(note for row in rows for note in row.notes))


def counts(rows: list[Any], left_out: list[LeftOut]) -> dict[str, Any]:
    """What the summary says of the data."""
    lengths = sorted(len(row.tokens) for row in rows)
    return {
        "rows": len(rows),
        "rows_left_out": dict(Counter(row.reason for row in left_out)),
        "rows_noted": notes(rows),
        "row_tokens": {"median": lengths[len(lengths) // 2], "longest": lengths[-1], "all": sum(lengths)},
        "example": rows[0].text,
    }


def train(
    recipe: Recipe, settings: Any, model: Any, tokenizer: Any, items: list[Any], acting: Any, way: Way
) -> tuple[Any, dict[str, Any]]:
    """Trains from the beginning or the last whole checkpoint; the trainer, and what it has seen at the end.

    Ends the program with a checkpoint where somebody stops it.
    """
    from transformers import PrinterCallback, TrainerState

    from train.interruption import Interruption
    from train.steady import Shown, Tidy, discard_partial, former, latest, step_of

    states = Path(settings.output_dir)
    if RANK == 0 and (cut := discard_partial(states)):
        _say(f"not whole, and so removed: {', '.join(map(str, cut))}")
    data, seen = way.schedule(items, recipe, 0)
    checkpoint = latest(states)
    if checkpoint:
        _say(f"continuing from {checkpoint}")
    shown = Shown(f"{recipe.name}: step")
    trainer = way.trainer()(
        model=model,
        args=settings,
        train_dataset=data,
        processing_class=tokenizer,
        peft_config=adapter(recipe),
        callbacks=[Tidy(), shown],
        before=former(checkpoint),
    )
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(interruption := Interruption())
    if acting:
        acting.join(trainer, lambda: bool(interruption.asked), shown.aside)
    try:
        if acting and checkpoint and acting.over(step_of(checkpoint)):
            trainer.state = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
        else:
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    finally:
        interruption.restore()
    if interruption.stopped:
        if RANK == 0:
            print(f"\nStopped after step {trainer.state.global_step}; the same command continues.", file=sys.stderr)
        raise SystemExit(interruption.status)
    return trainer, seen


def schedule(rows: list[Row], recipe: Recipe, steps: int = 0) -> tuple[Any, dict[str, Any]]:
    """All sequences of the training, or of its first `steps`, in order; and what is in them: rows, passes, tokens."""
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    trained = recipe.trained()
    columns: dict[str, list[Any]] = {
        "input_ids": [list(row.tokens) for row in rows],
        "labels": [row.labels(trained) for row in rows],
    }
    if len(set(trained.values())) > 1:
        columns["weights"] = [row.weights(trained) for row in rows]
    data = Dataset.from_dict(columns)
    if recipe.packing:
        from trl import pack_dataset  # type: ignore[attr-defined]

        data = pack_dataset(data, recipe.max_length, "bfd")
    lengths = [len(tokens) for tokens in data["input_ids"]]
    inside = [len(rows) for rows in data["seq_lengths"]] if recipe.packing else [1] * len(lengths)
    return arrange(data, lengths, inside, recipe, steps)


def arrange(
    data: Any, lengths: list[int], inside: list[int], recipe: Recipe, steps: int = 0
) -> tuple[Any, dict[str, Any]]:
    """All sequences of `data` as they follow one another: each has its tokens in `lengths`, its items in `inside`."""
    numbers = order(lengths, recipe)[: (steps or recipe.steps) * recipe.batch_size]
    seen = {
        "rows_seen": sum(inside[number] for number in set(numbers)),
        "epochs": round(len(numbers) / len(lengths), 2),
        "tokens_seen": sum(lengths[number] for number in numbers),
    }
    return data.select(numbers), seen


def adapter(recipe: Recipe) -> Any:
    """The LoRA to train; None for a full finetune."""
    if recipe.finetune == "full":
        return None
    from peft import LoraConfig

    return LoraConfig(r=recipe.lora_r, lora_alpha=recipe.lora_alpha, target_modules="all-linear", task_type="CAUSAL_LM")


def arguments(recipe: Recipe, shared: Layout) -> Any:
    """The recipe in TRL's words. `max_length` stays unset: TRL would cut rows silently, and ours fit already."""
    words = common(recipe, shared)
    from trl import SFTConfig  # type: ignore[attr-defined]

    return SFTConfig(**words, max_length=None, padding_free=recipe.packing)


def common(recipe: Recipe, shared: Layout) -> dict[str, Any]:
    """What any of TRL's trainers is told."""
    import warnings

    from transformers.utils import logging

    os.environ.setdefault("TENSORBOARD_LOGGING_DIR", str(recipe.folder / "tensorboard"))
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    warnings.filterwarnings("ignore", category=FutureWarning)
    return {
        "output_dir": str(recipe.folder / "resume"),
        "max_steps": recipe.steps,
        "per_device_train_batch_size": shared.micro_batch,
        "gradient_accumulation_steps": shared.accumulation,
        "average_tokens_across_devices": True,
        "train_sampling_strategy": "sequential",
        "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": recipe.schedule,
        "warmup_steps": recipe.warmup_steps,
        "weight_decay": recipe.weight_decay,
        "max_grad_norm": recipe.max_grad_norm,
        "seed": recipe.seed,
        "use_cpu": not gpu() and DEVICE not in os.environ,
        "bf16": bfloat16(recipe),
        "gradient_checkpointing": recipe.gradient_checkpointing,
        "remove_unused_columns": False,  # one of them is `weights`
        "save_strategy": "steps",
        "save_steps": recipe.save_every,
        "logging_steps": recipe.logging_every,
        "report_to": [] if recipe.report_to == "none" else [recipe.report_to],
        "disable_tqdm": True,
        "log_level_replica": "error",
        "dataloader_pin_memory": gpu(),
        "ddp_find_unused_parameters": False,
    }


def finish(recipe: Recipe, shared: Layout, trainer: Any, base: str, facts: dict[str, Any], way: Way) -> None:
    """The loss curve, the model card and, last, the summary that makes the run a finished one."""
    kept = ("step", "loss", "learning_rate", "grad_norm", *way.curve)
    losses = [{key: entry[key] for key in kept} for entry in trainer.state.log_history if "loss" in entry]
    lines = "".join(json.dumps(entry) + "\n" for entry in losses)
    (recipe.folder / "losses.jsonl").write_text(lines, encoding="utf-8")
    summary = {
        "steps": trainer.state.global_step,
        "final_loss": losses[-1]["loss"],
        "seconds": round(trainer.seconds, 1),
        "layout": str(shared),
        "dtype": "bfloat16" if bfloat16(recipe) else "float32",
        **{key: value for key, value in facts.items() if key != "example"},
    }
    write_card(recipe, base, summary, facts["example"], losses, way.told)
    (recipe.folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(recipe.folder / "resume")
    items = f"{facts['rows_seen']} of {facts['rows']} {way.unit}"
    seen = f"{summary['steps']} steps over {items} ({facts['epochs']} epochs)"
    before = f", {trainer.before.seconds:.0f} of them in earlier calls" if trainer.before.seconds else ""
    took = f"{trainer.seconds:.0f} s{before}"
    _say(f"{seen} in {took}, loss {summary['final_loss']:.3f}: {recipe.folder / 'checkpoint'}")


def _trainer() -> Any:
    """The class."""
    from train.trainer import StudentTrainer

    return StudentTrainer


SFT = Way(
    recipe=Recipe,
    unit="rows",
    told="finetuned on trajectories of the teacher {teachers}, after Yao et al. 2022\n(arXiv 2210.03629, section 3.2)",
    derived=lambda recipe: {},
    read=read_rows,
    note=note_left_out,
    facts=lambda recipe, rows: {},
    schedule=schedule,
    arguments=arguments,
    trainer=_trainer,
    rows=lambda rows: rows,
)
