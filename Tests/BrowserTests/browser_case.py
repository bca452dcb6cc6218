"""The inspector in a real browser: the built `daybook` serves, OTLP comes in, headless Chromium looks.

DAYBOOK_BINARY names the program; DAYBOOK_ASSETS may name the page's folder. Skipped with the reason if the program,
Chromium or Playwright is missing.
"""

import contextlib
import functools
import os
import shutil
import sys
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from collector import BINARY, Server, attribute

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect, sync_playwright = None, None

# How long something may take to appear, in milliseconds: a machine that builds and tests at once is slow.
PATIENCE = 120_000
# How much of a page's content a failure reports.
MOST_TOLD = 6_000
ASSETS = os.environ.get("DAYBOOK_ASSETS")
# The shell is the same engine without the browser's interface, for two fifths of the processor time.
CHROMIUM = next(filter(None, map(shutil.which, (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"))), None)

# A checklist judged for two kinds of users.
PERSONAS = """# team

| persona | plan |
|---------|------|
| free    | free |
| paid    | paid |

- [ ] feed.tap_article
"""

DEFINITIONS = {
    "common.md": "# common\n\n- user_id: !integer?\n    - ログインユーザー ID\n",
    "feed.md": """# feed

ホームのフィード

## show_article

記事が画面に表示されたとき

- article_id: !bigint
    - 記事 ID
- position: !integer
- reason: !string? 64

## tap_article

記事をタップしたとき

- article_id: !bigint
""",
    "search.md": """# search

## run

レシピを検索したとき

- keyword: !string 256
- mail: !string? 256 [private]
""",
}
CHECKLIST = """# release

## feed
- [ ] feed.show_article exactly 1 per article_id
- [ ] feed.tap_article
- [ ] never search.**
- [ ] feed.tap_article when plan = "paid"
- [ ] 通知の許可ダイアログを目で確認する
"""


# Detects a page at rest: its requests are answered, and nothing has changed for a moment.
SETTLED = """(() => {
    let pending = 0;
    let last = performance.now();
    const changed = () => { last = performance.now(); };
    const counted = (work) => async function (...words) {
        pending += 1;
        try { return await work.apply(this, words); } finally {
            pending -= 1;
            changed();
        }
    };
    window.fetch = counted(window.fetch);
    // A body may come long after its head.
    Response.prototype.json = counted(Response.prototype.json);
    new MutationObserver(changed).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    window.settled = () => new Promise((done) => {
        changed();
        const end = last + PATIENCE;
        const look = () => {
            const now = performance.now();
            if ((pending === 0 && now - last > 100) || now > end) done();
            else setTimeout(look, 20);
        };
        look();
    });
})()""".replace("PATIENCE", str(PATIENCE))


def settle(page):
    """Waits until the page is at rest."""
    page.evaluate("settled()")


def go(page, hash_):
    """Goes to a hash and waits until its screen is there."""
    page.evaluate("(hash) => { location.hash = hash }", hash_)
    settle(page)


def prepare_context(context):
    """What every page of a test needs: the detector of rest and, for work on the page, DAYBOOK_ASSETS."""
    context.add_init_script(SETTLED)
    if ASSETS:
        context.route("**/assets/**", lambda route: route.fulfill(
            path=Path(ASSETS) / urllib.parse.urlsplit(route.request.url).path.removeprefix("/assets/")))


def shown(page):
    """A page's content as text."""
    try:
        state = page.locator("#app").evaluate("(app) => JSON.stringify({ ...app.dataset })", timeout=5_000)
        text = page.locator("body").inner_text(timeout=5_000)
    except Exception as failure:  # The page may be gone or hang; report that.
        state, text = "unknown", str(failure)
    cut = "…" if len(text) > MOST_TOLD else ""
    return f"{page.url} {state} shows:\n{text[:MOST_TOLD]}{cut}"


def import_module(page, path):
    """Makes a module of the page importable, though the served page has it within one script."""
    source = Path(__file__).resolve().parents[2] / "Sources" / "DaybookInspector" / "Assets" / path
    page.route(f"**/assets/{path}", lambda route: route.fulfill(path=source))


def missing():
    if not BINARY:
        return "DAYBOOK_BINARY is not set"
    if not Path(BINARY).is_file():
        return f"{BINARY} is not built"
    if CHROMIUM is None:
        return "Chromium is not installed"
    return None if sync_playwright else "Playwright is not installed"


def telling(test):
    """The test, with the pages' content added to its failures."""
    @functools.wraps(test)
    def told(self):
        with self.telling():
            test(self)
    return told


@unittest.skipIf(missing(), missing() or "")
class BrowserCase(unittest.TestCase):
    """A server for each test, a browser for all of a file."""

    def __init_subclass__(cls, **words):
        super().__init_subclass__(**words)
        for name, test in list(vars(cls).items()):
            if name.startswith("test_"):
                setattr(cls, name, telling(test))

    # Further arguments for `daybook serve`.
    SERVE = ()

    def prepare(self):
        """Adds a test file's own files to the folder."""

    @classmethod
    def setUpClass(cls):
        expect.set_options(timeout=PATIENCE)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "LogDefinitions").mkdir()
        (self.folder / "LogChecklists").mkdir()
        for name, text in DEFINITIONS.items():
            (self.folder / "LogDefinitions" / name).write_text(text, encoding="utf-8")
        (self.folder / "LogChecklists" / "release.md").write_text(CHECKLIST, encoding="utf-8")
        self.prepare()
        self.server = Server(self.folder, 0, *self.SERVE)
        self.addCleanup(lambda: self.server.stop())
        self.complaints = []

    def open(self, hash_=None, **options):
        """Opens a page with its token; keeps every complaint of the console."""
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", **options}
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        prepare_context(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self.note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))")
        page.goto(self.server.url)
        page.wait_for_selector(".nav")
        if hash_:
            go(page, hash_)
        return page

    @contextlib.contextmanager
    def telling(self):
        """Adds what the pages show to a failure, which may happen on a machine that nobody can look at."""
        try:
            yield
        except Exception as failure:
            for page in (page for context in self.browser.contexts for page in context.pages):
                failure.add_note(shown(page))
            failure.add_note(f"The console said {self.complaints}")
            raise

    @contextlib.contextmanager
    def subTest(self, *words, **parameters):
        with super().subTest(*words, **parameters), self.telling():
            yield

    def note(self, line):
        if line.type in ("error", "warning"):
            self.complaints.append(line.text)

    def quiet(self):
        self.assertEqual(self.complaints, [])

    def wait_for_screen(self, page, screen):
        page.wait_for_function("(screen) => document.querySelector('.app')?.dataset.screen === screen", arg=screen)

    def wait_for_address(self, page, part):
        page.wait_for_function("(part) => location.href.includes(part)", arg=part)

    def row(self, page, text):
        return page.locator(".row", has_text=text)

    def session(self, name, *records):
        """The records with a common session."""
        return [{**record, "attributes": [*record["attributes"], attribute("session.id", name)]} for record in records]


def run_file():
    """For a test file run by hand: its result, and a line with the counts."""
    result = unittest.main(module="__main__", exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
