"""A lane's output must be complete, and a lane that died must not count as a success."""

import contextlib
import io
import os
import subprocess
import sys
import unittest

from lane import Captured, Lane, Queue


def joined(body):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = Lane(body).join()
    return result, printed.getvalue()


class CapturedTest(unittest.TestCase):
    def test_what_is_printed_within_is_kept_and_shown_when_asked_for(self):
        script = """
import subprocess
from lane import Captured
print("before")
with Captured() as captured:
    print("one", flush=True)
    subprocess.check_call(["sh", "-c", "echo two; echo three >&2"])
    print("four")
print("after")
print(captured.text, end="")
"""
        folder = os.path.dirname(os.path.abspath(__file__))
        output = subprocess.check_output([sys.executable, "-W", "error", "-c", script], text=True, cwd=folder)
        self.assertEqual(output, "before\nafter\none\ntwo\nthree\nfour\n")

    def test_an_exception_leaves_the_streams_as_they_were(self):
        output = subprocess.check_output(
            [sys.executable, "-c", "from lane import Captured\ntry:\n  with Captured(): print(1); raise ValueError\n"
             "except ValueError: print(2)"], text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(output, "2\n")


class LaneTest(unittest.TestCase):
    def test_result_comes_back(self):
        self.assertEqual(joined(lambda: [1, "two"]), ([1, "two"], ""))

    def test_what_it_and_its_commands_print_is_shown_at_the_end(self):
        def body():
            print("one", flush=True)
            subprocess.check_call(["sh", "-c", "echo two; echo three >&2"])
            print("four")
            return True

        self.assertEqual(joined(body), (True, "one\ntwo\nthree\nfour\n"))

    def test_lanes_run_beside_each_other(self):
        # Each waits for the other: one after the other they would never end.
        (here, there), (back, forth) = os.pipe(), os.pipe()

        def first():
            os.write(there, b"x")
            return os.read(back, 1)

        def second():
            answer = os.read(here, 1)
            os.write(forth, b"y")
            return answer

        lanes = [Lane(first), Lane(second)]
        self.assertEqual([lane.join() for lane in lanes], [b"y", b"x"])

    def test_one_that_fails_or_dies_has_no_result(self):
        def fail():
            raise ValueError("what went wrong")

        result, printed = joined(fail)
        self.assertIsNone(result)
        self.assertIn("what went wrong", printed)
        self.assertEqual(joined(lambda: os._exit(3)), (None, ""))


class QueueTest(unittest.TestCase):
    def test_every_job_is_given_once_whoever_asks(self):
        queue = Queue(range(100, 300))
        lanes = [Lane(lambda: list(queue)) for _ in range(2)]
        given = list(queue)
        for lane in lanes:
            given += lane.join()
        self.assertEqual(sorted(given), list(range(100, 300)))

    def test_jobs_are_given_in_their_order(self):
        self.assertEqual(list(Queue("cab")), ["c", "a", "b"])

    def test_an_empty_one_ends_at_once(self):
        self.assertEqual(list(Queue([])), [])


if __name__ == "__main__":
    unittest.main()
