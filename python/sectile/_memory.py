"""NumPy arrays as blocks of the library, and blocks as NumPy arrays, without copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import BadArgumentError
from ._layout import Layout, Range, Shape
from ._native import ffi, lib
from ._types import numpy_dtype

Array = np.ndarray[Any, np.dtype[Any]]


class Window:
    """Shows memory as an array, and keeps its owner alive as long as the array."""

    def __init__(
        self,
        address: int,
        shape: Shape,
        strides: Shape,
        dtype: np.dtype[Any],
        owner: Any,
        read_only: bool = False,
    ):
        """The strides are in elements."""
        self._dtype = dtype
        self._owner = owner
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "data": (address or 1, read_only),  # empty memory may have no address
            "strides": tuple(stride * dtype.itemsize for stride in strides),
            "typestr": f"|V{dtype.itemsize}",
        }

    def show(self) -> Array:
        return np.asarray(self).view(self._dtype)


def show(block: Any, number: int, owner: Any, read_only: bool) -> Array:
    """Returns a block of memory as an array, which keeps `owner` alive."""
    strides = (block.ld, 1) if block.order == lib.SCT_ROW_MAJOR else (1, block.ld)
    address = int(ffi.cast("uintptr_t", block.data))
    shape = (block.rows, block.cols)
    return Window(address, shape, strides, numpy_dtype(number), owner, read_only).show()


def stored_order(array: Array) -> str:
    """Returns "F" if an array is stored by columns and not by rows, otherwise "C"."""
    item = array.itemsize
    by_rows = array.size == 0 or array.shape[1] <= 1 or array.strides[1] == item
    by_cols = array.shape[0] <= 1 or array.strides[0] == item
    return "F" if by_cols and not by_rows else "C"


def leading_dimension(array: Array, order: str) -> int:
    """Finds the distance of rows (or columns) in elements; fails for other strides."""
    lines, size = array.shape if order == "C" else array.shape[::-1]
    line, step = array.strides if order == "C" else array.strides[::-1]
    if size > 1 and step != array.itemsize:
        how = "row by row" if order == "C" else "column by column"
        raise BadArgumentError(f"an array with strides {array.strides} does not lie {how}")
    if lines <= 1:
        return max(int(size), 1)
    if line < size * array.itemsize or line % array.itemsize != 0:
        raise BadArgumentError(f"an array with strides {array.strides} has no leading dimension")
    return int(line // array.itemsize)


def describe(block: Any, array: Array, order: str) -> None:
    """Fills in a block with the memory of an array."""
    if array.size > 0:
        block.ld = leading_dimension(array, order)
        block.data = ffi.cast("void *", array.ctypes.data)
    block.rows, block.cols = array.shape
    block.order = lib.SCT_ROW_MAJOR if order == "C" else lib.SCT_COL_MAJOR


def _extent(ranges: list[Range]) -> Range:
    if any(left[1] != right[0] for left, right in zip(ranges, ranges[1:])):
        raise ValueError
    return (ranges[0][0], ranges[-1][1]) if ranges else (0, 0)


def cut(array: Array, layout: Layout, rank: int) -> list[Array]:
    """Returns a rank's part, or its tiles, as views of the whole matrix."""
    if layout.tiled:
        return [array[r[0] : r[1], c[0] : c[1]] for r, c in layout.tiles(rank)]
    part = layout.part(rank)
    try:
        rows, cols = _extent(part.rows), _extent(part.cols)
    except ValueError:
        raise BadArgumentError(
            f"layout {layout}: the part of rank {rank} is not one block of the matrix: "
            "wrap the parts themselves, or copy the array with from_numpy"
        ) from None
    return [array[rows[0] : rows[1], cols[0] : cols[1]]]


def check_part(arrays: list[Array], layout: Layout, rank: int) -> None:
    """Fails unless an array has the shape of a rank's part. The library checks tiles itself."""
    if layout.tiled:
        return
    part = layout.part(rank)
    shape = tuple(sum(high - low for low, high in ranges) for ranges in part)
    if len(arrays) != 1 or (arrays[0].size > 0 or 0 not in shape) and arrays[0].shape != shape:
        given = " and ".join(f"{a.shape[0]} x {a.shape[1]}" for a in arrays) or "an empty list"
        raise BadArgumentError(
            f"layout {layout}: the part of rank {rank} is {shape[0]} x {shape[1]}, not {given}"
        )
