"""python_overhead.py [SIZE] - what the Python package costs, beside the library and beside NumPy.

Prints the microseconds of small products by the package and by the C calls that it makes, on one and on
two ranks; and the ratio of the times of NumPy and of Sectile for a product of SIZE^3 (4096) on two
threads. Each is the median of rounds that take turns. If NumPy carries a BLAS of its own, the ratio
compares two BLAS as well; that of Debian (python3-numpy) uses the same as Sectile.
"""

import statistics
import sys
import time

import numpy as np

import sectile
from sectile._native import ffi, lib
from sectile._types import scalar

ROUNDS, CALLS, PAUSE = 15, 1000, 0.2


def microseconds(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def medians(calls):
    """The median of each call over rounds in which all take turns."""
    times = [[microseconds(call) for call in calls] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*times)]


def small(ranks):
    with sectile.run(ranks) as world:
        a, b, out = (world.from_numpy(np.ones((8, 8)), "row") for _ in range(3))
        one, zero, made = scalar(1, 1), scalar(1, 0), ffi.new("sct_matrix *[]", ranks)
        layout = (a @ b).layout
        new = ffi.new("operand *", (made, ((0, 8), (0, 8)), 0))
        team, number = world._team, lib.SCT_F64

        def multiply():
            lib.team_multiply(team, one, a._operand, b._operand, zero, out._operand, ffi.NULL)

        def product():
            lib.team_product(
                team, number, layout._layout, one, a._operand, b._operand, new, ffi.NULL
            )
            lib.team_drop(team, made)

        into, c_into, new_one, c_new = medians(
            [lambda: sectile.matmul(a, b, out=out), multiply, lambda: a @ b, product]
        )
        print(f"{ranks} ranks, 8 x 8: matmul(out=) {into:.1f} us, its C call {c_into:.1f}")
        print(f"{ranks} ranks, 8 x 8: a @ b        {new_one:.1f} us, its C calls {c_new:.1f}")


def large(size):
    x, y, z = np.random.rand(size, size), np.random.rand(size, size), np.empty((size, size))
    with sectile.run(2, blas_threads=1) as world:
        a, b, c = world.wrap(x, "row"), world.wrap(y, "row@1"), world.wrap(z, "row")

        def seconds(call):
            time.sleep(PAUSE)  # helper threads of OpenBLAS spin for a while after each call
            start = time.perf_counter()
            call()
            return time.perf_counter() - start

        def ours():
            sectile.set_blas_threads(1)
            return seconds(lambda: sectile.matmul(a, b, out=c))

        def numpys():
            sectile.set_blas_threads(2)
            return seconds(lambda: np.matmul(x, y, out=z))

        pairs = [(ours(), numpys()) for _ in range(ROUNDS)]
    flops = 2 * size**3 / 1e9
    mine, theirs = (flops / statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(theirs / mine for mine, theirs in pairs)
    print(f"{size}^3 on 2 threads: sectile {mine:.1f} GFLOP/s, NumPy {theirs:.1f}, ratio {ratio:.3f}")


small(1)
small(2)
large(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
