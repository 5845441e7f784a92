"""Matrices: a storage, a part of it, and whether it is transposed."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._arguments import whole
from ._arithmetic import Arithmetic, compute_into, layout_like
from ._array import with_leading_dimension
from ._collective import collective
from ._dlpack import Tensor
from ._errors import AliasedError, BadArgumentError, BadIndexError, BadTypeError, kind_of
from ._html import owners_table
from ._layout import AnyLayout, Layout, Range, Shape
from ._memory import Array
from ._native import ffi, lib
from ._product import copy, copy_into, matmul
from ._storage import Local, Storage, check_matrix
from ._types import numpy_dtype, type_name, type_number

if TYPE_CHECKING:
    from ._world import World

Index = Union[int, slice, tuple[Any, ...]]
Bounds = tuple[Range, Range]

_OPERAND = ffi.typeof("struct operand *")


def _range(chosen: slice, size: int) -> Range:
    """The rows or columns that a view takes."""
    if chosen.step is not None and whole("step", chosen.step, "int64_t") != 1:
        raise BadIndexError(f"a view cannot take rows or columns in steps of {chosen.step}")
    try:
        low, high, _ = slice(chosen.start, chosen.stop).indices(size)
    except TypeError:
        raise BadTypeError("a range of rows or columns is between whole numbers") from None
    return low, high


class Matrix(Arithmetic):
    """A distributed matrix, or a view of one: a submatrix, or a transpose.

    A world makes it: ``world.array``, ``world.wrap``, ``world.from_numpy``. Views show the same
    memory. They cost nothing, and neither does their use in a product.

    >>> with sectile.run(4) as world:
    ...     a = world.from_numpy(np.arange(12.0).reshape(3, 4), "2d")
    ...     (a[1:, :2] @ a[:2, 1:3].T).to_numpy()
    array([[14., 50.],
           [26., 94.]])
    """

    __slots__ = {
        "_storage": "what views share",
        "_bounds": "the rows and columns of the stored matrix that it shows",
        "_op": "whether it is transposed",
        "_operand": "what the library knows it by",
        "_key": "what the layout of a result depends on",
        "_shape": "what is shown as shape",
    }
    # Without these Python would try the indices 0, 1, ... and find nothing.
    __iter__ = None
    __contains__ = None
    ndim = 2
    _instead = "make another by sectile.copy, or an array by to_numpy"

    def __init__(self, storage: Storage, bounds: Bounds | None = None, op: int = lib.SCT_N):
        if not isinstance(storage, Storage):
            raise BadTypeError("a world makes matrices: by array, from_numpy or wrap")
        layout = storage.layout
        if bounds is None:
            bounds = ((0, layout.shape[0]), (0, layout.shape[1]))
        self._storage = storage
        self._bounds = bounds
        self._op = op
        self._operand = ffi.new(_OPERAND, (storage.handles, bounds, op))
        self._key = (layout, bounds, op, storage.type)
        rows, cols = bounds
        shape = (rows[1] - rows[0], cols[1] - cols[0])
        self._shape: Shape = shape if op == lib.SCT_N else shape[::-1]

    @property
    def shape(self) -> Shape:
        """The numbers of rows and columns."""
        return self._shape

    @property
    def world(self) -> World:
        """The world whose ranks store it."""
        return self._storage.world

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return numpy_dtype(self._storage.type)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._shape[0] * self._shape[1]

    @property
    def nbytes(self) -> int:
        """The bytes of all elements, of one replica."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        """The number of rows."""
        return self._shape[0]

    @property
    def layout(self) -> Layout:
        """The layout of the whole matrix as it is stored."""
        return self._storage.layout

    @property
    def _is_whole(self) -> bool:
        rows, cols = self.layout.shape
        return self._op == lib.SCT_N and self._bounds == ((0, rows), (0, cols))

    def __repr__(self) -> str:
        what = "matrix" if self._is_whole else "view"
        rows, cols = self.shape
        kind = type_name(self._storage.type)
        return f"<sectile {what} of {rows} x {cols} {kind}, layout {self.layout}>"

    def _repr_html_(self) -> str:
        return owners_table(self)

    # ---- Views ----

    def _turned(self, op: int) -> Matrix:
        if self._op == lib.SCT_N:
            return Matrix(self._storage, self._bounds, op)
        if self._op == op or self.dtype.kind != "c":
            return Matrix(self._storage, self._bounds)
        raise BadArgumentError("a conjugate that is not transposed is no view: copy a transpose")

    @property
    def T(self) -> Matrix:
        """The transpose, in place."""
        return self._turned(lib.SCT_T)

    @property
    def H(self) -> Matrix:
        """The conjugate transpose, in place."""
        return self._turned(lib.SCT_C)

    def __getitem__(self, index: Index) -> Matrix:
        """Returns a submatrix, in place: ``a[10:20, :]``."""
        chosen = index if isinstance(index, tuple) else (index,)
        at = next((i for i, each in enumerate(chosen) if each is Ellipsis), None)
        if at is not None:
            chosen = chosen[:at] + (slice(None),) * (3 - len(chosen)) + chosen[at + 1 :]
        for each in chosen:
            if not isinstance(each, (slice, Integral)):
                raise BadTypeError(
                    f"a matrix has views of ranges, none by {kind_of(each)}"
                )
        if len(chosen) > 2 or not all(isinstance(i, slice) for i in chosen):
            raise BadIndexError("a view of a matrix is a range of rows and a range of columns")
        ranges = [slice(None)] * 2
        ranges[: len(chosen)] = chosen
        bounds: list[Range] = []
        for i in (0, 1) if self._op == lib.SCT_N else (1, 0):
            low, high = _range(ranges[i], self.shape[i])
            start = self._bounds[len(bounds)][0]
            bounds.append((start + low, start + max(low, high)))
        return Matrix(self._storage, (bounds[0], bounds[1]), self._op)

    # ---- Contents ----

    @property
    def local(self) -> Any:
        """What ranks of this process store of the whole matrix, as NumPy arrays without a copy.

        A list with an array for each rank; the array itself, if the process is one rank. A rank
        that stores tiles with owners of their own has a list of arrays.
        """
        if not self._is_whole:
            raise BadArgumentError("only whole matrices have local parts")
        parts: list[Local] = [self._storage.local(i) for i in range(len(self.world.ranks))]
        return parts[0] if self.world.is_process else parts

    def dlpack(self, rank: int | None = None) -> Tensor:
        """Returns the local part of a rank of this process for consumers of DLPack.

        NumPy's own export is enough for ``a.local``, except for bfloat16.
        """
        part = self._storage.local(0 if rank is None else self.world._member(rank))
        if not self._is_whole or isinstance(part, list):
            raise BadArgumentError("only whole matrices with one part per rank have tensors")
        return Tensor(part, self._storage.type)

    @collective
    def to_numpy(self) -> Array:
        """Copies the matrix, from wherever it is, into an array."""
        array: Array = np.empty(self.shape, self.dtype)
        copy_into(self, self.world._wrap_copies(array), None)
        return array

    def copy(self, layout: AnyLayout | None = None) -> Matrix:
        """Copies the matrix into a new one, as `sectile.copy` does."""
        return copy(self, layout)

    @collective
    def astype(self, dtype: Any, copy: bool = True) -> Matrix:
        """Converts the elements, as NumPy does, into a new matrix of the same layout.

        Without ``copy``, a matrix that has this type already is returned itself.

        >>> with sectile.run(2) as world:
        ...     (world.ones((2, 2)) / 3).astype("f4").to_numpy()[0]
        array([0.33333334, 0.33333334], dtype=float32)
        """
        number = type_number(dtype)
        if number == self._storage.type and not copy:
            return self
        result = self.world.array(self.shape, numpy_dtype(number), layout_like(self))
        compute_into(result, partial(np.copyto, casting="unsafe"), [self])
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self._copied(copy).astype(dtype or self.dtype, copy=False)

    @collective
    def _copied(self, copy: bool | None) -> Array:
        if copy is False:
            raise BadArgumentError("a distributed matrix cannot be an array without a copy")
        return self.to_numpy()

    @collective
    def __setitem__(self, index: Index, value: Any) -> None:
        """Copies an array or a matrix into the matrix, or into a part: ``a[:2, :] = b``.

        A number becomes all elements of the part. Nothing else is spread over rows or columns.
        Elements of an array are converted as by NumPy, for instance of int64, but not complex ones
        to real.
        """
        to = self[index]
        if isinstance(value, (Number, np.number)):
            # The library spreads it, so that no process needs an array of this size.
            if to.size == 0:
                to = to[:0, :0]
            shapes = ((to.shape[0], 1), (1, to.shape[1]))
            column, row = (self.world._wrap_copies(np.ones(shape, to.dtype)) for shape in shapes)
            matmul(column, row, out=to, alpha=value)  # type: ignore[arg-type]
            return
        if not isinstance(value, Matrix):
            value = self.world._wrap_copies(with_leading_dimension(value, to.dtype))
        # After a[:2] += b, Python assigns the view to where it is.
        if value._storage is to._storage and value._key == to._key:
            return
        try:
            copy_into(value, to, None)
        except AliasedError:
            copy_into(copy(value), to, None)
