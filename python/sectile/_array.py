"""What users pass as arrays, as NumPy arrays that share their memory."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._dlpack import from_dlpack
from ._errors import BadArgumentError, Error, kind_of
from ._memory import Array


def _taken(how: Callable[[Any], Any], data: Any) -> Array:
    """Returns the array that NumPy or DLPack makes of `data`, which may refuse in ways of its own."""
    try:
        array: Array = how(data)
    except (Error, MemoryError):
        raise
    except Exception as problem:
        reason = f"{kind_of(data)} is not an array in memory: {problem}"
        raise BadArgumentError(reason) from problem
    return array


def shared(data: Any) -> Array:
    """Returns an array that shows the memory of `data`."""
    if isinstance(data, np.ma.MaskedArray):
        raise BadArgumentError("an array with a mask has no elements there: fill them in")
    if isinstance(data, np.ndarray):
        array: Array = data
    elif hasattr(data, "__array_interface__"):
        array = _taken(np.asarray, data)
    elif hasattr(data, "__dlpack__"):
        array = _taken(from_dlpack, data)
    else:
        raise BadArgumentError(f"{kind_of(data)} is not an array in memory")
    if array.ndim != 2:
        more = ": x[:, None] makes a column of a vector x" if array.ndim == 1 else ""
        raise BadArgumentError(f"a matrix has 2 dimensions, not {array.ndim}{more}")
    return array


def with_leading_dimension(data: Any, dtype: Any = None) -> Array:
    """Returns an array with the elements of `data`, copied only if the library cannot read them.

    With `dtype`, it has that type, if NumPy converts to it without a change of kind, as from int to
    float.
    """
    known = hasattr(data, "__array_interface__") or hasattr(data, "__dlpack__")
    array = shared(data if known else _taken(np.asarray, data))
    if dtype is not None and array.dtype != dtype and np.can_cast(array.dtype, dtype, "same_kind"):
        return array.astype(dtype, copy=True)
    rows, cols = array.strides
    item = array.itemsize
    if not array.flags.aligned:
        return array.copy()
    if item in (rows, cols) and min(rows, cols) > 0 and rows % item == 0 and cols % item == 0:
        return array
    return np.ascontiguousarray(array)
