"""Matrices in files: .npy, and single tensors of .safetensors."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import secrets
import struct
from collections import Counter
from typing import Any, BinaryIO, Iterable, Iterator, Literal, NamedTuple

import numpy as np

from ._arguments import path_text
from ._collective import collective
from ._errors import BadArgumentError, BadTypeError, encoded, kind_of
from ._layout import AnyLayout, Shape
from ._matrix import Matrix
from ._memory import Array
from ._product import copy_into
from ._storage import check_matrix
from ._types import BFLOAT16, type_number
from ._world import World

# The names that .safetensors has for the types.
_TENSOR_TYPES: dict[str, Any] = {"F32": "f4", "F64": "f8", "C64": "c8", "F16": "f2"}
if BFLOAT16 is not None:
    _TENSOR_TYPES["BF16"] = BFLOAT16
_METADATA = "__metadata__"
_MOST_HEADER = 100 << 20
# An error names so many tensors of a file.
_MOST_NAMED = 10
_Mode = Literal["r", "r+"]
# NumPy 2.0 does not declare the types of these functions.
_NPY: Any = np.lib.format


def _shown(path: str) -> str:
    """Returns a path as an error shows it, in one line."""
    return path if path.isprintable() else repr(path)


def _is_safetensors(path: str) -> bool:
    if path.endswith(".safetensors"):
        return True
    if path.endswith(".npy"):
        return False
    raise BadArgumentError(f"{_shown(path)}: the name ends in neither .npy nor .safetensors")


def _named_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of a header. Of names that it has twice, programs take different ones."""
    found = dict(members)
    if len(found) < len(members):
        name = Counter(name for name, _ in members).most_common(1)[0][0]
        raise BadArgumentError(f"the header has {name!r} twice")
    return found


