"""What callers pass, as the library takes it. Whatever it cannot take is an error with the name of the
argument."""

from __future__ import annotations

import operator
import os
from functools import lru_cache
from typing import Any, Sequence

from ._errors import BadArgumentError, BadTypeError, encoded, kind_of
from ._native import ffi


@lru_cache(maxsize=None)
def _limits(kind: Any) -> tuple[int, int]:
    bits = 8 * int(ffi.sizeof(kind))
    signed = int(ffi.cast(kind, -1)) < 0
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def whole(name: str, value: Any, kind: Any = "int", least: int | None = None) -> int:
    """Returns a whole number that the library's type has room for."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadTypeError(f"{name}: {kind_of(value)} is not a whole number") from None
    low, high = _limits(kind)
    if not low <= number <= high:
        # Python does not print numbers of thousands of digits.
        shown = number if number.bit_length() < 256 else f"{number:#x}"[:64] + "..."
        raise BadArgumentError(f"{name}={shown} is out of range")
    if least is not None and number < least:
        raise BadArgumentError(f"{name}: {number} is not at least {least}")
    return number


@lru_cache(maxsize=None)
def _kinds(pointer: Any) -> dict[str, Any]:
    return {name: field.type for name, field in pointer.item.fields}


def fill(struct: Any, **numbers: Any) -> None:
    """Sets fields of a struct, which have the names of the arguments."""
    kinds = _kinds(ffi.typeof(struct))
    for name, value in numbers.items():
        setattr(struct, name, whole(name, value, kinds[name]))


def sizes(shape: Any, names: Sequence[str], what: str) -> tuple[int, ...]:
    """Returns a shape with a size for each name; `what` describes one."""
    try:
        given = tuple(shape)
        if len(given) != len(names):
            raise BadArgumentError(f"shape: must be {what}")
        return tuple(whole(name, size, "int64_t") for name, size in zip(names, given))
    except TypeError:
        raise BadTypeError(f"shape: must be {what}") from None


def product_shape(shape: Any) -> tuple[int, int, int]:
    """Returns the shape of a product."""
    m, n, k = sizes(shape, "mnk", "(m, n, k), whole numbers")
    return m, n, k


def one_of(name: str, value: Any, choices: Sequence[str]) -> int:
    """Returns which of the texts is given."""
    if not isinstance(value, str):
        raise BadTypeError(f"{name}: {kind_of(value)} is not a text")
    if value not in choices:
        raise BadArgumentError(f"{name}={value!r}: must be one of {', '.join(choices)}")
    return choices.index(value)


def by_name(argument: str, value: Any) -> dict[str, Any]:
    """Returns what is given by name, none if it is None."""
    try:
        return dict(value or {})
    except (TypeError, ValueError):
        raise BadTypeError(f"{argument}: {kind_of(value)} has nothing by name") from None


def path_text(path: str | bytes | os.PathLike[Any], name: str = "path") -> str:
    """Returns the path of a file as a text; `name` is that of the argument."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise BadTypeError(f"{name}: {kind_of(path)} is not a path") from None
    encoded(name, text)
    return text
