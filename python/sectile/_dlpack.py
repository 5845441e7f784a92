"""DLPack: arrays of other packages in, local parts out, without copies.

NumPy has DLPack, too, but not for bfloat16.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._errors import BadArgumentError
from ._memory import Array, Window
from ._native import ffi, lib
from ._types import numpy_dtype

_CPU, _CUDA_HOST = 1, 3
_NAME = b"dltensor"
# The code and the bits of each type.
_CODES = {
    (2, 32): lib.SCT_F32,
    (2, 64): lib.SCT_F64,
    (5, 64): lib.SCT_CF32,
    (5, 128): lib.SCT_CF64,
    (2, 16): lib.SCT_F16,
    (4, 16): lib.SCT_BF16,
}

_api = ctypes.pythonapi
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", _api)
)
# For destructors, which must not take a reference to the capsule.
_dying_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)


def from_dlpack(data: Any) -> Array:
    """Returns an array that shows a tensor in the memory of the processor."""
    capsule = data.__dlpack__()
    managed = ffi.cast("dl_managed *", _capsule_pointer(capsule, _NAME))
    tensor = managed.tensor
    if tensor.device_type not in (_CPU, _CUDA_HOST):
        raise BadArgumentError("the tensor is not in the memory of the processor")
    if tensor.ndim != 2:
        raise BadArgumentError(f"a matrix has 2 dimensions, not {tensor.ndim}")
    number = _CODES.get((tensor.code, tensor.bits))
    if number is None or tensor.lanes != 1:
        raise BadArgumentError("the tensor is of a type that cannot be multiplied")
    dtype = numpy_dtype(number)
    shape = (tensor.shape[0], tensor.shape[1])
    if tensor.data == ffi.NULL and 0 not in shape:
        raise BadArgumentError("the tensor has no memory")
    strides = (tensor.strides[0], tensor.strides[1]) if tensor.strides else (shape[1], 1)
    address = int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
    # The capsule frees the tensor when it dies, since nobody renames it.
    return Window(address, shape, strides, dtype, capsule).show()


# What consumers still use, by the address of its dl_managed.
_exported: dict[int, tuple[Any, ...]] = {}


@ffi.def_extern()  # type: ignore[untyped-decorator]
def dlpack_deleter(managed: Any) -> None:
    _exported.pop(int(ffi.cast("uintptr_t", managed)), None)


def _destroy(capsule: int) -> None:
    # A consumer renames a capsule, and then frees the tensor itself.
    if _dying_is_valid(capsule, _NAME):
        _exported.pop(_dying_pointer(capsule, _NAME), None)


_destructor = _Destructor(_destroy)


class _ReadOnlyError(BadArgumentError, BufferError):
    """What consumers of DLPack expect of memory that they cannot have."""


class Tensor:
    """A local part for consumers of DLPack, such as ``torch.from_dlpack``."""

    def __init__(self, array: Array, number: int):
        self._array = array
        self._code = next(code for code, known in _CODES.items() if known == number)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)

    def __dlpack__(self, *, copy: bool | None = None, **ignored: Any) -> Any:
        array = self._array.copy() if copy else self._array
        if not array.flags.writeable:
            raise _ReadOnlyError("the memory is read-only, which a tensor cannot say: copy it")
        shape = ffi.new("int64_t[2]", array.shape)
        strides = ffi.new("int64_t[2]", [stride // array.itemsize for stride in array.strides])
        managed = ffi.new("dl_managed *")
        tensor = managed.tensor
        tensor.data = ffi.cast("void *", array.ctypes.data)
        tensor.device_type, tensor.ndim, tensor.lanes = _CPU, 2, 1
        tensor.code, tensor.bits = self._code
        tensor.shape, tensor.strides = shape, strides
        managed.deleter = lib.dlpack_deleter
        address = int(ffi.cast("uintptr_t", managed))
        _exported[address] = (managed, shape, strides, array)
        return _capsule_new(address, _NAME, _destructor)
