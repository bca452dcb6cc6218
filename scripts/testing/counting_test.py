"""The sums decide whether the project works, so they are tested with samples of every runner's output."""

import re
import tempfile
import unittest
from pathlib import Path

from counting import CannotCount, Count, from_swift_test, from_tap, from_unittest, settled, unfinished

XUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="TestResults" errors="0" tests="3" failures="2" skipped="1" time="12.1">
    <testcase classname="M.A" name="one()" time="0.1" />
    <testcase classname="M.A" name="two()" time="0.1"><failure message="no" /><failure message="nor" /></testcase>
    <testcase classname="M.B" name="three()" time="0.1"><skipped>needs a display</skipped></testcase>
    <testcase classname="M.B" name="four()" time="0.1" />
  </testsuite>
</testsuites>
"""

XCTEST = """Test Suite 'All tests' started at 2026-11-20 10:02:11.204
Test Suite 'FeedTests' started at 2026-11-20 10:02:11.204
Test Case 'FeedTests.testOpen' started at 2026-11-20 10:02:11.204
Test Case 'FeedTests.testOpen' passed (0.005 seconds)
Test Case 'FeedTests.testShare' started at 2026-11-20 10:02:11.209
/app/FeedTests.swift:9: FeedTests.testShare : Test skipped - no network
Test Case 'FeedTests.testShare' skipped (0.001 seconds)
Test Case 'FeedTests.testShow' started at 2026-11-20 10:02:11.210
/app/FeedTests.swift:12: error: FeedTests.testShow : XCTAssertEqual failed: ("1") is not equal to ("2") -
Test Case 'FeedTests.testShow' failed (0.002 seconds)
Test Suite 'FeedTests' failed at 2026-11-20 10:02:11.212
\t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.008 (0.008) seconds
Test Suite 'All tests' failed at 2026-11-20 10:02:11.212
\t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.008 (0.008) seconds
"""

TAP = """TAP version 13
# Subtest: pages
    # Subtest: rows
    not ok 1 - rows
    # Subtest: later
    ok 2 - later # SKIP no browser
    1..2
not ok 1 - pages
1..1
# tests 3
# suites 1
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 0
# duration_ms 51.1
"""


class SwiftTestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "r.xml"

    def read(self, xml, output="Executed 0 tests, with 0 failures (0 unexpected)\n"):
        self.path.write_text(xml)
        return from_swift_test(output, self.path)

    def test_counts_each_outcome(self):
        self.assertEqual(self.read(XUNIT), Count(2, [("M.A.two()", "no")], [("M.B.three()", "needs a display")]))

    def test_crash_before_the_file_is_written_cannot_be_counted(self):
        with self.assertRaises(CannotCount):
            from_swift_test("", self.path)

    def test_file_that_a_crash_cut_cannot_be_counted(self):
        for end in (0, 60, 300, len(XUNIT) - 15):
            with self.assertRaises(CannotCount, msg=end):
                self.read(XUNIT[:end])

    def test_what_a_crash_or_a_hang_cut_short_is_named(self):
        output = (
            "◇ Test run started.\n◇ Suite A started.\n◇ Test one() started.\n◇ Test two(x:) started.\n"
            "◇ Test case passing 1 argument x → 1 to two(x:) started.\n◇ Test three() started.\n◇ Test four() started.\n"
            "✔ Test one() passed after 0.1 seconds.\n✘ Test three() failed after 0.2 seconds with 1 issue.\n"
            "✔ Test case passing 1 argument x → 1 to two(x:) passed after 0.1 seconds.\n")
        self.assertEqual(unfinished(output), ["two(x:)", "four()"])
        self.assertEqual(unfinished(output + "✔ Test two(x:) with 2 test cases passed after 1 seconds.\n"), ["four()"])

    def test_sums_that_contradict_the_cases_cannot_be_counted(self):
        for key, wrong in (("tests", 4), ("failures", 0), ("skipped", 0)):
            xml = re.sub(f' {key}="[0-9]+"', f' {key}="{wrong}"', XUNIT)
            with self.assertRaises(CannotCount, msg=key):
                self.read(xml)

    def test_xctest_cases_are_counted_too(self):
        self.assertEqual(
            self.read(XUNIT, XCTEST),
            Count(
                3, [("M.A.two()", "no"), ("FeedTests.testShow", 'XCTAssertEqual failed: ("1") is not equal to ("2") -')],
                [("M.B.three()", "needs a display"), ("FeedTests.testShare", "no network")]))

    def test_xctest_run_that_a_crash_cut_cannot_be_counted(self):
        for end in ("Test Case 'FeedTests.testShow' failed", "\t Executed 3"):
            with self.assertRaises(CannotCount, msg=end):
                self.read(XUNIT, XCTEST[:XCTEST.index(end)])


class UnittestTest(unittest.TestCase):
    def test_counts_each_outcome(self):
        count = from_unittest('{"passed": 3, "failures": [["c", "d"]], "skips": [["a", "b"]]}')
        self.assertEqual(count, Count(3, [("c", "d")], [("a", "b")]))

    def test_anything_else_cannot_be_counted(self):
        for text in ("", "null", "[]", "{}", '{"passed": 3}', '{"passed": "x", "failures": [], "skips": []}'):
            with self.assertRaises(CannotCount, msg=text):
                from_unittest(text)


class TapTest(unittest.TestCase):
    def test_counts_each_outcome(self):
        self.assertEqual(from_tap(TAP), Count(1, [("rows", "see its output")], [("later", "no browser")]))

    def test_cancelled_counts_as_failed(self):
        text = TAP.replace("# cancelled 0", "# cancelled 2").replace("# tests 3", "# tests 5")
        self.assertEqual(from_tap(text).failed, 3)

    def test_output_without_its_end_cannot_be_counted(self):
        for end in ("# skipped", "# fail", "# tests"):
            with self.assertRaises(CannotCount):
                from_tap(TAP[: TAP.index(end)])

    def test_sums_that_do_not_add_up_cannot_be_counted(self):
        with self.assertRaises(CannotCount):
            from_tap(TAP.replace("# pass 1", "# pass 0"))


class SettledTest(unittest.TestCase):
    def test_good_run_stays_as_it_is(self):
        self.assertEqual(settled(Count(2), 0, "x"), (Count(2), None))
        self.assertEqual(settled(Count(2, [("a", "b")]), 1, "x"), (Count(2, [("a", "b")]), None))

    def test_bad_end_without_a_failed_test_fails(self):
        count, note = settled(Count(2), -11, "x")
        self.assertEqual(count.failed, 1)
        self.assertIn("-11", note)

    def test_run_without_tests_fails(self):
        count, note = settled(Count(), 0, "x")
        self.assertEqual(count.failed, 1)
        self.assertEqual(note, "x ran no test")


if __name__ == "__main__":
    unittest.main()
