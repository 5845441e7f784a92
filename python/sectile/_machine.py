"""Described machines, on which products are estimated and simulated."""

from __future__ import annotations

import os
from typing import Any, Union

from ._arguments import path_text
from ._errors import check, encoded, printed, text
from ._native import ffi, lib
from ._types import type_number


class Machine:
    """A described machine: one that comes with the library, or a file (docs/machines.md).

    >>> machine = Machine("h100x8")
    >>> machine.name, machine.ranks
    ('h100x8', 8)
    """

    def __init__(self, name: str | os.PathLike[str]):
        made = ffi.new("sct_machine **")
        path = path_text(name, "machine")
        status = lib.sct_machine_load(encoded("machine", path), made)
        if status != lib.SCT_OK and os.path.exists(path):
            with open(path, "rb") as file:  # which says what the system says
                file.read(1)
        check(status)
        self._machine = ffi.gc(made[0], lib.sct_machine_destroy)

    @classmethod
    def parse(cls, description: str, origin: str = "the description") -> Machine:
        """Makes a machine of the text of such a file, which errors call ``origin``."""
        made = ffi.new("sct_machine **")
        described = encoded("description", description)
        check(lib.sct_machine_parse(described, encoded("origin", origin), made))
        machine = cls.__new__(cls)
        machine._machine = ffi.gc(made[0], lib.sct_machine_destroy)
        return machine

    @property
    def name(self) -> str:
        """The name that descriptions and errors use."""
        return text(lib.sct_machine_name(self._machine))

    @property
    def about(self) -> str:
        """What it is, in a few words."""
        return text(lib.sct_machine_about(self._machine))

    @property
    def ranks(self) -> int:
        """The number of ranks; 0: any number."""
        return int(lib.sct_machine_ranks(self._machine))

    @property
    def ranks_per_node(self) -> int:
        """How many consecutive ranks share memory; 0: all."""
        return int(lib.sct_machine_ranks_per_node(self._machine))

    def peak(self, dtype: Any = "f8") -> float:
        """Returns the peak flops per second of a rank; 0: unknown."""
        return float(lib.sct_machine_peak(self._machine, type_number(dtype)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Machine.parse, (str(self),)

    def __str__(self) -> str:
        """The description, as JSON."""
        return printed(lib.sct_machine_print, self._machine)

    def __repr__(self) -> str:
        return f"<sectile.Machine {self.name}: {self.about}>"


AnyMachine = Union[str, Machine]


def find_machine(machine: AnyMachine) -> Machine:
    return machine if isinstance(machine, Machine) else Machine(machine)


def machines() -> list[str]:
    """Returns the names of the machines that come with the library.

    >>> machines()
    ['pvc12', 'h100x8', 'node', 'cluster']
    """
    names: list[str] = []
    while name := lib.sct_machine_shipped(len(names)):
        names.append(text(name))
    return names
