"""A matrix whose rows are spread over ranks, in memory of the library: any rank reads all of it, and
adds to it, without a call of the rank that stores the rows.

Rows are read in panels. In the memory of the host they are read in place. Others arrive, in a few
buffers, while the panels before them are used. Sums leave from buffers, too.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple, Sequence

import torch

from .._errors import check
from .._layout import Range, find_layout
from .._native import ffi, lib
from .._storage import Storage
from .._world import World

# The most bytes of a panel; how many are on their way to this rank, or from it.
_PANEL = 2 << 20
_AHEAD = 2
# How the library stores a type: halves are only copied there.
_STORED = {
    torch.float32: lib.SCT_F32,
    torch.float64: lib.SCT_F64,
    torch.float16: lib.SCT_F16,
    torch.bfloat16: lib.SCT_F16,
}
#: What can be spread so.
TYPES = frozenset(_STORED)


class Workspace:
    """Buffers for panels that arrive, and for sums that leave: a rank has one for each world."""

    def __init__(self, world: World):
        self._world = world
        self._memory: dict[int, torch.Tensor] = {}
        self._leaving: list[Any] = [None] * _AHEAD
        self._turn = 0

    @property
    def nbytes(self) -> int:
        return sum(memory.numel() for memory in self._memory.values())

    def buffer(self, number: int, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        size = math.prod(shape) * dtype.itemsize
        memory = self._memory.get(number)
        if memory is None or memory.numel() < size:
            memory = self._memory[number] = torch.empty(max(size, _PANEL), dtype=torch.uint8)
        return memory[:size].view(dtype).view(*shape)

    def wait(self, request: Any) -> None:
        if request is not None:
            with self._world._lock:
                check(lib.sct_wait(request[0]))

    def for_sum(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """A buffer for the next sum that leaves, once the one before has left it."""
        self._turn = (self._turn + 1) % _AHEAD
        leaving, self._leaving[self._turn] = self._leaving[self._turn], None
        self.wait(leaving)
        return self.buffer(-1 - self._turn, shape, dtype)

    def leaves(self, request: Any) -> None:
        self._leaving[self._turn] = request

    def finish(self) -> None:
        """Waits until all sums have been added where they belong."""
        for turn, leaving in enumerate(self._leaving):
            self._leaving[turn] = None
            self.wait(leaving)


class _Panel(NamedTuple):
    rows: slice
    tile: int
    memory: torch.Tensor | None  # None: the rank that stores it is not on this host


def _cut(rows: Range, most: int) -> list[Range]:
    low, high = rows
    return [(at, min(at + most, high)) for at in range(low, high, most)]


def _alternating(near: list[_Panel], far: list[_Panel]) -> list[_Panel]:
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

    ``local`` has the rows of this rank, and keeps the memory of all.
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
        self._world, self._workspace = world, workspace
        self.dtype, self._cols = dtype, cols
        most = max(_PANEL // max(cols * dtype.itemsize, 1), 1)
        self._tiles = [(owner, r) for owner, rows in zip(owners, ranges) for r in _cut(rows, most)]
        cuts = ",".join(str(low) for _, (low, _) in self._tiles[1:]) or "-"
        places = ",".join(str(owner) for owner, _ in self._tiles)
        layout = find_layout(
            f"cuts:{cuts}x-@{places}x0@{world.size}x1", (self._tiles[-1][1][1], cols), world.size
        )
        self._storage = Storage(world, _STORED[dtype], layout).create()
        rank = world.ranks.start
        turns = [turn % world.size for turn in range(rank, rank + world.size)]
        self._panels = [panel for turn in turns for panel in self._panels_of(turn)]
        self._reads = self._reading(turns)
        if any(owner == rank for owner, _ in self._tiles):
            part: Any = self._storage.local(0)
            self.local = torch.from_numpy(part).view(dtype)
        else:
            self.local = torch.empty(0, cols, dtype=dtype)

    def _handle(self) -> Any:
        return self._storage.handle()

    def _tiles_of(self, rank: int) -> list[tuple[int, Range]]:
        return [(i, rows) for i, (owner, rows) in enumerate(self._tiles) if owner == rank]

    def _panels_of(self, rank: int) -> list[_Panel]:
        tiles = self._tiles_of(rank)
        return [_Panel(slice(*rows), i, self._in_place(i, rows)) for i, rows in tiles]

    def _whole_of(self, rank: int) -> _Panel:
        """What a rank of this host stores, which lies in one piece."""
        (first, (low, _)), *_ = tiles = self._tiles_of(rank)
        rows = low, tiles[-1][1][1]
        return _Panel(slice(*rows), first, self._in_place(first, rows))

    def _reading(self, turns: list[int]) -> list[_Panel]:
        """The panels in the order in which they are read. Where no rank is on another host, they are as
        large as can be, since products of these take less time; but not of halves, which may be cast."""
        far = [panel for panel in self._panels if panel.memory is None]
        if far or self.dtype.itemsize == 2:
            return _alternating([p for p in self._panels if p.memory is not None], far)
        return [self._whole_of(turn) for turn in turns if self._tiles_of(turn)]

    def _in_place(self, tile: int, rows: Range) -> torch.Tensor | None:
        block = ffi.new("sct_block *")
        if lib.sct_matrix_tile(self._handle(), (tile, 0), 0, block) != lib.SCT_OK:
            return None
        shape = rows[1] - rows[0], self._cols
        memory = ffi.buffer(block.data, math.prod(shape) * self.dtype.itemsize)
        return torch.frombuffer(memory, dtype=self.dtype).view(*shape)

    def _block(self, memory: torch.Tensor) -> Any:
        return ffi.new(
            "sct_block *",
            {
                "data": ffi.cast("void *", memory.data_ptr()),
                "ld": self._cols,
                "rows": memory.shape[0],
                "cols": self._cols,
                "order": lib.SCT_ROW_MAJOR,
            },
        )

    def _fetch(self, number: int) -> tuple[torch.Tensor, Any]:
        """Starts the transfer of a panel; returns where it will be, and what to wait for."""
        panel = self._reads[number]
        if panel.memory is not None:
            return panel.memory, None
        shape = panel.rows.stop - panel.rows.start, self._cols
        to = self._workspace.buffer(number % (_AHEAD + 1), shape, self.dtype)
        request = ffi.new("sct_request *")
        tile = panel.tile, 0
        with self._world._lock:
            check(
                lib.sct_matrix_get_tile_async(
                    self._handle(), tile, 0, self._block(to), request
                )
            )
        return to, request

    def panels(self) -> Iterator[tuple[slice, torch.Tensor]]:
        """All rows, in panels. The memory of a panel is valid until the next one is asked for."""
        coming = [self._fetch(i) for i in range(min(_AHEAD, len(self._reads)))]
        for number, panel in enumerate(self._reads):
            if number + _AHEAD < len(self._reads):
                coming.append(self._fetch(number + _AHEAD))
            memory, request = coming.pop(0)
            self._workspace.wait(request)
            yield panel.rows, memory

    def sums(self) -> Iterator[tuple[slice, torch.Tensor]]:
        """All rows, in panels, as buffers to be filled with what is then added to them."""
        for panel in self._panels:
            shape = panel.rows.stop - panel.rows.start, self._cols
            part = self._workspace.for_sum(shape, self.dtype)
            yield panel.rows, part
            request = ffi.new("sct_request *")
            with self._world._lock:
                check(
                    lib.sct_matrix_accumulate_tile_async(
                        self._handle(), (panel.tile, 0), 0, self._block(part), request
                    )
                )
            self._workspace.leaves(request)
