"""Groups of products as values: named matrices, and products of them."""

from __future__ import annotations

from itertools import count
from typing import Any, Mapping, Sequence, Union

from ._arguments import by_name, whole
from ._chosen import ProductsChoice, Search
from ._errors import BadArgumentError, BadTypeError, check, encoded, kind_of, printed, text
from ._layout import AnyLayout
from ._machine import AnyMachine, find_machine
from ._native import ffi, lib
from ._symbols import MARKS, Expression, Product, Symbol
from ._types import type_number
from ._uncopied import Uncopied

Name = Union[str, Symbol]


def _word(name: Name) -> str:
    return name.name if isinstance(name, Symbol) else name


class Products(Uncopied):
    """A group of products that share matrices, such as those of a layer (docs/products.md).

    ``text`` describes products; more are added by symbols. The numbers are sizes, whose names shapes
    may have. A product that is an operand and has no name gets one, such as P1.

    >>> mlp = Products(m=64, h=32, f=128)
    >>> x = mlp.matrix("X", ("m", "h"))
    >>> mlp["Y"] = x @ mlp.matrix("V", ("h", "f"))
    >>> mlp["Z"] = mlp["Y"] @ mlp.matrix("W", ("f", "h"))
    >>> mlp.equal("Z", x)
    >>> print(mlp)
    m = 64; h = 32; f = 128; Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X
    >>> mlp.backward()
    >>> mlp.given, mlp.results
    (['X', 'V', 'W', 'dZ'], ['Z', 'dW', 'dV', 'dX'])
    """

    _instead = "make another of its text"

    def __init__(self, text: str = "", /, **sizes: int):
        given = encoded("text", text)
        numbers = {name: whole(name, size, "int64_t") for name, size in sizes.items()}
        made = ffi.new("sct_products **")
        if given:
            words = ",".join(f"{name}={number}" for name, number in numbers.items())
            check(lib.sct_products_parse(given, encoded("sizes", words), made))
        else:
            check(lib.sct_products_create(made))
        self._products = ffi.gc(made[0], lib.sct_products_destroy)
        for name, number in {} if given else numbers.items():
            check(lib.sct_products_size(self._products, encoded("size", name), number))

    def matrix(self, name: str, shape: tuple[int | str, int | str]) -> Symbol:
        """Adds a matrix, whose elements are given. A shape is of numbers, or names of sizes."""
        if not isinstance(shape, (tuple, list)) or len(shape) != 2:
            raise BadTypeError("shape: must be two numbers, or names of sizes")
        words = (size if isinstance(size, str) else str(whole("shape", size, "int64_t")) for size in shape)
        rows, cols = (encoded("shape", word) for word in words)
        check(lib.sct_products_matrix(self._products, encoded("name", name), rows, cols))
        return Symbol(self, name)

    def __getitem__(self, name: str) -> Symbol:
        """Returns a matrix."""
        self._at(name)
        return Symbol(self, name)

    def __setitem__(self, name: str, value: Expression) -> None:
        """Adds a product, whose result gets this name."""
        if isinstance(value, Symbol) and value.products is self and value.name == name:
            return  # after group[name] += product
        if not isinstance(value, Product) or value.products is not self:
            raise BadTypeError(f"{name}: {kind_of(value)} is no product of matrices of this group")
        value.define(name)

    def equal(self, one: Name, other: Name) -> None:
        """Demands that two matrices of one shape have the same layout."""
        names = [encoded("name", _word(each)) for each in (one, other)]
        check(lib.sct_products_equal(self._products, *names))

    def backward(self) -> None:
        """Adds the products that compute gradients by all matrices that are given.

        The gradient by X is dX. It has the layout of X, unless `choose` is told others. That by a
        result, such as dZ, is given.
        """
        check(lib.sct_products_backward(self._products))

    @property
    def names(self) -> list[str]:
        """The names of all matrices."""
        all_of_them = range(lib.sct_products_matrices(self._products))
        return [text(lib.sct_products_matrix_at(self._products, i).name) for i in all_of_them]

    @property
    def given(self) -> list[str]:
        """The names of the matrices whose elements are there before the first product."""
        return [name for name in self.names if self._at(name).given]

    @property
    def results(self) -> list[str]:
        """The names of the matrices that are computed, and are no operand."""
        steps = self._steps()
        operands = {each for step in steps for each in (step.a, step.b)}
        results = {step.c for step in steps} - operands
        return [name for i, name in enumerate(self.names) if i in results]

    def choose(
        self,
        ranks: int | None = None,
        *,
        dtype: Any = "f8",
        machine: AnyMachine | None = None,
        layouts: Mapping[str, AnyLayout | Sequence[AnyLayout]] | None = None,
        memory: int = 0,
        ranks_per_node: int = 0,
    ) -> ProductsChoice:
        """Finds layouts for all matrices with which the group takes the least time on a machine.

        ``ranks`` may be left out where the machine has a number of them. ``layouts`` has, by name,
        the layout of a matrix, or a list of those that it may have. ``memory`` is a limit in bytes
        per rank, for the matrices that exist at once, and workspace.

        >>> group = Products("Y = X[4096,512] * W[512,512]")
        >>> choice = group.choose(4, machine="cluster", layouts={"X": "row"})
        >>> choice.layouts["Y"], choice.work[0].product
        (<sectile.Layout row of 4096 x 512>, 'Y = X * W')
        """
        found = find_machine(machine) if machine is not None else None
        if ranks is None:
            ranks = found.ranks if found is not None else 0
            if ranks == 0:
                raise BadArgumentError("ranks: must be given, as the machine has any number")
        search = Search(self, ranks, type_number(dtype), found, ranks_per_node)
        return search.choose(by_name("layouts", layouts), memory)

    def _at(self, name: str) -> Any:
        """What the library knows of a matrix."""
        index = lib.sct_products_matrix_find(self._products, encoded("name", name))
        if index < 0:
            raise BadArgumentError(f"there is no matrix {name}")
        return lib.sct_products_matrix_at(self._products, index)

    def _steps(self) -> list[Any]:
        """What the library knows of the products."""
        all_of_them = range(lib.sct_products_count(self._products))
        return [lib.sct_products_at(self._products, i) for i in all_of_them]

    def _texts(self) -> list[str]:
        """The products, in their order."""
        names = self.names
        return [
            f"{names[step.c]} {'+=' if step.add else '='} "
            f"{names[step.a]}{MARKS[step.op_a]} * {names[step.b]}{MARKS[step.op_b]}"
            for step in self._steps()
        ]

    def _free_name(self) -> str:
        taken = set(self.names)
        return next(name for i in count(1) if (name := f"P{i}") not in taken)

    def __str__(self) -> str:
        """The text that describes the group."""
        return printed(lib.sct_products_print, self._products)

    def __repr__(self) -> str:
        return f"<sectile.Products {self}>"
