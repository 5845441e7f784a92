"""The version of the library."""

from __future__ import annotations

from ._errors import text
from ._native import lib


def version() -> str:
    return text(lib.sct_version())
