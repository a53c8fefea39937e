"""The course of a training, whatever its kind (`train.way`): from the command to the summary of a finished run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

from react.config import parse
from react.mistakes import LOADING, RUNNING, Mistake, mistakes
from react.run_folder import agree, enter
from train.base import bfloat16, gpu, keep_memory, load_model, open_base, open_tokenizer
from train.beside import leave_beside
from train.card import write_card
from train.dry_run import refuse, show
from train.export import export, whole_weights
from train.panel import actor, prepare
from train.plan import AT_ONCE, WHOLE_ONLY, Wish, sharding_here
from train.recipe import Layout, Recipe, layout, order
from train.records import counts, fingerprint, lengths, notations, read_records, teachers
from train.way import Way

RANK = int(os.environ.get("RANK", "0"))
PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
DEVICE = "ACCELERATE_TORCH_DEVICE"  # by which accelerate is told of a device


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


def launched(recipe: Recipe) -> None:
    """Mistake where this launch is none for the recipe: weights that are shared out without GPUs, or in 4 bits."""
    sharding = sharding_here()
    if sharding in ("none", "ddp"):
        return
    if not (gpu() or DEVICE in os.environ):
        raise Mistake(f"this launch is {sharding}, which needs GPUs; without, there is configs/accelerate/cpu2.yaml")
    if recipe.finetune == "qlora":
        raise Mistake(f"this launch is {sharding}, and {WHOLE_ONLY}")


def opened(recipe: Recipe) -> Any:
    """The student's tokenizer."""
    return open_tokenizer(recipe.model, recipe.chat_template)


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
        acting.join(trainer, lambda: interruption.asked, shown.aside)
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
