"""Runs test runners side by side. A lane is a process whose output is shown whole when it is joined; lanes take their
work from a queue."""

import multiprocessing
import os
import sys
import tempfile
import traceback

# Lanes call closures, which only a forked process has; a Mac would start processes anew.
FORKED = multiprocessing.get_context("fork")


class Captured:
    """A context that hides what this process and its children print; afterwards it is `text`."""

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
    """At most 256 jobs, each given in order to whichever forked process asks first; iteration ends when none is
    left."""

    def __init__(self, jobs):
        self._jobs = list(jobs)
        self._numbers, writer = os.pipe()
        # One byte a job: a one-byte read cannot be divided between processes.
        os.write(writer, bytes(range(len(self._jobs))))
        os.close(writer)

    def __iter__(self):
        while number := os.read(self._numbers, 1):
            yield self._jobs[number[0]]


class Lane:
    """Calls `body`, whose result must be picklable, in a child process that does not outlive this one."""

    def __init__(self, body):
        self._printed = tempfile.TemporaryFile("w+", errors="replace")
        self._result, writer = FORKED.Pipe(duplex=False)
        self._process = FORKED.Process(target=self._run, args=(body, writer), daemon=True)
        sys.stdout.flush()
        self._process.start()
        writer.close()

    def _run(self, body, writer):
        # Inherited by everything it starts.
        for stream in (1, 2):
            os.dup2(self._printed.fileno(), stream)
        sys.stdout = os.fdopen(1, "w", buffering=1)
        try:
            writer.send(body())
        except Exception:
            traceback.print_exc(file=sys.stdout)

    def join(self):
        """Waits, shows the output, and returns the result; None if the body did not finish."""
        try:
            result = self._result.recv()
        except EOFError:
            result = None
        self._process.join()
        with self._printed:
            self._printed.seek(0)
            print(self._printed.read(), end="", flush=True)
        return result
