"""Matrices in files: .npy, and single tensors of .safetensors."""

from __future__ import annotations

import json
import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import BadArgumentError
from ._layout import AnyLayout
from ._matrix import Matrix
from ._memory import Array
from ._product import copy_into
from ._types import BFLOAT16, type_number

if TYPE_CHECKING:
    from ._world import World

# The names that .safetensors has for the types.
_TENSOR_TYPES: dict[str, Any] = {"F32": "f4", "F64": "f8", "C64": "c8", "F16": "f2"}
if BFLOAT16 is not None:
    _TENSOR_TYPES["BF16"] = BFLOAT16
_MOST_HEADER = 100 << 20


def _is_safetensors(path: str) -> bool:
    if path.endswith(".safetensors"):
        return True
    if path.endswith(".npy"):
        return False
    raise BadArgumentError(f"{path}: the name ends in neither .npy nor .safetensors")


def _map_tensor(path: str, name: str | None) -> Array:
    """Maps a tensor of a file; without a name, the only one."""
    with open(path, "rb") as file:
        start = file.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else _MOST_HEADER + 1
        if size > min(_MOST_HEADER, os.path.getsize(path)):
            raise BadArgumentError(f"{path} is not a .safetensors file")
        try:
            header: dict[str, Any] = json.loads(file.read(size))
        except ValueError:
            raise BadArgumentError(f"{path} is not a .safetensors file") from None
    header.pop("__metadata__", None)
    if name is None and len(header) == 1:
        name = next(iter(header))
    if name not in header:
        raise BadArgumentError(f"{path}: tensor={name!r} must be one of {', '.join(header)}")
    entry = header[name]
    if entry["dtype"] not in _TENSOR_TYPES or len(entry["shape"]) != 2:
        raise BadArgumentError(
            f"{path}: {name} of type {entry['dtype']} and shape {entry['shape']} is not a matrix "
            "that can be multiplied"
        )
    dtype = np.dtype(_TENSOR_TYPES[entry["dtype"]])
    low, high = entry["data_offsets"]
    if high - low != dtype.itemsize * entry["shape"][0] * entry["shape"][1]:
        raise BadArgumentError(f"{path}: {name} has {high - low} bytes")
    return _map(path, dtype, 8 + size + low, (entry["shape"][0], entry["shape"][1]))


def _map(path: str, dtype: np.dtype[Any], offset: int, shape: tuple[int, int]) -> Array:
    """Maps a matrix of a file, copied if the file does not align it."""
    if 0 in shape:
        return np.empty(shape, dtype)
    raw = np.memmap(path, mode="r", offset=offset, shape=(shape[0], shape[1] * dtype.itemsize))
    if offset % dtype.alignment != 0:
        raw = raw.copy()
    mapped: Array = raw.view(dtype)
    return mapped


def load(
    world: World,
    path: str | os.PathLike[str],
    layout: AnyLayout = "row",
    *,
    tensor: str | None = None,
) -> Matrix:
    """Loads a matrix from a file; each rank reads what it stores.

    A name that ends in .safetensors is a file of tensors, of which one is loaded; it need not be
    named if it is the only one. All processes of a world must be able to read the file.

    >>> import os, tempfile
    >>> with sectile.run(2) as world, tempfile.TemporaryDirectory() as folder:
    ...     a = world.from_numpy(np.eye(3), "col")
    ...     sectile.save(os.path.join(folder, "a.npy"), a)
    ...     sectile.load(world, os.path.join(folder, "a.npy"), "2d").to_numpy()[2]
    array([0., 0., 1.])
    """
    path = os.fspath(path)
    array: Array = np.empty((0, 0))
    problem = None
    try:
        if _is_safetensors(path):
            array = _map_tensor(path, tensor)
        else:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
            if array.ndim != 2:
                raise BadArgumentError(f"{path}: {array.ndim} dimensions are not a matrix")
            type_number(array.dtype)
    except (OSError, ValueError) as found:
        problem = found
    world._agree(problem)
    return world.from_numpy(array, layout)


def _create_npy(path: str, matrix: Matrix, name: str) -> Array:
    if matrix.dtype == BFLOAT16:
        raise BadArgumentError(".npy has no type for bfloat16: save it as .safetensors")
    if 0 in matrix.shape:
        empty: Array = np.empty(matrix.shape, matrix.dtype)
        np.save(path, empty)
        return empty
    return np.lib.format.open_memmap(path, "w+", matrix.dtype, matrix.shape)


def _create_tensor(path: str, matrix: Matrix, name: str) -> Array:
    types = {np.dtype(known): text for text, known in _TENSOR_TYPES.items()}
    if matrix.dtype not in types:
        raise BadArgumentError(f".safetensors has no type for {matrix.dtype}")
    size = matrix.shape[0] * matrix.shape[1] * matrix.dtype.itemsize
    entry = {"dtype": types[matrix.dtype], "shape": matrix.shape, "data_offsets": (0, size)}
    header = json.dumps({name: entry}).encode()
    header += b" " * (-len(header) % 8)  # which aligns the data
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)
    if size == 0:
        return np.empty(matrix.shape, matrix.dtype)
    shape = (matrix.shape[0], matrix.shape[1] * matrix.dtype.itemsize)
    raw = np.memmap(path, mode="r+", offset=8 + len(header), shape=shape)
    return raw.view(matrix.dtype)


def save(path: str | os.PathLike[str], matrix: Matrix, *, tensor: str = "tensor") -> None:
    """Saves a matrix, or a view, to a file that rank 0 writes.

    A name that ends in .safetensors makes a file with this one tensor.
    """
    path = os.fspath(path)
    target: Array | None = None
    problem = None
    try:
        tensors = _is_safetensors(path)
        if matrix.world.rank == 0:
            create = _create_tensor if tensors else _create_npy
            target = create(path, matrix, tensor)
    except (OSError, ValueError) as found:
        problem = found
    matrix.world._agree(problem)
    copy_into(matrix, matrix.world._wrap_first(target, matrix.shape, matrix.dtype), None)
    if isinstance(target, np.memmap):
        target.flush()
