"""Layouts that are chosen for all matrices of a group of products."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

import numpy as np

from ._arguments import by_name, fill
from ._collective import collective
from ._errors import BadArgumentError, check, encoded, text
from ._group import Group
from ._html import cell, table
from ._layout import Layout, find_layout
from ._machine import Machine
from ._native import ffi, lib
from ._options import STAYS
from ._types import numpy_dtype
from ._uncopied import Uncopied

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._memory import Array
    from ._options import Options
    from ._products import Products
    from ._world import World


class Work(NamedTuple):
    """How a product of a group is done.

    ``stay`` is the stationary matrix, or the one whose shape the work layout ``layout`` has.
    ``seconds`` are simulated. ``bytes`` are moved by the busiest rank, and ``workspace`` is that of
    the rank with the most, of those that were planned. ``limit`` is the limit on workspace, 0 for
    that of plans. ``waits_for`` is the matrix that ranks mostly wait for, or None.
    """

    product: str
    stay: str
    layout: Layout | None
    seconds: float
    bytes: int
    workspace: int
    limit: int
    waits_for: str | None


class Style(NamedTuple):
    """Layouts that practice uses: their name, and the time and the memory of the group in them."""

    name: str
    seconds: float
    memory: int


class ProductsChoice(Uncopied):
    """Layouts for all matrices of a group of products, and how the products are done.

    `Products.choose` makes it. ``products`` is the group, ``ranks`` the number of ranks. ``layouts``
    has the layout of each matrix by its name, ``work`` is how each product is done. ``seconds`` is the
    simulated time of all products, one after another, and ``memory`` what the fullest rank needs, in
    bytes. ``bound`` is what no combination of candidates falls below, as far as estimates are right
    (docs/products.md). ``combinations`` of candidates were compared, and ``simulations`` of single
    products made. In a notebook it shows tables.
    """

    _instead = "its layouts and work can"

    def __init__(self, search: Search, found: Any):
        names = search.products.names
        self._search = search
        self.products = search.products
        self.ranks = search.ranks
        self._type = search.type
        self.layouts = {
            name: copy(Layout._of(found.layout[i])) for i, name in enumerate(names)
        }
        self.work = [
            self._work(product, found.work[i], names)
            for i, product in enumerate(self.products._texts())
        ]
        self.seconds = float(found.seconds)
        self.memory = int(found.memory)
        self.bound = float(found.bound)
        self.combinations = float(found.combinations)
        self.simulations = int(found.simulations)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of all matrices."""
        return numpy_dtype(self._type)

    @staticmethod
    def _work(product: str, work: Any, names: list[str]) -> Work:
        return Work(
            product,
            STAYS[work.stay],
            copy(Layout._of(work.layout)) if work.layout else None,
            float(work.seconds),
            int(work.bytes),
            int(work.workspace),
            int(work.limit),
            names[work.waits] if work.waits >= 0 else None,
        )

    def styles(self) -> list[Style]:
        """Returns what layouts in common use would take, if the group consists of linear layers.

        >>> group = sectile.Products("Y = X[8192,4096] * V[4096,16384]; Z = Y * W[16384,4096]; Z ~ X")
        >>> choice = group.choose(machine="h100x8", dtype="f4")
        >>> style = choice.styles()[0]
        >>> style.name, style.seconds > 0.9 * choice.seconds
        ('Megatron-LM', True)
        """
        return self._search.styles()

    def group(self, world: World, **options: Unpack[Options]) -> Group:
        """Makes the matrices on a world, and plans the products. Collective.

        The options are those of `matmul`, except ``stay``, ``work`` and ``workspace``.
        """
        return Group(world, self, options)

    @collective
    def run(
        self, world: World, arrays: Mapping[str, Any], **options: Unpack[Options]
    ) -> dict[str, Array]:
        """Computes the group once, of an array for each given matrix. Collective.

        Returns an array for each result; in a world of processes, each process has all.

        >>> group = sectile.Products("Y = A[2,3] * B[3,2]; C = Y' * Y")
        >>> with sectile.run(2) as world:
        ...     group.choose(2).run(world, {"A": np.ones((2, 3)), "B": np.eye(3)[:, :2]})
        {'C': array([[2., 2.],
               [2., 2.]])}
        """
        given = by_name("arrays", arrays)
        missing = [name for name in self.products.given if name not in given]
        if missing:
            raise BadArgumentError(f"arrays: {', '.join(missing)} must be given")
        results = self.group(world, **options).run(given)
        return {name: matrix.to_numpy() for name, matrix in results.items()}

    def _repr_html_(self) -> str:
        matrices: list[tuple[object, ...]] = [("matrix", "shape", "MB per rank", "layout")]
        for name, layout in self.layouts.items():
            stored = max(layout._nbytes(rank, self._type) for rank in range(self.ranks))
            shape = f"{layout.shape[0]} x {layout.shape[1]}"
            matrices.append((name, shape, f"{stored / 1e6:.4g}", layout))
        works: list[tuple[object, ...]] = [
            ("product", "ms", "MB moved", "MB of workspace", "waits for", "work")
        ]
        for work in self.work:
            how = f"stay {work.stay}" if work.layout is None else f"work {work.layout}"
            sizes = (f"{size / 1e6:.4g}" for size in (work.bytes, work.workspace))
            works.append(
                (work.product, f"{1e3 * work.seconds:.4g}", *sizes, work.waits_for or "", how)
            )
        return _table(repr(self)[1:-1], matrices) + _table("How products are done", works)

    def __repr__(self) -> str:
        return (
            f"<sectile.ProductsChoice for {len(self.work)} products on {self.ranks} ranks: "
            f"{self.seconds:.4g} s, {self.memory} bytes of memory>"
        )


