"""Runs Swift tests, a process for each target, and counts them."""

import json
import subprocess
import tempfile
from pathlib import Path

from counting import from_swift_test, settled
from process import run

# Tests of one process that run at once. Many start programs, and the more that are open, the more descriptors there are:
# beyond some 1,360 of them, Foundation's `Process.run` on Linux reads past the end of the buffer in which the system told
# it the open ones, and the process dies now and then.
AT_ONCE = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "8"}


def told(count, status, name):
    """The settled count, with what is odd about it told."""
    count, note = settled(count, status, name)
    if note:
        print(note, flush=True)
    return count


def swift_tests(package, flags, environment=None, seconds=900):
    """The count of one `swift test`."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["swift", "test", *flags, "--xunit-output", str(Path(folder) / "result.xml")]
        status, output = run(words, seconds, {**AT_ONCE, **(environment or {})}, package, keep=True)
        # Swift Testing adds its name to the file's; the file of the name itself would be XCTest's.
        count = from_swift_test(output, Path(folder) / "result-swift-testing.xml")
    return told(count, status, "swift test")


def test_targets(package):
    """The Swift test targets, as the package manager knows them."""
    output = subprocess.check_output(["swift", "package", "describe", "--type", "json"], cwd=package, text=True)
    targets = json.loads(output[output.index("{"):])["targets"]
    return sorted(target["name"] for target in targets if target["type"] == "test")
