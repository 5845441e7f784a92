"""Products of an activation, of any number of dimensions, and the weights of linear layers.

Activation, weights and result have any placements. Several weights that are cut along their rows are
multiplied together, as one weight that has the rows of all: the activation is moved once, and so is its
gradient.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch.distributed.tensor import DTensor, Placement, zeros
from torch.distributed.tensor._dtensor_spec import DTensorSpec

from ._matmul import gradient_placements
from ._operations import collective, local_in, local_of, sharding_of
from ._operator import Product, computed, is_traced, joined
from ._sharding import Sharding, stays
from ._site import site_of
from ._specs import by_rows


class Summed(NamedTuple):
    """How the gradients of weights are added up: multiplied by a factor, and in a type, by default that of the weights."""

    scale: float = 1
    kind: torch.dtype | None = None

    def wider(self, weight: DTensor, than: torch.dtype) -> torch.dtype | None:
        """The type of sums, if it is wider than that of what is multiplied."""
        kind = self.kind or weight.dtype
        return kind if kind.itemsize > than.itemsize else None

    def rounded(self, sums: torch.Tensor) -> torch.Tensor:
        return sums if self.kind is None or self.kind.itemsize >= sums.dtype.itemsize else sums.to(self.kind)


class _Factor(NamedTuple):
    """A matrix, of whose local part this rank may have pieces, one behind another."""

    sharding: Sharding
    pieces: list[torch.Tensor]
    order: str = "C"

    def swapped(self) -> _Factor:
        return _Factor(self.sharding.swapped(), [piece.t() for piece in self.pieces], "F")

    @property
    def local(self) -> torch.Tensor:
        return joined(self.pieces, self.order)


def _matrix(tensors: Sequence[DTensor], name: str) -> _Factor:
    """Tensors as one matrix that has the rows of all; their last dimension is the columns."""
    first = tensors[0]
    site = site_of(first.device_mesh)
    (sharding, *_), locals = zip(*(local_in(tensor, site, name) for tensor in tensors))
    if len(tensors) > 1:
        spec = by_rows(first.device_mesh, first.placements, _shape(tensors), first.dtype)
        sharding = sharding_of(spec, site.mesh)
    flat = sharding.flattened()
    assert flat is not None
    return _Factor(flat, [local.reshape(-1, local.shape[-1]) for local in locals])


def _shape(weights: Sequence[DTensor]) -> tuple[int, ...]:
    """That of one weight which has the rows of all."""
    return sum(weight.shape[0] for weight in weights), *weights[0].shape[1:]


def _placed(local: torch.Tensor, like: DTensor, shape: Sequence[int]) -> DTensor:
    """A tensor of this shape, with the placements of another."""
    spec = by_rows(like.device_mesh, like.placements, shape, like.dtype)
    return DTensor(local, spec, requires_grad=False)


def _multiply(
    a: _Factor,
    b: _Factor,
    mesh: Any,
    placements: Sequence[Placement],
    shape: Any,
    scale: float = 1,
    calls: int = 0,
    timed: bool = True,
    kind: torch.dtype | None = None,
) -> DTensor:
    """``scale a @ b`` as a tensor of this shape, and of a wider type if one is given, which serves so many calls. It
    is computed by torch, if it is `timed` and that takes less time."""
    dtype = kind or a.pieces[0].dtype
    spec = by_rows(mesh, placements, shape, dtype)
    site = site_of(mesh)
    sharding = sharding_of(spec, site.mesh)
    result = sharding.flattened()
    assert result is not None
    if scale == 1 and stays(a.sharding, b.sharding, result):
        local = torch.mm(a.local, b.local).to(dtype)
    else:
        operands = (a.sharding, a.order), (b.sharding, b.order)
        product = Product(site, operands, result, scale, calls=calls, timed=timed, kind=kind)
        local = computed(product, a.local, b.pieces)
    return DTensor(local.view(sharding.local_shape(site.coordinate)), spec, requires_grad=False)


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
        ctx: Any,
        x: DTensor,
        placements: Sequence[Placement],
        summed: Summed,
        how: dict[str, bool],
        cast: Sequence[DTensor],
        *weights: DTensor,
    ) -> tuple[DTensor, ...]:
        shape = (*x.shape[:-1], _shape(weights)[0])
        factors = _matrix([x], "activation"), _matrix(cast, "weight").swapped()
        counted = how["counted"] or is_traced(x._local_tensor)
        calls, timed = (len(weights), True) if counted else (0, how["timed"])
        y = _multiply(*factors, x.device_mesh, placements, shape, calls=calls, timed=timed)
        ctx.save_for_backward(x, *cast)
        ctx.summed, ctx.kind = summed, summed.wider(weights[0], x.dtype)
        ctx.dtype = weights[0].dtype
        ctx.spec = by_rows(y.device_mesh, gradient_placements(y), y.shape, y.dtype)  # of the gradient
        ctx.set_materialize_grads(False)
        return tuple(_parts(y, weights, y.ndim - 1))

    @staticmethod
    def backward(ctx: Any, *grads: DTensor | None) -> tuple[Any, ...]:
        x, *weights = ctx.saved_tensors
        mesh = x.device_mesh
        grad = _matrix([_whole(grads, weights, ctx.spec)], "gradient")
        found: list[Any] = [None] * (5 + len(weights))
        if ctx.needs_input_grad[0]:
            found[0] = _multiply(grad, _matrix(weights, "weight"), mesh, gradient_placements(x), x.shape)
        if any(ctx.needs_input_grad[5:]):
            placements = gradient_placements(weights[0])
            shape = _shape(weights)
            rows = _matrix([x], "activation")
            sums = _multiply(grad.swapped(), rows, mesh, placements, shape, ctx.summed.scale, kind=ctx.kind)
            local = ctx.summed.rounded(sums._local_tensor).to(ctx.dtype)
            spec = by_rows(mesh, placements, shape, ctx.dtype)
            parts = _parts(DTensor(local, spec, requires_grad=False), weights, 0)
            found[5:] = [part if given is not None else None for part, given in zip(parts, grads)]
        return tuple(found)


@collective
def linear(
    x: DTensor,
    weights: Sequence[DTensor],
    placements: Sequence[Placement],
    summed: Summed = Summed(),
    cast: Sequence[DTensor] | None = None,
    timed: bool = True,
    counted: bool = False,
) -> list[DTensor]:
    """Returns ``x @ weight.T`` for each weight, with these placements. If the weights have another type than the
    activation, `cast` are the same in that type.

    Products are torch's where that takes less time, in a forward pass that is not traced only if they are to be
    `timed`. There, what becomes of them is counted only if it is to be `counted`; in a graph, when it runs. Collective,
    differentiable.
    """
    how = {"timed": timed, "counted": counted}
    given = x, tuple(placements), summed, how, tuple(weights if cast is None else cast)
    return list(_Linear.apply(*given, *weights))
