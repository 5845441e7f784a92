"""Processes that are started once, and run one function after another together."""

from __future__ import annotations

import gc
import pickle
import queue
import traceback

import torch
import torch.distributed as dist
from processes import CONTEXT

# No function of a test takes nearly as long; one that hangs fails.
_SECONDS = 240


def _serve(rank, size, port, calls, replies):
    gc.freeze()  # what has been imported: collections of garbage need not look at it
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)  # without it, products are timed
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size)
    while (call := calls.get()) is not None:
        function, arguments = call
        try:
            replies.put((rank, pickle.dumps(function(*arguments)), None))
        except BaseException:
            replies.put((rank, None, traceback.format_exc()))
    dist.destroy_process_group()


class Ranks:
    """Processes of one process group."""

    def __init__(self, size, context=CONTEXT):
        #: That a function may take.
        self.seconds = _SECONDS
        # It listens here: a port that is free now may be taken when the ranks have started.
        self._store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        port = self._store.port
        self.size = size
        self._calls = [context.Queue() for _ in range(size)]
        self._replies = context.Queue()
        self._processes = [
            context.Process(
                target=_serve, args=(rank, size, port, self._calls[rank], self._replies), daemon=True
            )
            for rank in range(size)
        ]
        for process in self._processes:
            process.start()

    def run(self, function, *arguments):
        """Calls a function on all ranks, and returns what it returns on each."""
        assert self._processes, "the processes have failed before"
        for calls in self._calls:
            calls.put((function, arguments))
        results = [None] * self.size
        for _ in range(self.size):
            try:
                rank, result, problem = self._replies.get(timeout=self.seconds)
            except queue.Empty:
                self._end()
                raise AssertionError(f"{function.__name__} takes more than {self.seconds} s") from None
            if problem is not None:
                self._end()
                raise AssertionError(f"rank {rank}: {problem}")
            results[rank] = pickle.loads(result)
        return results

    def close(self):
        for calls in self._calls:
            calls.put(None)
        for process in self._processes:
            process.join(30)
        codes = [process.exitcode for process in self._processes]
        self._end()
        assert not any(codes)

    def _end(self):
        for process in self._processes:
            process.kill()
            process.join()
        self._processes = []
