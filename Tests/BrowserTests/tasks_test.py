"""A team's tasks, done in a real browser over two weeks of its records, with the clicks counted.

A click is a press of the pointer or a choice from a list; typing does not count. From the opened page, each task takes
at most four clicks, unless its test says why it cannot.
"""

import contextlib
import datetime
import json
import os
import shutil
import tempfile
from pathlib import Path

import recipe_day
from browser_case import BrowserCase, expect, run_file, settle
from collector import Server, message

MOST_CLICKS = 4
# In a chart.
MOST_PLACES = 200
NEWEST, BEFORE = "4.12.0", "4.11.3"
# The last week has another version than the weeks before. On one day of it nothing was saved.
WEEK, SILENT_DAY = 7, 3
SILENT = "recipe_detail.save"
# Days of some 540 records. With DAYBOOK_LONG_TESTS there are 200,000 records; measure_million.py has a million.
DAYS = 370 if os.environ.get("DAYBOOK_LONG_TESTS") else 2 * WEEK
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def fortnight():
    """The records of many days, oldest first; every day is the sample's with its own sessions."""
    day = recipe_day.records()
    return [moved(record, back) for back in reversed(range(DAYS)) for record in day
            if not (back == SILENT_DAY and record["tag"] == SILENT)]


def moved(record, back):
    """The record moved back by some days, with the version of that time."""
    seconds, fraction = record["time"].rstrip("Z").split(".")
    time = datetime.datetime.fromisoformat(seconds) - datetime.timedelta(days=back)
    version = NEWEST if back < WEEK else BEFORE
    return {**record, "uid": f"{back}-{record['uid']}", "time": f"{time.isoformat()}.{fraction}Z",
            "session": f"{record['session']}-{back}",
            "context": {**record["context"], "app_version": version, "service.version": version}}


class Clicks:
    """A user's way through a page."""

    def __init__(self):
        self.count = 0

    def press(self, target):
        self.count += 1
        target.click()

    def choose(self, field, value=None, **choice):
        self.count += 1
        field.select_option(value, **choice)


class TasksCase(BrowserCase):
    @contextlib.contextmanager
    def clicks(self, most=MOST_CLICKS):
        """Counts a task's clicks and allows `most`."""
        clicks = Clicks()
        yield clicks
        self.assertLessEqual(clicks.count, most)

    def screen(self, page, name):
        return page.locator(".navlink", has_text=name)


