"""A live stream of 2,000 records a second while somebody reads: does the reader keep the place, and is the page smooth?

    DAYBOOK_BINARY=$(swift build -c release --show-bin-path)/daybook-cli .venv/bin/python Tests/BrowserTests/measure_live.py [SECONDS]

runs for a minute unless SECONDS says otherwise, prints its measurements as JSON, and exits with 1 if a row moved, a
record is missing, or the stream was slower than 95 % of the intended rate. The processor times show which of three
processes a slow stream waited for: a server that keeps up answers a batch in less than 100 ms. The tests run five
seconds of it.
"""

import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from browser_case import CHECKLIST, CHROMIUM, DEFINITIONS, missing, prepare_context, settle, sync_playwright
from collector import Server, event, logs, message

RATE = 2_000
BATCH = 200
FIRST = 400
# Every frame's duration, and whether the rows in view kept their places.
WATCH = """() => {
    const scroller = document.querySelector(".scroller");
    const places = () => {
        const { top, bottom } = scroller.getBoundingClientRect();
        return JSON.stringify([...document.querySelectorAll(".row")]
            .map((row) => [row.id, Math.round(row.getBoundingClientRect().top)])
            .filter(([, place]) => place > top + 60 && place < bottom - 60).sort((one, other) => one[1] - other[1]));
    };
    const start = places();
    const seen = window.watched = { rows: JSON.parse(start).length, frames: [], moved: 0, done: false };
    let last = null;
    const step = (now) => {
        if (last !== null) seen.frames.push(now - last);
        last = now;
        if (places() !== start) seen.moved += 1;
        if (!seen.done) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}"""


class Stream(threading.Thread):
    """Sends batches by the clock; a late one is sent at once. They are made beforehand, so that only sending takes
    time."""

    def __init__(self, server, seconds):
        super().__init__()
        self.port, self.sent, self.took, self.answers, self.failure = server.port, 0, 0, [], None
        self.batches = [json.dumps(logs(*(
            event("feed.show_article", article_id=number, position=place) for place in range(BATCH)))).encode()
            for number in range(seconds * RATE // BATCH)]

    def run(self):
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            for number, batch in enumerate(self.batches):
                wait = start + number * BATCH / RATE - time.monotonic()
                if wait > 0:
                    time.sleep(wait)
                begun = time.monotonic()
                connection.request("POST", "/v1/logs", batch, {"content-type": "application/json"})
                with connection.getresponse() as answer:
                    answer.read()
                    if answer.status != 200:
                        raise OSError(f"the collector answered {answer.status}")
                self.answers.append((time.monotonic() - begun) * 1_000)
                self.sent += BATCH
        except (OSError, http.client.HTTPException) as failure:
            self.failure = failure
        finally:
            connection.close()
        self.took = time.monotonic() - start


def worked(client, server):
    """Processor time so far in seconds: this process, the server, and the main thread of the page behind `client`."""
    metrics = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    stat = Path(f"/proc/{server.process.pid}/stat")
    ticks = sum(map(int, stat.read_text().rsplit(")", 1)[1].split()[11:13])) if stat.exists() else 0
    return {"sender": time.process_time(), "server": ticks / os.sysconf("SC_CLK_TCK"), "page": metrics["TaskDuration"]}


def watch(page, server, seconds):
    """What a reader who had scrolled to a place saw in some seconds of stream; the page shows the history."""
    server.post(*(message(f"line {number}") for number in range(FIRST)))
    page.locator(".row", has_text=f"line {FIRST - 1}").wait_for()
    before = server.ask("status")["head"]
    page.evaluate("document.querySelector('.scroller').scrollTop = 3000")
    settle(page)
    stream = Stream(server, seconds)
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    page.evaluate(WATCH)
    start = worked(client, server)
    stream.start()
    while stream.is_alive():
        page.wait_for_timeout(200)
    stream.join()
    if stream.failure:
        raise stream.failure
    settle(page)
    end = worked(client, server)
    client.detach()
    seen = page.evaluate("(window.watched.done = true, window.watched)")
    frames = sorted(seen["frames"])
    return {
        "seconds": seconds, "records a second": round(stream.sent / stream.took), "records sent": stream.sent,
        "records stored": server.ask("status")["head"] - before, "rows watched": seen["rows"],
        "batch answered, ms": {"median": round(statistics.median(stream.answers), 1),
                               "p95": round(sorted(stream.answers)[int(len(stream.answers) * 0.95)], 1),
                               "max": round(max(stream.answers), 1)},
        "processor time, s": {name: round(end[name] - start[name], 1) for name in end},
        "frames": len(frames), "frames in which a row had moved": seen["moved"],
        "frame, ms": {"median": round(statistics.median(frames), 1), "p95": round(frames[int(len(frames) * 0.95)], 1),
                      "max": round(frames[-1], 1)},
        "rows in the page": page.locator(".row").count(), "pill": page.locator(".pill").inner_text(),
    }


def main(seconds):
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        for part, files in (("LogDefinitions", DEFINITIONS), ("LogChecklists", {"release.md": CHECKLIST})):
            (folder / part).mkdir()
            for file, text in files.items():
                (folder / part / file).write_text(text, encoding="utf-8")
        server = Server(folder)
        try:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
            prepare_context(page.context)
            page.goto(server.url)
            page.wait_for_selector(".nav")
            result = watch(page, server, seconds)
            browser.close()
        finally:
            server.stop()
    print(json.dumps(result, indent=2, ensure_ascii=False))
    is_good = (result["frames in which a row had moved"] == 0 and result["records stored"] >= result["records sent"]
              and result["records a second"] >= 0.95 * RATE)
    return 0 if is_good else 1


if __name__ == "__main__":
    if missing():
        sys.exit(missing())
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 60))
