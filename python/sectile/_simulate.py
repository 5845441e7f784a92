"""Simulations: the plans of all ranks in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import NoMemoryError, check
from ._machine import AnyMachine, find_machine
from ._native import ffi, lib
from ._options import STAYS, PlainOptions, options_struct
from ._picture import taken
from ._plan import Cost
from ._problem import Problem
from ._uncopied import Uncopied

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._problem import Operand


class Use(NamedTuple):
    """Shares of the time: with a product in flight, with a transfer in flight; and the time of
    both at once, as a share of the smaller of the two."""

    computing: float
    moving: float
    overlap: float

    @classmethod
    def _of(cls, use: Any) -> Use:
        return cls(use.computing, use.moving, use.overlap)


class Forecast(Uncopied):
    """How a product would run on a machine; made by `simulate`. A notebook shows its timeline.

    ``seconds`` is the time of all, ``reducing`` the part in which replicas are reduced. ``mean``
    and ``critical`` tell how the mean rank and ``critical_rank``, the last to finish, use it.
    ``cost`` is the sum of all ranks; ``bytes_moved`` leaves out what products use in place.
    ``share_of_peak`` compares the flops with the peak of the ``machine``. ``problem`` is the product,
    ``stay`` its stationary matrix.

    >>> forecast = sectile.simulate("row", "col", "2d", shape=(4096, 4096, 4096), ranks=4,
    ...                             machine="cluster")
    >>> forecast.stay, forecast.svg()[:4], forecast.mean.computing > forecast.mean.moving
    ('c', '<svg', True)
    """

    _instead = "its cost and svg() can"

    def __init__(self, problem: Problem, machine: AnyMachine, options: PlainOptions):
        self.problem = problem
        self.machine = find_machine(machine)
        found = ffi.new("sct_forecast *")
        self._record = ffi.gc(lib.record_new(), lib.record_free)
        if not self._record:
            raise NoMemoryError("no memory for a record")
        kept = options_struct({**options, "machine": self.machine}, problem.shape, problem.ranks)
        check(
            lib.record_simulation(
                self._record,
                problem.struct,
                kept.struct,
                self.machine._machine,
                found,
            )
        )
        self.seconds = float(found.seconds)
        self.reducing = float(found.reducing)
        self.share_of_peak = float(found.share_of_peak)
        self.mean = Use._of(found.mean)
        self.critical = Use._of(found.critical)
        self.critical_rank = int(found.critical_rank)
        self.stay = STAYS[found.stay]
        self.bytes_moved = int(found.bytes_moved)
        self.cost = Cost._of(found.cost)

    def svg(self) -> str:
        """Draws the timeline of all ranks."""
        ranks, seconds = self.problem.ranks, self.seconds
        heading = f"{self.machine.name}: {seconds:.4g} s, {100 * self.share_of_peak:.1f} % of peak"
        drawn = lib.record_picture(
            self._record, heading.encode(), str(self.problem).encode(), ranks, seconds
        )
        return taken(drawn)

    _repr_svg_ = svg

    def __repr__(self) -> str:
        return (
            f"<sectile.Forecast of {self.problem}, on {self.machine.name}: {self.seconds:.4g} s, "
            f"{100 * self.share_of_peak:.1f} % of the peak>"
        )


def simulate(
    a: Operand,
    b: Operand,
    c: Operand,
    *,
    machine: AnyMachine,
    shape: tuple[int, int, int] | None = None,
    ranks: int | None = None,
    dtype: Any = None,
    op: str = "NN",
    ranks_per_node: int = 0,
    **options: Unpack[PlainOptions],
) -> Forecast:
    """Runs the plans of all ranks in virtual time. The arguments are those of `plan`.

    >>> forecast = simulate("row", "row", "row", shape=(8192, 8192, 8192), ranks=4,
    ...                     machine="cluster")
    >>> forecast.critical_rank in range(4) and 0.1 < forecast.share_of_peak < 1
    True
    """
    if ranks is None and shape is not None:
        ranks = find_machine(machine).ranks or None
    problem = Problem((a, b, c), shape, ranks, dtype, op, ranks_per_node)
    return Forecast(problem, machine, options)
