"""Measures the history over a large store, by hand: frames while scrolling to the end, first rows, record to screen.

    DAYBOOK_BINARY=$(swift build -c release --show-bin-path)/daybook-cli .venv/bin/python Tests/BrowserTests/measure_million.py FOLDER

FOLDER holds `daybook.sqlite`, made by `daybook import`, and the folders `LogDefinitions` and `LogChecklists`.
"""

import json
import statistics
import sys
import time

from browser_case import CHROMIUM, sync_playwright
from collector import Server, message

SECONDS = 20
RUN_UP = 2
RUN = time.time_ns()
# Scrolls from top to end, a step a frame, and records every frame's duration and whether its rows were there.
SCROLL = """(seconds) => new Promise((done) => {
    const scroller = document.querySelector(".scroller");
    const track = scroller.scrollHeight - scroller.clientHeight;
    const frames = [];
    let filled = 0;
    let start = null;
    let last = null;
    function step(now) {
        start ??= now;
        if (last !== null) frames.push(now - last);
        last = now;
        if (document.querySelector(".row:not(.pending)")) filled += 1;
        const share = (now - start) / (seconds * 1000);
        scroller.scrollTop = track * Math.min(share, 1);
        if (share >= 1) return done({ frames, filled });
        requestAnimationFrame(step);
    }
    requestAnimationFrame(step);
})"""

# Runs in every page from its start: notes the frame after the one with the first row.
NOTE_FIRST_ROWS = """
    const look = () => requestAnimationFrame(document.querySelector(".row:not(.pending)")
        ? () => { window.firstRows = performance.now(); } : look);
    look();
"""


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def first_rows(page, server):
    """From the navigation to the frame after the first row, in milliseconds by the page's own clock."""
    page.goto(server.origin)
    page.reload()
    page.wait_for_function("() => window.firstRows")
    return page.evaluate("window.firstRows")


def record_to_screen(page, server, number):
    """From sending a record to its row, in milliseconds."""
    page.evaluate("""(text) => { window.seen = new Promise((done) => {
        const look = () => document.querySelector(".row")?.parentElement.textContent.includes(text)
            ? done(Date.now()) : requestAnimationFrame(look);
        look();
    }); }""", f"measured {RUN} {number}.")
    sent = time.time() * 1000
    server.post(message(f"measured {RUN} {number}."))
    return page.evaluate("window.seen") - sent


def main(folder):
    server = Server(folder)
    try:
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(NOTE_FIRST_ROWS)
            page.goto(server.url)
            page.wait_for_selector(".row:not(.pending)")
            starts = [first_rows(page, server) for _ in range(5)]
            page.wait_for_timeout(RUN_UP * 1000)
            scrolled = page.evaluate(SCROLL, SECONDS)
            start = time.monotonic()
            page.wait_for_function("""() => { const rows = document.querySelectorAll(".row");
                return rows.length > 0 && [...rows].every((row) => row.id !== ""); }""", timeout=60_000)
            settled = time.monotonic() - start
            oldest = page.evaluate("Math.min(...[...document.querySelectorAll('.row')]"
                                   ".map((row) => Number(row.id.replace('record-', ''))))")
            page.keyboard.press("Home")
            page.wait_for_timeout(RUN_UP * 1000)
            arrivals = [record_to_screen(page, server, number) for number in range(20)]
            frames = scrolled["frames"]
            print(json.dumps({
                "first rows, ms": [round(one) for one in starts],
                "frames": len(frames), "frames with rows": scrolled["filled"],
                "frame, ms": {"median": round(statistics.median(frames), 1), "p95": round(share(frames, 0.95), 1),
                              "p99": round(share(frames, 0.99), 1), "max": round(max(frames), 1)},
                "rows in the page": page.locator(".row").count(), "oldest record in view": oldest,
                "rows there after the end, ms": round(settled * 1000),
                "record to screen, ms": {"median": round(statistics.median(arrivals)), "max": round(max(arrivals))},
            }, indent=2, ensure_ascii=False))
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
