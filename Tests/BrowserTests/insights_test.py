"""Funnels, retention and paths in a real browser, and the SQL screen's suggestions while typing."""

import re

from browser_case import BrowserCase, run_file, settle
from collector import event

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class InsightsTest(BrowserCase):
    def fill(self):
        """In 4.11.0 one of four saves, in 4.12.0 three of four."""
        rows = []
        for version, saving in (("4.11.0", 1), ("4.12.0", 3)):
            for person in range(4):
                common = {"kind": "event", "session": f"{version}-{person}", "installation": f"i{person}",
                          "context": {"service.version": version}}
                tags = ["feed.show_article"] + (["feed.tap_article"] if person < saving else [])
                rows += [{**common, "tag": tag, "time": f"2026-11-20T10:0{minute}:00Z", "uid": f"{version}-{person}-{tag}",
                          "attributes": {"article_id": person, "position": 0}} for minute, tag in enumerate(tags)]
        self.server.take(*rows)

    def choose(self, page, *steps):
        for number, step in enumerate(steps, 1):
            page.get_by_role("textbox", name=f"Step {number}", exact=True).or_(
                page.get_by_role("combobox", name=f"Step {number}", exact=True)).first.fill(step)

    def test_two_versions_conversion_is_compared_in_four_clicks(self):
        self.fill()
        page = self.open()
        clicks = 0
        page.locator(".navlink", has_text="Insights").click()
        clicks += 1
        self.choose(page, "feed.show_article", "feed.tap_article")
        page.get_by_role("combobox", name="Broken down by").select_option("version")
        clicks += 1
        page.get_by_role("button", name="Run", exact=True).click()
        clicks += 1
        self.assertLessEqual(clicks, 4)
        funnels = page.locator(".funnel")
        expect(funnels).to_have_count(2)
        expect(funnels.nth(0)).to_contain_text("4.11.0")
        expect(funnels.nth(0).locator(".conversion")).to_have_text("25%")
        expect(funnels.nth(1).locator(".conversion")).to_have_text("75%")
        expect(funnels.nth(1).locator(".people")).to_have_text(["4 sessions", "3 sessions"])
        expect(funnels.nth(1)).to_contain_text("median 1 min")
        # It shows its description and statement, and the address restores it.
        aside = page.locator("aside.schema")
        expect(aside).to_contain_text("feed.show_article -> feed.tap_article within 1h joining session by version")
        expect(aside).to_contain_text("WITH events AS")
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".conversion")).to_have_text(["25%", "75%"])
        page.get_by_role("button", name="Open in SQL").click()
        self.wait_for_screen(page, "sql")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".result tbody tr")).to_have_count(4)
        self.quiet()

    def test_the_answer_follows_the_question_as_it_is_written(self):
        self.fill()
        page = self.open("#/insights?kind=funnel&steps=feed.show_article%0Afeed.tap_article")
        expect(page.locator(".conversion")).to_have_text("50%")
        page.get_by_role("combobox", name="Broken down by").select_option("version")
        expect(page.locator(".conversion")).to_have_text(["25%", "75%"])
        self.choose(page, "feed.tap_article", "feed.show_article")
        expect(page.locator(".conversion")).to_have_text(["0%", "0%"])
        # An unfinished step is no mistake yet; the last answer stays, marked as of another question.
        page.get_by_role("textbox", name="Step 2", exact=True).or_(
            page.get_by_role("combobox", name="Step 2", exact=True)).first.fill("feed.show_article(")
        expect(page.locator(".insights .result")).to_have_attribute("data-stale", "true")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.locator(".conversion")).to_have_count(2)
        # The address follows without filling the history.
        self.assertIn("feed.show_article", page.url)
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_retention_and_paths_are_tables(self):
        self.fill()
        page = self.open("#/insights?kind=retention&steps=feed.show_article%0Afeed.tap_article&by=day")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".retention tbody th")).to_have_count(1)
        expect(page.locator(".retention tbody td").first).to_have_text("4")
        page.get_by_role("combobox", name="Broken down by").select_option("=article_id")
        expect(page.locator(".retention thead th").nth(1)).to_have_text("First time")
        expect(page.locator(".retention tbody tr th:first-child")).to_have_text(["0", "1", "2", "3"])
        page.get_by_role("combobox", name="Broken down by").select_option("")
        page.get_by_role("button", name="What comes next").click()
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".paths tbody tr")).to_have_text(["nothing more4450%", "feed.tap_article4450%"])
        self.quiet()

    def test_counts_and_measures_are_tables_divided_by_a_parameter(self):
        self.fill()
        page = self.open("#/insights?kind=count&steps=feed.show_article")
        expect(page.locator(".numbers tbody tr")).to_have_text(["88"])
        page.get_by_role("combobox", name="Broken down by").select_option("=article_id")
        expect(page.locator(".numbers tbody tr")).to_have_text(["022", "122", "222", "322"])
        page.get_by_role("combobox", name="Over time").select_option("day")
        expect(page.locator(".numbers tbody tr").first).to_have_text("02026-11-2022")
        page.get_by_role("button", name="How large").click()
        page.get_by_role("combobox", name="Over time").select_option("")
        page.get_by_role("combobox", name="Broken down by").select_option("")
        page.get_by_role("combobox", name="Number").select_option("article_id")
        expect(page.locator(".numbers tbody tr")).to_have_text(["8013333"])
        expect(page.locator("aside.schema")).to_contain_text("measure article_id of feed.show_article")
        page.get_by_role("combobox", name="Show").select_option("buckets")
        expect(page.locator("aside.schema")).to_contain_text("measure article_id of feed.show_article in buckets")
        expect(page.locator(".numbers tbody tr").first).to_have_text("00.001225%")
        expect(page.locator(".numbers tbody tr").last).to_have_text("25450%")
        self.quiet()

    def test_the_most_frequent_values_come_first_and_the_others_are_told(self):
        self.fill()
        self.server.take(*({"kind": "event", "tag": "feed.show_article", "time": "2026-11-20T11:00:00Z", "session": "s",
                            "uid": f"more-{number}", "attributes": {"article_id": max(number, 3)}} for number in range(26)))
        page = self.open("#/insights?kind=count&steps=feed.show_article&parameter=article_id")
        expect(page.locator(".numbers tbody tr").first).to_have_text("363")
        expect(page.locator(".numbers tbody tr")).to_have_count(20)
        expect(page.get_by_role("status").filter(has_text="6 less frequent values are left out")).to_be_visible()
        self.quiet()

    def test_two_events_differ_in_the_version_and_their_parameters(self):
        self.fill()
        page = self.open("#/insights?kind=funnel&steps=feed.show_article%0Afeed.tap_article")
        page.get_by_role("button", name="What differs").click()
        expect(page.locator("aside.schema")).to_contain_text("differ feed.show_article from feed.tap_article by version, ")
        rows = page.locator(".differences tbody tr")
        expect(rows.first).to_have_text("article_id025%50%-25%")
        expect(rows.nth(2)).to_have_text("Version4.11.050%25%+25%")
        page.get_by_role("textbox", name="Compared by").fill("article_id")
        page.get_by_role("textbox", name="Compared by").press("Tab")
        expect(rows).to_have_count(4)
        page.get_by_role("combobox", name="Records of the last").select_option("90d")
        expect(page.get_by_role("textbox", name="Compared by")).to_have_value("article_id")
        # Another event has other columns.
        page.get_by_role("textbox", name="Event 2", exact=True).or_(
            page.get_by_role("combobox", name="Event 2", exact=True)).first.fill("feed.show_article")
        expect(page.get_by_role("textbox", name="Compared by")).to_have_value("version, article_id, position, reason, user_id")
        self.quiet()

    def test_a_funnel_excludes_an_event_and_takes_steps_in_any_order(self):
        self.fill()
        page = self.open("#/insights?kind=funnel&steps=feed.tap_article%0Afeed.show_article")
        expect(page.locator(".conversion")).to_have_text("0%")
        page.get_by_role("combobox", name="Order of steps").select_option("any")
        expect(page.locator(".funnel .people")).to_have_text(["8 sessions", "4 sessions"])
        expect(page.locator(".funnelstep").nth(1)).to_contain_text("any 2 of 2")
        page.get_by_role("textbox", name="Without", exact=True).or_(
            page.get_by_role("combobox", name="Without", exact=True)).first.fill("feed.tap_article")
        expect(page.locator(".funnel .people")).to_have_text(["8 sessions", "0 sessions"])
        self.quiet()

    def test_a_mistake_is_located_and_a_missing_event_is_told(self):
        self.fill()
        page = self.open("#/insights")
        self.choose(page, "feed.show_artcle", "feed.tap_article(")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("column")
        self.choose(page, "feed.show_artcle", "feed.tap_article")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".warningline")).to_contain_text("did you mean feed.show_article?")
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_an_insight_that_runs_is_cancelled(self):
        page = self.open("#/insights")
        running = {"ok": True, "data": {"id": 1, "insight": "a.b -> a.c", "kind": "funnel", "sql": "SELECT 1", "warnings": [],
                                        "running": True, "milliseconds": 3_000, "limit_milliseconds": 120_000}}
        asked = []

        def answer(route):
            asked.append(route.request.method)
            if "DELETE" in asked:
                route.fulfill(status=422, json={"ok": False, "error": {"code": "limit", "message": "cancelled"}})
            else:
                route.fulfill(json=running)
        page.route(re.compile("/api/v1/insights"), answer)
        self.choose(page, "a.b", "a.c")
        # What is asked while somebody types may not take long.
        status = page.locator(".insights [role=status]")
        expect(status).to_have_text("takes longer: press Run")
        page.wait_for_function("performance.getEntriesByType('resource').filter((entry) => entry.name.includes('insights/1')).length")
        self.assertEqual(asked, ["POST", "DELETE"])
        asked.clear()
        page.get_by_role("button", name="Run", exact=True).click()
        expect(status).to_have_text("3 s of at most 2 min 0 s")
        page.get_by_role("button", name="Cancel").click()
        expect(status).to_have_text("cancelled")
        self.assertIn("DELETE", asked)
        self.assertEqual([line for line in self.complaints if "422" not in line], [])

    def test_sql_is_completed_by_keyboard_and_remembered(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("combobox", name="Statement").or_(page.get_by_role("textbox", name="Statement")).first
        expect(page.locator(".view", has_text="installations").first).to_be_visible()
        field.press_sequentially("SELECT count(*) FROM feed__sh")
        expect(page.locator(".completions [role=option]")).to_have_text(["feed__show_article"])
        field.press("Tab")
        expect(field).to_have_value("SELECT count(*) FROM feed__show_article")
        field.press_sequentially(" WHERE pos")
        field.press("ArrowDown")
        field.press("Enter")
        expect(field).to_have_value("SELECT count(*) FROM feed__show_article WHERE position")
        field.press_sequentially(" = 0")
        field.press("Control+Enter")
        expect(page.locator(".result tbody tr")).to_have_text(["1"])
        page.reload()
        settle(page)
        field.fill("SELECT 'my draft'")
        page.get_by_role("button", name="Earlier statements").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("searchbox").fill("position")
        dialog.locator("li button").click()
        expect(field).to_have_value("SELECT count(*) FROM feed__show_article WHERE position = 0")
        # Back restores what was typed.
        page.go_back()
        expect(field).to_have_value("SELECT 'my draft'")
        self.quiet()


if __name__ == "__main__":
    run_file()
