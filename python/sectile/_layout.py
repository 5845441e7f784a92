"""Layouts: how a matrix is cut, and which rank stores which piece."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Union

from ._arguments import sizes, whole
from ._errors import BadArgumentError, BadIndexError, BadTypeError, check, encoded, kind_of, printed
from ._native import ffi, lib
from ._types import type_number

Range = tuple[int, int]
Shape = tuple[int, int]


def find_shape(shape: Any) -> Shape:
    """Checks that a shape is two whole numbers."""
    rows, cols = sizes(shape, ("rows", "cols"), "two whole numbers")
    return rows, cols


class Part(NamedTuple):
    """The rows and columns that a rank stores, as ascending half-open ranges."""

    rows: list[Range]
    cols: list[Range]


class Layout:
    """How a matrix is cut, and which rank stores which piece. Immutable.

    ``text`` is a text as docs/layouts.md describes it, for a matrix of this shape on this number
    of ranks. Wherever a layout is asked for, its text will do.

    >>> layout = Layout("row*2", (6, 8), 4)
    >>> layout.replicas, layout.owner(5, 0), layout.owner(5, 0, replica=1)
    (2, 1, 3)
    >>> print(layout)
    row*2
    """

    def __init__(self, text: str, shape: Shape, ranks: int):
        made = ffi.new("sct_layout **")
        rows, cols = find_shape(shape)
        given = encoded("layout", text)
        check(lib.sct_layout_parse(given, rows, cols, whole("ranks", ranks), made))
        self._set(ffi.gc(made[0], lib.sct_layout_destroy))

    def _set(self, layout: Any) -> None:
        self._layout = layout
        self._text = printed(lib.sct_layout_print, layout)
        self._shape: Shape = (lib.sct_layout_rows(layout), lib.sct_layout_cols(layout))
        self._hash = hash((self._text, self._shape))

    @property
    def shape(self) -> Shape:
        """The numbers of rows and columns of the matrix."""
        return self._shape

    @classmethod
    def _of(cls, layout: Any) -> Layout:
        """A layout that the library has made."""
        made = cls.__new__(cls)
        made._set(layout)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self._text, self.shape, self.ranks)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<sectile.Layout {self._text} of {self.shape[0]} x {self.shape[1]}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self._text == other._text and self.shape == other.shape and self.ranks == other.ranks

    def __hash__(self) -> int:
        return self._hash

    @property
    def replicas(self) -> int:
        """The number of copies of the matrix."""
        return int(lib.sct_layout_replicas(self._layout))

    @property
    def ranks(self) -> int:
        """One more than the highest rank that may store a part."""
        return int(lib.sct_layout_ranks(self._layout))

    @property
    def order(self) -> str:
        """The storage order of each part: "C", by rows, or "F", by columns."""
        return "C" if lib.sct_layout_order(self._layout) == lib.SCT_ROW_MAJOR else "F"

    @cached_property
    def tiled(self) -> bool:
        """True if each tile has an owner of its own, and is stored by itself."""
        return re.match(r"cuts:[^@]*@[0-9,]*(?![0-9,x])", self._text) is not None

    def owner(self, row: int, col: int, replica: int = 0) -> int:
        """Returns the rank that stores an element."""
        row, col = whole("row", row, "int64_t"), whole("col", col, "int64_t")
        if not (0 <= row < self.shape[0] and 0 <= col < self.shape[1]):
            raise BadIndexError(f"({row}, {col}) is not in {self.shape[0]} x {self.shape[1]}")
        replica = whole("replica", replica)
        if not 0 <= replica < self.replicas:
            raise BadIndexError(f"replica {replica} is not one of {self.replicas}")
        return int(lib.sct_layout_owner(self._layout, replica, row, col))

    def home(self, rank: int) -> int:
        """Returns the replica that a rank stores a part of."""
        return int(lib.sct_layout_home(self._layout, whole("rank", rank, least=0)))

    def nbytes(self, rank: int, dtype: Any = "f8") -> int:
        """Returns the bytes that a rank stores."""
        return self._nbytes(whole("rank", rank, least=0), type_number(dtype))

    def _nbytes(self, rank: int, number: int) -> int:
        """The same, of the library's number of a type."""
        size = ffi.new("size_t *")
        check(lib.sct_layout_bytes(self._layout, number, rank, size))
        return int(size[0])

    @cached_property
    def _bounds(self) -> tuple[list[Range], list[Range]]:
        """The blocks of rows and the blocks of columns, without empty ones."""
        rows: list[Range] = []
        cols: list[Range] = []
        if 0 in self.shape:
            return rows, cols
        while (row := rows[-1][1] if rows else 0) < self.shape[0]:
            tile = lib.sct_layout_tile(self._layout, row, 0)
            rows.append((tile.rows.lo, tile.rows.hi))
        while (col := cols[-1][1] if cols else 0) < self.shape[1]:
            tile = lib.sct_layout_tile(self._layout, 0, col)
            cols.append((tile.cols.lo, tile.cols.hi))
        return rows, cols

    def part(self, rank: int) -> Part:
        """Returns the rows and columns that a rank stores, where a layout has a grid.

        >>> Layout("cyclic:2x4@2x1", (7, 4), 2).part(1)
        Part(rows=[(2, 4), (6, 7)], cols=[(0, 4)])
        """
        if self.tiled:
            raise BadArgumentError(f"layout {self}: each tile has an owner of its own")
        rows, cols = self._bounds
        replica = self.home(rank)
        # Blocks of rows that belong to one row of the grid have the same owner in each column.
        down: dict[int, list[Range]] = {}
        across: dict[int, list[Range]] = {}
        for low, high in rows:
            down.setdefault(self.owner(low, 0, replica), []).append((low, high))
        for low, high in cols:
            across.setdefault(self.owner(0, low, replica), []).append((low, high))
        for row_class in down.values():
            for col_class in across.values():
                if self.owner(row_class[0][0], col_class[0][0], replica) == rank:
                    return Part(row_class, col_class)
        return Part([], [])

    def tiles(self, rank: int) -> list[tuple[Range, Range]]:
        """Returns the rows and columns of each tile that a rank stores, without empty tiles."""
        rows, cols = self._bounds
        replica = self.home(rank)
        return [
            (row, col)
            for row in rows
            for col in cols
            if self.owner(row[0], col[0], replica) == rank
        ]


AnyLayout = Union[str, Layout]


@lru_cache(maxsize=1024)
def _parse(text: str, shape: Shape, ranks: int) -> Layout:
    return Layout(text, shape, ranks)


def find_layout(layout: AnyLayout, shape: Shape, ranks: int) -> Layout:
    """Makes a layout of its text; checks that a layout is of this shape."""
    if isinstance(layout, str):
        return _parse(layout, shape, ranks)
    if not isinstance(layout, Layout):
        raise BadTypeError(f"layout: {kind_of(layout)} is neither a text nor a Layout")
    if layout.shape != shape:
        raise BadArgumentError(
            f"layout {layout} is of {layout.shape[0]} x {layout.shape[1]}, "
            f"not of {shape[0]} x {shape[1]}"
        )
    return layout
