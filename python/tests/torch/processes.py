"""Processes, which are forked from one that has imported torch; two of their own, for what ends a process
group or a world."""

import os

import torch.multiprocessing

# Before the server of the forks begins, since OpenBLAS reads it where it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
CONTEXT = torch.multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "sectile.torch",
        "torch._inductor.compile_fx",
        "transformers.distributed.parallel_utils",
        "transformers.models.llama.modeling_llama",
    ]
)


def run(function, path):
    """Runs a function in two processes, and returns what each says."""
    results = CONTEXT.Queue()
    processes = [
        CONTEXT.Process(target=function, args=(rank, str(path), results), daemon=True)
        for rank in range(2)
    ]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    return found
