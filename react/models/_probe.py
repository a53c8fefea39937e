"""Finds out whether the engine computes a model rightly, by asking the model, before anybody relies on it.

A list of architectures would be out of date; a forward pass of the model as transformers itself runs it is not.
"""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from react.models._attention import NAME, Plan, Pool, Probe, Segment, Shape, Unsupported, planned
from react.models._packed import pack

WAY_OUT = "serve it with vLLM or the like, and use the `server` back end"
LENGTH = 10
PREFIX, ALONE, BEHIND = 0, 8, 24


def fitted(model: PreTrainedModel) -> list[Shape]:
    """Puts the engine's attention and packed weights into `model`, which can do nothing else from now on.

    Proves that this changes no result, and returns what each layer keeps of a token.
    Unsupported says why a model is not for this engine: encoder-decoders, state-space layers, attention sinks.
    """
    try:
        expected = _expected(model)
        model.set_attn_implementation(NAME)
        shapes = _shapes(model)
        with torch.inference_mode():
            pack(model)
        _compare(expected, _computed(model, shapes))
    except torch.OutOfMemoryError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        kind = type(model).__name__
        raise Unsupported(f"{kind} is not a model for the `local` back end: {error}; {WAY_OUT}") from error
    return shapes


def window_of(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int:
    """How many tokens a text may have.

    Rotary scalings that change with the longest text of a batch would let rows change one another: there the
    window ends where the scaling begins.
    """
    config = model.config.get_text_config()
    sizes = [getattr(config, "max_position_embeddings", None), tokenizer.model_max_length]
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") in ("dynamic", "longrope"):
        sizes.append(rope.get("original_max_position_embeddings"))
    return min(int(size) for size in sizes if size)


def endings(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Every token that ends a text: those of the generation settings, and the one that training rows end with."""
    given = getattr(model.generation_config, "eos_token_id", None)
    listed = given if isinstance(given, list) else [given]
    return frozenset(int(token) for token in [*listed, tokenizer.eos_token_id] if token is not None)


def _ids(model: PreTrainedModel) -> Tensor:
    size = int(model.get_input_embeddings().num_embeddings)  # type: ignore[arg-type]
    return torch.arange(11, 11 + LENGTH * 13, 13, device=model.device) % size


def _expected(model: PreTrainedModel) -> Tensor:
    if model.config.is_encoder_decoder:
        raise Unsupported("it is an encoder-decoder")
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        logits: Tensor = model(input_ids=_ids(model)[None], use_cache=False).logits[0, -1]
    return logits


def _shapes(model: PreTrainedModel) -> list[Shape]:
    probe, config = Probe(), model.config.get_text_config()
    positions = torch.arange(LENGTH, device=model.device)
    with planned(probe), torch.inference_mode():
        model(input_ids=_ids(model)[None], position_ids=positions[None], use_cache=False)
    layers = int(config.num_hidden_layers)
    if sorted(probe.shapes) != list(range(layers)):
        raise Unsupported(f"{len(probe.shapes)} of its {layers} layers attend by transformers' attention interface")
    for layer, kind in enumerate(getattr(config, "layer_types", None) or ()):
        slides = kind == "sliding_attention"
        if not (slides or kind == "full_attention") or slides > bool(probe.windows[layer]):
            raise Unsupported(f"layer {layer} is of the kind {kind!r}")
    return [probe.shapes[layer] for layer in range(layers)]


def _computed(model: PreTrainedModel, shapes: list[Shape]) -> list[Tensor]:
    """The last token's logits of one text, twice: as a row on its own, and as a row behind a prefix of three tokens."""
    ids = _ids(model).tolist()
    pool = Pool(shapes, 64, next(model.parameters()).dtype, model.device, clean=True)

    def alone(start: int, end: int) -> Segment:
        return Segment(ids[start:end], start, ALONE, row=0)

    def behind(start: int, end: int) -> Segment:
        return Segment(ids[start:end], start, BEHIND, PREFIX, 3, 3, row=1)

    steps = [
        [Segment(ids[:3], 0, PREFIX), alone(0, 5)],
        [alone(5, 6), behind(3, 8)],
        [alone(6, LENGTH), behind(8, 9)],
        [alone(LENGTH - 1, LENGTH), behind(9, LENGTH)],
    ]
    for segments in steps:
        plan = Plan(pool, segments, model.device, gather=False)
        logits = forward(model, plan)
    return list(logits)


def forward(model: PreTrainedModel, plan: Plan) -> Tensor:
    """Logits after the last token of each of the plan's segments, [segments, vocabulary]."""
    with planned(plan), torch.inference_mode():
        logits: Tensor = model(
            input_ids=plan.ids[None], position_ids=plan.positions[None], use_cache=False, logits_to_keep=plan.last
        ).logits[0]
    return logits


def _compare(expected: Tensor, computed: list[Tensor]) -> None:
    allowed = 1e-3 if expected.dtype == torch.float32 else 0.1
    scale = float(expected.float().abs().max())
    for logits in computed:
        error = float((logits.float() - expected.float()).abs().max()) / scale
        if not error <= allowed:
            raise Unsupported(f"its results differ by {error:.2g} of the largest logit from transformers' own")
