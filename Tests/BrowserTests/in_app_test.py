"""The inspector inside an app: a process without a socket answers every request of the page.

The program `InAppInspector` is beside the one that DAYBOOK_BINARY names; `swift build --build-tests` makes both.
"""

import base64
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from browser_case import CHROMIUM, missing, run_file, sync_playwright
from collector import BINARY

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

PROGRAM = Path(BINARY or "").parent / "InAppInspector"
# The browser has no app scheme; the process is given the one that a web view would use.
SEEN, MEANT = "http://app.invalid", "daybook-inspector://app"
# What a web view adds to the page.
HOST = """() => {
    window.wishes = [];
    window.webkit = { messageHandlers: { daybook: { postMessage: (wish) => { window.wishes.push(wish); } } } };
    window.daybookHost = { isSimulator: false };
}"""


class App:
    def __init__(self, folder):
        self.process = subprocess.Popen([PROGRAM, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def stop(self):
        self.process.communicate(timeout=120)

    def ask(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def log(self, tag):
        self.ask({"log": tag})

    def answer(self, route):
        request = route.request
        headers = {name: value.replace(SEEN, MEANT) for name, value in request.headers.items()}
        body = base64.b64encode(request.post_data_buffer or b"").decode()
        answer = self.ask({"method": request.method, "url": request.url.replace(SEEN, MEANT), "headers": headers, "body": body})
        route.fulfill(status=answer["status"], headers=answer["fields"], body=base64.b64decode(answer["body"]))


@unittest.skipIf(missing(), missing() or "")
@unittest.skipUnless(PROGRAM.is_file(), f"{PROGRAM} is not built")
class InAppTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.app = App(folder.name)
        self.addCleanup(self.app.stop)
        playwright = sync_playwright().start()
        self.addCleanup(playwright.stop)
        browser = playwright.chromium.launch(executable_path=CHROMIUM,
                                             args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        self.addCleanup(browser.close)
        self.page = browser.new_page(viewport={"width": 390, "height": 844}, locale="en-US")
        self.page.add_init_script(f"({HOST})()")
        self.complaints, self.streams = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.route("**/*", self.answer)

    def answer(self, route):
        if route.request.url.endswith("/live"):
            self.streams.append(route)
        else:
            self.app.answer(route)

    def test_the_page_lives_on_requests_and_responses_alone(self):
        self.app.log("recipe.show")
        self.page.goto(f"{SEEN}/#/history")
        row = self.page.locator(".row")
        expect(row).to_contain_text("recipe.show")
        # The stream announces a new record, and it appears without a touch.
        self.app.log("recipe.share")
        for _ in range(6_000):
            if self.streams:
                break
            self.page.wait_for_timeout(20)
        self.app.answer(self.streams.pop())
        expect(row.first).to_contain_text("recipe.share")
        expect(row).to_have_count(2)
        row.first.click()
        expect(self.page.locator(".detail h2")).to_have_text("recipe.share")
        # What a web view cannot do goes to the app.
        self.page.locator(".detail").get_by_role("button", name="Copy", exact=False).first.click()
        self.page.wait_for_function("() => window.wishes?.length > 0")
        self.assertEqual(self.page.evaluate("window.wishes[0].action"), "copy")
        # A request with a body, and one that is refused.
        sql = "() => fetch('api/v1/sql', { method: 'POST', body: JSON.stringify({ sql: 'SELECT count(*) FROM records' }), " \
              "headers: { 'content-type': 'application/json' } }).then(async (answer) => [answer.status, await answer.text()])"
        status, text = self.page.evaluate(sql)
        self.assertEqual((status, json.loads(text)["data"]["rows"]), (200, [[2]]))
        status, text = self.page.evaluate(sql.replace("SELECT count(*) FROM", "DELETE FROM"))
        self.assertEqual(status, 400, text)
        self.assertEqual(self.complaints, [])


if __name__ == "__main__":
    run_file()
