"""The inspector in a real browser: the built `daybook` serves, OTLP comes in, headless Chromium looks.

DAYBOOK_BINARY names the program. Skipped, with the reason, where it, Chromium or Playwright is missing.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from collector import BINARY, Server, attribute, event, message, request

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)

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
HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202egpj.exe'


def missing():
    if not BINARY:
        return "DAYBOOK_BINARY is not set"
    if not Path(BINARY).is_file():
        return f"{BINARY} is not built"
    if CHROMIUM is None:
        return "Chromium is not installed"
    return None if sync_playwright else "Playwright is not installed"


@unittest.skipIf(missing(), missing() or "")
class InspectorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
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
        self.server = Server(self.folder)
        self.addCleanup(lambda: self.server.stop())
        self.complaints = []

    def open(self, hash_=None, **options):
        """A page that has shown its token; every complaint of the console is kept."""
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", **options}
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", self.note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))")
        page.goto(self.server.url)
        page.wait_for_selector(".nav")
        if hash_:
            page.evaluate("(hash) => { location.hash = hash }", hash_)
        return page

    def note(self, line):
        if line.type in ("error", "warning"):
            self.complaints.append(line.text)

    def quiet(self):
        self.assertEqual(self.complaints, [])

    def wait_for_screen(self, page, screen):
        page.wait_for_function("(screen) => document.querySelector('.app').dataset.screen === screen", arg=screen)

    def row(self, page, text):
        return page.locator(".row:not([hidden])", has_text=text)

    def test_a_record_appears_within_a_second(self):
        page = self.open()
        expect(page.locator(".notice h2")).to_have_text("No records yet")
        page.wait_for_selector(".pill[data-state=live]")
        page.wait_for_selector(".connection[data-state=open]", state="attached")
        self.server.post(event("feed.show_article", article_id=123, position=3))
        start = time.monotonic()
        self.row(page, "feed.show_article").first.wait_for()
        self.assertLess(time.monotonic() - start, 1)
        text = self.row(page, "feed.show_article").first.inner_text().replace("\n", "")
        self.assertIn("article_id123position3reason–", text)
        self.quiet()

    def test_the_token_leaves_the_address_and_stays_out_of_scripts(self):
        page = self.open()
        self.assertNotIn("token", page.url)
        self.assertNotIn(self.server.token, page.url)
        self.assertEqual(page.evaluate("document.cookie"), "")
        self.assertNotIn(self.server.token, page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })"))
        cookies = page.context.cookies()
        self.assertEqual([(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies], [(True, "Strict")])
        page.reload()
        page.wait_for_selector(".nav")
        page.go_back()
        self.assertNotIn("token", page.url)
        self.quiet()

    def test_a_link_with_the_token_opens_its_screen(self):
        page = self.open()
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        fresh = context.new_page()
        # A new page, and one that is open already.
        for page in (fresh, page):
            page.goto(f"{self.server.url}&at=/check/release")
            self.wait_for_screen(page, "check")
            expect(page.locator("aside.checklist h2")).to_have_text("release")
            self.assertEqual(page.url, f"{self.server.origin}/#/check/release")
            page.go_back()
            self.assertNotIn("token", page.url)

    def test_without_the_token_the_page_is_locked(self):
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(self.server.origin + "/")
        expect(page.locator("h1")).to_have_text("This inspector is locked")
        page.locator("input").fill("0" * 32)
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("The token is wrong")
        page.locator("input").fill(self.server.url)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".nav")

    def test_filters_narrow_the_history_and_stand_in_the_address(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), message("disk is nearly full", 13),
            event("search.run", keyword="卵焼き"))
        page = self.open()
        expect(page.locator(".row:not([hidden])")).to_have_count(3)
        page.locator(".chip[data-kind=message]").click()
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        self.assertIn("kind=message", page.url)
        page.locator(".chip[data-kind=message]").click()
        page.get_by_role("combobox", name="Level").select_option("warning")
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        self.row(page, "disk is nearly full").wait_for()
        page.get_by_role("combobox", name="Level").select_option("")
        page.get_by_role("searchbox").fill("卵焼")
        self.row(page, "search.run").wait_for()
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        page.get_by_role("searchbox").fill("no such thing")
        expect(page.locator(".notice h2")).to_have_text("Nothing matches")
        page.get_by_role("button", name="Clear the filters").click()
        expect(page.locator(".row:not([hidden])")).to_have_count(3)
        self.quiet()

    def test_detail_shows_the_definition_and_names_what_is_undefined(self):
        self.server.post(
            event("feed.show_article", article_id=9007199254740993, position=3), event("feed.tap_artcle", article_id=1))
        page = self.open()
        self.row(page, "feed.show_article").click()
        detail = page.locator(".detail")
        expect(detail).to_contain_text("記事が画面に表示されたとき")
        expect(detail).to_contain_text("記事 ID")
        expect(detail).to_contain_text("9007199254740993")
        self.assertIn("sel=", page.url)
        # The collector's own record of the violation names it too.
        self.row(page, "feed.tap_artcle").last.click()
        expect(detail).to_contain_text("No definition has this name")
        expect(detail.locator(".warning a")).to_have_text("feed.tap_article")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        detail.get_by_role("button", name="Copy JSON").click()
        expect(detail.get_by_role("button", name="Copied")).to_be_visible()
        copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
        self.assertEqual(copied["tag"], "feed.tap_artcle")
        self.quiet()

    def test_a_request_shows_its_answer_first_and_a_late_arrival_is_marked(self):
        exchange = request("GET", "https://api.example/recipes/7?q=egg", 404, 231)
        self.server.post(event("feed.show_article", article_id=1, position=0))
        self.server.post_spans(exchange)
        page = self.open()
        row = page.locator(".row[data-kind=request]")
        text = row.inner_text().replace("\n", " ")
        self.assertRegex(text, r"404\s*231 ms\s*attempt:?\s*2")
        self.assertNotIn("url.full", text)
        expect(row.locator(".status")).to_have_attribute("data-bad", "true")
        # It started before the event that arrived before it.
        expect(row.locator(".time")).to_have_attribute("data-late", "true")
        expect(page.locator(".row[data-kind=event] .time")).to_have_attribute("data-late", "false")
        row.click()
        expect(page.locator(".detail")).to_contain_text("https://api.example/recipes/7?q=egg")
        self.quiet()

    def test_the_dictionary_is_searched_in_japanese(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/dict")
        expect(page.locator(".entry")).to_have_count(3)
        page.get_by_role("searchbox").fill("ﾚｼﾋﾟ")
        expect(page.locator(".entry")).to_have_count(1)
        expect(page.locator(".entry")).to_contain_text("never")
        page.get_by_role("searchbox").fill("記事")
        expect(page.locator(".entry")).to_have_count(2)
        page.locator(".entry", has_text="show_article").click()
        expect(page.locator(".detail")).to_contain_text("1×")
        self.assertIn("/dict/feed.show_article", page.url)
        page.get_by_role("link", name="Run in SQL").click()
        expect(page.locator(".result th", has_text="article_id")).to_be_visible()
        expect(page.locator(".result tbody tr")).to_have_count(1)
        self.quiet()

    def test_a_checklist_is_judged_as_records_arrive(self):
        page = self.open("#/check")
        side = page.locator("aside.checklist")
        item = lambda text: side.locator(".item", has_text=text)
        # What must never come has not come yet.
        expect(side.locator(".panetitle")).to_have_text("1 of 5")
        expect(item("never search.**")).to_contain_text("ok so far")
        expect(item("when plan")).to_have_attribute("data-state", "not_judged")
        expect(item("when plan")).to_contain_text("`when` needs a persona")
        self.server.post(event("feed.show_article", article_id=1, position=0))
        expect(item("exactly 1")).to_have_attribute("data-state", "ok")
        expect(item("feed.tap_article").first).to_have_attribute("data-state", "waiting")
        side.get_by_role("checkbox").check()
        expect(side.locator(".panetitle")).to_have_text("3 of 5")
        page.reload()
        expect(side.locator(".panetitle")).to_have_text("3 of 5")
        self.server.post(event("feed.show_article", article_id=1, position=4), event("search.run", keyword="egg"))
        expect(item("exactly 1")).to_have_attribute("data-state", "failed")
        expect(item("exactly 1")).to_contain_text("got 2 (article_id = 1)")
        expect(item("exactly 1").locator(".evidence")).to_have_count(2)
        expect(item("never search.**")).to_have_attribute("data-state", "failed")
        expect(page.locator(".checklists .failures")).to_have_text("2 failed")
        item("exactly 1").locator(".evidence").nth(1).click()
        self.wait_for_screen(page, "history")
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        self.assertIn("sel=2", page.url)
        self.quiet()

    def test_a_checklist_starts_over(self):
        self.server.post(event("search.run", keyword="egg"), event("feed.show_article", article_id=1, position=0))
        page = self.open("#/check/release")
        side = page.locator("aside.checklist")
        expect(side.locator(".failures").first).to_have_text("1 failed")
        side.get_by_role("checkbox").check()
        side.get_by_role("button", name="Sign off").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name="Sign off").click()
        expect(dialog.get_by_role("alert")).to_contain_text("tester")
        dialog.get_by_label("Tester").fill("Aya")
        dialog.get_by_label("Build").fill("4.12.0")
        dialog.get_by_role("button", name="Sign off").click()
        expect(side.locator(".sound")).to_contain_text("Aya · 4.12.0")
        side.get_by_role("button", name="Start over").click()
        expect(dialog.get_by_label("Tester")).to_have_value("Aya")
        dialog.get_by_role("button", name="Start", exact=True).click()
        expect(side.locator(".sound")).to_have_count(0)
        expect(side).to_contain_text("Run by Aya · 4.12.0")
        expect(side.locator(".panetitle")).to_have_text("1 of 5")
        expect(side).to_contain_text("Judged over the records after #4.")
        expect(side.get_by_role("checkbox")).not_to_be_checked()
        self.server.post(event("feed.show_article", article_id=1, position=0))
        expect(side.locator(".item", has_text="exactly 1")).to_have_attribute("data-state", "ok")
        side.locator(".item", has_text="exactly 1").get_by_role("link").click()
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        self.assertIn("sel=5", page.url)
        # The browser itself notes the refused sign-off; nothing else may complain.
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_sql_answers_and_refuses_to_write(self):
        self.server.post(event("feed.show_article", article_id=7, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("textbox")
        field.fill("SELECT tag, count(*) AS n FROM records GROUP BY tag")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".result tbody tr")).to_have_text(["feed.show_article1"])
        expect(page.locator(".toolbar")).to_contain_text("at most 1,000 rows")
        field.fill("DELETE FROM records")
        field.press("Control+Enter")
        expect(page.get_by_role("alert")).to_contain_text("The statement failed")
        field.fill("SELECT count(*) AS n FROM records")
        field.press("Control+Enter")
        expect(page.locator(".result tbody tr")).to_have_text(["1"])
        # The browser itself notes the refused request; nothing else may complain.
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_a_hostile_payload_is_text(self):
        self.server.post(
            message(HOSTILE, **{"daybook.tag": "<b>bold</b>", "<i>key</i>": HOSTILE}),
            event("feed.show_article", article_id=1, position=0))
        page = self.open()
        row = self.row(page, "onerror")
        row.wait_for()
        self.assertEqual(page.locator(".row img, .row script, .row b, .row i").count(), 0)
        row.click()
        detail = page.locator(".detail")
        expect(detail.locator(".message")).to_have_text(HOSTILE)
        detail.get_by_text("JSON", exact=True).click()
        self.assertEqual(detail.locator("img, script, b, i").count(), 0)
        isolation = page.evaluate("getComputedStyle(document.querySelector('.detail bdi')).unicodeBidi")
        self.assertEqual(isolation, "isolate")
        page.evaluate("(hash) => { location.hash = hash }", "#/sql?sql=SELECT+message+FROM+records")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".result tbody")).to_contain_text("onerror")
        self.assertEqual(page.locator(".result img, .result script").count(), 0)
        self.assertNotEqual(page.title(), "owned")
        self.quiet()

    def test_arrivals_do_not_move_a_reader_and_wait_behind_the_pill(self):
        self.server.post(*(message(f"line {number}") for number in range(500)))
        page = self.open()
        self.row(page, "line 499").wait_for()
        page.evaluate("document.querySelector('.scroller').scrollTop = 3000")
        page.wait_for_function("document.querySelector('.scroller').scrollTop === 3000")
        places = """() => [...document.querySelectorAll('.row:not([hidden])')]
            .map((row) => [row.id, Math.round(row.getBoundingClientRect().top)])
            .filter(([, top]) => top > 100 && top < 700).sort((a, b) => a[1] - b[1])"""
        page.wait_for_timeout(400)
        before = page.evaluate(places)
        self.assertGreater(len(before), 5)
        self.server.post(*(message(f"later {number}") for number in range(20)))
        expect(page.locator(".pill")).to_contain_text("20 new")
        self.assertEqual(page.evaluate(places), before)
        page.locator(".pill").click()
        self.row(page, "later 19").wait_for()
        page.keyboard.press(" ")
        expect(page.locator(".pill")).to_contain_text("paused")
        self.server.post(message("while paused"))
        expect(page.locator(".pill")).to_contain_text("1 new")
        self.assertEqual(self.row(page, "while paused").count(), 0)
        page.locator(".scroller").focus()
        page.keyboard.press(" ")
        self.row(page, "while paused").wait_for()
        self.quiet()

    def session(self, name, *records):
        """The records with a session, so that they belong together."""
        return [{**record, "attributes": [*record["attributes"], attribute("session.id", name)]} for record in records]

    def test_requests_are_narrowed_and_seen_in_full(self):
        asked = request("POST", "https://api.example/graphql", 200, 400)
        asked["attributes"] += [
            attribute("daybook.http.request.body", '{"operationName":"Menu","query":"query Menu { id }"}'),
            attribute("http.request.header.authorization", "Bearer abcdefghijkl"),
            attribute("http.request.header.accept", "application/json"),
            attribute("http.response.body.size", 1234)]
        self.server.post_spans(*self.session("s1", asked, request("GET", "https://api.example/a/7", 404, 30)))
        page = self.open("#/net")
        self.wait_for_screen(page, "net")
        expect(page.locator(".row:not([hidden])")).to_have_count(2)
        page.get_by_role("button", name="4xx").click()
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        expect(page.locator(".row:not([hidden])")).to_contain_text("404")
        page.get_by_role("button", name="4xx").click()
        page.keyboard.press("e")
        expect(page.locator("aside.exchange")).to_contain_text("404")
        page.keyboard.press("Escape")
        page.get_by_role("searchbox").fill("menu")
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        detail = page.locator("aside.exchange")
        expect(detail).to_contain_text("GraphQL")
        expect(detail).to_contain_text("accept")
        self.assertNotIn("abcdefghijkl", detail.inner_text())
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        detail.get_by_role("button", name="cURL").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        self.assertIn("curl 'https://api.example/graphql'", copied)
        self.assertNotIn("abcdefghijkl", copied)
        page.reload()
        expect(detail).to_contain_text("GraphQL")
        self.quiet()

    def test_an_export_shows_what_it_replaces_and_saves_it(self):
        self.server.post(message("signed in", password="hunter2"))
        page = self.open()
        self.row(page, "signed in").wait_for()
        page.get_by_role("button", name="Export").first.click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("status")).to_have_text("1 record · 1 value replaced")
        self.assertNotIn("hunter2", dialog.inner_text())
        for name, end in (("CSV", ".csv"), ("Markdown", ".md"), ("JUnit", ".xml"), ("HAR", ".har"), ("NDJSON", ".ndjson")):
            dialog.get_by_role("button", name=name, exact=True).click()
            with page.expect_download() as download:
                dialog.get_by_role("button", name="Save file").click()
            self.assertTrue(download.value.suggested_filename.endswith(end))
            text = Path(download.value.path()).read_text(encoding="utf-8")
            self.assertNotIn("hunter2", text)
        self.assertEqual(json.loads(text)["attributes"]["password"], "[redacted]")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        self.quiet()

    def test_filters_are_turned_around_switched_off_and_become_sql(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), event("feed.tap_article", article_id=1),
            message("hello"))
        page = self.open()
        rows = page.locator(".row:not([hidden])")
        expect(rows).to_have_count(3)
        self.row(page, "feed.tap_article").click()
        page.keyboard.press("x")
        expect(rows).to_have_count(2)
        term = page.locator(".term")
        expect(term).to_contain_text("feed.tap_article")
        term.get_by_role("button", name="Show only these").click()
        expect(rows).to_have_count(1)
        term.locator(".termtext[aria-pressed=true]").click()
        expect(rows).to_have_count(3)
        term.locator(".termtext[aria-pressed=false]").click()
        expect(rows).to_have_count(1)
        page.get_by_role("button", name="This filter as SQL").click()
        self.wait_for_screen(page, "sql")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".result tbody tr")).to_have_count(1)
        self.quiet()

    def test_facets_and_the_brush_narrow(self):
        self.server.post(*(message(f"line {number}") for number in range(5)), event("feed.tap_article", article_id=1))
        page = self.open()
        facet = page.locator(".facetline", has_text="feed.tap_article")
        facet.locator(".facetvalue").click()
        expect(page.locator(".row:not([hidden])")).to_have_count(1)
        page.locator(".term").get_by_role("button", name="Remove this filter").click()
        expect(page.locator(".row:not([hidden])")).to_have_count(6)
        page.locator(".histogram .bar").first.wait_for()
        page.locator(".histogram").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.wait_for_function("location.hash.includes('since=') && location.hash.includes('until=')")
        self.quiet()

    def test_violations_are_counted_filtered_and_explained(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), event("feed.show_article", article_id="x", position=1),
            event("feed.tap_artcle", article_id=1))
        page = self.open()
        chip = page.locator("[data-toggle=violations]")
        expect(chip).to_have_text("Violations 2")
        page.keyboard.press("g")
        page.keyboard.press("v")
        expect(page.locator(".row:not([hidden])")).to_have_count(2)
        self.row(page, "feed.show_article").click()
        expect(page.locator(".detail .wrong")).to_have_count(1)
        page.get_by_text("How it came here").click()
        expect(page.locator(".steps")).to_contain_text("as record 2")
        self.quiet()

    def test_the_timeline_measures_and_has_a_table(self):
        self.server.post_spans(*(request("GET", "https://api.example/a", 200, 100 + number) for number in range(20)))
        page = self.open()
        self.row(page, "GET").first.wait_for()
        page.keyboard.press("g")
        page.keyboard.press("t")
        expect(page.locator(".lanetitle")).to_contain_text("20×")
        expect(page.locator(".track .span").first).to_be_visible()
        page.get_by_role("button", name="As a table").click()
        expect(page.locator(".timeline tbody tr")).to_have_text([re.compile("GET.*20.*109 ms.*118 ms.*119 ms")])
        page.keyboard.press("j")
        expect(page.locator(".detail h2")).to_be_visible()
        self.quiet()

    def test_a_session_is_named_imported_and_deleted(self):
        self.server.post(*self.session("visit-1", event("feed.show_article", article_id=1, position=0)))
        page = self.open("#/sessions")
        expect(page.locator(".entry")).to_have_count(1)
        file = self.folder / "more.ndjson"
        file.write_text('{"tag": "feed.tap_article", "session": "visit-2", "attributes": {"article_id": 5}}\n')
        page.locator("input[type=file]").set_input_files(file)
        expect(page.locator(".entry")).to_have_count(2)
        page.keyboard.press("j")
        side = page.locator("aside.detail")
        side.get_by_role("textbox").fill("First visit")
        side.get_by_role("textbox").press("Tab")
        expect(page.locator(".entry", has_text="First visit")).to_have_count(1)
        side.get_by_role("button", name="Delete this session").click()
        side.get_by_role("button", name="Press again").click()
        expect(page.locator(".entry")).to_have_count(1)
        self.quiet()

    def test_marked_records_become_a_test_that_verify_accepts(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), event("feed.tap_article", article_id=1))
        page = self.open()
        self.row(page, "feed.tap_article").click()
        page.keyboard.press("m")
        page.keyboard.press("j")
        page.keyboard.press("m")
        page.get_by_role("button", name="Make a test").click()
        dialog = page.get_by_role("dialog")
        for tab in ("Checklist", "Events"):
            dialog.get_by_role("button", name=tab, exact=True).click()
            with page.expect_download() as download:
                dialog.get_by_role("button", name="Save file").click()
            download.value.save_as(self.folder / download.value.suggested_filename)
        verify = [BINARY, "verify", "--checklist", str(self.folder / "recorded.md"), "--events",
                  str(self.folder / "recorded.ndjson")]
        result = subprocess.run(verify, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        checklist = self.folder / "recorded.md"
        checklist.write_text(checklist.read_text().replace("position = 0", "position = 5"))
        self.assertEqual(subprocess.run(verify, capture_output=True, timeout=60).returncode, 1)
        self.quiet()

    def test_a_pasted_definition_is_checked(self):
        page = self.open("#/dict")
        page.get_by_role("button", name="Check a definition").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox").fill("# feed\n\n## show\n\n- article_id: !bigin\n")
        expect(dialog.get_by_role("status")).to_contain_text("It would not build")
        dialog.get_by_role("button", name="5:").first.click()
        dialog.get_by_role("textbox").fill("# feed\n\n## show\n\n- article_id: !bigint\n")
        expect(dialog.get_by_role("status")).to_contain_text("Sound: 1 events, 1 parameters")
        self.quiet()

    def test_blur_mode_and_the_keys_switch_last(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        self.row(page, "feed.show_article").wait_for()
        page.keyboard.press("b")
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        page.reload()
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        page.keyboard.press("?")
        page.get_by_role("checkbox", name="Single keys").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        self.quiet()

    def test_everything_that_acts_has_a_name(self):
        """The browser's own accessibility tree: no nameless control on any screen."""
        self.server.post(*self.session("s1", event("feed.show_article", article_id=1, position=0)))
        self.server.post_spans(*self.session("s1", request("GET", "https://api.example/a", 200, 100)))
        page = self.open()
        client = page.context.new_cdp_session(page)
        controls = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "grid", "dialog", "tree"}
        for hash_ in ("#/history?sel=1", "#/history?view=timeline", "#/net/2", "#/dict/feed.show_article", "#/check/release",
                      "#/sessions/s1", "#/sql"):
            page.evaluate("(hash) => { location.hash = hash }", hash_)
            page.wait_for_timeout(500)
            nodes = client.send("Accessibility.getFullAXTree")["nodes"]
            nameless = [node["role"]["value"] for node in nodes
                        if not node.get("ignored") and node.get("role", {}).get("value") in controls
                        and not node.get("name", {}).get("value")]
            self.assertEqual(nameless, [], hash_)
            self.assertGreater(sum(node.get("role", {}).get("value") == "main" for node in nodes), 0)
        self.quiet()

    def test_a_stream_of_arrivals_leaves_the_reader_in_place(self):
        """4,000 records in bursts of 400, as 2,000 a second come; the rows in view and their places stay."""
        self.server.post(*(message(f"line {number}") for number in range(400)))
        page = self.open()
        self.row(page, "line 399").wait_for()
        page.evaluate("document.querySelector('.scroller').scrollTop = 3000")
        page.wait_for_timeout(500)
        places = """() => [...document.querySelectorAll('.row:not([hidden])')]
            .map((row) => [row.id, Math.round(row.getBoundingClientRect().top)])
            .filter(([, top]) => top > 250 && top < 700).sort((a, b) => a[1] - b[1])"""
        before = page.evaluate(places)
        self.assertGreater(len(before), 5)
        for burst in range(10):
            self.server.post(*(message(f"burst {burst} {number}") for number in range(400)))
            self.assertEqual(page.evaluate(places), before)
        expect(page.locator(".pill")).to_contain_text("1,000+ new")
        self.assertEqual(page.evaluate(places), before)
        page.locator(".pill").click()
        self.row(page, "burst 9 399").wait_for()
        # The pool stays a screenful however many there are.
        self.assertLess(page.locator(".row").count(), 120)
        self.quiet()

    def test_the_keyboard_alone_is_enough(self):
        self.server.post(*(event("feed.show_article", article_id=number, position=number) for number in range(5)))
        page = self.open()
        self.row(page, "article_id").first.wait_for()
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(page.locator(".row[aria-selected=true]")).to_contain_text("3")
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        page.keyboard.press("Escape")
        expect(page.locator(".row[aria-selected=true]")).to_have_count(0)
        page.keyboard.press("/")
        page.keyboard.type("gd j")
        expect(page.get_by_role("searchbox")).to_have_value("gd j")
        page.keyboard.press("Escape")
        for keys, screen in (("d", "dict"), ("c", "check"), ("n", "net"), ("s", "sessions"), ("q", "sql"),
                             ("h", "history")):
            page.keyboard.press("g")
            page.keyboard.press(keys)
            self.wait_for_screen(page, screen)
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        self.quiet()

    def test_a_lost_connection_keeps_the_rows_and_resumes(self):
        self.server.post(message("before the restart"))
        page = self.open()
        self.row(page, "before the restart").wait_for()
        port = self.server.port
        self.server.stop()
        expect(page.locator(".pill")).to_contain_text("reconnecting")
        self.assertEqual(self.row(page, "before the restart").count(), 1)
        self.server = Server(self.folder, port)
        # A new start has a new token; the page says so instead of trying for ever.
        expect(page.locator("h1")).to_have_text("This inspector is locked", timeout=20_000)
        page.goto(self.server.url)
        self.row(page, "before the restart").wait_for()

    def test_every_layout_and_language_fits(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        for size in ((390, 844), (834, 1112), (1440, 900)):
            for locale, word in (("en-US", "History"), ("ja-JP", "履歴"), ("ru-RU", "История")):
                with self.subTest(size=size, locale=locale):
                    page = self.open(viewport={"width": size[0], "height": size[1]}, locale=locale)
                    expect(page.locator(".navlink[aria-current=page]")).to_have_text(word)
                    self.row(page, "feed.show_article").click()
                    expect(page.locator(".detail h2")).to_be_visible()
                    for screen in ("history", "net", "dict", "check", "sessions", "sql"):
                        page.evaluate("(hash) => { location.hash = hash }", f"#/{screen}")
                        self.wait_for_screen(page, screen)
                        # The panes scroll, the page itself never does.
                        self.assertEqual(page.evaluate(
                            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), [*size])
                    page.context.close()
        self.quiet()

    def test_touch_targets_are_at_least_44_pixels(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        self.row(page, "feed.show_article").wait_for()
        small = page.evaluate("""() => [...document.querySelectorAll('button, a, select, input, .row:not([hidden])')]
            .map((element) => [element.className, element.getBoundingClientRect()])
            .filter(([, box]) => box.width > 0 && (box.height < 44 || box.width < 44))
            .map(([name, box]) => `${name} ${box.width}×${box.height}`)""")
        self.assertEqual(small, [])

    def test_every_route_is_closed_to_strangers(self):
        for path in ("status", "records", "records/1", "records/1/explanation", "histogram", "facets", "sessions", "losses",
                     "definitions", "tags", "checklists", "live", "nothing"):
            shown = {"authorization": f"Bearer {self.server.token}"}
            for headers, statuses in (
                ({}, (401,)), ({"authorization": "Bearer 0"}, (401,)),
                ({**shown, "host": "evil.example"}, (403, 421)),
                ({**shown, "origin": "http://evil.example"}, (403, 421)),
            ):
                with self.subTest(path=path, headers=sorted(headers)):
                    asked = urllib.request.Request(f"{self.server.origin}/api/v1/{path}", headers=headers)
                    with self.assertRaises(urllib.error.HTTPError) as refused:
                        urllib.request.urlopen(asked, timeout=10)
                    self.assertIn(refused.exception.code, statuses)
                    refused.exception.close()


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
