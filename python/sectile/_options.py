"""The options of products, as keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Literal, TypedDict, Union

from ._arguments import fill, one_of
from ._errors import BadTypeError, check, encoded
from ._layout import AnyLayout, Layout, Shape, find_layout
from ._machine import Machine, find_machine
from ._native import ffi, lib

if TYPE_CHECKING:
    from typing_extensions import Unpack  # noqa: F401

Stay = Literal["auto", "a", "b", "c"]


class PlainOptions(TypedDict, total=False):
    """The keyword arguments of products and plans, but for the machine."""

    stay: Stay
    work: AnyLayout | None
    slicing: Literal["class", "tile"]
    fetch: Literal["slice", "tile"]
    order: Literal["direct", "greedy", "cost", "exhaustive"]
    result: Literal["all", "origin", "partial"]
    start: Literal["shifted", "alike"]
    effort: Literal["estimate", "measure"]
    workspace: Union[int, Literal["none"]]
    prefetch: int
    products_in_flight: int
    accumulates_in_flight: int
    transfers_in_group: int
    sync: bool
    ordered: bool
    decisions: str


class Options(PlainOptions, total=False):
    """The keyword arguments of products and plans; docs/python.md describes them."""

    machine: Union[str, Machine, None]


NO_LIMIT = 2 ** (8 * ffi.sizeof("size_t")) - 1  # SCT_NO_LIMIT


def _names(name: Callable[[int], Any], count: int) -> tuple[str, ...]:
    return tuple(str(ffi.string(name(value)).decode()) for value in range(count))


STAYS = _names(lib.sct_stay_name, lib.SCT_STAY_C + 1)
SLICINGS = _names(lib.sct_slicing_name, lib.SCT_SLICE_TILE + 1)
ORDERS = _names(lib.sct_schedule_name, lib.SCT_EXHAUSTIVE + 1)
# The field of sct_options, and what it may be.
_CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "stay": ("stay", STAYS),
    "slicing": ("slicing", SLICINGS),
    "fetch": ("fetch", _names(lib.sct_fetch_name, lib.SCT_FETCH_TILE + 1)),
    "order": ("schedule", ORDERS),
    "result": ("result", _names(lib.sct_result_name, lib.SCT_RESULT_PARTIAL + 1)),
    "start": ("start", _names(lib.sct_start_name, lib.SCT_START_ALIKE + 1)),
    "effort": ("effort", _names(lib.sct_effort_name, lib.SCT_MEASURE + 1)),
}
_NUMBERS = (
    "workspace",
    "prefetch",
    "products_in_flight",
    "accumulates_in_flight",
    "transfers_in_group",
    "sync",
    "ordered",
)


class OptionsStruct:
    """An sct_options, and what it points to."""

    def __init__(self, options: Options, shape: tuple[int, int, int], ranks: int):
        given: dict[str, Any] = dict(options)
        self.kept: list[Any] = []
        self.struct = ffi.new("sct_options *", {"size": ffi.sizeof("sct_options")})
        for name, (field, choices) in _CHOICES.items():
            value = given.pop(name, None)
            if value is not None:
                setattr(self.struct, field, one_of(name, value, choices))
        workspace = given.get("workspace")
        if isinstance(workspace, str) and workspace == "none":
            given["workspace"] = NO_LIMIT
        numbers = {name: given.pop(name, None) for name in _NUMBERS}
        fill(self.struct, **{name: value for name, value in numbers.items() if value is not None})
        self._set_work(given.pop("work", None), shape, ranks)
        machine = given.pop("machine", None)
        if machine is not None:
            self._keep("machine", find_machine(machine)._machine)
        decisions = given.pop("decisions", None)
        if decisions is not None:
            struct = ffi.new("sct_decisions *")
            check(lib.sct_decisions_parse(encoded("decisions", decisions), struct))
            self._keep("decisions", struct)
        if given:
            raise BadTypeError(f"there is no option {next(iter(given))!r}")

    def _keep(self, field: str, value: Any) -> None:
        setattr(self.struct, field, value)
        self.kept.append(value)

    def _set_work(self, work: AnyLayout | None, shape: tuple[int, int, int], ranks: int) -> None:
        if work is None:
            return
        m, n, k = shape
        of: Shape = {lib.SCT_STAY_A: (m, k), lib.SCT_STAY_B: (k, n)}.get(self.struct.stay, (m, n))
        found: Layout = find_layout(work, of, ranks)
        self._keep("work", found._layout)


def options_struct(options: Options, shape: tuple[int, int, int], ranks: int) -> Any:
    """Makes an sct_options; NULL if all options have their defaults."""
    return OptionsStruct(options, shape, ranks) if options else None