class FortnightTest(TasksCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.records = fortnight()
        # Imported once: every test gets a copy.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.stored = Path(folder.name)
        recipe_day.prepare(cls.stored)
        server = Server(cls.stored)
        try:
            for start in range(0, len(cls.records), 2_000):
                server.take(*cls.records[start:start + 2_000])
        finally:
            server.stop()

    def prepare(self):
        shutil.copytree(self.stored, self.folder, dirs_exist_ok=True)
        for name in ("LogDefinitions/feed.md", "LogDefinitions/search.md", "LogChecklists/release.md"):
            (self.folder / name).unlink()
        # Alerts are no task here and would query the store all the time.
        shutil.rmtree(self.folder / "LogAlerts")
        self.SERVE = ("--coverage", str(recipe_day.cover(self.folder)))

    def test_01_the_cause_of_a_violation(self):
        page = self.open()
        detail = page.locator(".detail")
        with self.clicks(3) as clicks:
            clicks.press(page.locator("[data-toggle=violations]"))
            group = page.locator(".violationgroup", has_text="recipe_detail.shaer")
            clicks.press(group.get_by_role("button"))
            clicks.press(page.locator(".row:not(.pending)", has_text="recipe_detail.shaer").first)
        expect(detail).to_contain_text("No definition has this name. Nearest: recipe_detail.share")
        page = self.open("#/history?violations=1")
        detail = page.locator(".detail")
        with self.clicks(2) as clicks:
            group = page.locator(".violationgroup", has_text="recipe_detail.finish_cooking")
            clicks.press(group.get_by_role("button"))
            clicks.press(page.locator(".row:not(.pending)", has_text="recipe_detail.finish_cooking").first)
        expect(detail).to_contain_text("elapsed_seconds should be !integer")
        self.quiet()

    def test_02_a_release_is_verified_signed_off_and_handed_over(self):
        page = self.open()
        side = page.locator("aside.checklist")
        # Three tasks with the tester's own work in between, so each has its own clicks: starting a run and signing off
        # are dialogs that ask for names and reasons before anything is kept.
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "Checklists"))
            clicks.press(page.locator(".entry", has_text="first_release"))
            clicks.press(side.get_by_role("button", name="Start a run"))
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("Tester").fill("Aya")
            dialog.get_by_label("Build").fill(NEWEST)
            clicks.press(dialog.get_by_role("button", name="Start", exact=True))
        expect(side.locator(".judged")).to_contain_text("Judged over 0 records of this run")
        self.server.take({"kind": "event", "tag": SILENT, "session": "live", "attributes": {"recipe_id": 116},
                          "context": {"service.version": NEWEST}})
        expect(side.locator(".item", has_text=SILENT)).to_have_attribute("data-state", "ok")
        with self.clicks(2) as clicks:
            clicks.press(side.get_by_role("button", name="Sign off"))
            dialog = page.get_by_role("dialog")
            for reason in dialog.locator(".openitems input").all():
                reason.fill("not part of this release")
            clicks.press(dialog.get_by_role("button", name="Sign off"))
        expect(side.locator(".runhead")).to_contain_text(f"Signed off by Aya · {NEWEST}")
        with self.clicks(1) as clicks, page.expect_download() as download:
            clicks.press(side.get_by_role("button", name="Markdown", exact=True))
        report = Path(download.value.path()).read_text(encoding="utf-8")
        for words in ("signed off by Aya", f"build: `{NEWEST}`", f"- [x] {SILENT}", page.url):
            self.assertIn(words, report)
        self.quiet()

    def test_03_a_new_checklist_in_the_browser_and_on_the_phone(self):
        for name, options in (("desk", {}), ("hand", PHONE)):
            with self.subTest(name):
                page = self.open(**options)
                with self.clicks() as clicks:
                    clicks.press(self.screen(page, "Checklists"))
                    clicks.press(page.get_by_role("button", name="New checklist"))
                    dialog = page.get_by_role("dialog")
                    dialog.get_by_label("Name of the file").fill(name)
                    dialog.locator(".adder .field").fill("recipe_detail.save at least 3")
                    clicks.press(dialog.get_by_role("button", name="Add", exact=True))
                    expect(dialog.locator(".sound")).to_contain_text("Items: 1")
                    clicks.press(dialog.get_by_role("button", name="Save", exact=True))
                expect(dialog.locator(".saved")).to_contain_text(f"{name}.md")
                written = (self.folder / "LogChecklists" / f"{name}.md").read_text(encoding="utf-8")
                self.assertIn("- [ ] recipe_detail.save at least 3\n", written)
                page.keyboard.press("Escape")
                expect(page.locator("aside.checklist .item")).to_have_count(1)
                expect(page.locator("aside.checklist .item")).to_have_attribute("data-state", "ok")
        self.quiet()

    def test_04_two_versions_conversion_from_search_to_save(self):
        page = self.open()
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "Insights"))
            for step, name in enumerate(("recipe_search.search", SILENT), 1):
                page.get_by_label(f"Step {step}", exact=True).fill(name)
            clicks.choose(page.get_by_role("combobox", name="Broken down by"), "version")
            clicks.press(page.get_by_role("button", name="Run", exact=True))
        funnels = page.locator(".funnel")
        # It runs in the background, for at most two minutes.
        expect(funnels).to_have_count(2, timeout=120_000)
        for version in (BEFORE, NEWEST):
            funnel = funnels.filter(has_text=version)
            expect(funnel.locator(".people")).to_have_text([f"{count:,} sessions" for count in self.conversion(version)])
        self.quiet()

    def conversion(self, version):
        """How many of a version's sessions search, and how many of these save afterwards."""
        searched, saved = set(), set()
        for record in self.records:
            if record["context"]["service.version"] == version:
                if record["tag"] == "recipe_search.search":
                    searched.add(record["session"])
                elif record["tag"] == SILENT and record["session"] in searched:
                    saved.add(record["session"])
        return len(searched), len(saved)

    def test_05_a_query_is_saved_and_charted(self):
        page = self.open()
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "SQL"))
            field = page.get_by_label("Statement")
            field.fill("SELECT strftime('%Y-%m-%d', time / 1000000000, 'unixepoch') AS day, count(*) AS records\n"
                       "FROM records WHERE tag NOT LIKE 'daybook.%' GROUP BY 1")
            field.press("Control+Enter")
            clicks.press(page.get_by_role("button", name="Line", exact=True))
            clicks.press(page.get_by_role("button", name="Save to a board"))
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("Title").fill("Records by day")
            clicks.press(dialog.get_by_role("button", name="Save", exact=True))
        expect(dialog.get_by_role("status")).to_contain_text(".md")
        dialog.get_by_role("link").click()
        # The collector's own events are from now, perhaps another day than the newest record's.
        block = page.locator("aside.board").get_by_role("region", name="Records by day")
        expect(block.locator(".drawing path").first).to_be_attached()
        expect(block.locator("tbody tr")).to_have_count(
            len({record["time"][:10] for record in self.records}))
        self.quiet()

    def test_06_one_users_journey_without_what_is_private(self):
        page = self.open()
        # A click more than usual: the definitions mark the user as private, so no filter compares it. A statement that
        # shows private values, which the collector logs, leads to the installation.
        with self.clicks(5) as clicks:
            clicks.press(self.screen(page, "SQL"))
            field = page.get_by_role("textbox", name="Statement")
            field.fill("SELECT installation FROM user_id_installations WHERE user_id = 4201")
            field.press("Control+Enter")
            clicks.press(page.get_by_role("button", name="Show private values"))
            expect(page.locator(".result tbody tr")).to_have_text(["installation-1"])
            clicks.press(self.screen(page, "History"))
            page.get_by_role("searchbox").fill("installation=installation-1 last:1d")
            self.wait_for_address(page, "installation-1")
            clicks.press(page.get_by_role("button", name="Export"))
            save = page.get_by_role("dialog").get_by_role("button", name="Save file")
            expect(save).to_be_enabled()
            with page.expect_download() as download:
                clicks.press(save)
        journey = [json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
        mine = [record for record in self.records if record["context"]["user_id"] == 4201 and record["session"].endswith("-0")]
        self.assertEqual(sorted(record["uid"] for record in journey), sorted(record["uid"] for record in mine))
        asked = [record["attributes"]["keyword"] for record in journey if record["tag"] == "recipe_search.search"]
        self.assertTrue(asked)
        self.assertFalse(set(asked) & set(recipe_day.WORDS))
        self.assertEqual({record["context"]["user_id"] for record in journey}, {"[private]"})
        self.quiet()

    def test_07_a_weeks_volume_by_version_and_its_anomaly(self):
        page = self.open()
        page.get_by_role("searchbox").fill(f"tag={SILENT}")
        with self.clicks() as clicks:
            clicks.choose(page.locator("select[aria-label=time]"), label="Last week")
            clicks.choose(page.get_by_role("combobox", name="Records broken down"), "version")
            clicks.press(page.get_by_role("button", name="Period before"))
        counts = [sum(1 for record in self.records if record["tag"] == SILENT and record["session"].endswith(f"-{back}"))
                  for back in range(2 * WEEK)]
        expect(page.locator(".breakdowntable tbody tr").first).to_contain_text(f"{NEWEST}{sum(counts[:WEEK])}")
        expect(page.locator(".difference")).to_contain_text(f"{sum(counts[:WEEK])}, previously ")
        # Read by keyboard, the chart has one gap longer than a night: the day without a save.
        area = page.locator(".breakdown .plotarea")
        area.focus()
        told, saved = page.locator(".breakdown .chart").get_by_role("status"), []
        area.press("End")
        expect(told).not_to_have_text("")
        last, text = told.inner_text(), ""
        area.press("Home")
        expect(told).not_to_have_text(last)
        for _ in range(MOST_PLACES):
            text = told.inner_text()
            place, count = text.rsplit(f": {NEWEST} ", 1)
            if count not in ("–", "0"):
                saved.append((datetime.datetime.fromisoformat(place), int(count)))
            if text == last:
                break
            area.press("ArrowRight")
            expect(told).not_to_have_text(text)
        self.assertEqual(text, last)
        self.assertEqual(sum(count for _, count in saved), sum(counts[:WEEK]))
        gaps = [later - time for (time, _), (later, _) in zip(saved, saved[1:])]
        self.assertEqual(sum(gap > datetime.timedelta(hours=30) for gap in gaps), 1)
        self.quiet()

    def test_08_where_an_event_is_logged_and_when_a_version_last_sent_it(self):
        page = self.open()
        detail = page.locator("aside.detail")
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "Dictionary"))
            page.get_by_role("searchbox").fill("keeps the recipe")
            expect(page.locator(".entry")).to_have_count(1)
            clicks.press(page.locator(".entry"))
            expect(detail.get_by_role("heading", name="Called at").locator("..")).to_contain_text("Sources/RecipeBox/")
            seen = {version: [record for record in self.records if record["tag"] == SILENT
                              and record["context"]["service.version"] == version] for version in (BEFORE, NEWEST)}
            for version, records in seen.items():
                expect(detail.locator("[data-versions]")).to_contain_text(f"{version}{len(records)}×")
            expect(detail.locator(".parts")).to_contain_text("last")
            # The date is that of all versions; a single version's is that of its newest record.
            clicks.press(detail.get_by_role("link", name="Show records"))
            clicks.press(page.locator(".facet .facetvalue", has_text=BEFORE))
        self.wait_for_address(page, BEFORE)
        newest = page.locator(".row:not(.pending)").first
        expect(newest).to_contain_text(f"recipe_id{seen[BEFORE][-1]['attributes']['recipe_id']}")
        self.quiet()

    def test_09_a_filtered_view_is_shared_and_left_and_come_back_to(self):
        page = self.open()
        page.get_by_role("searchbox").fill("cuisine=japanese")
        rows = page.locator(".row:not(.pending)")
        with self.clicks() as clicks:
            clicks.press(page.locator(".chip[data-kind=event]"))
            self.wait_for_address(page, "cuisine")
            expect(rows.filter(has_not_text="japanese")).to_have_count(0)
            clicks.press(rows.first)
            self.wait_for_address(page, "sel=")
        shared = page.url.split("#", 1)[1]
        chosen = page.locator(".row[aria-selected=true]").get_attribute("id")
        other = self.open(f"#{shared}")
        expect(other.get_by_role("searchbox")).to_have_value("cuisine=japanese")
        expect(other.locator(".chip[data-kind=event]")).to_have_attribute("aria-pressed", "true")
        expect(other.locator(f"#{chosen}")).to_have_attribute("aria-selected", "true")
        # From elsewhere, Back returns to the same view.
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "Sessions"))
            self.wait_for_screen(page, "sessions")
            page.go_back()
        self.wait_for_screen(page, "history")
        expect(page.get_by_role("searchbox")).to_have_value("cuisine=japanese")
        expect(page.locator(f"#{chosen}")).to_have_attribute("aria-selected", "true")
        self.quiet()

    def test_10_everything_by_keyboard(self):
        page = self.open()
        keys = lambda *all: [page.keyboard.press(key) for key in all]
        page.locator(".row:not(.pending)").first.wait_for()
        # A filter, one of its records, and that record's definition.
        keys("/")
        page.keyboard.type("tag=recipe_detail.finish_cooking")
        keys("Enter", "Escape")
        self.wait_for_address(page, "finish_cooking")
        expect(page.locator(".row:not(.pending) .tag").first).to_have_text("recipe_detail.finish_cooking")
        keys("Escape", "j")
        expect(page.locator("aside.detail")).to_contain_text("should be !integer")
        keys("g", "d", "/")
        page.keyboard.type("keeps the recipe")
        expect(page.locator(".entry")).to_have_count(1)
        keys("Escape", "j")
        expect(page.locator("aside.detail h2")).to_have_text(SILENT)
        # A statement, and a checklist.
        keys("g", "q")
        self.wait_for_screen(page, "sql")
        page.get_by_label("Statement").focus()
        page.keyboard.type("SELECT 1 AS one")
        keys("Control+Enter")
        expect(page.locator(".result th")).to_have_text("one")
        keys("Escape", "g", "c")
        self.wait_for_screen(page, "check")
        keys("j")
        expect(page.locator("aside.checklist .item").first).to_be_visible()
        self.quiet()

    def test_11_the_collector_goes_and_comes_back(self):
        page = self.open()
        rows = page.locator(".row:not(.pending)")
        rows.first.wait_for()
        settle(page)
        count, port = rows.count(), self.server.port
        self.server.stop()
        expect(page.locator(".pill")).to_contain_text("reconnecting")
        self.assertEqual(rows.count(), count)
        # Each start has its own token, which the page asks for.
        self.server = Server(self.folder, port)
        with self.clicks() as clicks:
            page.get_by_label("Token").fill("0" * 32)
            clicks.press(page.get_by_role("button", name="Open"))
            expect(page.get_by_role("alert")).to_contain_text("This token is wrong")
            page.get_by_label("Token").fill(self.server.token)
            clicks.press(page.get_by_role("button", name="Open"))
        rows.first.wait_for()
        self.server.post(message("after the restart"))
        expect(self.row(page, "after the restart")).to_be_visible()

    def test_12_many_records_are_scrolled_searched_and_filtered(self):
        page = self.open()
        page.locator(".row:not(.pending)").first.wait_for()
        page.keyboard.press("End")
        oldest = page.locator("#record-1")
        expect(oldest).to_be_visible()
        self.assertLess(page.locator(".row").count(), 120)
        page.keyboard.press("Home")
        expect(oldest).to_have_count(0)
        with self.clicks() as clicks:
            page.get_by_role("searchbox").fill("SIGSEGV")
            crashes = sum(record["tag"] == "app_lifecycle.crash_recovered" for record in self.records)
            expect(page.locator(".facet", has_text="app_lifecycle.crash_recovered")).to_contain_text(f"{crashes:,}")
            clicks.press(page.locator(".facet .facetvalue", has_text=BEFORE))
        self.wait_for_address(page, "4.11.3")
        expect(page.locator(".row:not(.pending) .tag").first).to_have_text("app_lifecycle.crash_recovered")
        self.quiet()

    def test_13_a_checklist_is_judged_for_a_version_and_a_device_without_a_run(self):
        page = self.open()
        side = page.locator("aside.checklist")
        with self.clicks() as clicks:
            clicks.press(self.screen(page, "Checklists"))
            clicks.press(page.locator(".entry", has_text="first_release"))
            expect(side.get_by_label("Version")).to_have_value(NEWEST)
            clicks.choose(side.get_by_label("Version"), BEFORE)
            self.wait_for_address(page, f"version={BEFORE}")
            settle(page)
            clicks.choose(side.get_by_label("Device"), "installation-1")
        judged = [record for record in self.records if record["installation"] == "installation-1"
                  and record["context"]["service.version"] == BEFORE]
        expect(side.locator(".judged")).to_contain_text(f"Judged over {len(judged):,} records")
        expect(side.locator(".judged")).to_contain_text(BEFORE)
        self.quiet()


class EmptyTest(TasksCase):
    def test_11_an_empty_store_says_what_to_do(self):
        page = self.open()
        notice = page.locator(".notice")
        expect(notice).to_contain_text("No records yet")
        expect(notice).to_contain_text(self.server.origin)
        # New records appear without a click.
        self.server.post(message("the first"))
        expect(self.row(page, "the first")).to_be_visible()
        self.quiet()


if __name__ == "__main__":
    run_file()
