"""The plan of a training: its numbers against hand-worked ones and real models; what it says, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from react.config import parse
from react.mistakes import Mistake
from tests.train_toys import student, trajectories
from train import dry_run
from train.dry_run import show, speed_of
from train.memory import GIB, Load, activations, layer_bytes, logits, memory, states
from train.plan import GPUS, Machine, Rows, Wish, flops, machine_of, offloaded, plan, plans, remedies, sharding_here
from train.recipe import Recipe
from train.sft import main
from train.shapes import Shape, read_shape, shape_of

TOY = {
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 512,
}
FAMILIES = ("llama", "mistral", "qwen2", "qwen3", "smollm3", "gemma3_text")
ROWS = Rows(3000, 3000 * 1000, 2048)
H100, SMALL = machine_of("h100-80"), machine_of("rtx4090-24")
EIGHT = shape_of("Qwen/Qwen3-8B-Base")
FULL = Recipe(model="Qwen/Qwen3-8B-Base", gradient_checkpointing=True)


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch):
    """Whatever machine the tests run on."""
    monkeypatch.setattr(dry_run, "here", lambda: None)
    for name in ("WORLD_SIZE", "ACCELERATE_USE_DEEPSPEED", "ACCELERATE_USE_FSDP"):
        monkeypatch.delenv(name, raising=False)


def model(family, device="meta", tied=True, **how):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(family, **TOY, tie_word_embeddings=tied, pad_token_id=0)
    with torch.device(device):
        return config, AutoModelForCausalLM.from_config(config, **how)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_parameters_and_those_of_an_adapter_are_the_real_ones(family, tied):
    import torch
    from peft import LoraConfig, get_peft_model

    config, real = model(family, tied=tied)
    shape = read_shape(config.to_dict(), "a toy")
    assert shape.parameters == real.num_parameters()
    linear = [module.weight.numel() for module in real.model.modules() if isinstance(module, torch.nn.Linear)]
    assert shape.linear == sum(linear)
    adapted = get_peft_model(real, LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    assert shape.adapter(8) == sum(weight.numel() for weight in adapted.parameters() if weight.requires_grad)


def test_the_table_has_the_sizes_that_the_models_makers_say():
    said = {
        "smollm2": 134_515_008,
        "HuggingFaceTB/SmolLM3-3B-Base": 3_075_098_624,
        "Qwen/Qwen3-0.6B-Base": 596_049_920,
        "Qwen/Qwen3-8B-Base": 8_190_735_360,
        "Qwen/Qwen2.5-72B": 72_706_203_648,
        "meta-llama/Llama-3.2-1B": 1_235_814_400,
        "meta-llama/Llama-3.1-8B": 8_030_261_248,
        "meta-llama/Llama-3.1-70B": 70_553_706_496,
        "google/gemma-3-270m": 268_098_176,
        "google/gemma-3-1b-pt": 999_885_952,
    }
    assert {name: shape_of(name).parameters for name in said} == said


def test_zero_spreads_what_its_paper_says():
    """Figure 1 of Rajbhandari et al. 2020: 7.5 B parameters on 64 GPUs, 120 GB of states in all."""
    shape = SimpleNamespace(
        parameters=7.5e9, multiplied=0, vocabulary=0, hidden=0, layer=0, embeddings=0, sides=[(0, 0)], linear=0
    )
    told = {}
    for sharding in ("none", "zero2", "zero3", "fsdp2"):
        told[sharding] = sum(states(shape, Recipe(), Load(sharding, 64, 1, 1))[:3]) / 1e9
    assert told == pytest.approx({"none": 120, "zero2": 16.6, "zero3": 1.9, "fsdp2": 1.9}, abs=0.05)


def test_frozen_weights_are_what_lora_and_qlora_keep_of_them():
    """QLoRA (Dettmers et al. 2023, section 3): 4.127 bits for each of the parameters that are quantised."""
    lora, qlora = (replace(FULL, finetune=kind) for kind in ("lora", "qlora"))
    adapter = EIGHT.adapter(16)
    weights, gradients, optimizer, buffers = states(EIGHT, lora, Load("ddp", 8, 1, 1))
    assert (weights, gradients, optimizer) == (2 * EIGHT.parameters + 4 * adapter, 4 * adapter, 8 * adapter)
    assert buffers == (4 + 2) * adapter
    weights, *_ = states(EIGHT, qlora, Load("none", 1, 1, 1))
    others = EIGHT.parameters - EIGHT.linear
    assert weights - 4 * adapter == pytest.approx(EIGHT.linear * 4.127 / 8 + 2 * others)
    assert weights / GIB < 6.1


def kept(config, real, length=48, rows=2):
    """Bytes that autograd keeps of a forward pass, but for weights."""
    import torch

    own = {weight.untyped_storage().data_ptr() for weight in real.parameters()}
    found = {}

    def pack(tensor):
        place = tensor.untyped_storage()
        # A copy of a weight has none of the batch's sides.
        if place.data_ptr() not in own and {length, rows * length} & set(tensor.shape):
            found[place.data_ptr()] = (place.nbytes(), tensor)
        return tensor

    tokens = torch.randint(5, config.vocab_size, (rows, length))
    mask = torch.ones_like(tokens)
    mask[0, length // 2 :] = 0
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        real(input_ids=tokens, attention_mask=mask, use_cache=False, logits_to_keep=1)
    return sum(size for size, _ in found.values()) / tokens.numel()


@pytest.mark.parametrize(
    ("form", "finetune"),
    [("autocast", "full"), ("bf16", "full"), ("fp32", "full"), ("autocast", "lora"), ("fp32", "lora")],
)
@pytest.mark.parametrize(
    "family", ["llama", *(pytest.param(name, marks=pytest.mark.slow) for name in ("qwen3", "gemma3_text"))]
)
def test_activations_are_what_autograd_keeps(family, form, finetune):
    """One layer's, as the difference between models of three and of one."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    recipe, sizes = Recipe(finetune=finetune, lora_r=8), {}
    load = Load("zero3" if form == "bf16" else "none", 1, 1, 48, bf16=form != "fp32")
    for layers in (1, 3):
        config = AutoConfig.for_model(family, **{**TOY, "num_hidden_layers": layers}, pad_token_id=0)
        low = form == "bf16" or (finetune == "lora" and form == "autocast")
        real = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16 if low else torch.float32)
        if finetune == "lora":
            from peft import LoraConfig, get_peft_model

            real = get_peft_model(real, LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"))
        with torch.autocast("cpu", torch.bfloat16, enabled=form == "autocast"):
            sizes[layers] = kept(config, real.train())
    counted = layer_bytes(read_shape(config.to_dict(), "a toy"), recipe, load)
    assert counted == pytest.approx((sizes[3] - sizes[1]) / 2, rel=0.03)


def test_gradient_checkpointing_keeps_each_layers_input_and_one_layer():
    load = Load("none", 1, 4096, 2048)
    one = layer_bytes(EIGHT, FULL, load)
    assert activations(EIGHT, FULL, load) == 4096 * (36 * 4 * 4096 + 2 * one)
    assert activations(EIGHT, replace(FULL, gradient_checkpointing=False), load) == 4096 * 37 * one
    flash = replace(load, flash=True)
    assert one - layer_bytes(EIGHT, FULL, flash) == 2 * 2 * (4096 - 1024) + 2 * 2048, "no mask, keys not repeated"


def test_the_vocabulary_is_projected_tile_by_tile():
    few, many = (logits(EIGHT, FULL, Load("none", 1, tokens, 2048)) for tokens in (4096, 8192))
    assert many - few == 8 * 4096 * 4096, "hidden states and their gradients; no logits"


def test_flops_are_six_for_a_parameter_and_twelve_for_attention():
    """Hand-worked: 2 layers of width 8, 4 x 8 x 8 + 3 x 8 x 16 parameters each, 10 words."""
    toy = Shape("llama", 8, 16, 2, 2, 2, 4, 10, True)
    assert toy.linear == 2 * (256 + 384) and toy.multiplied == 1280 + 80
    plain = Recipe()
    assert flops(plain, toy, 5) == 6 * 1360 + 12 * 2 * 8 * 5
    assert flops(replace(plain, gradient_checkpointing=True), toy, 5) == 6 * 1360 + 2 * 1280 + 16 * 2 * 8 * 5
    lora = replace(plain, finetune="lora", lora_r=1)
    assert toy.adapter(1) == 2 * (4 * 16 + 3 * 24)
    assert flops(lora, toy, 5) == 4 * 1360 + 6 * 272 + 12 * 2 * 8 * 5


def test_what_fits_where_is_what_people_find():
    """Eight billion parameters: none of 80 GB holds a full finetune alone, eight share it; 24 GB hold it in 4 bits."""
    found = {it.sharding: it.fits for it in plans(FULL, EIGHT, ROWS, 8, H100, False)}
    assert found == {"none": False, "ddp": False, "zero2": True, "zero3": True, "fsdp2": True}
    (alone, *_) = plans(replace(FULL, finetune="qlora", micro_batch=1), EIGHT, ROWS, 8, SMALL, False)
    assert alone.fits and alone.memory.total < 16 * GIB
    assert not plan(replace(FULL, finetune="lora", micro_batch=4), EIGHT, ROWS, "none", 1, SMALL, False).fits


def test_more_gpus_hold_less_each_and_packing_holds_more():
    few, many = (plan(FULL, EIGHT, ROWS, "zero3", count, H100, False).memory.total for count in (8, 32))
    assert many < few
    packed = plan(replace(FULL, packing=True), EIGHT, ROWS, "zero3", 8, H100, False).memory
    assert packed.activations > plan(FULL, EIGHT, ROWS, "zero3", 8, H100, False).memory.activations


def test_remedies_are_tried_and_fit():
    said = remedies(FULL, EIGHT, ROWS, 1, SMALL, False)
    assert any(line.startswith("--finetune qlora") for line in said) and said[-1].endswith("GPUs: zero3, fsdp2")
    assert remedies(replace(FULL, gradient_checkpointing=False, micro_batch=8), EIGHT, ROWS, 8, H100, False)[0] in (
        "--micro_batch 1: zero2, zero3, fsdp2",
    )


@pytest.mark.parametrize(
    ("environment", "sharding"),
    [
        ({}, "none"),
        ({"WORLD_SIZE": "8"}, "ddp"),
        ({"WORLD_SIZE": "8", "ACCELERATE_USE_FSDP": "true"}, "fsdp2"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "2"}, "zero2"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "zero3"),
    ],
)
def test_a_launch_says_how_it_shares(environment, sharding):
    assert sharding_here(environment) == sharding