class Search:
    """What layouts are sought for: products, ranks, a type, and a machine."""

    def __init__(
        self,
        products: Products,
        ranks: int,
        number: int,
        machine: Machine | None,
        ranks_per_node: int,
    ):
        self.products, self.type, self.machine = products, number, machine
        self.ranks, self.ranks_per_node = ranks, ranks_per_node
        self._struct(0)  # checks the numbers

    def _struct(self, memory: int) -> Any:
        search = ffi.new("sct_products_search *", {"size": ffi.sizeof("sct_products_search")})
        search.type = self.type
        search.machine = self.machine._machine if self.machine else ffi.NULL
        fill(search, ranks=self.ranks, ranks_per_node=self.ranks_per_node, memory=memory)
        return search

    def choose(self, layouts: Mapping[str, Any], memory: int) -> ProductsChoice:
        search, kept = self._struct(memory), self._fixes(layouts)
        fixes = ffi.new("sct_products_fix[]", [(name, each._layout) for name, each in kept])
        search.fixes, search.fix = len(kept), fixes
        found = _choice()
        check(lib.sct_products_choose(self.products._products, search, found))
        return ProductsChoice(self, found)

    def _fixes(self, layouts: Mapping[str, Any]) -> list[tuple[Any, Layout]]:
        """The names of matrices, and a layout that each may have."""
        fixes: list[tuple[Any, Layout]] = []
        for name, given in layouts.items():
            shape = self.products[name].shape
            word = ffi.new("char[]", encoded("layouts", name))
            several = given if isinstance(given, (list, tuple)) else [given]
            if not several:
                raise BadArgumentError(f"layouts: {name} may have none")
            fixes += [(word, find_layout(each, shape, self.ranks)) for each in several]
        return fixes

    def styles(self) -> list[Style]:
        """What the group takes in each style that there is for it."""
        found, search = [], self._struct(0)
        for style in range(lib.SCT_STYLE_TENSOR, lib.SCT_STYLE_DATA + 1):
            choice = _choice()
            products = self.products._products
            status = lib.sct_products_choose_style(products, search, style, choice)
            if status == lib.SCT_BAD_ARGUMENT:
                continue
            check(status)
            name = text(lib.sct_style_name(style))
            found.append(Style(name, float(choice.seconds), int(choice.memory)))
        return found


def _choice() -> Any:
    return ffi.gc(ffi.new("sct_products_choice *"), lib.sct_products_choice_clear)


def _table(caption: str, lines: list[tuple[object, ...]]) -> str:
    """A table with a head."""
    kinds = ["th", *["td"] * (len(lines) - 1)]
    return table(caption, [[cell(each, kind) for each in line] for kind, line in zip(kinds, lines)])
