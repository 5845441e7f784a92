"""Buffers for panels of matrices that arrive from other hosts, and for sums that leave.

A few panels are on their way while another is used. Behind the last panels of a matrix come the first ones of
the matrix that was read after it when passes were alike, so that transfers go on between products.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import weakref
from collections import deque
from typing import Any, Callable, Hashable, Iterator, NamedTuple, Protocol, Sequence

import torch

from .._errors import check
from .._native import ffi, lib
from .._world import World
from ._device import Device, device_of

# How many buffers there are for panels that arrive or are used, and for sums that leave.
_ARRIVING, _LEAVING = 12, 4


class Panel(NamedTuple):
    rows: slice
    tile: int
    memory: torch.Tensor | None  # None: the rank that stores it is not on this host


class Source(Protocol):
    """A matrix that is read in panels."""

    dtype: torch.dtype
    reads: list[Panel]  #: All panels, in the order in which they are read.
    followers: dict[Hashable, weakref.ref[Source]]  #: What was read after it, in passes of each kind.

    def shape_of(self, panel: Panel) -> tuple[int, int]: ...

    def get(self, panel: Panel, to: torch.Tensor, request: Any) -> int:
        """Starts the transfer of a panel, and returns a status."""


class _Coming(NamedTuple):
    panel: Panel
    memory: torch.Tensor
    request: Any


class _Buffers:
    """Memory for several tensors by turns."""

    def __init__(self, device: Device, count: int):
        self._device = device
        self._memory = [device.empty((0,), torch.uint8)] * count
        self._turn = 0

    @property
    def nbytes(self) -> int:
        return sum(memory.numel() for memory in self._memory)

    def take(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        self._turn = (self._turn + 1) % len(self._memory)
        size = math.prod(shape) * dtype.itemsize
        if self._memory[self._turn].numel() < size:
            self._memory[self._turn] = self._device.empty((max(size, self._device.panel),), torch.uint8)
        return self._memory[self._turn][:size].view(dtype).view(*shape)


def _far(source: Source | None) -> list[Panel]:
    return [] if source is None else [panel for panel in source.reads if panel.memory is None]


class Workspace:
    """A rank has one for each world."""

    def __init__(self, world: World):
        self._world = world
        self._device = device_of(world)
        self._arriving = _Buffers(self._device, _ARRIVING)
        self._leaving = _Buffers(self._device, _LEAVING)
        self._coming: deque[_Coming] = deque()
        self._sent: deque[Any] = deque()
        self._last: tuple[Source, Hashable] | None = None  # what was read, and in which kind of pass

    @property
    def nbytes(self) -> int:
        return self._arriving.nbytes + self._leaving.nbytes

    def _start(self, transfer: Callable[[Any], int]) -> Any:
        self._device.settle()  # a buffer may have been filled by torch, or be still in use
        request = ffi.new("sct_request *")
        with self._world._lock:
            check(transfer(request))
        return request

    def _wait(self, request: Any) -> None:
        with self._world._lock:
            check(lib.sct_wait(request[0]))

    # ---- Panels that arrive ----

    def panels(self, source: Source, kind: Hashable) -> Iterator[tuple[slice, torch.Tensor]]:
        """All rows, in panels. The memory of a panel is valid until the next one is asked for.

        A pass is a forward or a backward pass through the model. Passes of the same kind must read
        the matrices in the same order.
        """
        follower = self._follower(source, kind)
        own = _far(source)
        if self._coming and (not own or self._coming[0].panel is not own[0]):
            self._forget()
        wanted = [(source, panel) for panel in own[len(self._coming) :]]
        ahead = itertools.chain(wanted, ((follower, panel) for panel in _far(follower)))
        for rows, _, memory in source.reads:
            self._fetch(ahead)
            yield rows, self._arrived() if memory is None else memory

    def _follower(self, source: Source, kind: Hashable) -> Any:
        """Notes what is read now, and says what was read after it before."""
        if self._last is not None:
            before, its_kind = self._last
            before.followers[its_kind] = weakref.ref(source)
        self._last = source, kind
        known = source.followers.get(kind)
        return None if known is None else known()

    def _fetch(self, ahead: Iterator[tuple[Source, Panel]]) -> None:
        free = _ARRIVING - len(self._coming)
        for source, panel in itertools.islice(ahead, free):
            to = self._arriving.take(source.shape_of(panel), source.dtype)
            request = self._start(lambda made: source.get(panel, to, made))
            self._coming.append(_Coming(panel, to, request))

    def _arrived(self) -> torch.Tensor:
        coming = self._coming.popleft()
        self._wait(coming.request)
        return coming.memory

    def _forget(self) -> None:
        while self._coming:
            self._arrived()

    # ---- Sums that leave ----

    @contextlib.contextmanager
    def leaving(
        self, shape: Sequence[int], dtype: torch.dtype, send: Callable[[torch.Tensor, Any], int]
    ) -> Iterator[torch.Tensor]:
        """A buffer to be filled, which is then sent."""
        if len(self._sent) == _LEAVING:
            self._wait(self._sent.popleft())
        part = self._leaving.take(shape, dtype)
        yield part
        self._sent.append(self._start(lambda made: send(part, made)))

    # ---- Passes ----

    def finish(self) -> None:
        """Waits until all sums have been added where they belong, and has the next panels fetched anew: what
        is read may change between passes."""
        while self._sent:
            self._wait(self._sent.popleft())
        self._forget()
        self._last = None
