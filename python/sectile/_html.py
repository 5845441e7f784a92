"""Tables that notebooks show."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Iterable

from ._errors import text
from ._layout import Layout, Range
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._matrix import Matrix

# So many blocks of rows, of columns, and so many replicas are shown; then follow three dots.
_MOST = 8
_DOTS = "…"


def table(caption: str, rows: Iterable[Iterable[str]]) -> str:
    """Makes a table of rows of cells, each an element of HTML."""
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption>{lines}</table>"


def cell(content: Any, kind: str = "td", style: str = "") -> str:
    """Makes a cell of a table."""
    styled = f' style="{style}"' if style else ""
    return f"<{kind}{styled}>{escape(str(content))}</{kind}>"


def _blocks(layout: Layout, dimension: int, shown: Range) -> list[Range]:
    """The first blocks of rows (dimension 0) or of columns within a range."""
    found: list[Range] = []
    low, end = shown
    while low < end and len(found) <= _MOST:
        tile = lib.sct_layout_tile(layout._layout, *((low, 0) if dimension == 0 else (0, low)))
        high = min((tile.rows, tile.cols)[dimension].hi, end)
        found.append((low, high))
        low = high
    return found


def _owners(layout: Layout, row: int, col: int) -> str:
    """The cell of a block, with the rank that stores it in each replica, in the colour of the first."""
    ranks = [layout.owner(row, col, replica) for replica in range(min(layout.replicas, _MOST + 1))]
    colour = ffi.new("char[]", lib.PALETTE_TEXT)
    lib.palette_colour(ranks[0], colour)
    names = ", ".join(str(each) for each in ranks[:_MOST]) + (", " + _DOTS) * (len(ranks) > _MOST)
    return cell(names, style=f"background: {text(colour)}; color: black; text-align: center")


def owners_table(matrix: Matrix) -> str:
    """Shows which ranks store the blocks of a matrix, or of a view as it is turned."""
    layout, turned = matrix.layout, matrix._op != lib.SCT_N
    rows, cols = (_blocks(layout, i, matrix._bounds[i]) for i in (0, 1))
    made = [[_owners(layout, row[0], col[0]) for col in cols[:_MOST]] for row in rows[:_MOST]]
    if turned:
        made = [list(column) for column in zip(*made)]

    def heads(dimension: int) -> list[str]:
        ranges, start = (rows, cols)[dimension], matrix._bounds[dimension][0]
        said = [f"{low - start}:{high - start}" for low, high in ranges[:_MOST]]
        return [cell(each, "th") for each in said + [_DOTS] * (len(ranges) > _MOST)]

    down, across = (heads(1), heads(0)) if turned else (heads(0), heads(1))
    lines = [[cell("", "th"), *across]]
    # zip leaves out the rows below the last that is shown.
    lines += [[head, *line] for head, line in zip(down, made + [[]])]
    caption = f"{repr(matrix)[1:-1]}: the rank that stores each block"
    return table(caption, lines)
