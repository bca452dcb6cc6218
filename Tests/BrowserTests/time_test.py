"""Time in the history: days, dates, the axis, the order by time; and the widths of its columns."""

import re

from browser_case import BrowserCase, go, run_file, settle

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


def recorded(device, day, hour, number, **more):
    return {"kind": "event", "tag": "feed.tap_article", "uid": f"{device}-{day}-{hour}-{number}", "session": device,
            "time": f"2026-11-{day:02}T{hour:02}:{number:02}:00Z", "attributes": {"article_id": number}, **more}


class TimeTest(BrowserCase):
    def rows(self, page):
        return page.locator(".row:not(.pending)")

    def import_two_devices(self):
        """Two recordings of the same two days, imported one after the other and so in blocks."""
        for device in ("phone", "tablet"):
            self.server.take(*(recorded(device, day, 10, number) for day in (20, 21) for number in range(5)))

    def test_a_time_that_no_clock_can_have_said_is_marked_and_in_no_bar(self):
        claims = [recorded("clock", 20, 10, number) | {"time": time}
                  for number, time in enumerate(("1970-01-01T00:00:07Z", "2100-01-01T00:00:00Z"), 50)]
        self.import_two_devices()
        self.server.take(*claims)
        page = self.open("#/history", timezone_id="UTC")
        expect(self.rows(page)).to_have_count(22)
        expect(page.locator(".row .time[data-implausible=true]")).to_have_count(2)
        self.assertRegex(page.locator(".bars .bar").first.get_attribute("title"), r"^Fri, Nov 20, ")
        outside = page.locator(".histogram .outside")
        expect(outside).to_have_text("2 records with implausible times are not shown")
        outside.click()
        expect(self.rows(page)).to_have_count(2)
        self.rows(page).first.click()
        expect(page.locator(".detail .warning")).to_contain_text("This time cannot be right")

    def test_days_are_told_apart_in_rows_bars_chips_and_the_axis(self):
        self.import_two_devices()
        page = self.open("#/history?sort=time", timezone_id="Europe/Berlin")
        expect(self.rows(page)).to_have_count(20)
        begins = page.locator(".row[data-day=true]")
        expect(begins).to_have_count(1)
        expect(begins.locator(".day")).to_have_text("Fri, Nov 20")
        expect(page.locator(".headings .time")).to_have_text("Sat, Nov 21")
        expect(page.locator(".axis .date").first).to_have_text(re.compile("Nov 21"))
        self.assertRegex(page.locator(".bars .bar").first.get_attribute("title"), r"^Fri, Nov 20, \d\d:")
        page.locator(".histogram").focus()
        for key in ("ArrowLeft", *["Shift+ArrowLeft"] * 95, "Enter"):
            page.keyboard.press(key)
        expect(page.locator(".term")).to_contain_text("Fri, Nov 20, ")
        expect(page.locator(".term")).to_contain_text("Sat, Nov 21, ")
        self.quiet()

    def test_the_order_by_time_mixes_what_was_imported_in_blocks(self):
        self.import_two_devices()
        page = self.open()
        sessions = lambda: page.evaluate("""() => [...document.querySelectorAll('.row')]
            .sort((left, right) => left.ariaRowIndex - right.ariaRowIndex).map((row) => row.querySelector('.clock')?.textContent)""")
        expect(self.rows(page)).to_have_count(20)
        self.assertNotEqual(sessions()[0], sessions()[1])
        page.get_by_role("button", name="By time").click()
        expect(page).to_have_url(re.compile("sort=time"))
        expect(page.get_by_role("button", name="By time")).to_have_attribute("aria-pressed", "true")
        page.wait_for_function("""() => new Set([...document.querySelectorAll('.row')]
            .filter((row) => row.ariaRowIndex < 3).map((row) => row.querySelector('.clock')?.textContent)).size === 1""")
        # A record that happened earlier and arrives later is sorted in.
        self.server.take(recorded("late", 21, 10, 2))
        expect(self.rows(page)).to_have_count(21)
        late = page.locator(".row", has_text="article_id").nth(0)
        late.wait_for()
        self.assertEqual(sessions(), sorted(sessions()[:11], reverse=True) + sorted(sessions()[11:], reverse=True))
        page.reload()
        expect(self.rows(page)).to_have_count(21)
        # A record is scrolled into view in this order too, and keys continue from it.
        go(page, "#/history?sort=time&sel=1")
        expect(page.locator(".row[aria-selected=true]")).to_have_attribute("aria-rowindex", "21")
        page.keyboard.press("k")
        expect(page.locator(".row[aria-selected=true]")).to_have_attribute("aria-rowindex", "20")
        page.go_back()
        self.quiet()

    def test_requests_of_another_day_are_under_its_date(self):
        self.server.take(*({"kind": "request", "tag": "net.api", "message": "GET /a", "uid": f"r-{day}", "duration": 5_000_000,
                            "time": f"2026-11-{day}T10:00:00Z", "attributes": {"url.full": "https://api.example/a"}}
                           for day in (20, 21)))
        page = self.open("#/net", timezone_id="Europe/Berlin")
        begins = page.locator(".row[data-day=true]")
        expect(begins).to_have_count(1)
        expect(begins.locator(".day")).to_have_text("Fri, Nov 20")
        expect(page.locator(".network .headings .time")).to_have_text("Sat, Nov 21")
        self.quiet()

    def test_a_run_narrows_counts_figures_and_rows_alike(self):
        self.server.take(*(recorded("before", 20, 10, number) for number in range(7)))
        run = self.server.ask("runs/start", checklist="release", tester="Aya", installation="i-1")["id"]
        self.server.take(*(recorded("during", 20, 11, number, installation="i-1") for number in range(4)),
                         recorded("other", 20, 11, 9, installation="i-2"))
        self.server.finish(run)
        self.server.take(*(recorded("after", 20, 12, number, installation="i-1") for number in range(3)))
        for order in ("", "&sort=time"):
            page = self.open(f"#/history?run={run}{order}")
            expect(self.rows(page)).to_have_count(4)
            expect(page.locator(".facet", has_text="feed.tap_article")).to_contain_text("4")
            expect(page.locator(".histogram [role=status]")).to_contain_text("4")
            page.context.close()
        self.quiet()

    def test_columns_are_dragged_moved_by_keys_fitted_and_remembered(self):
        self.server.take(recorded("phone", 20, 10, 1))
        page = self.open()
        name = lambda: page.locator(".headings .cell.name").bounding_box()["width"]
        self.rows(page).first.wait_for()
        tag = page.locator(".row .tag").first
        # By default the column is as wide as the names need.
        expect(page.locator(".history").first).to_have_attribute("style", re.compile("w-name"))
        self.assertLess(name(), 250)
        self.assertEqual(tag.evaluate("(tag) => tag.scrollWidth - tag.clientWidth"), 0)
        fitted = name()
        grip = page.get_by_role("separator", name="Width of the column “Name”")
        box = grip.bounding_box()
        page.mouse.move(box["x"] + 4, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + 104, box["y"] + 10, steps=4)
        page.mouse.up()
        dragged = name()
        self.assertAlmostEqual(dragged, fitted + 100, delta=2)
        grip.press("ArrowLeft")
        self.assertAlmostEqual(name(), dragged - 16, delta=1)
        page.reload()
        self.rows(page).first.wait_for()
        settle(page)
        self.assertAlmostEqual(name(), dragged - 16, delta=1)
        self.assertAlmostEqual(page.locator(".row .cell.name").bounding_box()["width"], name(), delta=1)
        grip.dblclick()
        self.assertAlmostEqual(name(), fitted, delta=2)
        self.assertEqual(tag.evaluate("(tag) => tag.scrollWidth - tag.clientWidth"), 0)
        grip.press("Delete")
        expect(page.locator(".history").first).not_to_have_attribute("style", re.compile("w-kind"))
        self.quiet()


if __name__ == "__main__":
    run_file()
