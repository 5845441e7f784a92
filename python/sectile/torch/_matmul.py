"""A product whose placements the caller chooses, for autograd, too."""

from __future__ import annotations

from typing import Any, Sequence, cast

import torch
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate

from .._errors import BadArgumentError
from ._calls import count
from ._operations import (
    DYNAMIC,
    Call,
    checked_placements,
    collective,
    compute,
    local_of,
    placements_for,
    spec_of,
    why_not,
)


class _Conjugate(torch.autograd.Function):
    """DTensor itself would first add up the parts of a sum."""

    @staticmethod
    def forward(ctx: Any, tensor: DTensor) -> DTensor:
        return DTensor(local_of(tensor).conj(), tensor._spec, requires_grad=False)

    @staticmethod
    def backward(ctx: Any, grad: DTensor) -> DTensor:
        return _conjugate(grad)


def _conjugate(tensor: DTensor) -> DTensor:
    conjugate: DTensor = _Conjugate.apply(tensor) if tensor.is_complex() else tensor
    return conjugate


def _adjoint(tensor: DTensor) -> DTensor:
    return _conjugate(tensor.transpose(-1, -2))  # type: ignore[arg-type]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: DTensor, b: DTensor, placements: Sequence[Placement]) -> DTensor:
        ctx.save_for_backward(a, b)
        call = Call(a, b)
        return compute(call, spec_of(call, placements))

    @staticmethod
    def backward(ctx: Any, grad: DTensor) -> tuple[Any, ...]:
        a, b = ctx.saved_tensors
        grads: list[Any] = [None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = product(grad, _adjoint(b), gradient_placements(a))
        if ctx.needs_input_grad[1]:
            grads[1] = product(_adjoint(a), grad, gradient_placements(b))
        return tuple(grads)


def gradient_placements(tensor: DTensor) -> list[Placement]:
    """Where a gradient is wanted: beside its tensor. Each part of a sum has the whole gradient."""
    return [Replicate() if isinstance(how, Partial) else how for how in tensor.placements]


def product(a: DTensor, b: DTensor, placements: Sequence[Placement]) -> DTensor:
    """Computes ``a @ b`` with these placements. Collective, differentiable."""
    result: DTensor = _Product.apply(a, b, tuple(placements))
    return result


def matmul(
    a: DTensor, b: DTensor, out_placements: Sequence[Placement] | None = None
) -> DTensor:
    """Computes ``a @ b`` of two matrices, or of two batches of matrices. Collective.

    The operands may have any placements on one mesh, and stay where they are; the result has those
    that you ask for, or is cut as the operands are. Gradients have the placements of their tensors.

    >>> a = distribute_tensor(torch.eye(4), mesh, [Shard(1)])
    >>> sectile.torch.matmul(a, a, out_placements=[Shard(0)]).to_local()
    tensor([[1., 0., 0., 0.],
            [0., 1., 0., 0.],
            [0., 0., 1., 0.],
            [0., 0., 0., 1.]])
    """
    if torch.compiler.is_exporting():
        raise BadArgumentError("matmul: torch.export cannot trace it; it can trace a @ b")
    return _matmul(a, b, out_placements)


@torch.compiler.nonstrict_trace
@collective
def _matmul(a: DTensor, b: DTensor, out_placements: Sequence[Placement] | None) -> DTensor:
    call = Call(a, b)
    why = why_not(call)
    if why is None and not (a.ndim == b.ndim in (2, 3)):
        why = "the operands are not two matrices, or two batches of them"
    if why is None and (a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]):
        why = f"the operands are {tuple(a.shape)} and {tuple(b.shape)}"
    if why == DYNAMIC:
        count(passed_on=why)
        c = cast(DTensor, torch.matmul(a, b))
        return c if out_placements is None else c.redistribute(placements=out_placements)
    if why is not None:
        raise BadArgumentError(f"matmul: {why}")
    if out_placements is None:
        return product(a, b, placements_for(call))
    return product(a, b, checked_placements("matmul", a.device_mesh, out_placements, a.ndim))
