"""Two processes of their own, for what ends a process group or a world."""

import torch


def run(function, path):
    """Runs a function in two processes, and returns what each says."""
    context = torch.multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [
        context.Process(target=function, args=(rank, str(path), results), daemon=True)
        for rank in range(2)
    ]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    return found
