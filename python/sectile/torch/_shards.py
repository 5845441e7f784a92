"""A matrix whose rows are spread over ranks, in memory of the library: any rank reads all of it, and
adds to it, without a call of the rank that stores the rows.

Rows are read in panels. In the memory of the host they are read in place. Others arrive in buffers of a
workspace, and sums leave from there.
"""

from __future__ import annotations

import itertools
import math
import weakref
from typing import Any, ContextManager, Hashable, Iterator, Sequence

import torch

from .._layout import Range, find_layout
from .._native import ffi, lib
from .._storage import Storage
from .._world import World
from ._device import device_of
from ._workspace import Panel, Source, Workspace

# How the library stores a type: halves are only copied there.
_STORED = {
    torch.float32: lib.SCT_F32,
    torch.float64: lib.SCT_F64,
    torch.float16: lib.SCT_F16,
    torch.bfloat16: lib.SCT_F16,
}
#: What can be spread so.
TYPES = frozenset(_STORED)


def _cut(rows: Range, most: int) -> list[Range]:
    low, high = rows
    return [(at, min(at + most, high)) for at in range(low, high, most)]


def _by_turns(panels: list[list[Panel]]) -> list[Panel]:
    """The first panels of all lists, then the second ones. Where each list is that of a rank, all ranks
    send and receive at any time, also where some are behind others."""
    turns = itertools.zip_longest(*panels)
    return [panel for turn in turns for panel in turn if panel is not None]


def _alternating(near: list[Panel], far: list[Panel]) -> list[Panel]:
    """The panels in an order in which those from afar have time to arrive."""
    if not far:
        return near
    ordered, taken = [], 0
    for number, panel in enumerate(far):
        upto = -(-len(near) * (number + 1) // len(far))
        ordered += [*near[taken:upto], panel]
        taken = upto
    return ordered


class Shards:
    """Rows of a matrix, those in ``ranges[i]`` with the rank ``owners[i]``. Collective to make.

    ``local`` has the rows of this rank, and keeps the memory of all. ``reads`` are the panels in the order in
    which they are read, ``parts`` those in which sums are added.
    """

    def __init__(
        self,
        world: World,
        workspace: Workspace,
        ranges: Sequence[Range],
        owners: Sequence[int],
        cols: int,
        dtype: torch.dtype,
    ):
        self._device, self._workspace = device_of(world), workspace
        self.dtype, self._cols = dtype, cols
        most = max(self._device.panel // max(cols * dtype.itemsize, 1), 1)
        self._tiles = [(owner, r) for owner, rows in zip(owners, ranges) for r in _cut(rows, most)]
        cuts = ",".join(str(low) for _, (low, _) in self._tiles[1:]) or "-"
        places = ",".join(str(owner) for owner, _ in self._tiles)
        layout = find_layout(
            f"cuts:{cuts}x-@{places}x0@{world.size}x1", (self._tiles[-1][1][1], cols), world.size
        )
        self._storage = Storage(world, _STORED[dtype], layout).create()
        rank = world.ranks.start
        turns = [turn % world.size for turn in range(rank, rank + world.size)]
        self.parts = _by_turns([self._panels_of(turn) for turn in turns])
        self.reads = self._reading(turns)
        self.followers: dict[Hashable, weakref.ref[Source]] = {}
        if any(owner == rank for owner, _ in self._tiles):
            self.local = self._device.memory(self._storage).view(dtype).view(-1, cols)
        else:
            self.local = self._device.empty((0, cols), dtype)

    def _handle(self) -> Any:
        return self._storage.handle()

    def _tiles_of(self, rank: int) -> list[tuple[int, Range]]:
        return [(i, rows) for i, (owner, rows) in enumerate(self._tiles) if owner == rank]

    def _panels_of(self, rank: int) -> list[Panel]:
        tiles = self._tiles_of(rank)
        return [Panel(slice(*rows), i, self._in_place(i, rows)) for i, rows in tiles]

    def _whole_of(self, rank: int) -> Panel:
        """What a rank of this host stores, which lies in one piece."""
        (first, (low, _)), *_ = tiles = self._tiles_of(rank)
        rows = low, tiles[-1][1][1]
        return Panel(slice(*rows), first, self._in_place(first, rows))

    def _reading(self, turns: list[int]) -> list[Panel]:
        """The panels in the order in which they are read. Where no rank is on another host, they are as
        large as can be, since products of these take less time; but not of halves, which may be cast."""
        far = [panel for panel in self.parts if panel.memory is None]
        if far or self.dtype.itemsize == 2:
            return _alternating([p for p in self.parts if p.memory is not None], far)
        return [self._whole_of(turn) for turn in turns if self._tiles_of(turn)]

    def _in_place(self, tile: int, rows: Range) -> torch.Tensor | None:
        block = ffi.new("sct_block *")
        if lib.sct_matrix_tile(self._handle(), (tile, 0), 0, block) != lib.SCT_OK:
            return None
        shape = rows[1] - rows[0], self._cols
        address, nbytes = int(ffi.cast("uintptr_t", block.data)), math.prod(shape) * self.dtype.itemsize
        return self._device.shown(address, nbytes, self._storage).view(self.dtype).view(shape)

    def _block(self, memory: torch.Tensor) -> Any:
        return ffi.new(
            "sct_block *",
            {
                "data": ffi.cast("void *", self._device.address(memory)),
                "ld": self._cols,
                "rows": memory.shape[0],
                "cols": self._cols,
                "order": lib.SCT_ROW_MAJOR,
            },
        )

    def shape_of(self, panel: Panel) -> tuple[int, int]:
        return panel.rows.stop - panel.rows.start, self._cols

    def get(self, panel: Panel, to: torch.Tensor, request: Any) -> int:
        tile = panel.tile, 0
        started: int = lib.sct_matrix_get_tile_async(self._handle(), tile, 0, self._block(to), request)
        return started

    def panels(self, kind: Hashable) -> Iterator[tuple[slice, torch.Tensor]]:
        """All rows, in panels, as a workspace reads them."""
        return self._workspace.panels(self, kind)

    def adding(self, panel: Panel) -> ContextManager[torch.Tensor]:
        """A buffer to be filled with what is then added to the rows of a panel, one of `parts`."""
        tile = panel.tile, 0

        def send(part: torch.Tensor, request: Any) -> int:
            started: int = lib.sct_matrix_accumulate_tile_async(
                self._handle(), tile, 0, self._block(part), request
            )
            return started

        return self._workspace.leaving(self.shape_of(panel), self.dtype, send)