def test_what_is_kept_elsewhere_is_not_planned_for():
    assert not offloaded({"ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE": "none", "FSDP_OFFLOAD_PARAMS": "false"})
    assert offloaded({"ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE": "cpu"}) and offloaded(
        {"FSDP_OFFLOAD_PARAMS": "true"}
    )


def test_the_speed_of_a_gpu_is_found_by_the_name_that_it_has():
    assert speed_of("NVIDIA H100 80GB HBM3", 79.6 * GIB) == 989e12
    assert speed_of("NVIDIA A100-SXM4-40GB", 39.5 * GIB) == 312e12
    assert speed_of("NVIDIA GeForce RTX 4090", 24 * GIB) == 165.2e12
    assert speed_of("A card of tomorrow", 500 * GIB) == 0.0


def test_a_gpu_of_unknown_speed_has_no_time(tmp_path):
    (line,) = [line for line in shown(FULL, monkeypatched=Machine("new", 500 * GIB, 0.0)) if line.startswith("work")]
    assert line.endswith("how fast this GPU is, is not known")


def shown(recipe, wish=None, processes=1, lengths=list, monkeypatched=None):
    before, dry_run.here = dry_run.here, lambda: monkeypatched
    try:
        return show(recipe, wish or Wish(), processes, lengths).split("\n")
    finally:
        dry_run.here = before


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    trajectories(folder / "trajectories.jsonl")
    return student(folder / "base").parent


