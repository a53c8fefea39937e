"""Linear layers on a CPU, with their weights laid out in blocks once, at the start.

The plain product reads a matrix as it lies in memory and packs it anew for every call. At the few rows of a decoding
step that is a large part of the work: 16 rows of SmolLM2 take 100 ms so, and 57 ms with weights packed beforehand.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


def pack(model: nn.Module) -> int:
    """Packs every plain float32 layer of `model`, which can from then on only be run; how many there were."""
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise") or not torch._C._has_mkldnn:
        return 0
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear) and _plain(layer)]
    for layer in layers:
        weight = layer.weight.detach()
        packed = torch.ops.mkldnn._reorder_linear_weight(weight, None)
        layer.forward = partial(_product, packed, layer.bias)  # type: ignore[method-assign]
        # What reads only its shape or type still can; its memory is free, unless it is an embedding's too.
        hollow = torch.zeros((), dtype=weight.dtype).expand(weight.shape)
        layer.weight = nn.Parameter(hollow, requires_grad=False)
    return len(layers)


def _plain(layer: nn.Linear) -> bool:
    if type(layer) is not nn.Linear or "forward" in vars(layer) or parametrize.is_parametrized(layer):
        return False
    weight = layer.weight
    return weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.stride(1) == 1


def _product(weight: Tensor, bias: Tensor | None, rows: Tensor) -> Tensor:
    made: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return made
