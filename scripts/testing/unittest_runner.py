"""Runs the unittest cases of one file and writes the counts as JSON: unittest_runner.py FILE RESULT."""

import importlib.util
import json
import re
import sys
import unittest
from pathlib import Path


class Counting(unittest.TextTestResult):
    """A result that also counts the tests that passed."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.passed += 1


def message(text):
    """The line of a traceback that names the error; the test's own message follows it."""
    lines = text.strip().splitlines()
    return next((line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)), lines[-1])


def main(path, result_path):
    path = Path(path).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Counting).run(suite)
    failures = [(test.id(), message(text)) for test, text in result.failures + result.errors]
    failures += [(test.id(), "it was expected to fail, and passed") for test in result.unexpectedSuccesses]
    report = {
        "passed": result.passed,
        "failures": failures,
        "skips": [(test.id(), reason) for test, reason in result.skipped],
    }
    Path(result_path).write_text(json.dumps(report), encoding="utf-8")
    return 0 if not failures else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
