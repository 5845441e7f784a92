"""What a device is: where the tensors of a mesh lie, and what the library needs of that place.

No other file asks on which device a tensor is. A device of tests is another entry of `DEVICES`.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import torch

from .._errors import check
from .._memory import Window
from .._native import ffi, lib
from .._storage import Storage
from .._types import scalar
from .._world import World


def lies(matrix: torch.Tensor, order: str) -> bool:
    """Whether a matrix lies by rows ("C") or by columns ("F")."""
    rows, cols = matrix.shape if order == "C" else matrix.shape[::-1]
    line, step = matrix.stride() if order == "C" else matrix.stride()[::-1]
    return (cols <= 1 or step == 1) and (rows <= 1 or line >= max(cols, 1))


def multiply_by_torch(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scale: float = 1, add: bool = False
) -> None:
    """c = scale a @ b, or c += a @ b. c may have another type, and lie in any way."""
    if add and c.dtype == a.dtype:
        c.addmm_(a, b)
    elif add:
        c.add_(torch.mm(a, b))
    elif c.dtype == a.dtype:
        torch.mm(a, b, out=c)
    else:
        c.copy_(torch.mm(a, b))
    if scale != 1:
        assert not add
        c.mul_(scale)


class Device:
    """What all devices have in common: tensors of torch's own memory."""

    kind: str  #: as in ``torch.device``
    #: The types whose products torch computes, when the library has brought the operands together.
    torchs: frozenset[torch.dtype] = frozenset()
    #: The types of which torch has no fast products.
    slow: frozenset[torch.dtype] = frozenset()
    #: Small products that come again are computed in memory of the library, into which the host copies them.
    keeps_small = False
    #: The most bytes that are fetched, or added, at once of a matrix that is spread over ranks.
    panel = 1 << 20

    def engine(self) -> tuple[Any, ...]:
        """What ``ProcessOptions`` takes for a world whose ranks compute on such devices."""
        raise NotImplementedError

    def settle(self) -> None:
        """Waits until what torch has been given so far is done: what the library, and other ranks, do next comes
        after it."""

    def call(self, world: World, function: Any, *arguments: Any) -> None:
        """Has the library use tensors. What torch is given later comes after that. Collective."""
        self.settle()
        world._call(function, *arguments)

    def reached(self, local: torch.Tensor) -> torch.Tensor:
        """A tensor in memory that the library can use: a copy only if it is in other memory."""
        return local

    def address(self, local: torch.Tensor) -> int:
        """Where the library finds a tensor."""
        return local.data_ptr()

    def empty(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """Memory for a result."""
        return torch.empty(tuple(shape), dtype=dtype, device=self.kind)

    def shown(self, address: int, nbytes: int, owner: Any) -> torch.Tensor:
        """Memory of the library as bytes, which keep its owner alive."""
        raise NotImplementedError

    def memory(self, storage: Storage) -> torch.Tensor:
        """The same of what this rank stores of a matrix in one piece."""
        block = storage.blocks(0)[0]
        nbytes = block.rows * block.cols * lib.sct_type_bytes(storage.type)
        return self.shown(int(ffi.cast("uintptr_t", block.data)), nbytes, storage)

    def computed_in(self, dtype: torch.dtype) -> torch.dtype:
        """The type in which `multiply` takes matrices."""
        return torch.float32 if dtype in self.slow else dtype

    def multiply(
        self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scale: float = 1, add: bool = False
    ) -> None:
        """c = scale a @ b, or c += a @ b, of this rank alone. All lie by rows or by columns, c by rows. c may have
        another type."""
        multiply_by_torch(a, b, c, scale, add)


# ---- Processors ----

_BYTE = np.dtype("u1")
_BY_LIBRARY = {torch.float32: lib.SCT_F32, torch.float64: lib.SCT_F64}
_FACTORS = {
    (number, value): scalar(number, value)
    for number in _BY_LIBRARY.values()
    for value in (0.0, 1.0)
}


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


class Processor(Device):
    """The library computes in f32 and f64. In bf16 torch does, which has instructions for it that the library's BLAS
    lacks."""

    kind = "cpu"
    torchs = frozenset([torch.bfloat16])
    slow = frozenset([torch.float16])
    keeps_small = True

    def engine(self) -> tuple[Any, ...]:
        return ("processes",)

    def shown(self, address: int, nbytes: int, owner: Any) -> torch.Tensor:
        return torch.from_numpy(Window(address, (1, nbytes), (nbytes, 1), _BYTE, owner).show()[0])

    def memory(self, storage: Storage) -> torch.Tensor:
        part: Any = storage.local(0)  # which keeps the storage
        return torch.from_numpy(part.reshape(-1).view("u1"))

    def multiply(
        self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, scale: float = 1, add: bool = False
    ) -> None:
        number = _BY_LIBRARY.get(a.dtype)
        if number is None or c.dtype != a.dtype:
            multiply_by_torch(a, b, c, scale, add)
            return
        (of_a, op_a), (of_b, op_b), (of_c, _) = _block(a), _block(b), _block(c)
        alpha, beta = _factor(number, scale), _factor(number, float(add))
        check(lib.sct_gemm_local(number, op_a, op_b, alpha, of_a, of_b, beta, of_c))


# ---- GPUs ----


class _Shown:
    """Memory of a GPU as torch takes it."""

    def __init__(self, address: int, nbytes: int, owner: Any):
        self._owner = owner
        self.__cuda_array_interface__ = {
            "version": 2,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
        }


class Gpu(Device):
    """The GPU of CUDA that is torch's current one. The host waits for torch's current stream before a call of the
    library, and in the call for the library."""

    kind = "cuda"
    panel = 16 << 20

    def engine(self) -> tuple[Any, ...]:
        math = lib.SCT_MATH_TF32 if torch.backends.cuda.matmul.allow_tf32 else lib.SCT_MATH_IEEE
        return "cuda", str(torch.cuda.current_device()), 0, "auto", math

    def settle(self) -> None:
        torch.cuda.current_stream().synchronize()

    def shown(self, address: int, nbytes: int, owner: Any) -> torch.Tensor:
        return torch.as_tensor(_Shown(address, nbytes, owner), device=self.kind)


#: By the kind of tensors, which is also that of meshes.
DEVICES: dict[str, Device] = {device.kind: device for device in (Processor(), Gpu())}


def mark(world: World, device: Device) -> None:
    """Notes on which devices the ranks of a world compute."""
    world.__dict__["_device"] = device


def device_of(world: World) -> Device:
    device = world.__dict__["_device"]
    assert isinstance(device, Device)
    return device
