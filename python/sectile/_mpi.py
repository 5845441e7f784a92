"""Worlds of the processes of an MPI job, by mpi4py.

The extension module is not linked to an MPI. The package has a library for each MPI that was found
when it was built; the one for mpi4py's MPI is loaded here.
"""

from __future__ import annotations

import ctypes
import pathlib
from typing import Any

from . import _log
from ._collective import made_on_all
from ._engine import ProcessOptions
from ._errors import BadTypeError, NoEngineError, kind_of
from ._native import ffi
from ._processes import ProcessWorld

_KINDS = {"Open MPI": "openmpi", "MPICH": "mpich"}


def _library(vendor: str) -> ctypes.CDLL:
    if vendor not in _KINDS:
        raise NoEngineError(f"mpi4py uses {vendor}, not one of {', '.join(_KINDS)}")
    name = f"libsectile_mpi_{_KINDS[vendor]}.so"
    found = sorted(pathlib.Path(__file__).parent.glob(f"{name}.*"))
    if not found:
        raise NoEngineError(f"{name} is missing: the package was built without {vendor}")
    return ctypes.CDLL(str(found[0]))


def create(comm: Any, options: ProcessOptions) -> ProcessWorld:
    """Makes a world of the processes of a communicator of mpi4py."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as problem:
        raise NoEngineError(f"mpi4py cannot be used: {problem}") from problem
    if not isinstance(comm, MPI.Comm):
        raise BadTypeError(f"comm: {kind_of(comm)} is not a communicator of mpi4py")
    # The library refuses communicators by which ranks cannot meet.
    meets = MPI.Is_initialized() and not MPI.Is_finalized() and comm and not comm.is_inter
    struct, library = made_on_all(
        comm.allgather if meets else lambda mine: [mine],
        lambda: (options.struct, _library(MPI.get_vendor()[0])),
    )
    # An MPI_Comm is a number in MPICH, and a pointer in Open MPI.
    handle = "int" if MPI._sizeof(comm) == ffi.sizeof("int") else "void *"
    address = ctypes.cast(library.sct_world_create_mpi, ctypes.c_void_p).value
    function = ffi.cast(f"sct_status (*)({handle}, sct_world_options *, sct_world **)", address)
    value = ffi.cast(f"{handle} *", MPI._addressof(comm))[0]
    made = ffi.new("sct_world **")
    options.check(function(value, struct, made))
    world = ProcessWorld(made[0], options)
    _log.deliver(stacklevel=3)
    return world
