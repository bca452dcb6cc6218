"""Boards, alerts made from statements, releases and the volume breakdown in a real browser."""

from browser_case import BrowserCase, expect, go, run_file, settle
from collector import event, message

BOARD = """# Feed

What people read.

## Shown

```sql chart=bar x=tag y=n
SELECT tag, count(*) AS n FROM records GROUP BY tag ORDER BY n DESC
```

## Broken

```sql
SELECT gone FROM records
```

## Taps

```filter
tag=feed.tap_article
```
"""


def versioned(record, version):
    return {**record, "context": {"service.version": version}}


class BoardsTest(BrowserCase):
    def prepare(self):
        for name in ("LogBoards", "LogAlerts"):
            (self.folder / name).mkdir()
        (self.folder / "LogBoards" / "feed.md").write_text(BOARD, encoding="utf-8")

    def test_a_board_shows_its_answers_and_what_fails_in_its_place(self):
        self.server.post(event("feed.show_article", article_id=1, position=0), event("feed.tap_article", article_id=1))
        page = self.open()
        page.keyboard.press("g")
        page.keyboard.press("b")
        self.wait_for_screen(page, "boards")
        board = page.locator("aside.board")
        expect(board.locator("h2")).to_have_text("Feed")
        shown = board.get_by_role("region", name="Shown")
        expect(shown.locator(".drawing path.bar")).to_have_count(2)
        expect(board.get_by_role("alert")).to_contain_text("gone")
        expect(board).to_contain_text("as of")
        # The table is there too, collapsed.
        shown.get_by_text("Table", exact=True).click()
        expect(shown.locator("tbody tr")).to_have_count(2)
        # A changed file shows at the next visit, with its mistakes.
        (self.folder / "LogBoards" / "feed.md").write_text(BOARD.replace("chart=bar", "chrt=bar"), encoding="utf-8")
        go(page, "#/history")
        go(page, "#/boards/feed")
        expect(board.locator(".warning")).to_contain_text("feed.md:7:8: error: a block has no setting `chrt`")
        board.get_by_role("link", name="tag=feed.tap_article").click()
        self.wait_for_screen(page, "history")
        expect(self.row(page, "feed.tap_article")).to_have_count(1)
        expect(self.row(page, "feed.show_article")).to_have_count(0)
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_a_block_shows_its_warnings_and_private_values_also_without_rows(self):
        sql = "SELECT tag FROM records\nWHERE attributes ->> '$.told' = 'ann' AND level >= 'debug'"
        (self.folder / "LogBoards" / "feed.md").write_text(f"# Feed\n\n## Ann\n\n```sql\n{sql}\n```\n\n"
            f"## Rows\n\n```sql\nSELECT attributes ->> '$.told' AS told FROM records WHERE tag = 'feed.show_article'\n```\n", encoding="utf-8")
        told = event("feed.show_article", article_id=1, position=0, told="ann")
        told["attributes"].append({"key": "daybook.private", "value": {"arrayValue": {"values": [{"stringValue": "told"}]}}})
        self.server.post(told)
        page = self.open("#/boards/feed")
        ann = page.get_by_role("region", name="Ann")
        expect(ann).to_contain_text("No rows")
        expect(ann.locator(".warningline").first).to_contain_text("level")
        ann.get_by_role("button", name="Show private values").click()
        expect(ann.get_by_role("button", name="Hide private values")).to_be_visible()
        rows = page.get_by_role("region", name="Rows")
        expect(rows.locator("tbody td")).to_contain_text("[private ")
        rows.get_by_role("button", name="Show private values").click()
        expect(rows.locator("tbody td")).to_have_text("ann")
        self.assertEqual(self.complaints, [])

    def test_a_statement_is_saved_to_a_board_and_becomes_an_alert(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("textbox", name="Statement")
        field.fill("SELECT count(*) AS n FROM records WHERE tag = 'feed.show_article'")
        field.press("Control+Enter")
        page.get_by_role("button", name="Number", exact=True).click()
        page.get_by_role("button", name="Save to a board").click()
        dialog = page.get_by_role("dialog", name="Save to a board")
        dialog.get_by_label("Title").fill("How often")
        dialog.get_by_role("combobox").select_option(label="A new board")
        dialog.get_by_label("Name of the new board").fill("My numbers")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.get_by_role("status")).to_contain_text("my_numbers.md")
        file = self.folder / "LogBoards" / "my_numbers.md"
        self.assertEqual(file.read_text(encoding="utf-8"), "# My numbers\n\n## How often\n\n```sql chart=number\n"
                         "SELECT count(*) AS n FROM records WHERE tag = 'feed.show_article'\n```\n")
        dialog.get_by_role("button", name="Revert").click()
        expect(dialog.get_by_role("status")).to_contain_text("Reverted in")
        self.assertFalse(file.exists())
        # Adds to an existing board and goes there.
        dialog.get_by_role("combobox").select_option(label="Feed")
        dialog.get_by_role("button", name="Save", exact=True).click()
        dialog.get_by_role("link").click()
        self.wait_for_screen(page, "boards")
        board = page.locator("aside.board")
        block = board.get_by_role("region", name="How often")
        expect(block.locator(".figures dd")).to_have_text(["1"])
        # The alert is written where the collector reads it, and fires.
        block.get_by_role("button", name="Turn into an alert").click()
        dialog = page.get_by_role("dialog", name="Turn into an alert")
        expect(dialog.get_by_label("Name")).to_have_value("How often")
        dialog.get_by_label("Notify").fill("${NOBODY}")
        dialog.get_by_role("button", name="Write the alert").click()
        expect(dialog.get_by_role("alert")).to_contain_text("names NOBODY, which is not declared")
        dialog.get_by_label("Notify").fill("${DAYBOOK_TEST_WEBHOOK}")
        dialog.get_by_role("button", name="Write the alert").click()
        expect(dialog.get_by_role("status")).to_contain_text("how_often.md")
        dialog.get_by_role("link").click()
        self.wait_for_screen(page, "alerts")
        expect(page.locator(".entry", has_text="How often")).to_contain_text("firing")
        self.assertEqual([line for line in self.complaints if "400" not in line], [])

    def test_an_alert_tells_what_its_statement_hardly_means(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open("#/sql")
        field = page.get_by_role("textbox", name="Statement")
        field.fill("SELECT count(*) AS n\nFROM records WHERE level >= 'error'")
        field.press("Control+Enter")
        page.get_by_role("button", name="Turn into an alert").click()
        dialog = page.get_by_role("dialog", name="Turn into an alert")
        dialog.get_by_label("Name").fill("Odd")
        dialog.get_by_role("button", name="Write the alert").click()
        expect(dialog.get_by_role("status")).to_contain_text("odd.md")
        expect(dialog.locator(".warningline")).to_have_count(1)
        expect(dialog.locator(".warningline")).to_contain_text("level")
        self.assertEqual(self.complaints, [])

    def test_a_release_stands_beside_the_one_before_and_its_numbers_lead_to_their_records(self):
        self.server.take(*(versioned({"kind": "event", "tag": tag, "attributes": {"article_id": 1, "position": 0}}, version)
                           for tag, version, count in (("feed.show_article", "4.9.0", 3), ("feed.tap_article", "4.9.0", 2),
                                                       ("feed.show_article", "4.12.0", 4), ("feed.new", "4.12.0", 1))
                           for _ in range(count)))
        self.server.take(versioned({"kind": "error", "tag": "app.network", "level": "error", "message": "no"}, "4.12.0"))
        page = self.open("#/releases")
        body = page.locator(".releases")
        tiles = body.locator(".tile")
        expect(tiles.nth(0)).to_contain_text("6")
        expect(tiles.nth(0)).to_contain_text("before: 5")
        expect(tiles.nth(1)).to_contain_text("before: 0")
        # One is undefined; articles without a position would be missing too.
        expect(tiles.nth(2).locator("dd").first).to_have_text("1")
        expect(body.get_by_role("heading", name="New names").locator("..")).to_contain_text("feed.new")
        expect(body.get_by_role("heading", name="No longer seen").locator("..")).to_contain_text("feed.tap_article")
        row = body.locator("tbody tr", has_text="feed.show_article")
        expect(row.locator("td.number")).to_have_text(["4", "3", "× 1.1"])
        row.get_by_role("link").first.click()
        self.wait_for_screen(page, "history")
        expect(self.row(page, "feed.show_article")).to_have_count(4)
        page.go_back()
        tiles.nth(1).get_by_role("link").first.click()
        self.wait_for_screen(page, "history")
        expect(page.locator(".row")).to_have_count(1)
        page.go_back()
        page.get_by_label("Version", exact=True).select_option("4.9.0")
        expect(tiles.nth(0)).to_contain_text("5")
        self.wait_for_address(page, "version=4.9.0")
        self.quiet()

    def test_a_name_of_several_kinds_is_counted_and_linked_by_kind(self):
        self.server.take(*(versioned({"kind": kind, "tag": "feed.both", "message": "x", "attributes": {}}, version)
                           for kind, version, count in (("event", "4.12.0", 2), ("error", "4.12.0", 3), ("error", "4.9.0", 1))
                           for _ in range(count)))
        page = self.open("#/releases")
        body = page.locator(".releases")
        new = body.get_by_role("heading", name="New names").locator("..")
        expect(new.locator("li")).to_have_count(1)
        expect(new.locator("li")).to_contain_text("event")
        expect(new.locator("li")).to_contain_text("undefined")
        rows = body.locator("tbody tr")
        expect(rows.locator("td").first).to_have_text("feed.both error")
        expect(rows.locator("td.number").first).to_have_text("3")
        page.locator("tr[data-kind=event] td.number a").first.click()
        self.wait_for_screen(page, "history")
        expect(page.locator(".row")).to_have_count(2)
        page.go_back()
        page.get_by_label("Version", exact=True).select_option("4.9.0")
        page.locator("tr[data-kind=error] td.number a").first.click()
        self.wait_for_screen(page, "history")
        expect(page.locator(".row")).to_have_count(1)
        self.quiet()

    def test_the_volume_is_broken_down_by_version_and_adds_up(self):
        self.server.take(*(versioned({"kind": "event", "tag": "feed.show_article", "attributes": {"article_id": 1, "position": 0}},
                                     f"4.{number % 3}.0") for number in range(9)))
        self.server.post(message("without a version"))
        page = self.open("#/history")
        page.get_by_role("combobox", name="Records broken down").select_option("version")
        expect(page.get_by_role("combobox", name="Records broken down").locator("option")).to_contain_text(
            ["by version", "by name", "by level", "by module"])
        chart = page.locator(".breakdown .chart")
        expect(chart.locator(".legend li")).to_have_count(4)
        chart.locator(".plotarea").focus()
        chart.locator(".plotarea").press("End")
        expect(chart.get_by_role("status")).to_contain_text("others 1")
        self.wait_for_address(page, "by=version")
        table = page.locator(".breakdowntable")
        expect(table.locator("tbody tr")).to_have_count(4)
        expect(table.locator("tbody tr").last).to_have_text("others110%")
        page.get_by_role("combobox", name="Records broken down").select_option("")
        expect(page.locator(".breakdown")).to_be_hidden()
        self.quiet()

    def test_the_volume_is_broken_down_by_any_parameter(self):
        self.server.take(*(versioned({"kind": "event", "tag": "feed.show_article", "attributes": {"article_id": number % 2, "position": 0}},
                                     "4.0.0") for number in range(5)))
        self.server.post(message("without a parameter"))
        page = self.open("#/history")
        page.get_by_role("combobox", name="Records broken down").select_option("attributes.")
        parameter = page.get_by_role("combobox", name="Parameter", exact=True)
        parameter.fill("article_id")
        parameter.press("Enter")
        rows = page.locator(".breakdowntable tbody tr")
        expect(rows).to_have_text(["0350%", "1233.3%", "others116.7%"])
        self.wait_for_address(page, "by=attributes.article_id")
        page.reload()
        expect(rows).to_have_count(3)
        expect(parameter).to_have_value("article_id")
        self.quiet()


class StartTest(BrowserCase):
    def prepare(self):
        (self.folder / "daybook.json").write_text('{"start": "releases"}', encoding="utf-8")

    def test_an_address_without_a_screen_shows_what_the_project_starts_with(self):
        page = self.open()
        self.wait_for_screen(page, "releases")
        expect(page.locator(".releases")).to_contain_text("No release yet")
        # The address of a screen is kept, and a project has a boards folder before it exists.
        page = self.open("#/boards")
        expect(page.locator(".boards")).to_contain_text("No boards yet")
        settle(page)
        self.quiet()


if __name__ == "__main__":
    run_file()