def words(base, folder, **changes):
    values = {"model": base / "base", "data": base / "trajectories.jsonl", "output": folder, "name": "run"}
    values |= {"steps": 1, "batch_size": 8, "report_to": "none", "dtype": "float32", **changes}
    return [word for key, value in values.items() for word in (f"--{key}", str(value))]


def test_a_dry_run_counts_the_rows_and_leaves_nothing_behind(base, tmp_path, capsys):
    assert main(words(base, tmp_path, dry_run="true")) is None
    said = capsys.readouterr().out
    assert "data: 24 rows, " in said and "base/config.json" in said and "fits: none on 1, ddp on 8" in said
    assert "GPU: h100-80" in said and not list(tmp_path.iterdir())


def test_a_dry_run_needs_neither_data_nor_network(tmp_path, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("went to the network"))
    said = shown(replace(FULL, data=[str(tmp_path / "none.jsonl")]))
    assert said[2].endswith("none.jsonl is not there yet") and "which is a bound" in said[3]


def test_a_dry_run_without_the_tokenizer_says_how_many_trajectories_there_are(base):
    def lengths():
        raise Mistake("the hub is away")

    said = shown(replace(FULL, data=[str(base / "trajectories.jsonl")]), lengths=lengths)
    assert said[2].strip() == "24 trajectories, whose tokens cannot be counted: the hub is away"


