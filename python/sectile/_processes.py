"""Worlds of which this process is one rank.

Every rank calls every operation, in the same order. Freeing a matrix is an operation, too, but
Python frees objects when it likes, which may differ between ranks. So a matrix that nobody refers
to any more is kept until that is so on all ranks.
"""

from __future__ import annotations

import bisect
import contextlib
import os
import struct
import weakref
from typing import Any, Callable, Sequence

from . import _log
from ._engine import ProcessOptions
from ._arguments import fill
from ._collective import Allgather, collective, made_on_all, mark_told
from ._errors import (
    BadArgumentError,
    BadTypeError,
    Error,
    FailedError,
    NoMemoryError,
    check,
    kind_of,
    reason_of,
    status_of,
    text,
)
from ._native import ffi, lib
from ._storage import Owned
from ._world import World

# Of the matrices that nobody refers to, so many are looked at together. Their numbers are below _END.
_MOST = 64
_END = 2**63 - 1
# The ranks agree on what to free after they have made so many bytes, or so many matrices.
_BYTES = 64 << 20
# So many seconds the end of the process waits for a call of another thread.
_PATIENCE = 10


def _gathered(
    ranks: int, mine: bytes, gather: Callable[[bytes, int, Any], None]
) -> list[bytes]:
    """Returns equally many bytes of each rank, by a function that fills memory with them."""
    everyone = ffi.new("char[]", ranks * len(mine))
    gather(mine, len(mine), everyone)
    data = bytes(ffi.buffer(everyone))
    return [data[i : i + len(mine)] for i in range(0, len(data), len(mine))]


class Gather:
    """An allgather of Python's, as the library calls it while a world is made."""

    def __init__(self, allgather: Allgather, bootstrap: Any):
        self.allgather = allgather
        self.bootstrap = bootstrap
        self.problem: BaseException | None = None
        #: What the library knows it by.
        self.handle = ffi.new_handle(self)

    def __call__(self, mine: bytes) -> Sequence[bytes]:
        everyone = self.allgather(mine)
        try:
            sizes = [memoryview(each).nbytes for each in everyone]
        except TypeError:
            sizes = []
        ranks = self.bootstrap.ranks
        if sizes != [len(mine)] * ranks:
            raise FailedError(f"allgather did not return {len(mine)} bytes of {ranks} ranks")
        return everyone


@ffi.def_extern(error=-1)  # type: ignore[untyped-decorator]
def bootstrap_allgather(context: Any, mine: Any, size: int, everyone: Any) -> int:
    gather: Gather = ffi.from_handle(context)
    try:
        data = b"".join(gather(bytes(ffi.buffer(mine, size))))
    except BaseException as problem:
        gather.problem = problem
        return -1
    ffi.memmove(everyone, data, len(data))
    return 0


