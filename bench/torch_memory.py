"""torch_memory.py [-n PROCESSES] [--hidden N] [--ffn N] [--tokens N] [--layers N] [--bf16] - the peak memory of a step
with fully_shard, by Sectile and by torch's own way.

Printed is by how much the memory of all processes together grows in a step, at its peak, above what it was before: the
parameters and the gradients, which are sharded, are there already. Memory that processes share counts once (PSS). Few tokens
keep the activations small, which are the same in both ways.
"""

import argparse
import os
import pathlib
import socket
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).parents[1] / "python" / "tests" / "torch"))


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2, help="processes")
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--ffn", type=int, default=4096)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--bf16", action="store_true", help="products in bf16, of parameters in f32")
    return parser.parse_args()


def own_bytes():
    with open("/proc/self/smaps_rollup", encoding="ascii") as found:
        return sum(int(line.split()[1]) << 10 for line in found if line.startswith("Pss:"))


class Peak:
    """The most memory of this process while the block of a ``with`` statement runs."""

    def __enter__(self):
        self.bytes, self._done = own_bytes(), threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self):
        while not self._done.wait(0.002):
            self.bytes = max(self.bytes, own_bytes())

    def __exit__(self, *exception):
        self._done.set()
        self._thread.join()


def model_of(args, way, mesh):
    import layers
    import torch
    import torch.distributed.fsdp as theirs

    import sectile.torch

    fully_shard = theirs.fully_shard if way == "torch" else sectile.torch.fully_shard
    policy = theirs.MixedPrecisionPolicy(param_dtype=torch.bfloat16 if args.bf16 else None)
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        *(layers.Layer(args.hidden, args.ffn, heads=16) for _ in range(args.layers))
    )
    for layer in model:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    return fully_shard(model, mesh=mesh, mp_policy=policy)


def measure(rank, args, way):
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import init_device_mesh

    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=args.n)
    model = model_of(args, way, init_device_mesh("cpu", (args.n,)))
    x = torch.randn(1, args.tokens, args.hidden)
    for _ in range(2):  # the second makes nothing that stays
        dist.barrier()
        before = own_bytes()
        dist.barrier()
        with Peak() as peak:
            model(x).sum().backward()
        dist.barrier()
    grown = torch.tensor([float(peak.bytes - before)])
    dist.all_reduce(grown)
    if rank == 0:
        print(f"{way}: {grown.item() / 1e6:.0f} MB above the shards", flush=True)
    dist.destroy_process_group()


def main():
    import torch.multiprocessing

    args = parse()
    os.environ.update(MALLOC_MMAP_THRESHOLD_="1000000")  # what is freed goes back to the system
    for way in ("torch", "sectile"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]))
        torch.multiprocessing.spawn(measure, args=(args, way), nprocs=args.n)


if __name__ == "__main__":
    main()
