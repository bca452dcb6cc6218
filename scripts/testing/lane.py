"""What runners print, and runners beside other runners: a lane is a process of its own, and what it prints is shown whole
when it is joined. Lanes share work by taking it from a queue."""

import multiprocessing
import os
import sys
import tempfile
import traceback


class Captured:
    """A context within which nothing is shown of what this process and its children print; then it is `text`."""

    def __enter__(self):
        self._file = tempfile.TemporaryFile("w+", errors="replace")
        sys.stdout.flush()
        sys.stderr.flush()
        self._streams = [(stream, os.dup(stream)) for stream in (1, 2)]
        for stream, _ in self._streams:
            os.dup2(self._file.fileno(), stream)
        return self

    def __exit__(self, *_):
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, copy in self._streams:
            os.dup2(copy, stream)
            os.close(copy)
        with self._file:
            self._file.seek(0)
            self.text = self._file.read()


class Queue:
    """Jobs, at most 256, of which each is given once, in their order, to whichever of the processes forked from this one
    asks first: a loop over the queue ends when none is left."""

    def __init__(self, jobs):
        self._jobs = list(jobs)
        self._numbers, writer = os.pipe()
        # One byte a job: a read of one byte cannot be divided between processes.
        os.write(writer, bytes(range(len(self._jobs))))
        os.close(writer)

    def __iter__(self):
        while number := os.read(self._numbers, 1):
            yield self._jobs[number[0]]


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
