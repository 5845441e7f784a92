"""Products and copies of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._collective import collective
from ._errors import BadArgumentError
from ._layout import AnyLayout, Layout
from ._native import ffi, lib
from ._options import Options, options_struct
from ._result import choose_result
from ._storage import Storage, check_matrix
from ._types import factor, scalar, type_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._matrix import Matrix

# So many choices are remembered, since views may differ each time.
_MOST_CHOSEN = 1024


def check_world(a: Matrix, b: Matrix) -> None:
    if a._storage.world is not b._storage.world:
        raise BadArgumentError("the matrices belong to different worlds")


def check_target(matrix: Matrix) -> None:
    if not matrix._storage.writable:
        raise BadArgumentError("the target wraps memory that is read-only or shared by replicas")


def _flip(matrix: Matrix, op: int) -> Matrix:
    return matrix.T if op == lib.SCT_T else matrix.H


def copy_into(source: Matrix, to: Matrix, workspace: int | None) -> None:
    """Copies all elements, to whichever ranks store them."""
    check_world(source, to)
    check_target(to)
    op = to._op
    if op != lib.SCT_N:
        source, to = _flip(source, op), _flip(to, op)
    given: Options = {} if workspace is None else {"workspace": workspace}
    options = options_struct(given, (0, 0, 0), 1)
    pointer = options.struct if options else ffi.NULL
    to.world._call(lib.team_copy, source._operand, to._operand, pointer)


@collective
def copy(
    matrix: Matrix, layout: AnyLayout | None = None, *, workspace: int | None = None
) -> Matrix:
    """Copies a matrix or a view into a new matrix, of another layout if you like.

    >>> with sectile.run(4) as world:
    ...     a = world.from_numpy(np.arange(6.0).reshape(2, 3))
    ...     sectile.copy(a.T, "col").layout, sectile.copy(a[:, 1:]).to_numpy().tolist()
    (<sectile.Layout col of 3 x 2>, [[1.0, 2.0], [4.0, 5.0]])
    """
    check_matrix("matrix", matrix)
    if layout is None:
        layout = str(matrix.layout)
    made = matrix.world.array(matrix.shape, matrix.dtype, layout)
    copy_into(matrix, made, workspace)
    return made


def _result_layout(a: Matrix, b: Matrix, layout: AnyLayout | None) -> Layout:
    world = a._storage.world
    if layout is not None:
        return world.layout(layout, (a.shape[0], b.shape[1]))
    key = a._key, b._key
    chosen = world._chosen.get(key)
    if chosen is None:
        if len(world._chosen) == _MOST_CHOSEN:
            world._chosen.clear()
        chosen = world._chosen[key] = choose_result(a, b)
    return chosen


def _multiply_new(
    a: Matrix,
    b: Matrix,
    alpha: complex,
    layout: AnyLayout | None,
    dtype: Any,
    options: Options,
) -> Matrix:
    (m, k), (rows, n) = a._shape, b._shape
    if k != rows:
        raise BadArgumentError(f"{a.shape} and {b.shape} cannot be multiplied")
    number = a._storage.type if dtype is None else type_number(dtype)
    storage = Storage(a._storage.world, number, _result_layout(a, b, layout))
    out = type(a)(storage)
    kept = options_struct(options, (m, n, k), storage.world.size)
    storage.make(
        lib.team_product,
        number,
        storage.layout._layout,
        scalar(number, alpha),
        a._operand,
        b._operand,
        out._operand,
        kept.struct if kept else ffi.NULL,
    )
    return out


def _multiply_into(
    a: Matrix, b: Matrix, out: Matrix, alpha: complex, beta: complex, options: Options
) -> None:
    """Where `out` is a transpose, computes the transpose of the product."""
    op = out._op
    if op != lib.SCT_N:
        a, b, out = _flip(b, op), _flip(a, op), _flip(out, op)
    if op == lib.SCT_C:
        alpha, beta = alpha.conjugate(), beta.conjugate()
    number = out._storage.type
    kept = options_struct(options, (out.shape[0], out.shape[1], a.shape[1]), a.world.size)
    a.world._call(
        lib.team_multiply,
        scalar(number, alpha),
        a._operand,
        b._operand,
        scalar(number, beta),
        out._operand,
        kept.struct if kept else ffi.NULL,
    )


@collective
def matmul(
    a: Matrix,
    b: Matrix,
    out: Matrix | None = None,
    alpha: complex = 1,
    beta: complex = 0,
    *,
    layout: AnyLayout | None = None,
    dtype: Any = None,
    **options: Unpack[Options],
) -> Matrix:
    """Computes ``out = alpha a @ b + beta out``, and returns ``out``.

    a, b and out may be views and transposes, in any layouts. Without ``out``, the result is a new
    matrix of this layout, or of a chosen one, and this type, or that of a and b. The other options,
    such as ``stay="c"``, say how the product is computed (docs/python.md).

    >>> with sectile.run(4) as world:
    ...     a = world.from_numpy(np.eye(4), "row*2")
    ...     b = world.from_numpy(np.full((4, 4), 3.0), "cyclic:1x1")
    ...     c = sectile.matmul(a, b, layout="col")
    ...     sectile.matmul(a, b.T, out=c, alpha=2, beta=-1).to_numpy()[0]
    array([3., 3., 3., 3.])
    """
    check_matrix("a", a)
    check_matrix("b", b)
    check_world(a, b)
    alpha, beta = factor("alpha", alpha), factor("beta", beta)
    if out is None:
        if beta != 0:
            raise BadArgumentError("beta: there is no out that the product is added to")
        return _multiply_new(a, b, alpha, layout, dtype, options)
    if layout is not None or dtype is not None:
        raise BadArgumentError("out has a layout and a type of its own")
    check_matrix("out", out)
    check_world(a, out)
    check_target(out)
    _multiply_into(a, b, out, alpha, beta, options)
    return out
