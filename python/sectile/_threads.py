"""Worlds of threads of this process."""

from __future__ import annotations

from . import _log
from ._arguments import whole
from ._blas import one_thread_each, set_blas_threads
from ._engine import WorldOptions
from ._errors import BadArgumentError, BadTypeError, NoMemoryError, error, text
from ._native import lib
from ._world import World

#: As the library has it.
_MOST_RANKS = 4096


def run(
    ranks: int,
    *,
    engine: str | None = None,
    devices: str | None = None,
    ranks_per_node: int = 0,
    blas_threads: int | None = None,
) -> World:
    """Makes a world of threads of this process.

    The calling thread works as rank 0. ``engine`` is "threads", or one with devices, such as
    "opencl" or "cuda"; ``devices`` lists these, as "0,1" (docs/engines.md). ``blas_threads`` is how
    many threads each rank's products use: one, unless OPENBLAS_NUM_THREADS or OMP_NUM_THREADS is
    set. The number is that of the process, and stays when the world has ended. With
    ``ranks_per_node``, only so many consecutive ranks share memory, as if others were on other hosts.

    >>> with sectile.run(4) as world:
    ...     a = world.from_numpy(np.ones((4, 6)), "row")
    ...     b = world.from_numpy(np.ones((6, 2)), "col")
    ...     (a @ b).to_numpy()[0]
    array([6., 6.])
    """
    if isinstance(ranks, bool):
        raise BadTypeError(f"ranks: {ranks} is not a number of ranks")
    ranks = whole("ranks", ranks, least=1)
    if ranks > _MOST_RANKS:
        raise BadArgumentError(f"{ranks} ranks are too many for threads; at most {_MOST_RANKS}")
    if blas_threads is None:
        one_thread_each()
    else:
        set_blas_threads(blas_threads)
    options = WorldOptions(engine, devices, ranks_per_node)
    struct = options.struct
    team = lib.team_new(ranks)
    if not team:
        raise NoMemoryError(f"no memory for {ranks} ranks")
    status = lib.team_open(team, struct)
    if status != lib.SCT_OK:
        problem = error(status, text(lib.team_reason(team)))
        lib.team_free(team)
        raise problem
    _log.deliver()
    return World(team, range(ranks), ranks)
