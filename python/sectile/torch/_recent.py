"""What is kept for the next call alike, as long as it is among the last that were used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Callable, Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Values by their keys, at most so many. The one that was not used for longest is dropped.

    Ranks that ask for the same keys in the same order drop the same values.
    """

    def __init__(self, most: int, dropped: Callable[[Value], None] | None = None):
        self.most = most
        self._dropped = dropped
        self._values: OrderedDict[Any, tuple[int, Value]] = OrderedDict()
        self._made = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Any) -> bool:
        return key in self._values

    def get(self, key: Any, make: Callable[[], Value]) -> Value:
        """Returns the value of a key, which is made if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][1]
        value = make()
        with self._lock:
            self._made += 1
            self._values[key] = self._made, value
            found = [self._values.popitem(last=False)[1] for _ in range(len(self) - self.most)]
        self._drop(found)
        return value

    def clear(self) -> None:
        """Drops all values, in the order in which they were made."""
        with self._lock:
            found = sorted(self._values.values(), key=lambda made: made[0])
            self._values.clear()
        self._drop(found)

    def _drop(self, found: list[tuple[int, Value]]) -> None:
        if self._dropped is not None:
            for _, value in found:
                self._dropped(value)
