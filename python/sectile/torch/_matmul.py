"""Products and copies whose placements and meshes the caller chooses, for autograd, too."""

from __future__ import annotations

from typing import Any, Sequence, cast

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate
from torch.distributed.tensor._dtensor_spec import DTensorSpec

from .._errors import BadArgumentError, BadTypeError, kind_of
from ._calls import count
from ._library import refuse_export
from ._local import TYPES
from ._operations import (
    DYNAMIC,
    Call,
    checked_placements,
    collective_across,
    compute,
    compute_across,
    local_of,
    move_across,
    placements_for,
    spec_of,
    why_not,
    why_not_moved,
    why_not_of,
)
from ._specs import by_rows
from ._versions import nonstrict_trace


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
    def forward(
        ctx: Any, a: DTensor, b: DTensor, placements: Sequence[Placement], mesh: Any
    ) -> DTensor:
        ctx.save_for_backward(a, b)
        call = Call(a, b)
        spec = spec_of(call, placements, mesh)
        ctx.after = None  # how the gradient is placed, if not all ranks can see that
        if a.device_mesh == b.device_mesh == mesh and mesh.get_coordinate() is not None:
            return compute(call, spec, calls=1)
        made = compute_across(a, b, spec)
        ctx.after = _gradient_spec(made)
        return made

    @staticmethod
    def backward(ctx: Any, grad: DTensor) -> tuple[Any, ...]:
        a, b = ctx.saved_tensors
        grad = grad if ctx.after is None else _placed(grad, ctx.after)
        grads: list[Any] = [None, None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = product(grad, _adjoint(b), gradient_placements(a), a.device_mesh)
        if ctx.needs_input_grad[1]:
            grads[1] = product(_adjoint(a), grad, gradient_placements(b), b.device_mesh)
        return tuple(grads)


def gradient_placements(tensor: DTensor) -> list[Placement]:
    """Where a gradient is wanted: beside its tensor. Each part of a sum has the whole gradient."""
    return [Replicate() if isinstance(how, Partial) else how for how in tensor.placements]


def product(a: DTensor, b: DTensor, placements: Sequence[Placement], mesh: Any = None) -> DTensor:
    """Computes ``a @ b`` with these placements on a mesh, by default that of a. Collective,
    differentiable."""
    result: DTensor = _Product.apply(a, b, tuple(placements), mesh or a.device_mesh)
    return result


def matmul(
    a: DTensor,
    b: DTensor,
    out_placements: Sequence[Placement] | None = None,
    out_mesh: DeviceMesh | None = None,
) -> DTensor:
    """Computes ``a @ b`` of two matrices, or of two batches of matrices. Collective.

    The operands may have any placements on one mesh, and stay where they are; the result has those
    that you ask for, or is cut as the operands are. Gradients have the placements of their tensors.

    With ``out_mesh`` and ``out_placements``, the result is on that mesh, and the operands may be on others.
    All ranks of the meshes make the call, and other ranks may: a DTensor is empty outside of its mesh.

    >>> a = distribute_tensor(torch.eye(4), mesh, [Shard(1)])
    >>> sectile.torch.matmul(a, a, out_placements=[Shard(0)]).to_local()
    tensor([[1., 0., 0., 0.],
            [0., 1., 0., 0.],
            [0., 0., 1., 0.],
            [0., 0., 0., 1.]])
    """
    refuse_export("matmul", "it can trace a @ b")
    return _matmul(a, b, out_placements, out_mesh)


@nonstrict_trace
@collective_across
def _matmul(
    a: DTensor,
    b: DTensor,
    out_placements: Sequence[Placement] | None = None,
    out_mesh: DeviceMesh | None = None,
) -> DTensor:
    call = Call(a, b)
    why = why_not(call) if out_mesh is None else _why_not_across(a, b)
    if why is None and not (a.ndim == b.ndim in (2, 3)):
        why = "the operands are not two matrices, or two batches of them"
    if why is None and (a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]):
        why = f"the operands are {tuple(a.shape)} and {tuple(b.shape)}"
    if why is None and out_mesh is not None and out_placements is None:
        why = "out_mesh needs out_placements"
    if why == DYNAMIC:
        count(passed_on=why)
        c = cast(DTensor, torch.matmul(a, b))
        return c if out_placements is None else c.redistribute(placements=out_placements)
    if why is not None:
        raise BadArgumentError(f"matmul: {why}")
    if out_placements is None:
        return product(a, b, placements_for(call))
    mesh = a.device_mesh if out_mesh is None else out_mesh
    if mesh.device_type != a.device_mesh.device_type:
        raise BadArgumentError("matmul: out_mesh has devices of another kind than the operands")
    placements = checked_placements("matmul", mesh, out_placements, a.ndim, inside=out_mesh is None)
    return product(a, b, placements, mesh)


