"""Objects that cannot be copied or pickled, since they stand for what the library has."""

from __future__ import annotations

from typing import Any, NoReturn

from ._errors import BadTypeError


class Uncopied:
    """Says what to do instead."""

    __slots__ = ()
    _instead = ""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        name = type(self).__name__
        raise BadTypeError(f"a {name} cannot be copied or pickled: {self._instead}")
