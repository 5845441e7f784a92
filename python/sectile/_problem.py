"""Products without data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from ._arguments import fill, one_of, product_shape, whole
from ._errors import BadArgumentError
from ._layout import AnyLayout, Layout, Shape, find_layout
from ._native import ffi, lib
from ._storage import check_matrix
from ._types import type_name, type_number
from ._uncopied import Uncopied

if TYPE_CHECKING:
    from ._matrix import Matrix

    Operand = Union[str, Layout, "Matrix"]

_OPS = {"N": lib.SCT_N, "T": lib.SCT_T, "C": lib.SCT_C}
_PAIRS = [left + right for left in _OPS for right in _OPS]


class Problem(Uncopied):
    """A product of matrices, or of layouts with a shape, as the library describes it."""

    _instead = "its layouts and its shape can"

    def __init__(
        self,
        operands: tuple[Operand, Operand, Operand],
        shape: tuple[int, int, int] | None = None,
        ranks: int | None = None,
        dtype: Any = None,
        op: str = "NN",
        ranks_per_node: int = 0,
    ):
        for name, operand in zip("abc", operands):
            if not isinstance(operand, (str, Layout)):
                check_matrix(name, operand)
        matrices = [x for x in operands if not isinstance(x, (str, Layout))]
        one_of("op", op, _PAIRS)
        given = whole("ranks", ranks) if ranks is not None else None
        self.ranks = self._same("ranks", [x.world.size for x in matrices], given)
        made = self._shape_of(operands, matrices) if shape is None else shape
        m, n, k = self.shape = product_shape(made)
        self.struct = ffi.new("sct_problem *", {"size": ffi.sizeof("sct_problem")})
        fill(self.struct, ranks=self.ranks, ranks_per_node=ranks_per_node)
        self.ops = [_OPS[op[0]], _OPS[op[1]], lib.SCT_N]
        self.kept: list[Any] = []
        self.layouts: list[Layout] = []
        types: list[int] = []
        for name, operand, of in zip("abc", operands, ((m, k), (k, n), (m, n))):
            self._add(name, operand, of, types)
        self._set_types(types, dtype)
        for matrix in matrices:
            world = lib.team_world(matrix.world._team, 0)
            self.struct.gpus = lib.sct_world_gpus(world)
        self.struct.op_a, self.struct.op_b = self.ops[:2]

    @staticmethod
    def _same(name: str, known: list[int], given: int | None) -> int:
        values = set(known) | ({given} if given is not None else set())
        if len(values) != 1:
            raise BadArgumentError(f"{name}: {'missing' if not values else sorted(values)}")
        return values.pop()

    @staticmethod
    def _shape_of(operands: Any, matrices: list[Matrix]) -> tuple[int, int, int]:
        if len(matrices) < 3:
            raise BadArgumentError("shape: (m, n, k) is missing")
        a, b, c = operands
        if a.shape[1] != b.shape[0] or c.shape != (a.shape[0], b.shape[1]):
            raise BadArgumentError(f"{a.shape} times {b.shape} is not {c.shape}")
        return (a.shape[0], b.shape[1], a.shape[1])

    def _add(self, name: str, operand: Operand, of: Shape, types: list[int]) -> None:
        index = "abc".index(name)
        if isinstance(operand, (str, Layout)):
            stored = of if self.ops[index] == lib.SCT_N else of[::-1]
            layout = find_layout(operand, stored, self.ranks)
        else:
            layout = operand.layout
            self.ops[index] = operand._op
            if self.ops[2] != lib.SCT_N:
                raise BadArgumentError("c is a transpose: plan the transposed product")
            types.append(operand._storage.type)
            view = ffi.new("sct_slice *", operand._operand.slice)
            self.kept.append(view)
            setattr(self.struct, f"view_{name}", view)
            per_node = lib.sct_matrix_ranks_per_node(operand._storage.handle())
            setattr(self.struct, f"ranks_per_node_{name}", per_node)
            if self.struct.ranks_per_node == 0:
                world = lib.team_world(operand.world._team, 0)
                self.struct.ranks_per_node = lib.sct_world_ranks_per_node(world)
        self.layouts.append(layout)
        setattr(self.struct, name, layout._layout)

    def _set_types(self, types: list[int], dtype: Any) -> None:
        if dtype is not None:
            types = types or [type_number(dtype)]
        self.struct.type = types[0] if types else lib.SCT_F64
        self.struct.sum_c = len(types) == 3 and types[2] != types[0]

    def __str__(self) -> str:
        m, n, k = self.shape
        letters = "NTC"
        op = "" if self.ops[:2] == [0, 0] else f", op {letters[self.ops[0]]}{letters[self.ops[1]]}"
        a, b, c = self.layouts
        return (
            f"{m} x {n} x {k} {type_name(self.struct.type)}{op} on {self.ranks} ranks, "
            f"a {a}, b {b}, c {c}"
        )