def _why_not_across(a: Any, b: Any) -> str | None:
    if not isinstance(a, DTensor) or not isinstance(b, DTensor):
        return "an operand is not a DTensor"
    why = why_not_of((a, b))
    return None if why == DYNAMIC else why  # it is traced for the sizes that tensors have


class _Redistributed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: DTensor, mesh: Any, placements: Sequence[Placement]) -> DTensor:
        moved = move_across(tensor, by_rows(mesh, placements, tensor.shape, tensor.dtype))
        ctx.before, ctx.after = _gradient_spec(tensor), _gradient_spec(moved)
        return moved

    @staticmethod
    def backward(ctx: Any, grad: DTensor) -> tuple[Any, ...]:
        return move_across(_placed(grad, ctx.after), ctx.before), None, None


def _placed(grad: DTensor, spec: DTensorSpec) -> DTensor:
    """A gradient where all ranks take it to be: outside of its mesh, torch does not say how it is placed."""
    inside = spec.mesh.get_coordinate() is not None
    given = grad.redistribute(placements=spec.placements) if inside else grad
    return DTensor(local_of(given), spec, requires_grad=False)


def _gradient_spec(tensor: DTensor) -> DTensorSpec:
    return by_rows(tensor.device_mesh, gradient_placements(tensor), tensor.shape, tensor.dtype)


def redistribute(
    tensor: DTensor, device_mesh: DeviceMesh, placements: Sequence[Placement]
) -> DTensor:
    """Moves a DTensor to another mesh, and to these placements there. Collective over the ranks of both.

    The meshes may have ranks in common, or none. A DTensor is empty outside of its mesh. Each
    rank of the new mesh fetches its part from the ranks that have it. Elements are of any type; those of a
    `Partial` are added up. The gradient moves back.

    >>> a = distribute_tensor(torch.eye(2), mesh, [Shard(1)])
    >>> sectile.torch.redistribute(a, mesh, [Replicate()]).to_local()
    tensor([[1., 0.],
            [0., 1.]])
    """
    refuse_export("redistribute", "it can trace what runs before and after")
    return _redistribute(tensor, device_mesh, placements)


@nonstrict_trace
@collective_across
def _redistribute(
    tensor: DTensor, device_mesh: DeviceMesh, placements: Sequence[Placement]
) -> DTensor:
    if not isinstance(tensor, DTensor):
        raise BadTypeError(f"redistribute: {kind_of(tensor)} is not a DTensor")
    dims = tensor.ndim
    placements = checked_placements("redistribute", device_mesh, placements, dims, inside=False)
    why = why_not_moved([tensor])
    why = None if why == DYNAMIC else why
    kinds = {tensor.device_mesh.device_type, device_mesh.device_type, tensor._local_tensor.device.type}
    if why is None and len(kinds) > 1:
        why = "the tensor is not in the memory of the devices of both meshes"
    if why is None and any(isinstance(how, Partial) for how in tensor.placements) and tensor.dtype not in TYPES:
        why = f"a sum of elements of type {tensor.dtype}"
    if why is not None:
        raise BadArgumentError(f"redistribute: {why}")
    moved: DTensor = _Redistributed.apply(tensor, device_mesh, placements)
    return moved
