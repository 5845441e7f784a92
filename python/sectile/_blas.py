"""How many threads each call of the BLAS uses."""

from __future__ import annotations

import os

from ._arguments import whole
from ._native import lib


def blas_threads() -> int:
    """Returns how many threads a call of the BLAS uses; 0: unknown, as the BLAS is not OpenBLAS."""
    return int(lib.blas_threads())


def set_blas_threads(threads: int) -> None:
    """Sets how many threads a call of the BLAS uses, if that is OpenBLAS.

    The number is that of the process: where NumPy uses the same OpenBLAS, it is NumPy's as well.
    """
    lib.blas_set_threads(whole("threads", threads, least=1))


def one_thread_each() -> None:
    """Sets one thread, as each rank has a thread already, unless the environment has a number."""
    if "OPENBLAS_NUM_THREADS" not in os.environ and "OMP_NUM_THREADS" not in os.environ:
        lib.blas_set_threads(1)
