"""Operators of torch on local tensors. Graphs that torch.compile makes, and whatever observes operators, see
these in place of the calls of the library that they make."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._library.effects import EffectType

_library: Any = torch.library.Library("sectile", "DEF")  # type: ignore[no-untyped-call]


def define(
    schema: str, run: Callable[..., Any], fake: Callable[..., Any], kept: bool = False
) -> Any:
    """Makes an operator, and returns it. `fake` makes its results without elements, for graphs. If it is to be
    `kept`, graphs call it also where nothing uses its results."""
    name = schema[: schema.index("(")]
    _library.define(schema, tags=[torch.Tag.needs_exact_strides])
    _library.impl(name, run, "CPU")
    torch.library.register_fake(f"sectile::{name}", fake, lib=_library)
    if kept:
        _library._register_effectful_op(f"sectile::{name}", EffectType.ORDERED)
    return getattr(torch.ops.sectile, name).default


def differentiate(
    operator: Any, backward: Callable[..., Any], setup_context: Callable[..., None]
) -> None:
    """Gives an operator its gradients, as torch.library.register_autograd does."""
    torch.library.register_autograd(operator, backward, setup_context=setup_context, lib=_library)
