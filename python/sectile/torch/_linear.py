"""Products of an activation, of any number of dimensions, and the weights of linear layers.

Activation, weights and result have any placements. Several weights that are cut along their rows are
multiplied together, as one weight that has the rows of all: the activation is moved once, and so is its
gradient.
"""

from __future__ import annotations

from typing import Any, Sequence

import torch
from torch.distributed.tensor import DTensor, Placement, zeros
from torch.distributed.tensor._dtensor_spec import DTensorSpec

from ._local import Operand
from ._matmul import gradient_placements
from ._operations import by_rows, collective, local_of, sharding_of, site_of, world_of
from ._product import multiply
from ._sharding import stays


def _matrix(tensor: DTensor) -> Operand:
    """A tensor as a matrix: its last dimension is the columns."""
    site = site_of(tensor.device_mesh)
    sharding = sharding_of(tensor._spec, site.mesh).flattened()
    assert sharding is not None
    local = local_of(tensor)
    return Operand(sharding, local.reshape(-1, local.shape[-1]), site.coordinate)


def _placed(local: torch.Tensor, like: DTensor, shape: Sequence[int]) -> DTensor:
    """A tensor of this shape, with the placements of another."""
    spec = by_rows(like.device_mesh, like.placements, shape, like.dtype)
    return DTensor(local, spec, requires_grad=False)


def _multiply(
    a: Operand, b: Operand, mesh: Any, placements: Sequence[Placement], shape: Any, scale: float = 1
) -> DTensor:
    """``scale a @ b`` as a tensor of this shape."""
    spec = by_rows(mesh, placements, shape, a.local.dtype)
    site = site_of(mesh)
    sharding = sharding_of(spec, site.mesh)
    result = sharding.flattened()
    assert result is not None
    if scale == 1 and stays(a.sharding, b.sharding, result):
        local = torch.mm(a.local, b.local)
    else:
        local = multiply(world_of(site), a, b, result, scale)
    return DTensor(local.view(sharding.local_shape(site.coordinate)), spec, requires_grad=False)


def _joined(weights: Sequence[DTensor]) -> DTensor:
    """Weights whose local tensors lie one behind another, as one weight."""
    first, local = weights[0], weights[0]._local_tensor
    if len(weights) == 1:
        return first
    rows = sum(weight._local_tensor.shape[0] for weight in weights)
    shape = (sum(weight.shape[0] for weight in weights), first.shape[1])
    return _placed(local.as_strided((rows, local.shape[1]), local.stride()), first, shape)


def _parts(whole: DTensor, weights: Sequence[DTensor], dim: int) -> list[DTensor]:
    """What belongs to each weight of a tensor that has the rows of all along a dimension."""
    if len(weights) == 1:
        return [whole]
    counts = [weight._local_tensor.shape[0] for weight in weights]
    locals = torch.split(whole._local_tensor, counts, dim)
    shapes = ([*whole.shape[:dim], weight.shape[0], *whole.shape[dim + 1 :]] for weight in weights)
    return [_placed(local, whole, shape) for local, shape in zip(locals, shapes)]


def _whole(
    parts: Sequence[DTensor | None], weights: Sequence[DTensor], like: DTensorSpec
) -> DTensor:
    """Parts of the last dimension as one tensor, which is placed as it is said; None are zeros."""
    locals = []
    for part, weight in zip(parts, weights):
        if part is None:
            size = (*like.shape[:-1], weight.shape[0])
            part = zeros(*size, dtype=weight.dtype, device_mesh=like.mesh, placements=like.placements)
        locals.append(local_of(part.redistribute(placements=like.placements)))
    return DTensor(locals[0] if len(locals) == 1 else torch.cat(locals, -1), like, requires_grad=False)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: DTensor, placements: Sequence[Placement], scale: float, *weights: DTensor
    ) -> tuple[DTensor, ...]:
        weight = _joined(weights)
        shape = (*x.shape[:-1], weight.shape[0])
        y = _multiply(_matrix(x), _matrix(weight).swapped(), x.device_mesh, placements, shape)
        ctx.save_for_backward(x, *weights)
        ctx.scale, ctx.spec = scale, y._spec
        ctx.set_materialize_grads(False)
        return tuple(_parts(y, weights, y.ndim - 1))

    @staticmethod
    def backward(ctx: Any, *grads: DTensor | None) -> tuple[Any, ...]:
        x, *weights = ctx.saved_tensors
        mesh = x.device_mesh
        weight, grad = _joined(weights), _matrix(_whole(grads, weights, ctx.spec))
        found: list[Any] = [None] * (3 + len(weights))
        if ctx.needs_input_grad[0]:
            found[0] = _multiply(grad, _matrix(weight), mesh, gradient_placements(x), x.shape)
        if any(ctx.needs_input_grad[3:]):
            placements = gradient_placements(weight)
            whole = _multiply(grad.swapped(), _matrix(x), mesh, placements, weight.shape, ctx.scale)
            parts = _parts(whole, weights, 0)
            found[3:] = [part if given is not None else None for part, given in zip(parts, grads)]
        return tuple(found)


@collective
def linear(
    x: DTensor, weights: Sequence[DTensor], placements: Sequence[Placement], scale: float = 1
) -> list[DTensor]:
    """Returns ``x @ weight.T`` for each weight, with these placements; the gradients of the weights are
    multiplied by ``scale``. Collective, differentiable."""
    return list(_Linear.apply(x, tuple(placements), scale, *weights))
