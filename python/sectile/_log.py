"""Passes what the library logs on to the logger "sectile".

The library's messages are kept while it is called, and passed on after the call.
"""

from __future__ import annotations

import logging
import warnings

from ._errors import text
from ._native import ffi, lib

_logger = logging.getLogger("sectile")

#: Whether calls may have left messages that are to be passed on.
enabled = False


def start() -> None:
    """Has the library log as much as the logger wants now."""
    global enabled
    debug, info = (_logger.isEnabledFor(level) for level in (logging.DEBUG, logging.INFO))
    enabled = info
    lib.messages_keep(lib.SCT_LOG_DEBUG if debug else lib.SCT_LOG_INFO if info else lib.SCT_LOG_WARNING)


def print_warnings() -> None:
    """Has the library print warnings at once: that a rank waits is no news after the wait."""
    lib.sct_log(lib.SCT_LOG_WARNING, ffi.NULL, ffi.NULL)


def deliver(stacklevel: int = 1) -> None:
    """Passes on the messages of calls that have been made. Warnings of the library are Python's, of
    the caller so many levels above."""
    while message := _take():
        level, rank, said = message
        if level == lib.SCT_LOG_WARNING:
            warnings.warn(said, RuntimeWarning, stacklevel=stacklevel + 1)
        else:
            _logger.log(_LEVELS[level], "rank %d: %s", rank, said)


_LEVELS = {lib.SCT_LOG_INFO: logging.INFO, lib.SCT_LOG_DEBUG: logging.DEBUG}


def _take() -> tuple[int, int, str] | None:
    message = lib.messages_take()
    if message == ffi.NULL:
        return None
    try:
        return message.level, message.rank, text(message.text)
    finally:
        lib.messages_free(message)
