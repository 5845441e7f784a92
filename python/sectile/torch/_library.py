"""Operators of torch on local tensors. Graphs that torch.compile makes, and whatever observes operators, see
these in place of the calls of the library that they make."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._library.effects import EffectType

from .._errors import BadArgumentError
from ._device import DEVICES
from ._versions import is_exporting

_library: Any = torch.library.Library("sectile", "DEF")  # type: ignore[no-untyped-call]


def define(
    schema: str, run: Callable[..., Any], fake: Callable[..., Any], kept: bool = False
) -> Any:
    """Makes an operator, and returns it. `fake` makes its results without elements, for graphs. If it is to be
    `kept`, graphs call it also where nothing uses its results."""
    name = schema[: schema.index("(")]
    _library.define(schema, tags=[torch.Tag.needs_exact_strides])
    for kind in DEVICES:
        _library.impl(name, run, torch._C._dispatch_key_for_device(kind))
    torch.library.register_fake(f"sectile::{name}", fake, lib=_library)
    if kept:
        _library._register_effectful_op(f"sectile::{name}", EffectType.ORDERED)
    return getattr(torch.ops.sectile, name).default


def differentiate(
    operator: Any, backward: Callable[..., Any], setup_context: Callable[..., None]
) -> None:
    """Gives an operator its gradients, as torch.library.register_autograd does."""
    torch.library.register_autograd(operator, backward, setup_context=setup_context, lib=_library)


def refuse_export(what: str, instead: str) -> None:
    """PyTorch can export DTensors that its own operations make, but none that are made of local tensors; and no
    program outlives the shards that other ranks have."""
    if is_exporting():
        raise BadArgumentError(f"{what}: torch.export cannot trace it; {instead}")
