"""Runs Swift tests, a process for each target, and counts them."""

import json
import subprocess
import tempfile
from pathlib import Path

from counting import CannotCount, from_swift_test, settled, unfinished
from process import run

# Parallel tests in a process. Most wait for programs and servers: with more at once, the run ends no sooner, and each
# test waits longer for its turn.
AT_ONCE = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "8"}


def told(count, status, name):
    """The settled count, after printing what is odd about it."""
    count, note = settled(count, status, name)
    if note:
        print(note, flush=True)
    return count


def swift_tests(package, flags, environment=None, seconds=900):
    """The count of one `swift test`."""
    return _counted(["swift", "test", *flags], package, environment, seconds)


def swift_testing(program, target, package, environment=None, seconds=1500):
    """The count of a target's tests in a built test program on Linux, without those of XCTest. `swift test` would plan
    the build for each target and block others of its kind."""
    words = [str(program), "--testing-library", "swift-testing", "--filter", f"^{target}\\."]
    return _counted(words, package, {"NO_COLOR": "1", **(environment or {})}, seconds)


def _counted(words, package, environment, seconds):
    with tempfile.TemporaryDirectory() as folder:
        words = [*words, "--xunit-output", str(Path(folder) / "result.xml")]
        status, output = run(words, seconds, {**AT_ONCE, **(environment or {})}, package, keep=True)
        try:
            # `swift test` appends Swift Testing's name to the file's, because XCTest has its own.
            files = [Path(folder) / name for name in ("result-swift-testing.xml", "result.xml")]
            count = from_swift_test(output, next((file for file in files if file.exists()), files[0]))
        except CannotCount as error:
            names = ", ".join(unfinished(output)) or "none"
            raise CannotCount(f"{error} (status {status}; under way: {names})") from error
    return told(count, status, Path(words[0]).name)


def test_targets(package):
    """The Swift test targets according to the package manager, and whether each has XCTest cases."""
    output = subprocess.check_output(["swift", "package", "describe", "--type", "json"], cwd=package, text=True)
    targets = json.loads(output[output.index("{"):])["targets"]
    found = {}
    for target in sorted(targets, key=lambda target: target["name"]):
        if target["type"] == "test":
            sources = [Path(package) / target["path"] / source for source in target["sources"]]
            found[target["name"]] = any(": XCTestCase" in source.read_text(encoding="utf-8") for source in sources)
    return found
