"""Products of local matrices: by the library in f32 and f64, otherwise by torch, which has instructions
for bf16 that the library's BLAS lacks."""

from __future__ import annotations

from typing import Any

import torch

from .._errors import check
from .._native import ffi, lib
from .._types import scalar
from ._local import lies

_BY_LIBRARY = {torch.float32: lib.SCT_F32, torch.float64: lib.SCT_F64}
_FACTORS = {
    (number, value): scalar(number, value)
    for number in _BY_LIBRARY.values()
    for value in (0.0, 1.0)
}


def computed_in(dtype: torch.dtype) -> torch.dtype:
    """The type in which matrices are to be passed: f32 for f16, of which most processors have no fast
    products."""
    return torch.float32 if dtype == torch.float16 else dtype


def _factor(number: int, value: float) -> Any:
    found = _FACTORS.get((number, value))
    return scalar(number, value) if found is None else found


def _block(matrix: torch.Tensor) -> tuple[Any, int]:
    """A matrix for the library, and how it is to be taken: as it lies or transposed."""
    transposed = not lies(matrix, "C")
    lines = matrix.t() if transposed else matrix
    rows, cols = lines.shape
    data = ffi.cast("void *", matrix.data_ptr())
    block = [data, max(lines.stride(0), cols), rows, cols, lib.SCT_ROW_MAJOR]
    return ffi.new("sct_block *", block), lib.SCT_T if transposed else lib.SCT_N


def multiply_local(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scale: float = 1, add: bool = False
) -> None:
    """c = scale a @ b, or c += a @ b. All lie by rows or by columns, c by rows. c may have another type."""
    number = _BY_LIBRARY.get(a.dtype)
    if number is None or c.dtype != a.dtype:
        _by_torch(a, b, c, scale, add)
        return
    (of_a, op_a), (of_b, op_b), (of_c, _) = _block(a), _block(b), _block(c)
    alpha, beta = _factor(number, scale), _factor(number, float(add))
    check(lib.sct_gemm_local(number, op_a, op_b, alpha, of_a, of_b, beta, of_c))


def _by_torch(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scale: float, add: bool) -> None:
    if not add and c.dtype == a.dtype:
        torch.mm(a, b, out=c)
    elif add:
        c.add_(torch.mm(a, b))
    else:
        c.copy_(torch.mm(a, b))
    if scale != 1:
        assert not add
        c.mul_(scale)
