"""A device whose memory comes from the allocator of the stand-ins for CUDA: tensors on the processor, as
torch sees them, which the engine `cuda` takes to be on a GPU."""

import bisect
import ctypes
import math
import os
import pathlib
import weakref

import torch

from sectile.torch import _device

_BUILT = pathlib.Path(__file__).parents[3] / "build/release/test/libtest_cuda_emulated.so"
#: The engine with the stand-ins, which the build makes for tests.
LIBRARY = os.environ.get("SECTILE_TEST_CUDA", str(_BUILT))


def _loaded():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    library = ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)
    address, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, *arguments in (
        ("stand_in_lend", address, size),
        ("stand_in_take_back", None, address),
        ("stand_in_reach", address, address),
        ("stand_in_failures", ctypes.c_long),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class StandIn(_device.Device):
    """All ranks share one GPU."""

    kind = "cpu"
    panel = 1 << 12  # so that a matrix has several

    def __init__(self):
        self._library = _loaded()
        self._seen = []  # where the host finds memory, how much, and its address on the device, in ascending order
        self.settled = self.copied = 0

    def engine(self):
        return "cuda", "0"

    def settle(self):
        self.settled += 1

    def empty(self, shape, dtype):
        nbytes = math.prod(shape) * dtype.itemsize
        address = self._library.stand_in_lend(max(nbytes, 1))
        memory = self._show(address, max(nbytes, 1))
        weakref.finalize(memory, self._library.stand_in_take_back, address).atexit = False
        return torch.frombuffer(memory, dtype=torch.uint8)[:nbytes].view(dtype).view(tuple(shape))

    def shown(self, address, nbytes, owner):
        memory = self._show(address, nbytes)
        weakref.finalize(memory, lambda owner: None, owner).atexit = False
        return torch.frombuffer(memory, dtype=torch.uint8)

    def _show(self, address, nbytes):
        seen = self._library.stand_in_reach(address), nbytes, address
        bisect.insort(self._seen, seen)
        memory = (ctypes.c_char * nbytes).from_address(seen[0])
        weakref.finalize(memory, self._seen.remove, seen).atexit = False
        return memory

    def _find(self, local):
        at = bisect.bisect(self._seen, (local.data_ptr(), math.inf)) - 1
        start, nbytes, address = self._seen[at] if at >= 0 else (0, 0, 0)
        offset = local.data_ptr() - start
        return address + offset if offset < nbytes else None

    def reached(self, local):
        if local.numel() == 0 or self._find(local) is not None:
            return local
        self.copied += 1
        by_rows = _device.lies(local, "C")
        lines = local if by_rows else local.t()
        made = self.empty(lines.shape, local.dtype).copy_(lines)
        return made if by_rows else made.t()

    def address(self, local):
        found = self._find(local)
        assert found is not None, "a tensor is not in memory of the device"
        return found

    def failures(self):
        """Of the checks that the stand-ins make."""
        return self._library.stand_in_failures()


def install():
    """Has ranks compute on stand-ins from now on; in this process."""
    device = _device.DEVICES["cpu"]
    if not isinstance(device, StandIn):
        device = _device.DEVICES["cpu"] = StandIn()
    return device