def _header_of(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Reads the header of a file of tensors, and where their data begin."""
    start = file.read(8)
    size = struct.unpack("<Q", start)[0] if len(start) == 8 else _MOST_HEADER + 1
    try:
        header = None
        if size <= _MOST_HEADER:
            header = json.loads(file.read(size), object_pairs_hook=_named_once)
    except BadArgumentError:
        raise
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise BadArgumentError("not a .safetensors file")
    header.pop(_METADATA, None)
    if not header:
        raise BadArgumentError("the file has no tensor")
    return header, 8 + size


class _Entry(NamedTuple):
    """How a header describes a tensor."""

    kind: str
    sizes: list[int]
    low: int
    high: int


def _entry(name: str, described: Any) -> _Entry:
    try:
        kind, sizes, span = (described[field] for field in ("dtype", "shape", "data_offsets"))
        found = _Entry(str(kind), list(sizes), *span)
    except (KeyError, TypeError, ValueError):
        found = None
    numbers = [] if found is None else [*found.sizes, found.low, found.high]
    if found is None or any(type(each) is not int for each in numbers):
        raise BadArgumentError(f"{name!r} is not described as a tensor")
    return found


def _check_spans(entries: dict[str, _Entry], size: int) -> None:
    """Fails unless the tensors of a file have all its data, and none twice."""
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1][2:]):
        if not end == entry.low <= entry.high <= size:
            raise BadArgumentError(
                f"{name!r} has bytes {entry.low} to {entry.high} of {size}, not from {end} on"
            )
        end = entry.high
    if end != size:
        raise BadArgumentError(f"the tensors have {end} of {size} bytes")


def _chosen(names: Iterable[str], name: str | None) -> str:
    """The name of the tensor that is to be loaded."""
    known = list(names)
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        given = "the file has several tensors: tensor" if name is None else f"tensor={name!r}"
        shown = [repr(each) for each in known[:_MOST_NAMED]]
        more = f" or {len(known) - len(shown)} more" if len(shown) < len(known) else ""
        raise BadArgumentError(f"{given} must be one of {', '.join(shown)}{more}")
    return name


def _find_tensor(path: str, name: str | None) -> tuple[np.dtype[Any], int, Shape]:
    """Finds the type, place and shape of a tensor of a file; without a name, of the only one."""
    with open(path, "rb") as file:
        header, start = _header_of(file)
    name = _chosen(header, name)
    entries = {each: _entry(each, described) for each, described in header.items()}
    _check_spans(entries, os.path.getsize(path) - start)
    kind, sizes, low, high = entries[name]
    if kind not in _TENSOR_TYPES or len(sizes) != 2 or min(sizes) < 0:
        raise BadArgumentError(
            f"{name!r} of type {kind!r} and shape {sizes} is not a matrix that can be multiplied"
        )
    dtype = np.dtype(_TENSOR_TYPES[kind])
    needed = dtype.itemsize * sizes[0] * sizes[1]
    if high - low != needed:
        raise BadArgumentError(f"{name!r} has {high - low} bytes, but its shape takes {needed}")
    return dtype, start + low, (sizes[0], sizes[1])


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Has errors of the system name a file as its user does."""
    try:
        yield
    except OSError as problem:
        problem.filename = path
        del problem.filename2
        raise


def _check_regular(path: str) -> None:
    """Fails if something else than a file that can be mapped has this name."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadArgumentError(f"{_shown(path)}: not a regular file")


def _map(path: str, mode: _Mode, dtype: np.dtype[Any], offset: int, shape: Shape) -> Array:
    """Maps a matrix of a file."""
    if 0 in shape:
        return np.empty(shape, dtype)
    raw = np.memmap(path, mode=mode, offset=offset, shape=(shape[0], shape[1] * dtype.itemsize))
    mapped: Array = raw.view(dtype)
    return mapped


def _map_npy(path: str) -> Array:
    try:
        with np.errstate(over="raise"):
            array: Array = _NPY.open_memmap(path, mode="r")
    except (OSError, MemoryError):
        raise
    except Exception as problem:
        reason = str(problem).split("\n")[0]
        raise BadArgumentError(f"NumPy cannot read this .npy file: {reason}") from problem
    if array.ndim != 2:
        raise BadArgumentError(f"{array.ndim} dimensions are not a matrix")
    type_number(array.dtype)
    return array


def _read(path: str, tensor: str | None) -> Array:
    """Maps what is to be loaded. Whatever is wrong with a file is an error that names it."""
    tensors = _is_safetensors(path)
    if tensor is not None and not tensors:
        raise BadArgumentError(f"{_shown(path)}: a .npy file has no names, such as tensor={tensor!r}")
    with _named(path):
        _check_regular(path)
        try:
            return _map(path, "r", *_find_tensor(path, tensor)) if tensors else _map_npy(path)
        except (OSError, MemoryError):
            raise
        except Exception as problem:
            raise BadArgumentError(f"{_shown(path)}: {problem}") from problem


@collective
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
    if not isinstance(world, World):
        raise BadTypeError(f"world: {kind_of(world)} is not a world")
    name = path_text(path)
    if tensor is not None:
        encoded("tensor", tensor)
    return world.from_numpy(_read(name, tensor), layout)


def _npy_header(matrix: Matrix, name: str) -> bytes:
    if BFLOAT16 is not None and matrix.dtype == BFLOAT16:  # a dtype may equal None
        raise BadArgumentError(".npy has no type for bfloat16: save it as .safetensors")
    header = io.BytesIO()
    kind = _NPY.dtype_to_descr(matrix.dtype)
    about = {"descr": kind, "fortran_order": False, "shape": matrix.shape}
    _NPY.write_array_header_1_0(header, about)
    return header.getvalue()


def _tensor_header(matrix: Matrix, name: str) -> bytes:
    types = {np.dtype(known): text for text, known in _TENSOR_TYPES.items()}
    if matrix.dtype not in types:
        raise BadArgumentError(f".safetensors has no type for {matrix.dtype}")
    if name == _METADATA:
        raise BadArgumentError(f"no tensor can be named {_METADATA}")
    entry = {
        "dtype": types[matrix.dtype],
        "shape": matrix.shape,
        "data_offsets": (0, _bytes(matrix)),
    }
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BadArgumentError(f"{name!r} has half of a character") from None
    header = json.dumps({name: entry}).encode()
    header += b" " * (-len(header) % 8)  # which aligns the data
    return struct.pack("<Q", len(header)) + header


def _bytes(matrix: Matrix) -> int:
    return matrix.shape[0] * matrix.shape[1] * matrix.dtype.itemsize


def _open_beside(path: str) -> BinaryIO:
    """Opens a new file, with the owner and mode of the one whose name it will take."""
    folder, name = os.path.split(path)
    _check_regular(path)
    file = open(os.path.join(folder, f".{name[:50]}.{secrets.token_hex(4)}"), "xb")
    if os.path.exists(path):
        about, allowed = os.stat(path), 0o777
        try:
            os.fchown(file.fileno(), about.st_uid, about.st_gid)
        except OSError:
            allowed = 0o707  # what the old group might do is not for another one
        os.fchmod(file.fileno(), about.st_mode & allowed)
    return file


def _create(path: str, matrix: Matrix, name: str) -> tuple[Array, str]:
    """Makes a file for a matrix, under a name of its own, and maps the place of the elements. A link is
    followed, but it is the link's name that says the format, as when it is loaded."""
    header = (_tensor_header if _is_safetensors(path) else _npy_header)(matrix, name)
    with _open_beside(os.path.realpath(path)) as file, _removed_on_failure(file.name):
        file.write(header)
        file.flush()
        if _bytes(matrix) > 0:
            # A disk that becomes full while elements are stored in the map would kill the process.
            os.posix_fallocate(file.fileno(), len(header), _bytes(matrix))
        return _map(file.name, "r+", matrix.dtype, len(header), matrix.shape), file.name


def _complete(target: Array | None, temporary: str, path: str) -> None:
    """Gives a complete file its name."""
    if isinstance(target, np.memmap):
        target.flush()
    os.replace(temporary, os.path.realpath(path))


@contextlib.contextmanager
def _removed_on_failure(path: str) -> Iterator[None]:
    """Removes a file that is not complete."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # it may have its name already
            os.unlink(path)
        raise


@collective
def save(path: str | os.PathLike[str], matrix: Matrix, *, tensor: str = "tensor") -> None:
    """Saves a matrix, or a view, to a file that rank 0 writes.

    A name that ends in .safetensors makes a file with this one tensor. A file of that name is
    replaced once the new one is complete.

    >>> import os, tempfile
    >>> with sectile.run(2) as world, tempfile.TemporaryDirectory() as folder:
    ...     a = world.from_numpy(np.arange(6.0).reshape(2, 3), "col")
    ...     sectile.save(os.path.join(folder, "a.npy"), a.T)
    ...     np.load(os.path.join(folder, "a.npy"))[2]
    array([2., 5.])
    """
    name = path_text(path)
    check_matrix("matrix", matrix)
    encoded("tensor", tensor)
    world = matrix.world
    first = world.rank == 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(_named(name))
        target, temporary = _create(name, matrix, tensor) if first else (None, "")
        if first:
            stack.enter_context(_removed_on_failure(temporary))
        copy_into(matrix, world._wrap_first(target, matrix.shape, matrix.dtype), None)
        if first:
            _complete(target, temporary, name)
        world._agree("save")
