"""Filters in the history: typed with completion, chosen from a value's menu, shared by links; and the time control."""

import re

from browser_case import BrowserCase, go, run_file
from collector import event, message

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class FiltersTest(BrowserCase):
    def rows(self, page):
        return page.locator(".row:not(.pending)")

    def open_searches(self):
        self.server.post(*(event("search.run", keyword=keyword, price=price, order=order) for keyword, price, order in (
            ("egg", 100, "popular"), ("たまご", 150, "popular"), ("egg soup", 250, "newest"), ("milk", 300, "rating"))),
            message("a message about egg"))
        page = self.open()
        expect(self.rows(page)).to_have_count(5)
        return page

    def test_a_filter_is_typed_with_completion_and_its_parts_are_chips(self):
        page = self.open_searches()
        field = page.get_by_role("searchbox")
        field.press_sequentially("ord")
        offers = page.locator(".offer")
        expect(offers.first).to_contain_text("order=")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(field).to_have_value("order=")
        field.press_sequentially("pop")
        expect(offers).to_have_text(["order=popular"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(field).to_have_value("order=popular ")
        expect(self.rows(page)).to_have_count(2)
        field.press_sequentially("price>=150")
        expect(self.rows(page)).to_have_count(1)
        expect(page).to_have_url(re.compile("filter=order%3Dpopular\\+price%3E%3D150|filter=order%3Dpopular%20price%3E%3D150"))
        expect(page.locator(".term")).to_have_count(2)
        page.locator(".term", has_text="price").get_by_role("button", name="Remove this filter").click()
        expect(self.rows(page)).to_have_count(2)
        expect(field).to_have_value("order=popular")
        page.go_back()
        expect(self.rows(page)).to_have_count(1)
        self.quiet()

    def test_what_is_wrong_stands_under_the_field_and_the_rows_stay(self):
        page = self.open_searches()
        field = page.get_by_role("searchbox")
        field.press_sequentially("egg price>=cheap")
        fault = page.locator(".filterfault")
        expect(fault).to_contain_text("Column 12:")
        expect(fault).to_contain_text("compares with a number")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(self.rows(page).first).to_be_visible()
        field.fill("egg price>=200")
        expect(fault).to_be_hidden()
        expect(self.rows(page)).to_have_count(1)
        for text, column, words in (("egg price >= 200", 11, "price>=200"), ("order=popular && egg", 15, "written AND"),
                                    ("attributes.order=popular", 1, "written order here")):
            field.fill(text)
            expect(fault).to_contain_text(f"Column {column}:")
            expect(fault).to_contain_text(words)
        # Quotation marks as phone keyboards type them.
        field.fill("“タマゴ”")
        expect(self.rows(page)).to_have_count(1)
        expect(fault).to_be_hidden()
        self.quiet()

    def test_a_value_is_narrowed_to_joined_and_left_out_by_its_menu(self):
        page = self.open_searches()
        self.rows(page).filter(has_text="milk").click()
        parameter = page.locator(".parameter", has_text="order")
        parameter.get_by_role("button", name="Filter by order").focus()
        page.keyboard.press("Enter")
        menu = page.get_by_role("menu")
        expect(menu.get_by_role("menuitem")).to_have_count(2)
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
        expect(parameter.get_by_role("button", name="Filter by order")).to_be_focused()
        page.keyboard.press("Enter")
        menu.get_by_role("menuitem", name="Leave these out").click()
        expect(self.rows(page)).to_have_count(4)
        expect(page.get_by_role("searchbox")).to_have_value("-order=rating")
        go(page, "#/history?filter=order%3Dpopular")
        expect(self.rows(page)).to_have_count(2)
        go(page, "#/history?filter=order%3Dpopular&sel=3")
        page.locator(".parameter", has_text="order").get_by_role("button", name="Filter by order").click()
        menu.get_by_role("menuitem", name="This too").click()
        expect(page.get_by_role("searchbox")).to_have_value("order=popular,newest")
        expect(self.rows(page)).to_have_count(3)
        page.locator(".parameter", has_text="price").get_by_role("button", name="Filter by price").click()
        menu.get_by_role("menuitem", name="From").click()
        expect(page.get_by_role("searchbox")).to_have_value("order=popular,newest price>=250")
        expect(self.rows(page)).to_have_count(1)
        self.quiet()

    def test_a_value_of_a_row_has_the_menu_too(self):
        page = self.open_searches()
        row = self.rows(page).filter(has_text="egg soup")
        row.locator(".pair", has_text="order").locator(".value").click(button="right")
        page.get_by_role("menuitem", name="Only").click()
        expect(page.get_by_role("searchbox")).to_have_value("order=newest")
        expect(self.rows(page)).to_have_count(1)
        self.quiet()

    def test_links_of_old_and_or_are_understood(self):
        page = self.open_searches()
        go(page, "#/history?tag=search.run&filter=milk+OR+soup")
        expect(self.rows(page)).to_have_count(2)
        expect(page.get_by_role("searchbox")).to_have_value("(milk OR soup) tag=search.run")
        self.quiet()

    def test_time_is_chosen_by_spans_and_compared_with_the_period_before(self):
        page = self.open_searches()
        self.server.take(*({"kind": "event", "tag": "search.run", "uid": f"old-{number}", "time": f"2026-10-01T10:00:0{number}Z",
                            "attributes": {"keyword": "old", "price": 1, "order": "popular"}} for number in range(3)))
        expect(self.rows(page)).to_have_count(8)
        page.locator("select[aria-label=time]").select_option(label="Last 15 minutes")
        expect(self.rows(page)).to_have_count(5)
        expect(page.get_by_role("searchbox")).to_have_value("last:15m")
        page.locator("select[aria-label=time]").select_option(label="Custom range…")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("From").fill("2026-10-01T10:00:00")
        dialog.get_by_label("Before").fill("2026-10-01T10:00:02")
        dialog.get_by_role("button", name="Show").click()
        expect(page.get_by_role("searchbox")).to_have_value("")
        expect(page).to_have_url(re.compile("since=\\d+"))
        page.get_by_role("button", name="Period before").click()
        expect(page.locator(".difference")).to_contain_text("previously 0")
        expect(page.locator(".ghost").first).to_be_attached()
        page.locator("select[aria-label=time]").select_option(label="Any time")
        expect(self.rows(page)).to_have_count(8)
        self.quiet()


if __name__ == "__main__":
    run_file()
