"""Ctrl-C, and other signals, while the library waits for other ranks.

Python runs signal handlers only between its own instructions. So the library calls a function of
Python now and then, in which a handler may raise an exception.
"""

from __future__ import annotations

from typing import Any

from ._native import ffi, lib


class Interruption:
    """What has interrupted the calls of a world."""

    def __init__(self) -> None:
        self._problem: BaseException | None = None
        self._handle = ffi.new_handle(self)

    def fill(self, struct: Any) -> None:
        """Has the world of these options be interrupted; the world must not outlive this."""
        struct.interrupted = ffi.addressof(lib, "waiting_is_interrupted")
        struct.interrupted_context = self._handle

    def note(self, problem: BaseException) -> None:
        self._problem = problem

    def take(self) -> BaseException | None:
        """What has interrupted a call since the last time, if anything has."""
        problem, self._problem = self._problem, None
        return problem


def _note(kind: Any, problem: BaseException, trace: Any) -> None:
    interruption: Interruption = ffi.from_handle(trace.tb_frame.f_locals["context"])
    interruption.note(problem.with_traceback(None))


@ffi.def_extern(error=1, onerror=_note)  # type: ignore[untyped-decorator]
def waiting_interrupted(context: Any) -> int:
    return 0  # a handler of a signal has run before, and may have raised
