"""What the tests share: worlds, types, layouts, and matrices of small integers."""

import numpy as np
import pytest

import sectile

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

TYPES = ["f4", "f8", "c8", "c16", "f2"] + ([bfloat16] if bfloat16 else [])
LAYOUTS = [
    "row",
    "col/f",
    "2d",
    "row*2",
    "2d*2/f",
    "col*4",
    "cyclic:2x3",
    "cyclic:1x2@2x2,src=1x0/f",
    "cuts:2x5@1,0x0,1",
    "cuts:1,3x4@0,2,1,1,3,0",
    "row@3",
    "row@2%3,1",
]


def integers(shape, dtype, seed):
    """Small integers, so that every product is exact in every type."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-2, 3, shape).astype("f4")
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-2, 3, shape)
    return values.astype(dtype)


def exact(*factors):
    """The product in a type in which it is exact."""
    wide = "c16" if any(np.dtype(x.dtype).kind == "c" for x in factors) else "f8"
    return np.linalg.multi_dot([x.astype(wide) for x in factors])


@pytest.fixture(scope="session")
def world():
    with sectile.run(4) as world:
        yield world


@pytest.fixture(params=[1, 2, 3, 4])
def any_world(request):
    with sectile.run(request.param) as world:
        yield world
