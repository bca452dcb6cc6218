"""Runs Swift tests, a process for each target, and counts them."""

import json
import subprocess
import tempfile
from pathlib import Path

from counting import CannotCount, from_swift_test, settled, unfinished
from process import run

# Tests of one process that run at once. Most wait for programs and servers; more of them at once end no sooner, and each
# waits longer for its turn.
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
        try:
            # Swift Testing adds its name to the file's; the file of the name itself would be XCTest's.
            count = from_swift_test(output, Path(folder) / "result-swift-testing.xml")
        except CannotCount as error:
            names = ", ".join(unfinished(output)) or "none"
            raise CannotCount(f"{error} (status {status}; under way: {names})") from error
    return told(count, status, "swift test")


def test_targets(package):
    """The Swift test targets, as the package manager knows them."""
    output = subprocess.check_output(["swift", "package", "describe", "--type", "json"], cwd=package, text=True)
    targets = json.loads(output[output.index("{"):])["targets"]
    return sorted(target["name"] for target in targets if target["type"] == "test")
