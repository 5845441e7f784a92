"""torch_overhead.py - what sectile.torch.enable() costs products for which nothing has to move.

Prints the microseconds of products of DTensors on one process, without and with it: medians of rounds that
take turns.
"""

import os
import statistics
import time

import sectile.torch
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

ROUNDS, CALLS = 15, 2000


def microseconds(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def compare(name, call):
    pairs = []
    for _ in range(ROUNDS):
        sectile.torch.disable()
        call()
        without = microseconds(call)
        sectile.torch.enable()
        call()
        pairs.append((without, microseconds(call)))
    without, enabled = (statistics.median(side) for side in zip(*pairs))
    more = statistics.median(b - a for a, b in pairs)
    print(f"{name}: {without:.2f} us, enabled {enabled:.2f} us; {more:.2f} us more")


torch.set_num_threads(1)
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ.get("MASTER_PORT", "29512"))
dist.init_process_group("gloo", rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,))
x = distribute_tensor(torch.ones(16, 16), mesh, [Shard(0)])
w = distribute_tensor(torch.ones(16, 16), mesh, [Replicate()])
bias = distribute_tensor(torch.ones(16), mesh, [Replicate()])
numbers = distribute_tensor(torch.ones(16, 16, dtype=torch.int64), mesh, [Replicate()])
compare("mm", lambda: x @ w)
compare("addmm", lambda: torch.addmm(bias, x, w))
compare("linear", lambda: torch.nn.functional.linear(x, w, bias))
compare("mm of int64", lambda: numbers @ numbers)
compare("mv", lambda: torch.mv(x, bias))
dist.destroy_process_group()