class ProcessWorld(World):
    """A world of which this process is one rank."""

    is_process = True

    def __init__(self, world: Any, options: ProcessOptions):
        team = lib.team_new(1)
        if not team:
            raise NoMemoryError("no memory for a world")
        lib.team_adopt(team, world)
        rank = lib.sct_world_rank(world)
        super().__init__(team, range(rank, rank + 1), lib.sct_world_size(world))
        #: All matrices and groups that exist. While the garbage collection of another thread finds one,
        #: it is neither alive nor dropped, so that its handle, and what frees it, is kept here.
        self._existing: dict[int, tuple[Any, Any, weakref.ref[Owned]]] = {}
        self._dropped: dict[int, Owned] = {}
        self._made_matrices = self._made_bytes = 0
        self._interruption = options.interruption
        _open.add(self)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}: rank {self.rank}>"

    def __exit__(self, *exception: object) -> None:
        # After a failure the other ranks may be anywhere, so this one cannot agree with them.
        if exception[0] is None:
            self.close()

    def __del__(self) -> None:
        """Closing is collective, so that it is left to the program, or to its end."""

    def _gather(self, mine: bytes) -> list[bytes]:
        """Returns equally many bytes of each rank. Collective."""
        return _gathered(self.size, mine, lambda *given: self._call(lib.team_gather, *given))

    def _adopt(self, owned: Owned) -> None:
        super()._adopt(owned)
        self._existing[owned.number] = owned.drop, owned.handles, weakref.ref(owned)
        self._made_matrices += 1
        self._made_bytes += owned.nbytes
        if self._made_matrices == _MOST or self._made_bytes > _BYTES:
            self.collect()

    def _drop(self, owned: Owned) -> None:
        # Without the lock: another rank of this process, if ranks are threads of Python, may be the
        # one whose garbage collection comes here, while this rank holds the lock and waits for it.
        if not self._closed:
            self._dropped[owned.number] = owned

    @collective
    def barrier(self) -> None:
        """Waits until all ranks are here. Collective."""
        self._agree("barrier")

    @collective
    def collect(self) -> None:
        """Frees the matrices that no rank refers to any more. Collective.

        Worlds of processes do this from time to time, when matrices are made.
        """
        self._agree("collect")
        self._made_matrices = self._made_bytes = 0
        mine, seen = sorted(list(self._dropped)), 0
        while seen < _END:
            at = bisect.bisect_right(mine, seen)
            offered = mine[at : at + _MOST]
            packed = struct.pack(f"={_MOST}q", *offered, *[_END] * (_MOST - len(offered)))
            everyone = [struct.unpack(f"={_MOST}q", each) for each in self._gather(packed)]
            # What a rank refers to for long must not keep others from being looked at.
            seen = min(each[-1] for each in everyone)
            for number in sorted(set.intersection(*map(set, everyone)) - {_END}):
                self._destroy(number)

    def _destroy(self, number: int) -> None:
        drop, handles, alive = self._existing.pop(number)
        drop(self._team, handles)
        lib.team_flush(self._team)
        owned = self._dropped.pop(number, None) or alive()
        if owned is not None:
            owned.number = 0

    def _agree(self, on: str) -> None:
        self._call(lib.team_check, lib.SCT_OK, on.encode())

    def _refuse(self, problem: Exception) -> None:
        if not self._closed and self._process == os.getpid():
            reason = b"rank %d: %s" % (self.rank, reason_of(problem))
            with contextlib.suppress(Error):
                self._call(lib.team_check, status_of(problem), reason)
        mark_told(problem)

    @collective
    def close(self) -> None:
        """Ends the world, on all ranks together. Fails if an array still shows its memory.

        A world in which another rank has failed ends without it.
        """
        with self._lock:
            if self._closed or self._process != os.getpid():
                return
            windows = sum(owned.windows() for owned in self._all_owned())
            if windows > 0:
                raise BadArgumentError(f"{windows} arrays of .local are still in use")
            # Where a rank is gone, the others end the world without it.
            with contextlib.suppress(FailedError):
                self._agree("close")
            # In the order in which all ranks have made them.
            for number in sorted(self._existing):
                self._destroy(number)
            self._leave()

    def _all_owned(self) -> list[Owned]:
        """The matrices and groups that exist, unless they are being collected."""
        found = [self._dropped.get(n) or alive() for n, (*_, alive) in self._existing.items()]
        return [owned for owned in found if owned is not None]

    def _leave(self) -> None:
        """Ends the world without asking other ranks. If they are at work, their calls name the rank that has left: so
        this rank must not free its matrices first, which all do together."""
        if not self._closed and self._process == os.getpid():
            self._dropped.clear()
            self._closed = True
            lib.team_free(self._team)
            _open.discard(self)

    def _end(self) -> None:
        # A call of another thread may wait for ranks that never come.
        if self._lock.acquire(timeout=_PATIENCE):
            self._leave()


# They end with the process, if nobody closes them, even if nobody refers to them.
_open: set[ProcessWorld] = set()


def only_world() -> ProcessWorld | None:
    """The open world of processes, if there is one and no other."""
    return next(iter(_open)) if len(_open) == 1 else None


def join(rank: int, ranks: int, allgather: Allgather, options: ProcessOptions) -> ProcessWorld:
    """Makes a world of ranks that can do only one thing together: an allgather."""
    if not callable(allgather):
        raise BadTypeError(f"allgather: {kind_of(allgather)} is not a function")
    bootstrap = ffi.new("sct_bootstrap *", {"size": ffi.sizeof("sct_bootstrap")})
    gather = Gather(allgather, bootstrap)
    bootstrap.allgather, bootstrap.context = lib.bootstrap_allgather, gather.handle

    def make() -> Any:
        fill(bootstrap, rank=rank, ranks=ranks)
        if not 0 <= bootstrap.rank < bootstrap.ranks:
            raise BadArgumentError(f"there is no rank {rank} among {ranks} ranks")
        return options.struct

    struct = made_on_all(gather, make)
    made = ffi.new("sct_world **")
    status = lib.sct_world_create(bootstrap, struct, made)
    if gather.problem is not None:
        raise gather.problem
    options.check(status)
    _log.deliver()
    return ProcessWorld(made[0], options)


def launched(options: ProcessOptions) -> ProcessWorld:
    """Makes a world of the processes that a launcher has started."""
    bootstrap = ffi.new("sct_bootstrap *", {"size": ffi.sizeof("sct_bootstrap")})
    _log.print_warnings()
    try:
        check(lib.sct_bootstrap_launched(bootstrap))
    finally:
        _log.start()

    def gather(mine: Any, size: int, everyone: Any) -> None:
        before = text(lib.sct_last_reason())
        if bootstrap.allgather(bootstrap.context, mine, size, everyone) != 0:
            reason = text(lib.sct_last_reason())
            why = f": {reason}" if reason != before else ""
            raise FailedError(f"other processes of the launcher do not answer{why}")

    def allgather(mine: bytes) -> list[bytes]:
        return _gathered(bootstrap.ranks, mine, gather)

    return join(bootstrap.rank, bootstrap.ranks, allgather, options)
