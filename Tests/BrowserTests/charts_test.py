"""Charts: results of the SQL screen as lines, bars and figures, read by keyboard, kept in the address, and saved as
pictures."""

from browser_case import BrowserCase, expect, go, run_file, settle
from collector import event

SQL = """SELECT '2026-11-2' || (attributes ->> '$.position') AS day, attributes ->> '$.reason' AS reason, count(*) AS n
FROM records GROUP BY 1, 2"""


class ChartsTest(BrowserCase):
    def ask(self, page, sql):
        field = page.get_by_role("textbox", name="Statement")
        field.fill(sql)
        field.press("Control+Enter")
        settle(page)

    def prepare_chart(self):
        for day, reason, count in ((0, "a", 1), (0, "b", 2), (1, "a", 3), (2, "b", 1)):
            self.server.post(*(event("feed.show_article", article_id=number, position=day, reason=reason)
                               for number in range(count)))
        page = self.open("#/sql")
        self.ask(page, SQL)
        page.get_by_role("button", name="Line", exact=True).click()
        return page

    def test_an_answer_is_drawn_beside_its_table_and_its_address_shows_it_again(self):
        page = self.prepare_chart()
        picture = page.locator(".chart").get_by_role("img")
        expect(picture).to_have_attribute(
            "aria-label", "Chart. 3 points from 2026-11-20 to 2026-11-22, values from 1 to 3. a, b")
        expect(page.locator(".legend li")).to_have_text(["a", "b"])
        expect(page.locator(".drawing text")).to_contain_text(["Nov 20", "Nov 21", "Nov 22"])
        expect(page.locator(".result tbody tr")).to_have_count(4)
        self.wait_for_address(page, "chart=line")
        page.get_by_role("button", name="Bars", exact=True).click()
        expect(page.locator(".drawing path.bar")).to_have_count(4)
        # A series chosen by hand, kept in the address.
        page.get_by_label("Series: auto").select_option("day")
        page.get_by_label("X axis: auto").select_option("reason")
        expect(page.locator(".legend li")).to_have_text(["2026-11-20", "2026-11-21", "2026-11-22"])
        self.wait_for_address(page, "chart=bar")
        self.wait_for_address(page, "x=reason")
        # Run keeps it; a shared statement waits for the button and is then drawn alike.
        there = page.url.split("#")[1]
        other = self.open(f"#{there}")
        other.get_by_role("button", name="Run", exact=True).click()
        expect(other.locator(".legend li")).to_have_text(["2026-11-20", "2026-11-21", "2026-11-22"])
        page.get_by_role("button", name="Table", exact=True).click()
        expect(page.locator(".chart")).to_have_count(0)
        self.quiet()

    def test_keys_read_a_chart_value_by_value(self):
        page = self.prepare_chart()
        area = page.locator(".plotarea")
        area.focus()
        area.press("ArrowRight")
        told = page.locator(".chart").get_by_role("status")
        expect(told).to_have_text("2026-11-20: a 1, b 2")
        area.press("End")
        expect(told).to_have_text("2026-11-22: a –, b 1")
        expect(page.locator(".reading .where")).to_have_text("2026-11-22")
        expect(page.locator(".legend .amount")).to_have_text(["", "1"])
        area.press("ArrowLeft")
        expect(told).to_have_text("2026-11-21: a 3, b –")
        area.press("Escape")
        expect(told).to_have_text("")
        # The pointer reads the same.
        box = page.locator(".plot").bounding_box()
        page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 40)
        expect(page.locator(".reading .where")).to_have_text("2026-11-22")
        self.quiet()

    def test_a_chart_is_saved_as_svg_and_png_as_it_is_seen(self):
        page = self.prepare_chart()
        for kind in ("Line", "Area", "Bars"):
            page.get_by_role("button", name=kind, exact=True).click()
            with page.expect_download() as download:
                page.get_by_role("button", name="SVG", exact=True).click()
            self.assertEqual(download.value.suggested_filename, "chart.svg")
            text = download.value.path().read_text(encoding="utf-8")
            for part in ('xmlns="http://www.w3.org/2000/svg"', ">a</text>", "Nov 21", "stroke=\"rgb(36, 86, 200)\""):
                self.assertIn(part, text)
            for part in ("var(", "class=", "NaN"):
                self.assertNotIn(part, text)
            with page.expect_download() as download:
                page.get_by_role("button", name="PNG", exact=True).click()
            picture = download.value.path().read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
            width = int.from_bytes(picture[16:20], "big")
            self.assertEqual(width, 2 * round(page.locator(".plot").bounding_box()["width"]))
        self.quiet()

    def test_figures_and_answers_without_numbers(self):
        page = self.prepare_chart()
        self.ask(page, "SELECT count(*) AS shown, 0.125 AS share FROM records")
        page.get_by_role("button", name="Number", exact=True).click()
        expect(page.locator(".figures dt")).to_have_text(["shown", "share"])
        expect(page.locator(".figures dd")).to_have_text(["7", "0.125"])
        self.ask(page, "SELECT DISTINCT tag FROM records")
        expect(page.get_by_role("button", name="Line", exact=True)).to_be_disabled()
        expect(page.locator(".result tbody tr")).to_have_text(["feed.show_article"])
        self.quiet()

    def test_a_phone_draws_as_wide_as_it_is(self):
        self.prepare_chart()
        page = self.open("#/sql", viewport={"width": 390, "height": 844})
        self.ask(page, SQL)
        page.get_by_role("button", name="Area", exact=True).click()
        expect(page.locator(".drawing path.area")).to_have_count(2)
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        width = page.locator(".drawing").bounding_box()["width"]
        self.assertTrue(300 < width < 390, width)
        self.quiet()


if __name__ == "__main__":
    run_file()
