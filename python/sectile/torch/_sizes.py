"""The sizes of the tensors that ranks bring to a product. Ranks compare them first, whoever computes it: a wrong one
is an error of all ranks at once, which says whose it is."""

from __future__ import annotations

import re
from functools import lru_cache

from .._collective import mark_told
from .._errors import DisagreeError
from .._processes import ProcessWorld
from ._sharding import Sharding

# The library shows the first word of two texts that differs: in a word, this is a space.
_SPACE = "~"
_DIFFERENT = re.compile(r"(rank \d+) asks for (\w+)=(.+), but (rank \d+) for \2=(.+)")


@lru_cache(maxsize=4096)
def sizes_of(names: tuple[str, ...], shardings: tuple[Sharding, ...]) -> str:
    """A text of what each rank has of tensors, as far as that is the same on all, and of their placements and sizes."""
    return " ".join(["sizes", *map(_word, names, shardings)])


def _word(name: str, sharding: Sharding) -> str:
    mesh = sharding.mesh
    locals = {sharding.local_shape(mesh.coordinate(rank)) for rank in mesh.ranks}
    own = f"{locals.pop()}, " if len(locals) == 1 else ""
    placements = ", ".join(map(str, sharding.how))
    return f"{name}={own}[{placements}] of {sharding.shape}".replace(" ", _SPACE)


def shown(sizes: str) -> str:
    """The same text for a reader."""
    words = sizes.split(" ")[1:]
    return " and ".join(word.replace("=", " ", 1).replace(_SPACE, " ") for word in words)


def compare(world: ProcessWorld, sizes: str) -> None:
    """Fails on all ranks if some bring tensors of other sizes. Collective."""
    try:
        world._agree(sizes)
    except DisagreeError as problem:
        said = _DIFFERENT.sub(r"\2: \1 has \3, but \4 has \5", str(problem))
        told = DisagreeError(said.replace(_SPACE, " "))
        mark_told(told)
        raise told from None
