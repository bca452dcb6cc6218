"""Runners beside other runners: a lane is a process of its own, and what it prints is shown whole when it is joined."""

import multiprocessing
import os
import sys
import tempfile
import traceback


class Lane:
    """Calls `body`, which returns what can be pickled, in a process of its own that ends with this one at the latest."""

    def __init__(self, body):
        context = multiprocessing.get_context("fork")
        self._printed = tempfile.TemporaryFile("w+", errors="replace")
        self._result, writer = context.Pipe(duplex=False)
        self._process = context.Process(target=self._run, args=(body, writer), daemon=True)
        sys.stdout.flush()
        self._process.start()
        writer.close()

    def _run(self, body, writer):
        # All that it starts inherits these two.
        for stream in (1, 2):
            os.dup2(self._printed.fileno(), stream)
        sys.stdout = os.fdopen(1, "w", buffering=1)
        try:
            writer.send(body())
        except Exception:
            traceback.print_exc(file=sys.stdout)

    def join(self):
        """Waits, shows what was printed, and returns the result; None if the body did not reach its end."""
        try:
            result = self._result.recv()
        except EOFError:
            result = None
        self._process.join()
        with self._printed:
            self._printed.seek(0)
            print(self._printed.read(), end="", flush=True)
        return result
