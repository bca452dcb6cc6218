"""Runs a command so that it cannot hang forever and leaves no children behind."""

import os
import signal
import subprocess
import sys
import threading
import time


def run(words, seconds, environment=None, folder=None, keep=False, patience=15):
    """Runs a command and returns (status, output). The output is shown as it arrives, and kept if `keep` is set.

    Over the time limit the command is ended with all its children, and the status is that of `timeout`: 124. Whatever
    is still running when a command ends has `patience` seconds to clean up and is then ended as well; nobody waits for
    output that it holds open.
    """
    process = subprocess.Popen(
        words,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if keep else None,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    is_late = threading.Event()

    def end():
        is_late.set()
        print(f"{words[0]}: over {seconds} s, ended", file=sys.stderr, flush=True)
        _end(process)

    def show():
        for line in process.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)

    lines = []
    reader = threading.Thread(target=show, daemon=True)
    timer = threading.Timer(seconds, end)
    timer.start()
    reader.start()
    try:
        status = process.wait()
    finally:
        timer.cancel()
        deadline = time.monotonic() + patience
        while not is_late.is_set() and _session(process) and time.monotonic() < deadline:
            time.sleep(0.1)
        _end(process)
        # Whatever held the output open is gone, so it ends, unless something left the session.
        reader.join(15)
    return (124 if is_late.is_set() else status), "".join(lines)


def _end(process):
    for number in _session(process):
        try:
            os.kill(number, signal.SIGKILL)
        except OSError:
            continue  # It ended by itself.


def _session(process):
    """What runs in the session that `run` started, including its own process groups, and nothing else."""
    found = []
    for line in subprocess.check_output(["ps", "-A", "-o", "pid=,stat="], text=True).splitlines():
        number, state = line.split()
        try:
            if os.getsid(int(number)) == process.pid and not state.startswith("Z"):
                found.append(int(number))
        except OSError:
            continue  # It ended by itself.
    return found
