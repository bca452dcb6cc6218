"""Runs a command so that it cannot hang for ever, and leaves none of its children behind."""

import os
import signal
import subprocess
import sys
import threading


def run(words, seconds, environment=None, folder=None, keep=False):
    """Runs a command and returns (status, output). The output is shown as it comes, and kept where `keep` asks.

    Over the time limit the command is ended with all that it started, and the status is that of `timeout`: 124. What a
    command leaves running when it ends is ended as well.
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

    timer = threading.Timer(seconds, end)
    timer.start()
    lines = []
    try:
        for line in process.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)
        status = process.wait()
    finally:
        timer.cancel()
        _end(process)
    return (124 if is_late.is_set() else status), "".join(lines)


def _end(process):
    """Ends the session that `run` started, process groups of its own included; none of its processes is anyone else's."""
    for number in subprocess.check_output(["ps", "-A", "-o", "pid="], text=True).split():
        try:
            if os.getsid(int(number)) == process.pid:
                os.kill(int(number), signal.SIGKILL)
        except OSError:
            continue  # It ended by itself.
