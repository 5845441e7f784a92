"""Plans: what one rank does in a product."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arguments import whole
from ._errors import check, printed
from ._layout import Layout, Range
from ._native import ffi, lib
from ._options import STAYS, Options, options_struct
from ._picture import taken
from ._problem import Problem
from ._uncopied import Uncopied

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._problem import Operand


class Cost(NamedTuple):
    """What one rank does and moves in one run (docs/model.md#what-the-bytes-count)."""

    steps: int
    bytes_got: int
    bytes_gathered: int
    bytes_in_place: int
    bytes_accumulated: int
    bytes_scattered: int
    bytes_reduced: int
    workspace: int
    flops: float

    @classmethod
    def _of(cls, cost: Any) -> Cost:
        return cls(*(getattr(cost, field) for field in cls._fields))


class Step(NamedTuple):
    """One local product: the ranges of m, k and n that it covers, and how it uses each operand.

    An owner is a rank, or None for several; ``in_place`` says of a, b and c whether the product
    uses them where they are stored.
    """

    m: list[Range]
    k: list[Range]
    n: list[Range]
    owners: tuple[int | None, int | None, int | None]
    in_place: tuple[bool, bool, bool]
    group: int


def _ranges(indices: Any) -> list[Range]:
    found = (lib.sct_indices_range(ffi.addressof(indices), i) for i in range(indices.ranges))
    return [(each.lo, each.hi) for each in found]


class Plan(Uncopied):
    """What one rank does in a product; made by `plan`. In a notebook, a plan shows its picture.

    ``problem`` is the product, ``rank`` the rank.

    >>> p = sectile.plan("row", "row", "row", shape=(8, 8, 8), ranks=2, rank=1)
    >>> p.traffic()
    ([256, 0], [0, 0])
    >>> p.check()
    """

    _instead = "plan again, from the same layouts"

    def __init__(self, problem: Problem, rank: int, options: Options):
        self.problem = problem
        self.rank = rank = whole("rank", rank)
        self._options = options
        made = ffi.new("sct_plan **")
        kept = options_struct(options, problem.shape, problem.ranks)
        check(lib.sct_plan_create(problem.struct, rank, kept.struct if kept else ffi.NULL, made))
        self._plan = ffi.gc(made[0], lib.sct_plan_destroy)

    @cached_property
    def cost(self) -> Cost:
        """What the rank does and moves."""
        cost = ffi.new("sct_cost *")
        check(lib.sct_plan_cost(self._plan, cost))
        return Cost._of(cost)

    @property
    def stay(self) -> str:
        """The stationary matrix, or the matrix whose shape the work layout has."""
        return STAYS[int(lib.sct_plan_stay(self._plan))]

    @property
    def work(self) -> str | None:
        """The layout of the work; None: that of the stationary matrix."""
        work = lib.sct_plan_work(self._plan)
        return str(Layout._of(work)) if work else None

    @property
    def decisions(self) -> str:
        """How the rank does its part; as an option of other plans, they are made alike."""
        decisions = ffi.new("sct_decisions *", {"size": ffi.sizeof("sct_decisions")})
        check(lib.sct_plan_decisions(self._plan, decisions))
        return printed(lib.sct_decisions_print, decisions)

    @property
    def hash(self) -> int:
        """Equal for plans that do the same steps in the same order on operands stored alike."""
        return int(lib.sct_plan_hash(self._plan))

    def steps(self) -> list[Step]:
        """Returns the local products, in order."""
        return [self._step(i) for i in range(self.cost.steps)]

    def _step(self, index: int) -> Step:
        step = ffi.new("sct_step *")
        check(lib.sct_plan_step(self._plan, index, step))
        owners = (step.owner_a, step.owner_b, step.owner_c)
        a, b, c = (None if owner < 0 else owner for owner in owners)
        return Step(
            _ranges(step.m),
            _ranges(step.k),
            _ranges(step.n),
            (a, b, c),
            (step.a == lib.SCT_IN_PLACE, step.b == lib.SCT_IN_PLACE, step.c == lib.SCT_IN_PLACE),
            step.group,
        )

    def traffic(self) -> tuple[list[int], list[int]]:
        """Returns, for each other rank, the bytes read from it, and the bytes added to it."""
        read = ffi.new("uint64_t[]", self.problem.ranks)
        added = ffi.new("uint64_t[]", self.problem.ranks)
        check(lib.sct_plan_traffic(self._plan, read, added))
        return list(read), list(added)

    def check(self) -> None:
        """Proves that the plans of all ranks together are the product; raises if they are not."""
        kept = options_struct(self._options, self.problem.shape, self.problem.ranks)
        check(lib.sct_plan_check(self.problem.struct, kept.struct if kept else ffi.NULL))

    def svg(self) -> str:
        """Draws A, B and C, their owners and the slices that the rank uses."""
        words = f"{self.problem}, {self._how}, rank {self.rank}"
        struct = self.problem.struct
        return taken(lib.plan_picture(struct, self._plan, self.rank, words.encode()))

    _repr_svg_ = svg

    @property
    def _how(self) -> str:
        return f"work {self.work}" if self.work else f"stationary {self.stay}"

    def __repr__(self) -> str:
        return (
            f"<sectile.Plan of rank {self.rank} for {self.problem}, {self._how}: "
            f"{self.cost.steps} steps>"
        )


def plan(
    a: Operand,
    b: Operand,
    c: Operand,
    *,
    shape: tuple[int, int, int] | None = None,
    ranks: int | None = None,
    rank: int = 0,
    dtype: Any = None,
    op: str = "NN",
    ranks_per_node: int = 0,
    **options: Unpack[Options],
) -> Plan:
    """Plans what a rank does, without data.

    The operands are matrices, or layouts for a product of this ``shape``, (m, n, k), on this number
    of ranks. ``op`` is "N", "T" or "C" for each of a and b, where they are layouts, which describe
    matrices as stored.

    >>> p = plan("row", "col", "2d", shape=(1000, 1000, 500), ranks=4, rank=3)
    >>> p.stay, p.cost.steps, p.cost.bytes_in_place
    ('c', 2, 2000000)
    >>> p.steps()[0].owners
    (None, None, 3)
    """
    problem = Problem((a, b, c), shape, ranks, dtype, op, ranks_per_node)
    return Plan(problem, rank, options)
