"""The exceptions of failed calls: one for each status of the library, and more for bad arguments."""

from __future__ import annotations

import re
from typing import Any

from ._native import ffi, lib


class Error(Exception):
    """A call failed. The text is the library's reason; the subclass says of which kind it is."""


class BadArgumentError(Error, ValueError):
    """An argument is invalid, or arguments do not fit together."""


class BadTypeError(BadArgumentError, TypeError):
    """An argument is of a wrong type."""


class BadIndexError(BadArgumentError, IndexError):
    """An index is outside of a matrix, or no range."""


class TooLargeError(Error, OverflowError):
    """A count of bytes, steps or ranks is too large."""


class NoMemoryError(Error, MemoryError):
    """An allocation failed."""


class WorkspaceError(Error, MemoryError):
    """The limit on workspace or memory is too small."""


class DisagreeError(Error, ValueError):
    """The ranks of a collective call passed different arguments."""


class AliasedError(Error, ValueError):
    """The result shares elements with an operand."""


class UnreachableError(Error):
    """Memory of a remote rank was asked for."""


class NoEngineError(Error, RuntimeError):
    """The engine, or the path that was asked for, is not available."""


class FailedError(Error, RuntimeError):
    """The system or another rank failed."""


_CLASSES = {
    lib.SCT_BAD_ARGUMENT: BadArgumentError,
    lib.SCT_TOO_LARGE: TooLargeError,
    lib.SCT_NO_MEMORY: NoMemoryError,
    lib.SCT_WORKSPACE: WorkspaceError,
    lib.SCT_DISAGREE: DisagreeError,
    lib.SCT_ALIASED: AliasedError,
    lib.SCT_UNREACHABLE: UnreachableError,
    lib.SCT_NO_ENGINE: NoEngineError,
    lib.SCT_FAILED: FailedError,
}


def status_of(problem: Exception) -> int:
    """Returns the status that reports a problem to other ranks."""
    of_python = [
        (lib.SCT_NO_MEMORY, MemoryError),
        (lib.SCT_BAD_ARGUMENT, TypeError),
        (lib.SCT_BAD_ARGUMENT, ValueError),
    ]
    kinds = [*_CLASSES.items(), *of_python]
    return int(next((s for s, kind in kinds if isinstance(problem, kind)), lib.SCT_FAILED))


def reason_of(problem: Exception) -> bytes:
    """Returns the reason that reports a problem to other ranks."""
    return (str(problem) or type(problem).__name__).encode("utf-8", "replace")


def text(characters: Any) -> str:
    """Returns a C string as a str."""
    return str(ffi.string(characters).decode("utf-8", "replace"))


def printed(function: Any, made: Any) -> str:
    """Returns what a function of the library prints of what it has made."""
    length = function(made, ffi.NULL, 0)
    characters = ffi.new("char[]", length + 1)
    function(made, characters, length + 1)
    return text(characters)


def kind_of(value: Any) -> str:
    """What errors call a value of a wrong type: "an int"."""
    name = type(value).__name__
    article = "an" if name.startswith((*"aeioAEIO", "ndarray")) else "a"
    return "None" if value is None else f"{article} {name}"


def encoded(name: str, characters: str) -> bytes:
    """Returns a str for the library, whose texts end at a NUL; `name` is that of the argument."""
    if not isinstance(characters, str):
        raise BadTypeError(f"{name}: {kind_of(characters)} is not a text")
    if "\0" in characters:
        raise BadArgumentError(f"{name}: {characters!r} has a NUL in it")
    try:
        return characters.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadArgumentError(f"{name}: {characters!r} has half of a character") from None


# Layouts that differ in the storage order, which is that of the arrays where the text leaves it open.
_ORDERS = re.compile(r"(rank \d+) asks for (\w+=.+?)(/f)?, but (rank \d+) for \2(/f)?")


def _in_words(reason: str) -> str:
    """Returns a reason of the library; where storage orders differ, without the texts of layouts."""
    found = _ORDERS.fullmatch(reason)
    if found is None:
        return reason
    first, second = ("by columns" if found[i] else "by rows" for i in (3, 5))
    return f"{found[1]} stores its part {first}, but {found[4]} {second}: all must do it alike"


def error(status: int, reason: str) -> Error:
    """Makes the exception of a status. A status that does not exist is what another kind of rank said."""
    if status not in _CLASSES:
        return FailedError("ranks do not understand each other")
    return _CLASSES[status](_in_words(reason))


def check(status: int) -> None:
    """Raises the exception of a call of the library itself that failed."""
    if status != lib.SCT_OK:
        raise error(status, text(lib.sct_last_reason()))
