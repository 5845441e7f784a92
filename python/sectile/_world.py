"""Worlds: the ranks that work together."""

from __future__ import annotations

import atexit
import importlib
import itertools
import os
import sys
import threading
import weakref
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _log
from ._arguments import whole
from ._array import with_leading_dimension
from ._collective import collective, mark_told
from ._engine import Path, ProcessOptions
from ._errors import BadArgumentError, NoEngineError, encoded, error, printed, text
from ._interruption import Interruption
from ._layout import AnyLayout, Layout, Shape, find_layout, find_shape
from ._matrix import Matrix
from ._memory import Array
from ._native import ffi, lib
from ._storage import Owned, Storage
from ._types import factor, type_number
from ._uncopied import Uncopied
from ._wrapped import describe, stored_as


class Traffic(NamedTuple):
    """Bytes that a rank has moved (docs/model.md#what-the-bytes-count)."""

    bytes_got: int
    bytes_accumulated: int
    bytes_in_place: int



class World(Uncopied):
    """The ranks that work together, made by `run` or by one of the ``from_`` functions.

    A program directs all ranks of its process at once: each operation on matrices of the world runs
    on all of them, and returns when they are done. If the process is one rank of several, all
    processes must call the same operations in the same order. Use a world in a ``with`` statement,
    or close it.

    ``size`` is the number of ranks, ``ranks`` are those that live in this process.

    >>> with sectile.run(2) as world:
    ...     a = world.from_numpy(np.ones((4, 4)), "row")
    ...     b = sectile.matmul(a, a, layout="row")
    ...     world.ranks, world.traffic(1)
    (range(0, 2), Traffic(bytes_got=0, bytes_accumulated=0, bytes_in_place=128))
    """

    #: True if this process is one rank.
    is_process = False
    _instead = "each process makes its own"
    _closed = True  # until it is made
    _interruption = Interruption()  # of calls of threads, which nothing interrupts

    def __init__(self, team: Any, ranks: range, size: int):
        self._team = team
        self.ranks = ranks
        self.size = size
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._made = self._live = 0
        #: Drops what is kept for later calls, when one has failed on all ranks.
        self._after_failure: Callable[[], None] = lambda: None
        #: Layouts chosen for results, by what they depend on.
        self._chosen: dict[Any, Layout] = {}
        self._number = next(_numbers)
        _worlds.add(self)

    def __repr__(self) -> str:
        return f"<sectile.World of {self.size} rank{'s' if self.size > 1 else ''}>"

    @staticmethod
    def from_mpi(
        comm: Any,
        *,
        engine: str | None = None,
        devices: str | None = None,
        path: Path = "auto",
        ranks_per_node: int = 0,
        wait_seconds: float | None = None,
    ) -> World:
        """Makes a world of the processes of a communicator of mpi4py. Collective.

        ``engine`` is "mpi", or one with ``devices``, as in `run`. ``path`` is how far ranks reach
        each other: "auto", "service", "rma", "sockets" or "nvshmem" (docs/engines.md).
        With ``ranks_per_node``, only so many consecutive ranks share memory, as if others were on
        other hosts. ``wait_seconds`` is how long a rank waits for one that does not respond, before
        all fail (docs/model.md); without it, the variable SECTILE_WAIT_SECONDS says it, or there is no
        limit. Warns if a launcher says that
        there are several processes, but MPI knows this one only.
        """
        from ._mpi import create

        options = ProcessOptions(engine, devices, ranks_per_node, path, wait_seconds=wait_seconds)
        return create(comm, options)

    @staticmethod
    def from_torch(
        group: Any = None,
        *,
        engine: str = "processes",
        devices: str | None = None,
        ranks_per_node: int = 0,
        wait_seconds: float | None = None,
    ) -> World:
        """Makes a world of the processes of a process group of torch. Collective.

        ``group`` is the default group if it is left out. Ranks meet through the group's store, and
        move data by the engine "processes", or one with ``devices``, as in `run`.
        With ``ranks_per_node``, only so many consecutive ranks share memory, as if others were on
        other hosts. ``wait_seconds`` is as in `from_mpi`; without it and the variable, it is the timeout of the group.
        """
        # Its types are known only where torch is installed.
        try:
            rendezvous: Any = importlib.import_module("sectile.torch._rendezvous")
        except ImportError as problem:
            raise NoEngineError(f"torch cannot be used: {problem}") from problem
        options = ProcessOptions(engine, devices, ranks_per_node, wait_seconds=wait_seconds)
        world: World = rendezvous.world_of_group(group, options)
        return world

    @staticmethod
    def from_bootstrap(
        rank: int,
        ranks: int,
        allgather: Callable[[bytes], Sequence[bytes]],
        *,
        engine: str = "processes",
        devices: str | None = None,
        ranks_per_node: int = 0,
        wait_seconds: float | None = None,
    ) -> World:
        """Makes a world of ranks that meet by an allgather of your own. Collective.

        ``allgather`` takes the bytes of this rank, and returns those of all ranks in their order;
        all ranks pass equally many. ``engine`` may also be one with ``devices``, as in `run`;
        ``wait_seconds`` is as in `from_mpi`.
        """
        from ._processes import join

        options = ProcessOptions(engine, devices, ranks_per_node, wait_seconds=wait_seconds)
        return join(rank, ranks, allgather, options)

    @staticmethod
    def from_launch(
        *,
        engine: str = "processes",
        devices: str | None = None,
        ranks_per_node: int = 0,
        wait_seconds: float | None = None,
    ) -> World:
        """Makes a world of the processes that a launcher has started, without MPI. Collective.

        The launcher is ``sectile launch``, ``torchrun``, ``srun``, or an ``mpiexec`` that offers PMI
        (docs/clusters.md). ``engine`` and ``wait_seconds`` are as in `from_bootstrap`.
        """
        from ._processes import launched

        options = ProcessOptions(engine, devices, ranks_per_node, wait_seconds=wait_seconds)
        return launched(options)

    @property
    def rank(self) -> int:
        """The rank of this process, or the first of its ranks."""
        return self.ranks[0]

    def __enter__(self) -> World:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the world. Arrays that show its memory stay valid."""
        with self._lock:
            self._closed = True
            self._free_if_unused()

    def __del__(self) -> None:
        if not self._closed:
            self.close()

    def _free_if_unused(self) -> None:
        """Frees the ranks when the world is closed and its last matrix is gone.

        That may be after the world itself is gone, if both are part of a garbage cycle.
        """
        if self._closed and self._live == 0 and self._team and not sys.is_finalizing():
            team, self._team = self._team, None
            if self._process == os.getpid():
                lib.team_free(team)

    def _check(self) -> None:
        if self._closed or self._process != os.getpid():
            raise BadArgumentError(
                "the world is closed" if self._closed else "the world is of another process"
            )

    def _call(self, function: Any, *arguments: Any) -> None:
        """Calls a function of calls.h. Other Python threads run meanwhile."""
        with self._lock:
            self._check()
            status = function(self._team, *arguments)
            if _log.enabled:
                _log.deliver()
            problem = self._interruption.take()
            if status != lib.SCT_OK or problem is not None:
                problem = problem or error(status, text(lib.team_reason(self._team)))
                mark_told(problem)
                self._after_failure()
                try:
                    raise problem
                finally:
                    del problem  # which refers to this frame, and so to all matrices of its callers

    def _adopt(self, owned: Owned) -> None:
        """Numbers what is new."""
        self._made += 1
        self._live += 1
        owned.number = self._made

    def _drop(self, owned: Owned) -> None:
        """Frees what nobody refers to any more."""
        with self._lock:
            if self._process == os.getpid():
                owned.drop(self._team, owned.handles)
                if owned.is_large:
                    lib.team_flush(self._team)
            self._live -= 1
            self._free_if_unused()

    def traffic(self, rank: int) -> Traffic:
        """Returns the bytes that a rank of this process has moved since the world was made."""
        with self._lock:
            self._check()
            moved = lib.sct_world_traffic(lib.team_world(self._team, self._member(rank)))
        return Traffic(moved.bytes_got, moved.bytes_accumulated, moved.bytes_in_place)

    def _member(self, rank: int) -> int:
        """Which of the ranks of this process a rank is."""
        number = whole("rank", rank)
        if number not in self.ranks:
            raise BadArgumentError(f"rank {number} is not a rank of this process")
        return number - self.rank

    def _agree(self, on: str) -> None:
        """Fails if another rank refuses, or agrees on something else. Collective."""

    def _refuse(self, problem: Exception) -> None:
        """Takes the place of a call of the library that this rank cannot make, and all others do: it
        fails there with the problem."""

    def _end(self) -> None:
        """Lets no other thread begin a call, once the process ends, and waits for its last one."""
        self._lock.acquire()

    def collect(self) -> None:
        """Frees the matrices that nobody refers to any more, at once."""
        with self._lock:
            self._check()
            lib.team_flush(self._team)

    def barrier(self) -> None:
        """Waits until all ranks are here."""
        self._call(lib.team_barrier)

    @property
    def wisdom(self) -> str:
        """What products with ``effort="measure"`` have found: a text for `add_wisdom`."""
        with self._lock:
            self._check()
            return printed(lib.sct_world_wisdom, lib.team_world(self._team, 0))

    @collective
    def add_wisdom(self, wisdom: str) -> None:
        """Adds the wisdom of another world, so that its products need not be measured."""
        self._call(lib.team_add_wisdom, encoded("wisdom", wisdom))

    # ---- Matrices ----

    def layout(self, layout: AnyLayout, shape: Shape) -> Layout:
        """Returns a layout of its text, for a matrix of this shape on this world.

        >>> with sectile.run(4) as world:
        ...     print(world.layout("2d", (8, 8)).owner(7, 0))
        2
        """
        return find_layout(layout, find_shape(shape), self.size)

    @collective
    def array(self, shape: Shape, dtype: Any = "f8", layout: AnyLayout = "row") -> Matrix:
        """Makes a matrix. Its elements are undefined, as those of ``numpy.empty``.

        >>> with sectile.run(4) as world:
        ...     a = world.array((6, 8), "f4", "col*2")
        ...     a[:] = np.ones((6, 8), "f4")
        ...     [part.shape for part in a.local]
        [(6, 4), (6, 4), (6, 4), (6, 4)]
        """
        return Matrix(Storage(self, type_number(dtype), self.layout(layout, shape)).create())

    @collective
    def full(
        self, shape: Shape, value: complex, dtype: Any = None, layout: AnyLayout = "row"
    ) -> Matrix:
        """Makes a matrix with all elements alike; of "f8", or of "c16" for a complex number.

        >>> with sectile.run(2) as world:
        ...     world.full((2, 3), 7, "f4", "col").to_numpy()
        array([[7., 7., 7.],
               [7., 7., 7.]], dtype=float32)
        """
        number = factor("value", value)
        if dtype is None:
            dtype = "c16" if np.iscomplexobj(value) else "f8"
        made = self.array(shape, dtype, layout)
        made[:] = number
        return made

    @collective
    def zeros(self, shape: Shape, dtype: Any = "f8", layout: AnyLayout = "row") -> Matrix:
        """Makes a matrix of zeros."""
        return self.full(shape, 0, dtype, layout)

    @collective
    def ones(self, shape: Shape, dtype: Any = "f8", layout: AnyLayout = "row") -> Matrix:
        """Makes a matrix of ones."""
        return self.full(shape, 1, dtype, layout)

    @collective
    def from_numpy(self, array: Any, layout: AnyLayout = "row") -> Matrix:
        """Copies an array into a new matrix. In a world of processes each passes the same array.

        >>> with sectile.run(3) as world:
        ...     a = world.from_numpy(np.arange(6.0).reshape(3, 2), "row")
        ...     a.local[2]
        array([[4., 5.]])
        """
        array = with_leading_dimension(array)
        made = self.array(array.shape, array.dtype, layout)
        made[:] = array
        return made

    @collective
    def wrap(
        self,
        data: Any,
        layout: AnyLayout = "row",
        shape: Shape | None = None,
        dtype: Any = None,
    ) -> Matrix:
        """Makes a matrix of memory that remains yours, without a copy.

        ``data`` is the whole matrix, of which each rank takes its part; with ``shape``, it is the
        part of the one rank of this process, or else a list with the part of each. Anything with
        ``__array_interface__`` or ``__dlpack__`` will do. Where each tile has an owner of its own,
        a part is a list of arrays; a rank without any says the ``dtype``.

        >>> x = np.zeros((4, 4))
        >>> with sectile.run(2) as world:
        ...     world.wrap(x, "row")[:] = np.eye(4)
        >>> float(x.trace())
        4.0
        """
        return Matrix(describe(self, data, layout, shape, dtype).wrap())

    def _wrap_copies(self, array: Array) -> Matrix:
        """Wraps an array that each process has, for a copy from it or to it."""
        layout = f"row@1*{self.size}" if self.is_process else "row@1"
        return self._wrap_first(array, find_shape(array.shape), array.dtype, layout)

    def _wrap_first(
        self, array: Array | None, shape: Shape, dtype: Any, layout: str = "row@1"
    ) -> Matrix:
        """Wraps an array of the first of the ranks; None: of another process."""
        found = self.layout(stored_as(layout, array), shape)
        nothing = np.empty((0, 0), dtype)
        first = nothing if array is None else array
        arrays = [[first]] + [[nothing]] * (len(self.ranks) - 1)
        return Matrix(Storage(self, type_number(dtype), found, arrays).wrap())


_worlds: weakref.WeakSet[World] = weakref.WeakSet()
_numbers = itertools.count()


@atexit.register
def _end_all() -> None:
    """A thread that computes while the process ends would use a BLAS that has ended.

    Ranks end a world together, so that all have to end their worlds in one order.
    """
    for world in sorted(_worlds, key=lambda world: world._number, reverse=True):
        if world._process == os.getpid():
            world._end()
