"""How DTensor describes tensors."""

from __future__ import annotations

from typing import Any, Sequence

import torch
from torch.distributed.tensor import Placement
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta


def by_rows(
    device_mesh: Any, placements: Sequence[Placement], shape: Sequence[int], dtype: torch.dtype
) -> DTensorSpec:
    """Describes a tensor that is stored by rows."""
    stride = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        stride[dim] = stride[dim + 1] * max(shape[dim + 1], 1)
    meta = TensorMeta(torch.Size(shape), tuple(stride), dtype)
    return DTensorSpec(device_mesh, tuple(placements), meta)
