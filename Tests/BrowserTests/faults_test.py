"""Regression tests for faults found with large stores: links, Back, drafts, offline, wrong tokens, counts."""

import re

from browser_case import BrowserCase, go, run_file, settle
from collector import event, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class FaultsTest(BrowserCase):
    def take(self, *records):
        self.server.take(*records)

    def test_a_definition_opened_by_a_link_has_its_versions_and_follows_them(self):
        one = {"kind": "event", "tag": "feed.show_article", "attributes": {"article_id": 1, "position": 0}}
        self.take({**one, "uid": "a", "context": {"service.version": "4.11.0"}})
        page = self.open("#/dict/feed.show_article")
        versions = page.locator("[data-versions]")
        expect(versions).to_contain_text("4.11.0")
        self.take({**one, "uid": "b", "context": {"service.version": "4.12.0"}})
        expect(versions).to_contain_text("4.12.0")
        self.quiet()

    def test_a_link_leads_to_a_session_outside_the_list(self):
        for start in range(0, 260, 130):
            self.take(*({"tag": "feed.tap_article", "uid": f"u-{number}", "session": f"s-{number}",
                         "time": f"2026-11-20T{number // 60:02}:{number % 60:02}:00Z", "attributes": {"article_id": 1}}
                        for number in range(start, start + 130)))
        page = self.open("#/sessions/s-0")
        expect(page.locator("aside.detail")).to_contain_text("s-0")
        expect(page.locator("aside.detail").get_by_role("button", name="Delete this session")).to_be_visible()
        go(page, "#/sessions/none")
        expect(page.locator("aside.detail").get_by_role("button", name="Delete this session")).to_have_count(0)
        self.quiet()

    def test_links_go_by_operation_and_a_simulator_copies_them_and_says_so(self):
        asked = request("POST", "https://api.example/graphql", 200, 40)
        asked["attributes"].append({"key": "graphql.operation.name", "value": {"stringValue": "Menu"}})
        self.server.post_spans(asked)
        page = self.open("#/net")
        page.add_init_script("window.daybookHost = { isSimulator: true };")

        def with_links(route):
            answer = route.fetch()
            body = answer.json()
            body["data"]["links"]["request"] = [{"title": "API", "url": "https://docs.example/{operation}?{method}+{host}{path}"}]
            route.fulfill(response=answer, json=body)

        page.route("**/api/v1/definitions", with_links)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.reload()
        page.locator(".row").first.click()
        link = page.locator(".links a")
        address = "https://docs.example/Menu?POST+api.example/graphql"
        self.assertEqual(link.get_attribute("href"), address)
        link.click()
        expect(link).to_contain_text("Copied")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), address)
        expect(link).to_contain_text("API")
        self.assertEqual(len(page.context.pages), 1)
        self.quiet()

    def test_sessions_are_searched_by_device_version_and_day(self):
        self.take(*({"tag": "feed.tap_article", "uid": f"u-{number}", "session": f"s-{number}", "installation": f"i-{number % 2}",
                     "time": f"2026-11-{10 + number:02}T10:00:00Z", "attributes": {"article_id": 1},
                     "context": {"device.model.name": f"Phone {number}", "service.version": f"4.{number}"}}
                    for number in range(8)))
        page = self.open("#/sessions", timezone_id="Europe/Berlin")
        entries = page.locator(".session")
        expect(entries).to_have_count(8)
        page.keyboard.press("/")
        for words, count in (("phone 3", 1), ("4.5 ＰＨＯＮＥ", 1), ("nov 12", 1), ("i-1", 4), ("nobody", 0)):
            page.get_by_role("searchbox").fill(words)
            expect(entries).to_have_count(count)
        expect(page.locator(".notice h2")).to_have_text("Nothing matches")
        page.get_by_role("searchbox").fill("i-1")
        expect(entries).to_have_count(4)
        expect(page).to_have_url(re.compile("q=i-1"))
        page.reload()
        expect(entries).to_have_count(4)
        page.keyboard.press("j")
        expect(page.locator(".session[aria-current=true]")).to_contain_text("Phone 7")
        self.wait_for_address(page, "q=i-1")
        self.quiet()

    def test_sessions_are_named_by_user_and_tester_and_found_by_them(self):
        for number, user in ((1, 42), (2, 90417)):
            self.server.ask("runs/start", checklist="release", tester=("Aya Sato", "Boris")[number - 1], installation=f"i-{number}")
            self.take({"tag": "feed.tap_article", "uid": f"u-{number}", "session": f"s-{number}", "installation": f"i-{number}",
                       "attributes": {"article_id": 1}, "context": {"user_id": user, "device.model.name": "Phone"}})
        page = self.open("#/sessions")
        first = page.locator(".session[href*='s-1']")
        expect(first).to_contain_text("Tester Aya Sato")
        expect(first).to_contain_text("User 42")
        for words, found in (("aya", "s-1"), ("90417", "s-2"), ("phone sato", "s-1")):
            page.get_by_role("searchbox").fill(words)
            expect(page.locator(f".session[href*='{found}']")).to_be_visible()
            expect(page.locator(".session")).to_have_count(1)
        page.locator(".session").click()
        # Everything that the user did.
        page.locator("aside.detail .facts").get_by_role("link", name="42").click()
        self.wait_for_screen(page, "history")
        expect(self.row(page, "feed.tap_article")).to_have_count(1)
        self.quiet()

    def test_a_session_leads_to_all_records_of_its_installation(self):
        self.take(*({"tag": "feed.tap_article", "uid": f"u-{number}", "session": f"s-{number}", "installation": f"i-{number % 2}",
                     "attributes": {"article_id": 1}}
                    for number in range(5)))
        page = self.open("#/sessions/s-1")
        page.locator("aside.detail .facts").get_by_role("link", name="i-1").click()
        self.wait_for_screen(page, "history")
        expect(self.row(page, "feed.tap_article")).to_have_count(2)
        self.quiet()

    def test_a_session_older_than_those_of_the_list_is_found(self):
        self.take(*({"tag": "feed.tap_article", "uid": f"old-{number}", "session": f"s-{number}",
                     "time": f"2026-11-{1 + number // 60:02}T10:{number % 60:02}:00Z", "attributes": {"article_id": 1},
                     "context": {"device.model.name": "Tablet" if number == 3 else "Phone"}}
                    for number in range(1_030)))
        page = self.open("#/sessions?q=tablet", timezone_id="Europe/Berlin")
        expect(page.locator(".session")).to_have_count(1)
        expect(page.locator(".session")).to_contain_text("Tablet")
        self.quiet()

    def test_the_name_of_a_test_has_room(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        self.row(page, "feed.show_article").wait_for()
        page.keyboard.press("j")
        page.keyboard.press("m")
        page.get_by_role("button", name="Make a test").click()
        field = page.get_by_role("dialog").get_by_role("textbox")
        self.assertGreater(field.bounding_box()["width"], 200)
        self.quiet()

    def test_a_filter_that_cannot_be_asked_for_shows_no_rows_of_another(self):
        self.server.post(event("feed.show_article", article_id=1, position=0), event("feed.tap_article", article_id=1))
        page = self.open("#/history?tag=feed.tap_article")
        self.row(page, "feed.tap_article").wait_for()
        page.route("**/api/v1/records?*", lambda route: route.abort())
        page.locator(".term").get_by_role("button", name="Remove").click()
        expect(page.locator(".row")).to_have_count(0)
        expect(page.get_by_text("The collector does not respond.")).to_be_visible()
        page.unroute("**/api/v1/records?*")
        page.get_by_role("button", name="Retry").first.click()
        expect(page.locator(".row")).to_have_count(2)

    def test_a_wrong_token_is_called_wrong(self):
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"{self.server.origin}/#token={'0' * 32}")
        expect(page.get_by_role("alert")).to_contain_text("This token is wrong")

    def test_back_takes_filters_back_and_a_typed_text_is_one_step(self):
        self.server.post(event("feed.show_article", article_id=1, position=0), event("search.run", keyword="egg"))
        page = self.open()
        rows = page.locator(".row")
        expect(rows).to_have_count(2)
        page.get_by_role("button", name="error").first.click()
        expect(rows).to_have_count(0)
        page.go_back()
        expect(rows).to_have_count(2)
        page.get_by_role("searchbox").press_sequentially("search", delay=260)
        expect(rows).to_have_count(1)
        page.go_back()
        expect(rows).to_have_count(2)
        self.quiet()

    def test_the_stretch_of_the_timeline_stands_in_the_address(self):
        self.server.post_spans(*self.session("s1", request("GET", "https://api.example/a", 200, 100),
                                             request("GET", "https://api.example/b", 200, 300)))
        page = self.open("#/history?view=timeline")
        shown = page.locator(".timetools .total").first
        expect(shown).to_contain_text("–")
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_function("() => location.hash.includes('frame=')")
        settle(page)
        zoomed = shown.inner_text()
        page.reload()
        expect(shown).to_have_text(zoomed)
        self.quiet()

    def test_a_draft_of_sql_comes_back(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("textbox")
        field.fill("SELECT 'my draft'")
        page.get_by_role("button", name="feed__show_article").click()
        expect(page.locator(".result tbody tr")).to_have_count(1)
        expect(field).to_have_value(re.compile("feed__show_article"))
        page.go_back()
        expect(field).to_have_value("SELECT 'my draft'")
        # A view lists its columns.
        view = page.locator(".view", has_text="feed__show_article")
        view.locator("summary").click()
        expect(view.get_by_role("button", name="position")).to_be_visible()
        self.quiet()

    def test_the_phone_has_examples_of_sql(self):
        page = self.open("#/sql", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        page.locator(".result .examples button").first.click()
        expect(page.get_by_role("textbox")).to_have_value(re.compile("SELECT"))
        self.quiet()

    def test_violations_are_counted_exactly_and_a_group_shows_its_own(self):
        wrong = {"kind": "event", "tag": "feed.show_article"}
        self.take(*({**wrong, "uid": f"t-{number}", "attributes": {"article_id": "30", "position": 1}} for number in range(1_200)))
        self.take(*({**wrong, "uid": f"p-{number}", "attributes": {"article_id": 30}} for number in range(60)))
        self.take(*({"kind": "event", "tag": "feed.tap_article", "uid": f"g-{number}", "attributes": {"article_id": 30}}
                    for number in range(500)))
        page = self.open("#/history?violations=1")
        count = page.locator("[data-toggle=violations] .tally")
        expect(count).to_have_text("1,260")
        groups = page.locator(".violationgroup .number")
        expect(groups).to_have_text(["1200", "60"])
        # New records are added, and the sum stays exact.
        self.take({**wrong, "uid": "late", "attributes": {"article_id": 30}})
        expect(count).to_have_text("1,261")
        expect(groups).to_have_text(["1200", "61"])
        page.locator(".violationgroup button").nth(0).click()
        expect(page.locator(".term")).to_contain_text(["feed.show_article", "wrong type · article_id"])
        # Text that looks like a number is distinct from one.
        expect(page.locator(".row .value").first).to_have_text('"30"')
        page.go_back()
        expect(groups).to_have_text(["1200", "61"])
        page.locator(".violationgroup button").nth(1).click()
        expect(page.locator(".term")).to_contain_text(["feed.show_article", "missing column · position"])
        expect(groups).to_have_text(["61"])
        self.assertEqual(self.server.ask("violations?violations=missing_column:position")["records"], 61)
        go(page, "#/history?violations=obsolete_event")
        expect(page.get_by_text("No violations")).to_be_visible()
        self.quiet()

    def test_a_failed_request_says_its_status_once(self):
        failed = request("GET", "https://api.example/a", 500, 100)
        failed["attributes"].append({"key": "error.type", "value": {"stringValue": "500"}})
        self.server.post_spans(*self.session("s1", failed))
        page = self.open()
        expect(page.locator(".row .status")).to_have_text("500")
        self.quiet()

    def test_the_timeline_says_of_how_many_records_its_figures_are(self):
        for start in range(0, 3_200, 400):
            self.take(*({"kind": "span", "tag": "work", "uid": f"w-{number}", "duration": 1_000_000,
                         "time": f"2026-11-20T10:{number // 60 % 60:02}:{number % 60:02}Z"}
                        for number in range(start, start + 400)))
        page = self.open("#/history?view=timeline")
        expect(page.get_by_text("Figures for the latest 3,000 records")).to_be_visible()
        self.quiet()

    def test_the_table_of_coverage_has_the_width_of_the_window(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/dict?view=coverage", viewport={"width": 1440, "height": 900})
        table = page.get_by_role("region", name="Coverage")
        self.assertGreater(table.bounding_box()["width"], 1_200)
        page.get_by_role("link", name="show_article", exact=True).first.click()
        expect(page.locator("aside.detail h2")).to_be_visible()
        self.quiet()


if __name__ == "__main__":
    run_file()
