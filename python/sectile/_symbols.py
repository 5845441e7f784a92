"""The matrices of a group of products as symbols, and products of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from ._errors import BadArgumentError, check, encoded
from ._layout import Shape
from ._native import lib

if TYPE_CHECKING:
    from ._products import Products

#: What follows an operand in texts.
MARKS = {lib.SCT_N: "", lib.SCT_T: "'", lib.SCT_C: "^H"}


class Symbol:
    """A matrix of a group of products, or its transpose; made by `Products`.

    ``x @ y`` is a product of the group once it has a
    name: by ``group["Z"] = x @ y``, or by itself, if it is an operand of another product.
    """

    __slots__ = {"products": "the group", "name": "its name", "_op": "whether it is transposed"}

    def __init__(self, products: Products, name: str, op: int = lib.SCT_N):
        self.products = products
        self.name = name
        self._op = op

    @property
    def T(self) -> Symbol:
        """The transpose."""
        return self._turned(lib.SCT_T)

    @property
    def H(self) -> Symbol:
        """The conjugate transpose."""
        return self._turned(lib.SCT_C)

    @property
    def shape(self) -> Shape:
        """The numbers of rows and columns."""
        found = self.products._at(self.name)
        shape = (int(found.rows), int(found.cols))
        return shape if self._op == lib.SCT_N else shape[::-1]

    def _turned(self, op: int) -> Symbol:
        if self._op not in (lib.SCT_N, op):
            raise BadArgumentError(f"{self._word}: a conjugate that is not transposed is no operand")
        return Symbol(self.products, self.name, op if self._op == lib.SCT_N else lib.SCT_N)

    def _symbol(self) -> Symbol:
        return self

    @property
    def _word(self) -> str:
        return self.name + MARKS[self._op]

    # NumPy would take it for an array of objects.
    __array_ufunc__ = None

    def __matmul__(self, other: Any) -> Any:
        return _multiply(self, other)

    def __iadd__(self, product: Any) -> Any:
        """Adds a product to a matrix that is there from the start, or is computed before."""
        if not isinstance(product, Product) or self._op != lib.SCT_N:
            return NotImplemented
        product.define(self.name, add=True)
        return self

    def __repr__(self) -> str:
        return f"<sectile.Symbol {self._word} of {self.shape[0]} x {self.shape[1]}>"


class Product:
    """A product of two matrices of a group, which may be products themselves."""

    __slots__ = {
        "products": "the group",
        "_factors": "the operands",
        "_made": "the matrix that it is, once it has a name",
    }

    def __init__(self, a: Expression, b: Expression):
        self.products: Products = a.products
        self._factors = (a, b)
        self._made: Symbol | None = None

    @property
    def T(self) -> Expression:
        """The transpose: of the result, once it has a name, or else a product of transposes."""
        return self._turned(lib.SCT_T)

    @property
    def H(self) -> Expression:
        """The conjugate transpose, likewise."""
        return self._turned(lib.SCT_C)

    def _turned(self, op: int) -> Expression:
        if self._made is not None:
            return self._made._turned(op)
        a, b = self._factors
        return Product(b._turned(op), a._turned(op))

    def _symbol(self) -> Symbol:
        return self._made or self.define(self.products._free_name())

    def define(self, name: str, add: bool = False) -> Symbol:
        """Adds the product to the group, as a matrix of this name, or to one."""
        a, b = (factor._symbol() for factor in self._factors)
        words = (encoded("name", each) for each in (a.name, b.name, name))
        one, other, result = words
        group = self.products._products
        check(lib.sct_products_multiply(group, a._op, one, b._op, other, int(add), result))
        self._made = Symbol(self.products, name)
        return self._made

    # NumPy would take it for an array of objects.
    __array_ufunc__ = None

    def __matmul__(self, other: Any) -> Any:
        return _multiply(self, other)


Expression = Union[Symbol, Product]


def _multiply(a: Expression, b: Any) -> Any:
    if not isinstance(b, (Symbol, Product)):
        return NotImplemented
    if b.products is not a.products:
        raise BadArgumentError("the matrices belong to different groups of products")
    return Product(a, b)
