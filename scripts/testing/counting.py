"""The counts of a test run, read from what each kind of runner leaves.

Nothing is guessed: if a count cannot be read, `CannotCount` is raised, and the caller counts a failure.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


class CannotCount(Exception):
    """An unreadable result of a runner."""


@dataclass
class Count:
    passed: int = 0
    # (test, message) of each failed test.
    failures: list = field(default_factory=list)
    # (test, reason) of each skipped test.
    skips: list = field(default_factory=list)

    @property
    def failed(self):
        return len(self.failures)

    @property
    def skipped(self):
        return len(self.skips)

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failures + other.failures, self.skips + other.skips)

    def line(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def from_swift_test(output, path):
    """Reads the xUnit file that Swift Testing wrote during `swift test`. The output is needed too, to count XCTest's
    cases, which are not in the file.

    A crash leaves no file or a truncated one. In the file, `tests` excludes skipped ones and `failures` counts issues,
    of which a test may have many; so the cases are counted, and the sums must agree with them.
    """
    if not Path(path).exists():
        raise CannotCount("no result file was written: the test process did not reach its end")
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise CannotCount(f"the result file is no XML, as after a crash: {error}") from error
    total = Count()
    for case in root.iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}"
        skipped = case.find("skipped")
        if skipped is not None:
            total.skips.append((name, skipped.get("message") or skipped.text or "no reason given"))
        elif (failure := next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)) is not None:
            total.failures.append((name, failure.get("message") or failure.text or "no message"))
        else:
            total.passed += 1
    claimed = {key: 0 for key in ("tests", "failures", "errors", "skipped")}
    for suite in root.iter("testsuite"):
        for key in claimed:
            claimed[key] += int(suite.get(key, 0))
    issues = claimed["failures"] + claimed["errors"]
    if (claimed["tests"], claimed["skipped"], issues > 0) != (
        total.passed + total.failed, total.skipped, total.failed > 0):
        raise CannotCount(f"the result file lists {total.line()}, but says {claimed}")
    return total + from_xctest(output)


def unfinished(output):
    """The tests that Swift Testing started but never ended, by its output: they hung, or were running when the process
    died."""
    begun = re.findall(r"^\S+ Test (\S.*?) started\.$", output, re.MULTILINE)
    ended = set(re.findall(r"^\S+ Test (\S.*?)(?: with \d+ test cases?)? (?:passed|failed|skipped)\b", output, re.MULTILINE))
    return [name for name in begun if name not in ended and not name.startswith(("case passing", "run"))]


def from_xctest(output):
    """Reads XCTest's output: a line at the end of each case, and a sum at the end of each suite."""
    outcomes = re.findall(r"^Test Case '([^']+)' (passed|failed|skipped) \(", output, re.MULTILINE)
    reasons = dict(re.findall(r": (\S+) : Test skipped(?: - (.*))?$", output, re.MULTILINE))
    messages = dict(re.findall(r": error: (\S+) : (.*)$", output, re.MULTILINE))
    total = Count()
    for name, outcome in outcomes:
        if outcome == "skipped":
            total.skips.append((name, reasons.get(name) or "no reason given"))
        else:
            total += Count(passed=1) if outcome == "passed" else Count(failures=[(name, messages.get(name) or "no message")])
    # The last sum is that of all suites.
    executed = re.findall(r"^\s*Executed (\d+) tests?, with", output, re.MULTILINE)
    if int(executed[-1] if executed else 0) != len(outcomes):
        raise CannotCount(f"XCTest lists {total.line()}, but says that it executed {executed[-1] if executed else 'none'}")
    return total


def from_unittest(text):
    """Reads the JSON that `unittest_runner.py` writes."""
    try:
        report = json.loads(text)
        failures, skips = ([(str(test), str(words)) for test, words in report[key]] for key in ("failures", "skips"))
        return Count(int(report["passed"]), failures, skips)
    except (ValueError, KeyError, TypeError) as error:
        raise CannotCount(f"no readable result: {error}") from error


def from_tap(text):
    """Reads the TAP of `node --test --test-reporter=tap`: the sums at its end, the skips in its lines."""
    sums = dict(re.findall(r"^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$", text, re.MULTILINE))
    missing = {"tests", "pass", "fail", "cancelled", "skipped"} - sums.keys()
    if missing:
        raise CannotCount(f"the output ends without its sums: no {', '.join(sorted(missing))}")
    sums = {key: int(value) for key, value in sums.items()}
    failed = sums["fail"] + sums["cancelled"]
    failures = [(test, "see its output") for test in re.findall(r"^\s*not ok \d+ - (.*)$", text, re.MULTILINE)]
    # A group with a failed test is reported as failed too; the sums count only tests.
    failures = (failures + [("a node test", "see its output")] * failed)[:failed]
    if sums["pass"] + failed + sums["skipped"] + sums.get("todo", 0) != sums["tests"]:
        raise CannotCount(f"the sums do not add up: {sums}")
    lines = re.findall(r"^\s*ok \d+ - (.*?) # (?:SKIP|TODO) ?(.*)$", text, re.MULTILINE)
    skips = [(name, reason or "no reason given") for name, reason in lines]
    while len(skips) < sums["skipped"] + sums.get("todo", 0):
        skips.append(("a node test", "no reason given"))
    return Count(sums["pass"], failures, skips[: sums["skipped"] + sums.get("todo", 0)])


def settled(count, status, name):
    """The count of a run with an exit status: a bad status without a failed test is a failure, and so is no test at
    all."""
    if status != 0 and count.failed == 0:
        return _failed(count, name, f"{name} ended with status {status}, though no test failed")
    if count.passed + count.failed + count.skipped == 0:
        return _failed(count, name, f"{name} ran no test")
    return count, None


def _failed(count, name, note):
    return count + Count(failures=[(name, note)]), note
