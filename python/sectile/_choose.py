"""Choices of layouts for a product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ._arguments import fill, one_of, product_shape, whole
from ._errors import NoMemoryError, check
from ._html import cell, table
from ._layout import AnyLayout, Layout, find_layout
from ._machine import AnyMachine, find_machine
from ._native import ffi, lib
from ._options import NO_LIMIT, ORDERS, SLICINGS, STAYS, PlainOptions, options_struct
from ._plan import Plan, plan
from ._types import type_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

_AIMS = ("both", "time", "bytes")
_REGIMES = ("1d", "2d", "3d", "memory")


class Choice:
    """Layouts for a product, and what it takes with them; made by `choose`.

    ``a``, ``b`` and ``c`` are the layouts. ``options`` are those to multiply with: ``stay``,
    ``work``, ``slicing``, ``order`` and ``workspace``, the limit in bytes.

    ``seconds`` is the time of one product with its share of making replicas or copying, and
    ``product_seconds`` without it; both are estimates. Choices are compared by ``expected``, for
    which the product is simulated. ``bytes`` are moved in one product, ``bytes_made`` in
    preparation, each by the busiest rank. ``memory``, for parts and workspace, and ``steps`` are
    those of the rank with the most. ``imbalance`` is the work of the busiest rank over the mean.

    >>> best = choose((512, 512, 512), 4, c="2d")[0]
    >>> str(best.c), best.plan(rank=3).cost.steps <= best.steps
    ('2d', True)
    """

    def __init__(self, found: Any, shape: tuple[int, int, int], ranks: int, dtype: Any):
        def taken(layout: Any) -> Layout:
            made = Layout._of(layout)
            made._layout = ffi.gc(layout, lib.sct_layout_destroy)
            return made

        self._problem = (shape, ranks, dtype)
        self.a, self.b, self.c = taken(found.a), taken(found.b), taken(found.c)
        self.stay = STAYS[found.stay]
        self.work = taken(found.work) if found.work else None
        self.slicing = SLICINGS[found.slicing]
        self.order = ORDERS[found.schedule]
        self.seconds = float(found.seconds)
        self.product_seconds = float(found.product_seconds)
        self.expected = float(found.expected)
        self.bytes = int(found.bytes)
        self.bytes_made = int(found.bytes_made)
        self.memory = int(found.memory)
        limit = int(found.workspace)
        self.workspace: int | Literal["none"] = "none" if limit == NO_LIMIT else limit
        self.steps = int(found.steps)
        self.imbalance = float(found.imbalance)

    @property
    def options(self) -> PlainOptions:
        """The keyword arguments with which to multiply, or plan."""
        made: dict[str, Any] = {"stay": self.stay, "slicing": self.slicing, "order": self.order}
        if self.work is not None:
            made["work"] = self.work
        if self.workspace:
            made["workspace"] = self.workspace
        return made  # type: ignore[return-value]

    def plan(self, rank: int = 0) -> Plan:
        """Plans what a rank does with these layouts."""
        shape, ranks, dtype = self._problem
        return plan(
            self.a, self.b, self.c, shape=shape, ranks=ranks, rank=rank, dtype=dtype, **self.options
        )

    def _repr_svg_(self) -> str:
        return self.plan().svg()

    def __repr__(self) -> str:
        work = f"work {self.work}" if self.work else f"stay {self.stay}"
        return (
            f"<sectile.Choice a {self.a}, b {self.b}, c {self.c}, {work}: "
            f"{self.seconds:.4g} s, {self.bytes} bytes>"
        )


class Choices(list[Choice]):
    """What `choose` finds, the best first. A notebook shows a table."""

    def _repr_html_(self) -> str:
        names = ("a", "b", "c", "work", "order", "seconds", "MB moved", "MB of memory", "imbalance")
        rows = [[cell(name, "th") for name in names]]
        for each in self:
            work = f"stay {each.stay}" if each.work is None else f"work {each.work}"
            moved, memory = (f"{size / 1e6:.4g}" for size in (each.bytes, each.memory))
            texts = (each.a, each.b, each.c, work, each.order)
            numbers = (f"{each.expected:.4g}", moved, memory, f"{each.imbalance:.3f}")
            rows.append([cell(shown) for shown in (*texts, *numbers)])
        return table(f"{len(self)} choices, the best first", rows)


def choose(
    shape: tuple[int, int, int],
    ranks: int,
    *,
    dtype: Any = "f8",
    machine: AnyMachine | None = None,
    a: AnyLayout | None = None,
    b: AnyLayout | None = None,
    c: AnyLayout | None = None,
    redistribute: bool = False,
    memory: int = 0,
    uses: int = 1,
    ranks_per_node: int = 0,
    aim: str = "both",
    most: int = 5,
    **options: Unpack[PlainOptions],
) -> Choices:
    """Finds layouts for a product of this shape, (m, n, k), the best first (docs/choose.md).

    a, b and c fix layouts; with ``redistribute`` they only say where the matrices are. ``memory``
    is a limit in bytes per rank. ``uses`` is how many products use the same a and b. ``aim`` is
    "both", "time" or "bytes".

    >>> best = choose((4096, 4096, 4096), 4, a="row")[0]
    >>> str(best.a), best.bytes > 0
    ('row', True)
    """
    m, n, k = shape = product_shape(shape)
    search = ffi.new("sct_search *", {"size": ffi.sizeof("sct_search")})
    search.type, search.aim = type_number(dtype), one_of("aim", aim, _AIMS)
    fill(search, m=m, n=n, k=k, ranks=ranks, ranks_per_node=ranks_per_node)
    fill(search, redistribute=redistribute, memory=memory, uses=uses)
    ranks = search.ranks
    kept: list[Any] = [find_machine(machine)._machine if machine is not None else ffi.NULL]
    search.machine = kept[0]
    for name, text, of in (("a", a, (m, k)), ("b", b, (k, n)), ("c", c, (m, n))):
        if text is not None:
            kept.append(find_layout(text, of, ranks))
            setattr(search, name, kept[-1]._layout)
    made = options_struct({**options, "machine": machine}, shape, ranks)
    search.options = made.struct
    most = whole("most", most)
    try:
        choices = ffi.new("sct_choice[]", max(most, 1))
    except MemoryError:
        raise NoMemoryError(f"no memory for {most} choices") from None
    count = ffi.new("int *")
    check(lib.sct_choose(search, most, choices, count))
    return Choices(Choice(choices[i], shape, ranks, dtype) for i in range(count[0]))


def lower_bound(
    shape: tuple[int, int, int], ranks: int, *, dtype: Any = "f8", memory: int = 0
) -> tuple[float, str]:
    """Returns the bytes that some rank must receive or send, and what determines them.

    >>> lower_bound((1000, 1000, 1000), 8)
    (3000000.0, '3d')
    """
    bound = ffi.new("sct_lower_bound *")
    size = (whole("ranks", ranks), whole("memory", memory, "uint64_t"))
    check(lib.sct_lower_bound_find(type_number(dtype), *product_shape(shape), *size, bound))
    return float(bound.bytes), _REGIMES[bound.regime]
