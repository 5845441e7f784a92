"""Element types: NumPy's and the library's."""

from __future__ import annotations

from functools import lru_cache
from numbers import Number
from typing import Any

import numpy as np

from ._errors import BadArgumentError, BadTypeError, kind_of
from ._native import ffi, lib

try:  # NumPy itself has no bfloat16.
    from ml_dtypes import bfloat16 as _bfloat16

    BFLOAT16: np.dtype[Any] | None = np.dtype(_bfloat16)
except ImportError:
    BFLOAT16 = None

_NUMPY: dict[int, np.dtype[Any]] = {
    lib.SCT_F32: np.dtype("f4"),
    lib.SCT_F64: np.dtype("f8"),
    lib.SCT_CF32: np.dtype("c8"),
    lib.SCT_CF64: np.dtype("c16"),
    lib.SCT_F16: np.dtype("f2"),
}
if BFLOAT16 is not None:
    _NUMPY[lib.SCT_BF16] = BFLOAT16
_TYPES = {dtype: number for number, dtype in _NUMPY.items()}
_NAMES = {ffi.string(lib.sct_type_name(number)).decode(): number for number in _NUMPY}
_SCALARS = {
    lib.SCT_F32: "float[1]",
    lib.SCT_F64: "double[1]",
    lib.SCT_CF32: "float[2]",
    lib.SCT_CF64: "double[2]",
}


def type_number(dtype: Any) -> int:
    """Finds the library's type of a dtype, or of the library's own name of a type."""
    if isinstance(dtype, str):
        if dtype in _NAMES:
            return _NAMES[dtype]
        if dtype in ("bf16", "bfloat16"):
            return _TYPES[numpy_dtype(lib.SCT_BF16)]
    try:
        known = np.dtype(dtype)
    except Exception as problem:  # NumPy has several
        hint = f'; a layout is passed as layout="{dtype}"' if isinstance(dtype, str) else ""
        raise BadTypeError(f"dtype: {problem}{hint}") from None
    if known not in _TYPES:
        raise BadArgumentError(
            f"elements of type {known} cannot be multiplied: convert them, as by x.astype('f8'), to one of "
            + ", ".join(str(each) for each in _TYPES)
        )
    return _TYPES[known]


def numpy_dtype(number: int) -> np.dtype[Any]:
    if number not in _NUMPY:
        raise BadArgumentError("bf16 needs the package ml_dtypes")
    return _NUMPY[number]


def type_name(number: int) -> str:
    return str(ffi.string(lib.sct_type_name(number)).decode())


def factor(name: str, value: Any) -> complex:
    """Returns alpha or beta."""
    if not isinstance(value, (Number, np.number)):
        raise BadTypeError(f"{name}: {kind_of(value)} is not a number")
    try:
        return complex(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError) as problem:
        raise BadArgumentError(f"{name}: {problem}") from None


@lru_cache(maxsize=256)
def scalar(number: int, value: complex) -> Any:
    """Makes alpha or beta as the library takes it for a result of this type."""
    sums = lib.sct_type_sum(number)
    if sums in (lib.SCT_CF32, lib.SCT_CF64):
        value = complex(value)
        return ffi.new(_SCALARS[sums], [value.real, value.imag])
    if value.imag != 0:
        raise BadArgumentError(f"{value} is complex, but {type_name(number)} is not")
    return ffi.new(_SCALARS[sums], [value.real])
