"""python_overhead.py [SIZE] - what the Python package costs, beside the library and beside NumPy.

Prints the microseconds of small products by the package and by a C program, SMALL_PRODUCTS
(build/release/bench/small_products), on one and on two ranks; and the ratio of the times of NumPy and of
Sectile for a product of SIZE^3 (4096) on two threads. Each is the median of rounds that take turns. If
NumPy carries a BLAS of its own, the ratio compares two BLAS as well; that of Debian (python3-numpy) uses
the same as Sectile.
"""

import os
import statistics
import subprocess
import sys
import time

import numpy as np

import sectile

ROUNDS, CALLS, PAUSE = 15, 1000, 0.2
PROGRAM = os.environ.get("SMALL_PRODUCTS", "build/release/bench/small_products")


def microseconds(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def in_c(ranks):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run([PROGRAM, str(ranks)], env=environment, capture_output=True, check=True)
    return [float(word) for word in said.stdout.split()]


def small(ranks):
    with sectile.run(ranks, blas_threads=1) as world:
        a, b, out = (world.from_numpy(np.ones((8, 8)), "row") for _ in range(3))
        rounds = [
            (microseconds(lambda: sectile.matmul(a, b, out=out)), microseconds(lambda: a @ b))
            + tuple(in_c(ranks))
            for _ in range(ROUNDS)
        ]
    into, new, c_into, c_new = (statistics.median(column) for column in zip(*rounds))
    beyond = statistics.median(each[1] - each[3] for each in rounds)
    print(f"{ranks} ranks: matmul(out=) {into:.1f} us, in C {c_into:.1f}")
    print(f"{ranks} ranks: a @ b        {new:.1f} us, in C {c_new:.1f}; {beyond:.1f} more")


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
    print(
        f"{size}^3 on 2 threads: sectile {mine:.1f} GFLOP/s, NumPy {theirs:.1f}, ratio {ratio:.3f}"
    )


small(1)
small(2)
large(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
