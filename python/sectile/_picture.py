"""SVG texts of the library's pictures."""

from __future__ import annotations

from typing import Any

from ._errors import NoMemoryError, text
from ._native import lib


def taken(characters: Any) -> str:
    """Takes over a text of record.h."""
    if not characters:
        raise NoMemoryError("no memory for a picture")
    try:
        return text(characters)
    finally:
        lib.text_free(characters)
