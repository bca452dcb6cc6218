"""The history in a real browser: rows, filters, details, arrivals, exports."""

import json
import re
import subprocess
from pathlib import Path

import measure_live
from browser_case import BrowserCase, go, run_file, settle
from collector import BINARY, event, message, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class HistoryTest(BrowserCase):
    def test_a_record_appears_by_itself(self):
        page = self.open()
        expect(page.locator(".notice h2")).to_have_text("No records yet")
        page.wait_for_selector(".pill[data-state=live]")
        page.wait_for_selector(".connection[data-state=open]", state="attached")
        self.server.post(event("feed.show_article", article_id=123, position=3))
        self.row(page, "feed.show_article").first.wait_for()
        text = self.row(page, "feed.show_article").first.inner_text().replace("\n", "")
        self.assertIn("article_id123position3reason–", text)
        self.quiet()

    def test_filters_narrow_the_history_and_stand_in_the_address(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), message("disk is nearly full", 13),
            event("search.run", keyword="卵焼き"))
        page = self.open()
        expect(page.locator(".row")).to_have_count(3)
        page.locator(".chip[data-kind=message]").click()
        expect(page.locator(".row")).to_have_count(1)
        self.wait_for_address(page, "kind=message")
        page.locator(".chip[data-kind=message]").click()
        page.get_by_role("combobox", name="Level").select_option("warning")
        expect(page.locator(".row")).to_have_count(1)
        self.row(page, "disk is nearly full").wait_for()
        page.get_by_role("combobox", name="Level").select_option("")
        page.get_by_role("searchbox").fill("卵焼")
        self.row(page, "search.run").wait_for()
        expect(page.locator(".row")).to_have_count(1)
        page.get_by_role("searchbox").fill("no such thing")
        expect(page.locator(".notice h2")).to_have_text("Nothing matches")
        page.get_by_role("button", name="Clear the filters").click()
        expect(page.locator(".row")).to_have_count(3)
        self.quiet()

    def test_detail_shows_the_definition_and_names_what_is_undefined(self):
        self.server.post(
            event("feed.show_article", article_id=9007199254740993, position=3, user_id=42),
            event("feed.tap_artcle", article_id=1))
        page = self.open()
        self.row(page, "feed.show_article").click()
        detail = page.locator(".detail")
        expect(detail).to_contain_text("記事が画面に表示されたとき")
        expect(detail).to_contain_text("記事 ID")
        expect(detail).to_contain_text("9007199254740993")
        # What all logs share is there, collapsed.
        common = detail.locator("details", has_text="user_id").first
        expect(common.get_by_text("user_id")).to_be_hidden()
        common.locator("summary").click()
        expect(common.get_by_text("user_id")).to_be_visible()
        self.wait_for_address(page, "sel=")
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
        # It started before an event that arrived earlier.
        expect(row.locator(".time")).to_have_attribute("data-late", "true")
        expect(page.locator(".row[data-kind=event] .time")).to_have_attribute("data-late", "false")
        row.click()
        expect(page.locator(".detail")).to_contain_text("https://api.example/recipes/7?q=egg")
        self.quiet()

    def test_arrivals_do_not_move_a_reader_and_wait_behind_the_pill(self):
        self.server.post(*(message(f"line {number}") for number in range(500)))
        page = self.open()
        self.row(page, "line 499").wait_for()
        page.evaluate("document.querySelector('.scroller').scrollTop = 3000")
        page.wait_for_function("document.querySelector('.scroller')?.scrollTop === 3000")
        places = """() => [...document.querySelectorAll('.row')]
            .map((row) => [row.id, Math.round(row.getBoundingClientRect().top)])
            .filter(([, top]) => top > 100 && top < 700).sort((a, b) => a[1] - b[1])"""
        settle(page)
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
        rows = page.locator(".row")
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

    def test_the_row_of_a_chosen_record_comes_into_view(self):
        self.server.post(*(event("feed.tap_article", article_id=number) for number in range(1, 301)))
        page = self.open()
        chosen = page.locator(".row[aria-selected=true]")
        for number in (250, 40, 3, 290):
            go(page, f"#/history?sel={number}")
            expect(page.locator(".detail")).to_contain_text(str(number))
            expect(chosen).to_be_in_viewport(ratio=1)
            expect(chosen).to_contain_text(f"article_id{number}")
        # A row already in view stays in place.
        row = page.evaluate("document.elementFromPoint(500, 500).closest('.row').id")
        before = page.locator(f"#{row}").bounding_box()
        page.mouse.click(500, 500)
        expect(chosen).to_have_attribute("id", row)
        expect(page.locator(".detail .parameters")).to_contain_text("article_id")
        self.assertEqual(chosen.bounding_box(), before)
        self.quiet()

    def test_facets_and_the_brush_narrow(self):
        self.server.post(*(message(f"line {number}") for number in range(5)), event("feed.tap_article", article_id=1))
        page = self.open()
        facet = page.locator(".facetline", has_text="feed.tap_article")
        facet.locator(".facetvalue").click()
        expect(page.locator(".row")).to_have_count(1)
        page.locator(".term").get_by_role("button", name="Remove this filter").click()
        expect(page.locator(".row")).to_have_count(6)
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
        expect(page.locator(".row")).to_have_count(2)
        self.row(page, "feed.show_article").click()
        expect(page.locator(".detail .wrong")).to_have_count(1)
        page.get_by_text("How it got here").click()
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
        page.get_by_role("button", name="Table", exact=True).click()
        expect(page.locator(".timeline tbody tr")).to_have_text([re.compile("GET.*20.*109 ms.*118 ms.*119 ms")])
        page.keyboard.press("j")
        expect(page.locator(".detail h2")).to_be_visible()
        self.quiet()

    def test_a_timeline_of_several_days_has_their_dates(self):
        self.server.take(*({"kind": "span", "tag": "sync.run", "message": "sync", "duration": 1_000_000, "time": f"2026-11-{moment}Z",
                            "attributes": {}} for moment in ("20T01:00:00", "22T23:00:00")))
        page = self.open("#/history?view=timeline", timezone_id="Asia/Tokyo")
        page.locator(".track .span").first.wait_for()
        window = page.locator(".timetools .total").first
        self.assertNotIn("Nov", window.inner_text())
        page.locator(".timeline").focus()
        page.keyboard.press("0")
        expect(window).to_contain_text(re.compile(r"Fri, Nov 20, 08:.* – Mon, Nov 23, 09:"))
        dates = page.locator(".timeline .axis .date")
        expect(dates).to_have_text(["Sat, Nov 21", "Sun, Nov 22", "Mon, Nov 23"])
        self.quiet()

    def test_rows_are_marked_with_shift_without_selecting_their_text(self):
        self.server.post(*(message(f"line {number}") for number in range(6)))
        page = self.open()
        self.row(page, "line 5").click(modifiers=["Control"])
        self.row(page, "line 2").click(modifiers=["Shift"])
        expect(page.locator(".row[data-marked=true]")).to_have_count(4)
        self.assertEqual(page.evaluate("getSelection().toString()"), "")
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
        result = subprocess.run(verify, capture_output=True, text=True, timeout=180)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        checklist = self.folder / "recorded.md"
        checklist.write_text(checklist.read_text().replace("position = 0", "position = 5"))
        self.assertEqual(subprocess.run(verify, capture_output=True, timeout=180).returncode, 1)
        self.quiet()

    def test_a_stream_of_arrivals_leaves_the_reader_in_place(self):
        """4,000 records in bursts of 400, as at 2,000 a second; the rows in view and their places stay."""
        self.server.post(*(message(f"line {number}") for number in range(400)))
        page = self.open()
        self.row(page, "line 399").wait_for()
        page.evaluate("document.querySelector('.scroller').scrollTop = 3000")
        settle(page)
        places = """() => [...document.querySelectorAll('.row')]
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
        # The pool of rows stays a screenful.
        self.assertLess(page.locator(".row").count(), 120)
        self.quiet()

    def test_seconds_of_two_thousand_a_second_leave_the_reader_in_place(self):
        """The short form of measure_live.py. The rate is printed but not required: the machine may be busy."""
        page = self.open()
        seen = measure_live.watch(page, self.server, 5)
        print(json.dumps(seen, ensure_ascii=False))
        self.assertGreater(seen["rows watched"], 5)
        self.assertGreater(seen["frames"], 20)
        self.assertEqual(seen["frames in which a row had moved"], 0)
        self.assertGreaterEqual(seen["records stored"], 10_000)
        self.assertLess(seen["rows in the page"], 120)
        page.locator(".pill").click()
        self.row(page, "19").first.wait_for()
        self.quiet()

    def test_violations_stand_in_groups_with_their_definition(self):
        self.server.post(
            event("feed.show_article", article_id="x", position=1), event("feed.show_article", article_id="y", position=1),
            event("feed.tap_artcle", article_id=1))
        page = self.open("#/history?violations=1")
        groups = page.locator(".violationgroup")
        expect(groups).to_have_count(2)
        expect(groups.first).to_contain_text("feed.show_article2")
        groups.first.get_by_role("link").click()
        self.wait_for_screen(page, "dict")
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        page.go_back()
        groups.first.get_by_role("button").click()
        expect(page.locator(".row")).to_have_count(2)
        self.quiet()

    def test_what_a_sender_has_lost_is_told(self):
        self.server.post_lossy(message("after the loss"), disk_limit=312)
        page = self.open()
        expect(page.locator(".loss")).to_contain_text("312 dropped: disk limit")
        self.quiet()

    def test_private_values_are_masked_until_they_are_asked_for(self):
        told = event("feed.tap_article", article_id=7, note="secret words")
        told["attributes"].append({"key": "daybook.private", "value": {"arrayValue": {"values": [
            {"stringValue": "note"}]}}})
        self.server.post(told)
        page = self.open()
        row = page.locator(".row", has_text="article_id").last
        expect(row).to_contain_text("note••••")
        row.click()
        detail = page.locator(".detail")
        expect(detail).to_contain_text("note")
        self.assertNotIn("secret words", page.locator(".app").inner_text())
        detail.get_by_role("button", name="Show private values").click()
        expect(detail).to_contain_text("secret words")
        self.quiet()


if __name__ == "__main__":
    run_file()
