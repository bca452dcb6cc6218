"""The other screens in a real browser: dictionary, checklists, network, sessions, SQL."""

import json
import re
import subprocess
from pathlib import Path

from browser_case import PERSONAS, BrowserCase, run_file
from collector import BINARY, Server, attribute, event, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class ScreensTest(BrowserCase):
    def prepare(self):
        (self.folder / "LogChecklists" / "team.md").write_text(PERSONAS, encoding="utf-8")

    def test_the_dictionary_is_searched_in_japanese(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/dict")
        expect(page.locator(".entry")).to_have_count(3)
        page.get_by_role("searchbox").fill("ﾚｼﾋﾟ")
        expect(page.locator(".entry")).to_have_count(1)
        expect(page.locator(".entry")).to_contain_text("never")
        page.get_by_role("searchbox").fill("れしぴ")
        expect(page.locator(".entry")).to_have_count(1)
        # Columns shared by all events are listed beside them, not in each.
        page.get_by_role("searchbox").fill("ろぐいん")
        expect(page.locator(".entry")).to_have_count(0)
        expect(page.locator(".tree-list")).to_contain_text("1 common parameter")
        expect(page.locator(".tree-list")).to_contain_text("user_id")
        page.get_by_role("searchbox").fill("記事")
        expect(page.locator(".entry")).to_have_count(2)
        page.locator(".entry", has_text="show_article").click()
        expect(page.locator(".detail")).to_contain_text("1×")
        self.wait_for_address(page, "/dict/feed.show_article")
        page.get_by_role("link", name="Run in SQL").click()
        expect(page.locator(".result th", has_text="article_id")).to_be_visible()
        expect(page.locator(".result tbody tr")).to_have_count(1)
        self.quiet()

    def test_a_checklist_is_judged_as_records_arrive(self):
        page = self.open("#/check")
        side = page.locator("aside.checklist")
        item = lambda text: side.locator(".item", has_text=text)
        # Without a record, silence does not prove that nothing was sent.
        expect(side.locator(".panetitle")).to_have_text("0 of 5")
        expect(item("never search.**")).to_have_attribute("data-state", "waiting")
        expect(item("when plan")).to_have_attribute("data-state", "not_judged")
        expect(item("when plan")).to_contain_text("when needs a persona")
        self.server.post(event("feed.show_article", article_id=1, position=0))
        expect(item("exactly 1")).to_have_attribute("data-state", "ok")
        expect(item("never search.**")).to_contain_text("ok so far")
        expect(item("feed.tap_article").first).to_have_attribute("data-state", "waiting")
        # Pending items stand out more than completed ones.
        expect(item("feed.tap_article").first.locator(".state")).to_have_css("font-weight", "600")
        expect(item("exactly 1").locator(".state")).to_have_css("font-weight", "400")
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
        self.wait_for_address(page, "sel=2")
        self.quiet()

    def test_a_checklist_gives_its_reasons_in_the_readers_language(self):
        self.server.post(*[event("feed.show_article", article_id=1, position=0) for _ in range(2)])
        told = {
            "en-US": ("got 2 (article_id = 1)", "one too many", "when needs a persona (say plan=VALUE)"),
            "ja-JP": ("2 件届きました (article_id = 1)", "1 件多すぎます", "when にはペルソナが必要です (plan=VALUE を指定してください)"),
            "ru-RU": ("пришло 2 (article_id = 1)", "лишняя", "для when нужна персона (укажите plan=VALUE)"),
        }
        for locale, (count, note, persona) in told.items():
            with self.subTest(locale=locale):
                page = self.open("#/check/release", locale=locale)
                once = page.locator(".item", has_text="exactly 1")
                expect(once.locator(".because > p")).to_have_text(count)
                expect(once.locator(".remark")).to_contain_text(note)
                expect(page.locator(".item", has_text="when plan").locator(".because")).to_have_text(persona)
                page.context.close()
        self.quiet()

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
        # The browser logs the refused request; nothing else may complain.
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_a_press_shows_what_a_request_hides_and_the_log_tells_of_it(self):
        asked = request("GET", "https://api.example/a/7", 200, 30)
        asked["attributes"] += [
            attribute("http.request.header.authorization", "Bearer abcdefghijkl"),
            attribute("daybook.http.response.body", '{"access_token":"mnopqrstuvwx","name":"Aya"}')]
        self.server.post_spans(asked)
        page = self.open("#/net")
        page.locator(".row").first.click()
        detail = page.locator("aside.exchange")
        expect(detail).to_contain_text("Aya")
        for secret in ("abcdefghijkl", "mnopqrstuvwx"):
            self.assertNotIn(secret, detail.inner_text())
        detail.get_by_role("button", name="Show private values").first.click()
        for secret in ("abcdefghijkl", "mnopqrstuvwx"):
            expect(detail).to_contain_text(secret)
        # The collector stores its own records after it answers.
        for _ in range(1_200):
            told = self.server.ask("records?own=1&tag=daybook.**")["records"]
            words = " ".join(record["message"] or "" for record in told)
            if "private values of the record 1" in words:
                break
            page.wait_for_timeout(100)
        self.assertIn("private values of the record 1", words)
        # The next view is masked again.
        page.keyboard.press("Escape")
        page.locator(".row").first.click()
        expect(detail).to_contain_text("Aya")
        self.assertNotIn("mnopqrstuvwx", detail.inner_text())
        self.quiet()

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
        expect(page.locator(".row")).to_have_count(2)
        page.get_by_role("button", name="4xx").click()
        expect(page.locator(".row")).to_have_count(1)
        expect(page.locator(".row")).to_contain_text("404")
        page.get_by_role("button", name="4xx").click()
        page.keyboard.press("e")
        expect(page.locator("aside.exchange")).to_contain_text("404")
        page.keyboard.press("Escape")
        page.get_by_role("searchbox").fill("menu")
        expect(page.locator(".row")).to_have_count(1)
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

    def test_filters_and_order_of_requests_reach_the_oldest(self):
        for start in range(0, 1_300, 130):
            self.server.take(*({"kind": "request", "tag": "net.api", "message": f"GET /{number}", "uid": f"r-{number}",
                                "duration": 900_000_000 if number == 0 else 5_000_000,
                                "time": f"2026-11-20T10:{number // 60:02}:{number % 60:02}Z",
                                "attributes": {"url.full": f"https://api.example/{number}", "http.response.status_code": 200,
                                               "http.response.header.content-type": "image/png" if number == 0 else "text/html"}}
                               for number in range(start, start + 130)))
        page = self.open("#/net")
        total = page.locator(".network .total").first
        expect(total).to_contain_text("the latest 500 requests")
        page.get_by_role("combobox", name="Type").select_option("image")
        expect(page.locator(".row")).to_have_count(1)
        expect(page.locator(".row")).to_contain_text("900 ms")
        expect(total).to_contain_text("1 request")
        page.get_by_role("combobox", name="Type").select_option("")
        page.get_by_role("button", name="Sort by Time, the largest first").click()
        expect(total).to_contain_text("1,300 requests")
        expect(page.locator(".row[aria-rowindex='1']")).to_contain_text("900 ms")
        self.quiet()

    def test_a_body_that_the_app_keeps_in_memory_is_shown_and_said_to_be_there_alone(self):
        self.server.post_spans(*self.session("s1", request("POST", "https://api.example/recipes", 200, 40)))
        page = self.open("#/net")
        kept = {"ok": True, "data": {"request": None, "response": '{"recipes":["Egg salad"]}'}}
        page.route("**/api/v1/records/*/bodies", lambda route: route.fulfill(json=kept))
        self.wait_for_screen(page, "net")
        page.locator(".row").first.click()
        detail = page.locator("aside.exchange")
        expect(detail).to_contain_text("Egg salad")
        expect(detail).to_contain_text("Kept in the app's memory")
        expect(detail).to_contain_text("Headers and body were not recorded.")  # of the request
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

    def test_a_pasted_definition_is_checked(self):
        page = self.open("#/dict")
        page.get_by_role("button", name="Check a definition").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox").fill("# feed\n\n## show\n\n- article_id: !bigin\n")
        expect(dialog.get_by_role("status")).to_contain_text("It would not build")
        dialog.get_by_role("button", name="5:").first.click()
        dialog.get_by_role("textbox").fill("# feed\n\n## show\n\n- article_id: !bigint\n")
        expect(dialog.get_by_role("status")).to_contain_text("Valid. Events: 1, parameters: 1.")
        self.quiet()

    def test_a_running_statement_is_cancelled_and_an_answer_is_saved(self):
        self.server.post(event("feed.show_article", article_id=7, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("textbox")
        page.route("**/api/v1/sql", lambda route: None)
        field.fill("SELECT 1")
        field.press("Control+Enter")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".sql [role=status]")).to_have_text("cancelled")
        expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
        page.unroute("**/api/v1/sql")
        field.fill("SELECT tag, '=1+1' AS formula, 'a@b.c' AS mail FROM records")
        field.press("Control+Enter")
        result = page.locator(".result tbody tr")
        expect(result).to_have_text(["feed.show_article=1+1[private]"])
        saved = {}
        for name, end in (("CSV", ".csv"), ("NDJSON", ".ndjson")):
            with page.expect_download() as download:
                page.get_by_role("button", name=name, exact=True).click()
            self.assertTrue(download.value.suggested_filename.endswith(end))
            saved[name] = Path(download.value.path()).read_text(encoding="utf-8")
            self.assertNotIn("a@b.c", saved[name])
        self.assertIn("'=1+1", saved["CSV"])
        self.assertEqual(json.loads(saved["NDJSON"])["formula"], "=1+1")
        page.get_by_role("button", name="Show private values").click()
        expect(result).to_contain_text(["a@b.c"])
        self.quiet()

    def test_an_event_is_added_to_a_checklist(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/dict/feed.show_article")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Add to a checklist").click()
        dialog = page.get_by_role("dialog")
        line = dialog.get_by_role("textbox", name="Line")
        expect(line).to_have_value("feed.show_article")
        dialog.get_by_role("button", name="Copy", exact=True).click()
        expect(dialog.get_by_role("status")).to_have_text("Copied")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "- [ ] feed.show_article\n")
        line.fill("feed.show_article exactly")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("release.md:")
        line.fill("feed.show_article at least 1 per article_id")
        line.press("Enter")
        expect(dialog.get_by_role("status")).to_contain_text("Added to")
        file = self.folder / "LogChecklists" / "release.md"
        self.assertIn("\n- [ ] feed.show_article at least 1 per article_id\n", file.read_text(encoding="utf-8"))
        # Reverted, and written again.
        dialog.get_by_role("button", name="Revert").click()
        expect(dialog.get_by_role("status")).to_contain_text("Reverted in")
        self.assertNotIn("at least 1 per article_id", file.read_text(encoding="utf-8"))
        # An undefined event is no item.
        line.fill("feed.show_artcle")
        line.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("did you mean `feed.show_article`?")
        line.fill("feed.show_article at least 1 per article_id")
        line.press("Enter")
        expect(dialog.get_by_role("status")).to_contain_text("Added to")
        dialog.get_by_role("status").get_by_role("link").click()
        expect(page.locator(".item", has_text="at least 1")).to_have_attribute("data-state", "ok")
        # A missing file cannot be written: copying and saving remain.
        file.unlink()
        page.go_back()
        page.get_by_role("button", name="Add to a checklist").click()
        expect(dialog.get_by_role("button", name="Add", exact=True)).to_have_count(0)
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Save as a file").click()
        self.assertEqual(Path(download.value.path()).read_text(encoding="utf-8"),
                         "# release\n\n## feed\n\n- [ ] feed.show_article\n")
        # The browser logs the refused line; nothing else may complain.
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_the_dictionary_shows_what_a_session_has_not_brought(self):
        self.server.post(*self.session("s1", event("feed.show_article", article_id=1, position=0)))
        self.server.post(*self.session("s2", event("search.run", keyword="egg")))
        page = self.open("#/dict")
        entries = page.locator(".entry")
        expect(entries).to_have_count(3)
        choice = page.get_by_role("combobox", name="Which events")
        choice.select_option("never")
        expect(entries).to_have_text([re.compile("^tap_article")])
        choice.select_option("latest")
        expect(entries).to_have_text([re.compile("^show_article"), re.compile("^tap_article")])
        self.wait_for_address(page, "unseen=latest")
        # It follows new records.
        self.server.post(*self.session("s2", event("feed.tap_article", article_id=1)))
        expect(entries).to_have_text([re.compile("^show_article")])
        choice.focus()
        expect(choice.locator("option[value=s1]")).to_have_count(1)
        choice.select_option("s1")
        expect(entries).to_have_text([re.compile("^tap_article"), re.compile("^run")])
        page.reload()
        expect(entries).to_have_count(2)
        expect(choice).to_have_value("s1")
        self.quiet()

    def test_the_coverage_stands_in_a_table_by_version(self):
        for version, count in (("4.9.0", 1), ("4.12.0", 3)):
            self.server.take(*({"tag": "feed.show_article", "uid": f"{version}-{number}", "attributes": {
                "article_id": number, "position": 0}, "context": {"service.version": version}} for number in range(count)))
        self.server.post(event("feed.tap_artcle", article_id=1))
        page = self.open("#/dict")
        page.get_by_role("button", name="Coverage").click()
        table = page.get_by_role("region", name="Coverage")
        expect(table.locator("thead th")).to_have_text(["Event", "Defined", "Checklists", "Seen", "4.12.0", "4.9.0"])
        row = lambda name: table.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
        expect(row("show_article").locator("td")).to_have_text(["yes", "failed", "4", "3", "1"])
        expect(row("tap_article").locator("td")).to_have_text(["yes", "waiting", "–", "–", "–"])
        expect(row("feed.tap_artcle").locator("td")).to_have_text(["no", "–", "1", "–", "–"])
        page.keyboard.press("j")
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        expect(page.locator(".detail")).to_contain_text("Seen by version")
        page.reload()
        expect(row("show_article")).to_have_attribute("aria-selected", "true")
        self.quiet()

    def test_a_report_of_sources_and_tests_stands_in_the_coverage(self):
        sources = self.folder / "Sources"
        sources.mkdir()
        (sources / "Feed.swift").write_text("log(Feed.ShowArticle(articleID: 1))\nlog(Feed.ShowArticle(articleID: 2))\n")
        recording = self.folder / "recording.ndjson"
        recording.write_text('{"kind": "event", "tag": "feed.tap_article"}\n' * 3)
        report = self.folder / "coverage.json"
        told = subprocess.run(
            [BINARY, "coverage", str(self.folder / "LogDefinitions"), "--sources", str(sources), "--events", str(recording),
             "--json"], capture_output=True, timeout=180)
        report.write_bytes(told.stdout)
        self.server.stop()
        self.server = Server(self.folder, 0, "--coverage", str(report))
        page = self.open("#/dict?view=coverage")
        table = page.get_by_role("region", name="Coverage")
        expect(table.locator("thead th")).to_have_text(
            ["Event", "Defined", "Checklists", "Calls", "In tests", "Seen"])
        row = lambda name: table.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
        expect(row("show_article").locator("td")).to_have_text(["yes", "waiting", "2", "–", "–"])
        expect(row("tap_article").locator("td")).to_have_text(["yes", "waiting", "–", "3", "–"])
        row("show_article").get_by_role("link").first.click()
        expect(page.locator(".places li")).to_have_text([re.compile(r"Feed\.swift:1$"), re.compile(r"Feed\.swift:2$")])
        page.keyboard.press("j")
        expect(page.locator(".detail")).to_contain_text("Not called in the sources.")
        expect(page.locator(".detail")).to_contain_text("In tests")
        self.quiet()


if __name__ == "__main__":
    run_file()
