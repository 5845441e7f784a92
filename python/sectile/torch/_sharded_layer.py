"""Linear layers whose weights are spread over ranks that have rows of their own: each rank multiplies
its rows by the shards of all, which it reads while it computes, and adds to the gradients of all."""

from __future__ import annotations

import sys
from typing import Any, Iterable, Iterator, NamedTuple, cast

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard

from .._layout import Range
from .._processes import ProcessWorld
from ._calls import count
from ._choice import Choice
from ._device import device_of, multiply_by_torch
from ._local import rows_of
from ._operations import local_in
from ._profile import named
from ._sharded_operator import linear, ticket_of
from ._shards import Shards
from ._site import site_at, site_of, world_of
from ._steps import Steps, in_backward


class Spread(NamedTuple):
    """The ranks over which weights are spread: by their rows along the last dimension of a mesh; those
    along the first, if it has two, have copies."""

    mesh: DeviceMesh
    world: ProcessWorld  # of the ranks along the last dimension
    owners: tuple[int, ...]  # their ranks in the world
    place: int
    copy: int

    @property
    def copies(self) -> int:
        return self.mesh.size() // len(self.owners)

    def rows_of(self, place: int, rows: int) -> Range:
        """The rows at a place, as torch.chunk cuts them."""
        size = -(-rows // len(self.owners))
        return min(place * size, rows), min((place + 1) * size, rows)

    def spread(self, weight: torch.Tensor) -> DTensor:
        """This rank's rows of a weight that all have."""
        low, high = self.rows_of(self.place, weight.shape[0])
        how: list[Placement] = [Replicate()] * (self.mesh.ndim - 1) + [Shard(0)]
        return DTensor.from_local(
            weight.detach()[low:high].clone(memory_format=torch.contiguous_format),
            self.mesh,
            how,
            run_check=False,
            shape=weight.shape,
            stride=(weight.shape[1], 1),
        )


def spread_over(mesh: DeviceMesh) -> Spread:
    """Collective."""
    coordinate = site_of(mesh).coordinate
    assert coordinate is not None  # torch shards on the ranks of the mesh alone
    *copy, place = coordinate
    along = mesh.mesh[tuple(copy)].tolist()
    site = site_at((len(along),), along, dist.get_rank(), kind=mesh.device_type)
    return Spread(mesh, world_of(site), site.mesh.ranks, place, copy[0] if copy else 0)


def _alternate(one: Iterable[float], other: Iterable[float]) -> None:
    """Takes the steps of both, so that of both about the same part is done at any time."""
    ways = [iter(one), iter(other)]
    done = [0.0, 0.0]
    while min(done) < 1:
        way = done.index(min(done))
        done[way] = next(ways[way], 1)


class ShardedLayer:
    """What a linear layer calls instead of its forward function."""

    def __init__(self, module: nn.Linear, spread: Spread, policy: MixedPrecisionPolicy):
        self._module = module
        self._spread = spread
        self._device = device_of(spread.world)
        self._dtype = policy.param_dtype
        self._reduced = policy.reduce_dtype
        self._shards: Shards | None = None
        self._low: Shards | None = None  # the same in the type in which they are multiplied
        self._sums: Shards | None = None  # of the gradient
        self._given: DTensor | None = None  # the gradient, in the memory of the sums
        self.divisor = float(spread.mesh.size())  #: of the sum of the gradients of ranks
        self.touched = False
        self.forward_way, self.backward_way = Choice(self._device), Choice(self._device)
        self._last_way: str | None = None  # why torch has computed the last product of a forward pass, if so
        self.steps = Steps(spread.world)
        self.steps.take([self])
        self._ticket = ticket_of(self)

    @property
    def world(self) -> ProcessWorld:
        return self._spread.world

    @property
    def _weight(self) -> DTensor:
        return cast(DTensor, self._module.weight)

    # ---- Steps ----

    def _made(self, before: Shards | None, dtype: torch.dtype) -> Shards:
        """Memory for the weight, or something of its shape. Collective, unless it is there already."""
        if before is not None and before.dtype == dtype:
            return before
        rows, cols = self._weight.shape
        owners = self._spread.owners
        ranges = [self._spread.rows_of(place, rows) for place in range(len(owners))]
        return Shards(self.world, self.steps.workspace, ranges, owners, cols, dtype)

    @torch.no_grad()
    def begin_forward(self) -> None:
        """Has the weight in memory that others read: it may have been replaced."""
        _, local = local_in(self._weight, site_of(self._spread.mesh), "weight")
        if local.is_meta:
            raise RuntimeError("a weight is on the device meta: call to_empty, and initialise it")
        self._shards = self._made(self._shards, local.dtype)
        mine = self._shards.local
        if local.data_ptr() != mine.data_ptr():
            mine.copy_(local)
            local.data = mine
        if self._dtype is not None and self._dtype != local.dtype:
            self._low = self._made(self._low, self._dtype)
            self._low.local.copy_(mine)

    def _rounded(self, sums: torch.Tensor) -> torch.Tensor:
        """What ranks add to a gradient, and their sum, in the type in which they are to be reduced: the library
        adds halves in f32."""
        half = self._reduced is not None and self._reduced.itemsize == 2
        return sums.to(self._reduced) if half else sums

    def _sums_are_apart(self) -> bool:
        """Whether sums have another type than the gradient."""
        kind = self._weight.dtype
        return self._sums is not None and not (self._sums.dtype == kind == (self._reduced or kind))

    @torch.no_grad()
    def begin_backward(self) -> None:
        """Has the memory of the sums begin with the gradient that there is."""
        self.touched = False
        if not self._weight.requires_grad:
            return
        kind = self._reduced or self._weight.dtype
        self._sums = self._made(self._sums, torch.float32 if kind.itemsize == 2 else kind)
        grad, sums = cast(Any, self._weight.grad), self._sums.local
        if grad is None:
            self._take_back()
        # Of several copies, which are added up, one has the gradient.
        if grad is None or self._sums_are_apart() or self._spread.copy > 0:
            sums.zero_()
        elif grad._local_tensor.data_ptr() != sums.data_ptr():
            sums.copy_(grad._local_tensor)

    def _take_back(self) -> None:
        """Leaves a gradient that the program has kept a copy."""
        given, self._given = self._given, None
        if given is not None and sys.getrefcount(given) > 2:
            given._local_tensor = given._local_tensor.clone()

    @torch.no_grad()
    def end_backward(self, touched: bool) -> None:
        """Gives the weight its gradient."""
        grad = cast(Any, self._weight.grad)
        if not self._weight.requires_grad or not (touched or grad is not None):
            return
        assert self._sums is not None
        sums = self._sums.local
        if self._spread.copies > 1:
            dist.all_reduce(sums, group=self._spread.mesh.get_group(0))
        if self._sums_are_apart():
            found = self._rounded(sums).to(self._weight.dtype)
            sums = found if grad is None else found.add_(grad._local_tensor)
        if grad is None or grad._local_tensor.data_ptr() != sums.data_ptr():
            self._given = DTensor(sums, self._weight._spec, requires_grad=False)
            self._weight.grad = self._given
        hooks = getattr(self._weight, "_post_accumulate_grad_hooks", None) or {}
        for hook in hooks.values():
            hook(self._weight)

    # ---- Products ----

    @property
    def _read(self) -> Shards:
        found = self._shards if self._low is None else self._low
        assert found is not None
        return found

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x @ weight.T``"""
        try:
            self.steps.enter()
            return self._product(x)
        finally:
            self.steps.leave()

    def backward(
        self, grad: torch.Tensor, x: torch.Tensor, of_x: bool, of_weight: bool
    ) -> torch.Tensor | None:
        """Returns ``grad @ weight``, and adds ``grad.T @ x`` to what all ranks have of it, if they are wanted."""
        self.steps.backward()
        return self._gradients(grad, x, of_x, of_weight)

    def _product(self, x: torch.Tensor) -> torch.Tensor:
        self._check(x)
        kind = self._device.computed_in(x.dtype)
        rows = rows_of(x.to(kind))
        y = x.new_empty((*x.shape[:-1], self._weight.shape[0]), dtype=kind)
        into = y.view(rows.shape[0], y.shape[-1])
        if in_backward():  # what is computed again must be computed in the same way
            why = self._last_way
            self._multiply(rows, into, "again", why is None)
        else:
            why = self._last_way = self.forward_way.why_not()
            with self.forward_way.taking(rows.shape[0]):
                self._multiply(rows, into, "forward", why is None)
        count(served=why is None, passed_on=why)
        return y.to(x.dtype)

    def _multiply(self, rows: torch.Tensor, into: torch.Tensor, kind: str, ours: bool) -> None:
        if into.numel() == 0:
            return
        with named("linear", rows, self._weight):
            if not ours:
                multiply_by_torch(rows, self._whole(kind, rows.dtype).t(), into)
                return
            for at, panel in self._read.panels(kind):
                self._device.multiply(rows, panel.to(rows.dtype).t(), into[:, at])

    def _whole(self, kind: str, dtype: torch.dtype) -> torch.Tensor:
        """The weight of all ranks."""
        whole = self._device.empty(self._weight.shape, dtype)
        for at, panel in self._read.panels(kind):
            whole[at] = panel
        return whole

    def _gradients(
        self, grad: torch.Tensor, x: torch.Tensor, of_x: bool, of_weight: bool
    ) -> torch.Tensor | None:
        kind = self._device.computed_in(grad.dtype)
        rows, cols = rows_of(grad.to(kind)), rows_of(x.to(kind))
        sums = torch.float32 if kind == torch.bfloat16 else kind
        found = grad.new_empty(x.shape, dtype=sums) if of_x else None
        into = None if found is None else found.view(cols.shape)
        ours = self.backward_way.why_not() is None
        with named("gradients", rows, cols), self.backward_way.taking(rows.shape[0]):
            if rows.shape[0] > 0:
                (self._by_panels if ours else self._by_torch)(rows, cols, into, of_weight)
        self.touched |= of_weight
        return None if found is None else found.to(grad.dtype)

    def _by_panels(
        self, rows: torch.Tensor, cols: torch.Tensor, into: torch.Tensor | None, of_weight: bool
    ) -> None:
        """The steps of both products alternate, so that panels arrive and sums leave all the time."""
        back = [] if into is None else self._back(rows, into)
        adding = self._adding(rows, cols) if of_weight else []
        _alternate(back, adding)

    def _back(self, rows: torch.Tensor, into: torch.Tensor) -> Iterator[float]:
        """Computes the gradient of the activation, and says after each panel how much of it is done."""
        for number, (at, panel) in enumerate(self._read.panels("back")):
            self._device.multiply(rows[:, at], panel.to(rows.dtype), into, add=number > 0)
            yield (number + 1) / len(self._read.reads)

    def _adding(self, rows: torch.Tensor, cols: torch.Tensor) -> Iterator[float]:
        """Adds to the gradient of the weight, likewise."""
        assert self._sums is not None
        for number, panel in enumerate(self._sums.parts):
            with self._sums.adding(panel) as part:
                self._device.multiply(rows[:, panel.rows].t(), cols, part, 1 / self.divisor)
                part.copy_(self._rounded(part))
            yield (number + 1) / len(self._sums.parts)

    def _by_torch(
        self, rows: torch.Tensor, cols: torch.Tensor, into: torch.Tensor | None, of_weight: bool
    ) -> None:
        """Each product at once, with the whole weight and for its whole gradient."""
        if into is not None:
            multiply_by_torch(rows, self._whole("back", rows.dtype), into)
        if not of_weight:
            return
        assert self._sums is not None
        whole = torch.mm(rows.t(), cols).to(self._sums.dtype).div_(self.divisor)
        whole = self._rounded(whole)
        for panel in self._sums.parts:
            with self._sums.adding(panel) as part:
                part.copy_(whole[panel.rows])

    def _check(self, x: torch.Tensor) -> None:
        """Fails as torch's layer does."""
        if not torch.is_autocast_enabled(x.device.type):
            wanted = self._dtype or self._weight.dtype
            if x.dtype != wanted:
                raise RuntimeError(f"expected an activation of {wanted}, not of {x.dtype}")
        if x.ndim == 0 or x.shape[-1] != self._weight.shape[1]:
            shapes = f"{tuple(x.shape)} and {tuple(self._weight.shape)}"
            raise RuntimeError(f"an activation and a weight do not fit together: {shapes}")

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        weight, bias = self._weight, self._module.bias
        ticket = self._ticket if weight.requires_grad else self._ticket.detach()
        y: torch.Tensor = linear(x, ticket, weight.shape[0])
        return y if bias is None else y.add_(bias)
