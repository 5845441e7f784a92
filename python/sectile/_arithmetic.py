"""Arithmetic element by element: each rank computes the part that it stores, by NumPy."""

from __future__ import annotations

from itertools import repeat
from numbers import Number
from typing import TYPE_CHECKING, Any, Callable, Iterable, NoReturn

import numpy as np

from ._array import shared, with_leading_dimension
from ._collective import collective
from ._errors import BadArgumentError, BadTypeError, Error, kind_of
from ._layout import Layout
from ._memory import Array
from ._product import check_target, check_world, copy_into, matmul
from ._storage import Storage, check_matrix, is_matrix
from ._types import factor, numpy_dtype, type_number
from ._uncopied import Uncopied

if TYPE_CHECKING:
    from ._matrix import Matrix

Dtype = np.dtype[Any]
#: Computes the first array of the others, and of numbers.
Compute = Callable[..., Any]


# ---- What is computed of what ----


def _on_host(like: Storage, number: int) -> Storage:
    """Makes a matrix of NumPy arrays, with the layout of another one; its elements are undefined."""
    dtype = numpy_dtype(number)
    order: Any = like.layout.order
    arrays: list[list[Array]] = [
        [np.empty((block.rows, block.cols), dtype, order) for block in like.blocks(i)]
        for i in range(len(like.world.ranks))
    ]
    return Storage(like.world, number, like.layout, arrays).wrap()


def _pieces(operand: Any, result: Storage) -> list[Iterable[Any]]:
    """What each rank of this process needs of an operand, where it has a piece of a result."""
    members = range(len(result.world.ranks))
    if not is_matrix(operand):
        return [repeat(operand) for _ in members]
    storage: Storage = operand._storage
    if not (operand._is_whole and storage.layout == result.layout and storage.on_host):
        storage = _on_host(result, storage.type)
        copy_into(operand, type(operand)(storage), None)
    return [storage.pieces(i) for i in members]


def compute_into(result: Matrix, compute: Compute, operands: Iterable[Any]) -> None:
    """Computes a whole matrix of others of its shape, and of numbers. Collective."""
    world, storage = result.world, result._storage
    world._check()
    host = storage if storage.on_host else _on_host(storage, storage.type)
    given = [_pieces(operand, host) for operand in operands]
    for member in range(len(world.ranks)):
        for arrays in zip(host.pieces(member), *(each[member] for each in given)):
            compute(*arrays)
    if host is not storage:
        copy_into(type(result)(host), result, None)
    world._agree("arithmetic")


def layout_like(matrix: Matrix) -> Layout:
    """The layout of a result: that of a matrix, or by rows if that cannot cut a view."""
    if matrix._is_whole:
        return matrix.layout
    try:
        return matrix.world.layout(str(matrix.layout), matrix.shape)
    except Error:  # its cuts may lie outside of this shape
        return matrix.world.layout("row", matrix.shape)


# ---- Operands ----


def _taken(given: Any) -> Any:
    """Returns a matrix, an array, or a number as a float or a complex."""
    if isinstance(given, np.ndarray):
        given = shared(given) if given.ndim > 0 else given.item()
    if isinstance(given, (Number, np.number)):
        number = factor("the operand", given)
        return number if isinstance(given, (complex, np.complexfloating)) else number.real
    if not is_matrix(given) and not isinstance(given, np.ndarray):
        raise BadTypeError(f"{kind_of(given)} is neither a matrix, an array nor a number")
    return given


def _common_type(operands: Iterable[Any]) -> Dtype:
    """The type of NumPy's result, where a number changes the type only if it is complex."""
    types = ["c8" if isinstance(x, complex) else x.dtype for x in operands if type(x) is not float]
    try:
        found = np.result_type(*types)
    except Exception:  # NumPy has several
        names = " and ".join(str(np.dtype(each)) for each in types)
        raise BadTypeError(f"{names} have no common type") from None
    type_number(found)
    return found


def _as_matrix(first: Matrix, given: Any, dtype: Dtype) -> Matrix:
    """Returns an array, the same on all processes, as a matrix in the world of another one."""
    if is_matrix(given):
        check_world(first, given)
        matrix: Matrix = given
        return matrix
    array = with_leading_dimension(given.astype(dtype, copy=False))
    return first.world._wrap_copies(array)


