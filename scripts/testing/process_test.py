"""A runner that hangs or leaves processes behind must not stop the others."""

import tempfile
import time
import unittest
from pathlib import Path

from process import run


class ProcessTest(unittest.TestCase):
    def test_status_and_output_are_returned(self):
        self.assertEqual(run(["sh", "-c", "echo one; exit 3"], 30, keep=True), (3, "one\n"))

    def test_environment_and_folder_are_given(self):
        self.assertEqual(run(["sh", "-c", 'echo "$X" $PWD'], 30, {"X": "y"}, "/", keep=True), (0, "y /\n"))

    def test_command_over_its_time_is_ended_with_its_children(self):
        start = time.monotonic()
        status, output = run(["sh", "-c", "echo begun; tail -f /dev/null & wait"], 0.5, keep=True)
        self.assertEqual((status, output), (124, "begun\n"))
        self.assertLess(time.monotonic() - start, 30)

    def test_what_a_command_leaves_running_is_ended(self):
        self.check_ended("tail -f /dev/null >/dev/null & echo $!")

    def test_a_command_that_died_is_not_waited_for_because_of_what_holds_its_output(self):
        start = time.monotonic()
        self.assertEqual(run(["bash", "-c", "tail -f /dev/null & echo begun; exit 3"], 60, keep=True, patience=0)[0], 3)
        self.assertLess(time.monotonic() - start, 30)

    def test_what_left_the_process_group_is_ended_too(self):
        self.check_ended("set -m; tail -f /dev/null >/dev/null & echo $!")

    def test_what_clears_up_behind_a_command_may_finish(self):
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            run(["bash", "-c", "(sleep 0.3; touch cleared) >/dev/null &"], 30, folder=folder, keep=True)
            self.assertTrue(Path(folder, "cleared").exists())
            self.assertLess(time.monotonic() - start, 10)

    def check_ended(self, script):
        _, output = run(["bash", "-c", script], 30, keep=True, patience=0)
        deadline = time.monotonic() + 30
        while self.runs(int(output)) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(self.runs(int(output)))

    @staticmethod
    def runs(number):
        """Whether a process is alive; a zombie is not."""
        return run(["sh", "-c", f"ps -o stat= -p {number} | grep -qv Z"], 30)[0] == 0


if __name__ == "__main__":
    unittest.main()