def test_under_a_launcher_the_plan_is_that_of_the_launch(monkeypatch):
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_ZERO_STAGE", "3")
    said = "\n".join(shown(FULL, processes=16))
    assert "zero3, 16 GPUs" in said and "fsdp2" not in said and said.endswith("fits: zero3 on 16")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gpu": "h100"}, "unknown gpu 'h100'; did you mean 'h100-80'?"),
        ({"mfu": "0"}, "mfu is 0.0; it must be greater than 0"),
        ({"mfu": "40"}, "mfu is 40.0"),
        ({"gpus": "3"}, "batch_size 8 does not divide between 3 processes"),
        ({"model": "no/such"}, "its config.json is not to be had from the hub"),
    ],
)
def test_a_wish_that_cannot_be_is_told(base, tmp_path, monkeypatch, capsys, changes, message):
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *_, **__: (_ for _ in ()).throw(OSError("away")))
    with pytest.raises(SystemExit) as end:
        main(words(base, tmp_path, dry_run="true", **changes))
    assert end.value.code == 2 and message in capsys.readouterr().err


def test_an_unknown_kind_of_model_is_told(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "mixtral"}')
    with pytest.raises(Mistake, match="a model of the type 'mixtral' cannot be planned for; there are: llama"):
        shape_of(str(tmp_path))


def test_a_training_that_cannot_fit_is_refused_before_its_model_is_read(base, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dry_run, "here", lambda: Machine("a tiny GPU", 2 * GIB, 0.0))
    monkeypatch.setattr("train.course.load_model", lambda *_: pytest.fail("the model was read"))
    monkeypatch.setattr("train.course.open_base", lambda *_: pytest.fail("the model was fetched"))
    with pytest.raises(SystemExit) as end:
        main(words(base, tmp_path, micro_batch=4096, batch_size=4096))
    said = capsys.readouterr().err
    assert end.value.code == 2 and not list(tmp_path.iterdir()), said
    assert "this training does not fit; --insist true starts it all the same" in said and "a tiny GPU, 2.0 GiB" in said


def test_who_insists_may_start(monkeypatch):
    monkeypatch.setattr(dry_run, "here", lambda: SMALL)
    with pytest.raises(Mistake, match="does not fit"):
        dry_run.refuse(FULL, Wish(), 1, [2048])
    dry_run.refuse(FULL, Wish(insist=True), 1, [2048])
    monkeypatch.setenv("FSDP_OFFLOAD_PARAMS", "true")
    dry_run.refuse(FULL, Wish(), 1, [2048])


def test_four_bits_are_not_shared_out():
    with pytest.raises(Mistake, match="this launch is zero3, and finetune is 'qlora'"):
        plan(replace(FULL, finetune="qlora"), EIGHT, ROWS, "zero3", 8, H100, False)


def test_the_settings_of_the_plan_bind_no_run():
    recipe, wish = parse((Recipe, Wish), "", ["--gpu", "a100-40", "--data", "x"])
    assert wish.gpu == "a100-40" and not hasattr(recipe, "gpu")


def test_every_gpu_has_room_and_speed():
    assert all(0 < machine_of(name).room < machine_of(name).memory and machine_of(name).speed for name in GPUS)


def test_a_total_is_the_sum_of_its_parts():
    found = memory(EIGHT, FULL, Load("zero3", 8, 8192, 2048))
    assert found.total == pytest.approx(sum(vars(found).values()))