def _operands(given: Iterable[Any], first: Matrix) -> tuple[list[Any], Dtype]:
    """Returns matrices of one shape, and numbers; and the type of the result."""
    taken = [_taken(each) for each in given]
    dtype = _common_type(taken)
    for i, each in enumerate(taken):
        if isinstance(each, (float, complex)):
            taken[i] = dtype.type(each)
        elif each.shape != first.shape:
            raise BadArgumentError(f"{first.shape} and {each.shape} are different shapes")
        else:
            taken[i] = _as_matrix(first, each, dtype)
    return taken, dtype


# ---- Operators ----


def _applied(function: np.ufunc, *given: Any, into: Matrix | None = None) -> Matrix:
    """Applies a function of NumPy to all elements; makes a matrix, unless one is given."""
    matrices: list[Matrix] = [each for each in given if is_matrix(each)]
    operands, dtype = _operands(given, matrices[0])
    kind = dtype
    if into is not None:
        check_target(into)
        kind = into.dtype
    if not np.can_cast(dtype, kind, "same_kind"):
        raise BadTypeError(f"a result of type {dtype} cannot go into a matrix of {kind}")

    def compute(out: Array, *parts: Any) -> None:
        function(*parts, out=out, dtype=dtype, casting="unsafe")

    result = into
    if result is None or not result._is_whole:
        like = next((each for each in matrices if each._is_whole), matrices[0])
        result = like.world.array(like.shape, kind, layout_like(like))
    compute_into(result, compute, operands)
    if into is not None and into is not result:
        copy_into(result, into, None)
    return result if into is None else into


def _operator(function: np.ufunc, reflected: bool = False) -> Callable[[Any, Any], Matrix]:
    @collective
    def operate(self: Matrix, other: Any) -> Matrix:
        return _applied(function, *((other, self) if reflected else (self, other)))

    return operate


def _in_place(function: np.ufunc) -> Callable[[Any, Any], Matrix]:
    @collective
    def operate(self: Matrix, other: Any) -> Matrix:
        return _applied(function, self, other, into=self)

    return operate


def _product(a: Any, b: Any) -> Matrix:
    """Multiplies two matrices, or a matrix and an array, in the type of NumPy's result."""
    first: Matrix = a if is_matrix(a) else b
    operands = [each if is_matrix(each) else shared(each) for each in (a, b)]
    dtype = _common_type(operands)
    left, right = (_as_matrix(first, each, dtype).astype(dtype, copy=False) for each in operands)
    return matmul(left, right)


class Arithmetic(Uncopied):
    """The operators of a matrix."""

    __slots__ = ()
    # NumPy's operators leave ours to do the work.
    __array_ufunc__ = None

    __add__, __radd__, __iadd__ = _operator(np.add), _operator(np.add, True), _in_place(np.add)
    __sub__, __rsub__ = _operator(np.subtract), _operator(np.subtract, True)
    __isub__ = _in_place(np.subtract)
    __mul__, __rmul__ = _operator(np.multiply), _operator(np.multiply, True)
    __imul__ = _in_place(np.multiply)
    __truediv__, __rtruediv__ = _operator(np.divide), _operator(np.divide, True)
    __itruediv__ = _in_place(np.divide)

    @collective
    def __neg__(self) -> Matrix:
        """Changes the signs of all elements."""
        return _applied(np.negative, self)

    @collective
    def __matmul__(self, other: Any) -> Matrix:
        """Multiplies by a matrix or an array; the layout of the result is chosen."""
        if isinstance(other, np.ndarray) or is_matrix(other):
            return _product(self, other)
        if not hasattr(other, "__rmatmul__"):
            check_matrix("the right operand", other)
        return NotImplemented

    @collective
    def __rmatmul__(self, other: Any) -> Matrix:
        """Multiplies an array by the matrix."""
        if not isinstance(other, np.ndarray):
            check_matrix("the left operand", other)
        return _product(other, self)

    # Identity would be a wrong answer, and there are no matrices of truth values.

    def __eq__(self, other: object) -> NoReturn:
        """Refuses."""
        raise BadTypeError(
            "matrices have no == and !=: np.array_equal(a, b) compares elements, `a is b` objects"
        )

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        """Refuses, as NumPy does."""
        raise BadTypeError("a matrix is neither true nor false")
