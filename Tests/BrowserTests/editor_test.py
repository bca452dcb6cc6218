"""Checklists written and changed in a real browser: by text, buttons, keys, mouse and touch."""

from browser_case import BrowserCase, run_file
from collector import event

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class EditorTest(BrowserCase):
    def text(self):
        return (self.folder / "LogChecklists" / "release.md").read_text(encoding="utf-8")

    def editor(self, page):
        page.locator("aside.checklist").get_by_role("button", name="Edit", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".sound")).to_contain_text("Items: 5")
        return dialog

    def words(self, dialog):
        return [text.split()[0] for text in dialog.locator(".order .words").all_inner_texts()]

    def test_items_are_ordered_added_taken_out_and_saved_and_the_save_is_taken_back(self):
        self.server.post(event("history.only", n=1))
        before = self.text()
        page = self.open("#/check/release")
        dialog = self.editor(page)
        first = dialog.locator(".order li").first
        first.get_by_role("button", name="Move down").click()
        expect(dialog.locator(".order .words").first).to_have_text("feed.tap_article")
        # The pressed button keeps the focus at the item's new place.
        expect(dialog.locator('[data-at="0/1"] .down')).to_be_focused()
        page.keyboard.press("Alt+ArrowUp")
        expect(dialog.locator(".order .words").first).to_have_text("feed.show_article exactly 1 per article_id")
        dialog.get_by_role("button", name="Remove: never search.**").click()
        expect(dialog.locator(".order li")).to_have_count(4)
        # Defined and received events are suggested.
        options = dialog.locator("datalist option").evaluate_all("(all) => all.map((one) => one.value)")
        self.assertIn("search.run", options)
        self.assertIn("history.only", options)
        dialog.locator(".adder .field").fill("search.run at least 2")
        page.keyboard.press("Enter")
        expect(dialog.locator(".order .words").last).to_have_text("search.run at least 2")
        expect(dialog.locator(".adder .field")).to_be_focused()
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved")).to_contain_text("Saved in")
        self.assertEqual(self.text(), before.replace("- [ ] never search.**\n", "") + "- [ ] search.run at least 2\n")
        expect(page.locator("aside.checklist .item")).to_have_count(5)
        dialog.get_by_role("button", name="Revert").click()
        expect(dialog.locator(".saved")).to_contain_text("Reverted in")
        self.assertEqual(self.text(), before)
        dialog.get_by_role("button", name="Close").click()
        expect(page.locator("aside.checklist .items")).to_contain_text("never search.**")
        self.quiet()

    def test_a_text_is_checked_as_it_is_typed_and_not_saved_while_it_is_wrong(self):
        page = self.open("#/check/release")
        dialog = self.editor(page)
        before = self.text()
        dialog.locator("textarea").fill("# release\n\n## feed\n- [ ] feed.show_article exactly\n")
        expect(dialog.locator(".findings .wrong")).to_be_visible()
        expect(dialog.locator(".findings li")).to_contain_text("4:")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved .wrong")).to_contain_text("not written")
        self.assertEqual(self.text(), before)
        dialog.locator("textarea").fill("# release\n\n## feed\n- [ ] feed.show_artcle\n")
        expect(dialog.locator(".findings li")).to_contain_text("feed.show_article")
        # The unsaved text is restored.
        page.keyboard.press("Escape")
        page.locator("aside.checklist").get_by_role("button", name="Edit", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("textarea")).to_have_value("# release\n\n## feed\n- [ ] feed.show_artcle\n")
        dialog.get_by_role("button", name="Discard it").click()
        expect(dialog.locator("textarea")).to_have_value(before)

    def test_a_file_that_somebody_else_changed_is_told_and_kept(self):
        page = self.open("#/check/release")
        dialog = self.editor(page)
        theirs = self.text() + "- [ ] feed.show_article at least 3\n"
        (self.folder / "LogChecklists" / "release.md").write_text(theirs, encoding="utf-8")
        dialog.get_by_role("button", name="Remove: never search.**").click()
        expect(dialog.locator(".order li")).to_have_count(4)
        mine = dialog.locator("textarea").input_value()
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved .wrong")).to_contain_text("changed by somebody else")
        self.assertEqual(self.text(), theirs)
        dialog.get_by_role("button", name="Load the file’s text").click()
        expect(dialog.locator("textarea")).to_have_value(theirs)
        dialog.get_by_role("button", name="Undo").click()
        expect(dialog.locator("textarea")).to_have_value(mine)
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved")).to_contain_text("Saved in")
        self.assertEqual(self.text(), mine)

    def test_a_new_checklist_is_made_from_a_file_and_judged_at_once(self):
        self.server.post(event("search.run", keyword="egg"))
        page = self.open("#/check")
        page.get_by_role("button", name="New checklist").click()
        dialog = page.get_by_role("dialog")
        # No error before the first edit.
        expect(dialog.locator(".adder .field")).to_be_visible()
        expect(dialog.locator(".findings")).to_be_empty()
        dialog.locator("textarea").fill("# new")
        expect(dialog.locator(".findings .wrong")).to_be_visible()
        dialog.locator("input[type=file]").set_input_files(
            {"name": "検索.md", "mimeType": "text/markdown", "buffer": "# 検索\n\n- [ ] search.run\n".encode()})
        expect(dialog.locator(".sound")).to_contain_text("Items: 1")
        expect(dialog.get_by_label("Name of the file")).to_have_value("検索")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved")).to_contain_text("検索.md")
        self.assertEqual((self.folder / "LogChecklists" / "検索.md").read_text(encoding="utf-8"), "# 検索\n\n- [ ] search.run\n")
        page.keyboard.press("Escape")
        expect(page.locator("aside.checklist h2")).to_have_text("検索")
        expect(page.locator("aside.checklist .item")).to_have_attribute("data-state", "ok")
        # An existing checklist is not overwritten.
        page.get_by_role("button", name="New checklist").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name of the file").fill("release")
        dialog.locator(".adder .field").fill("search.run")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog.locator(".sound")).to_contain_text("Items: 1")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved .wrong")).to_contain_text("already exists")
        dialog.get_by_label("Name of the file").fill("../evil")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved .wrong")).to_be_visible()
        self.assertFalse((self.folder / "evil.md").exists())

    def test_a_new_checklist_is_listed_as_it_was_named(self):
        page = self.open("#/check")
        page.get_by_role("button", name="New checklist").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name of the file").fill("Feed 4.12.md")
        dialog.locator(".adder .field").fill("search.run")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog.locator(".sound")).to_contain_text("Items: 1")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.locator(".saved")).to_contain_text("Feed 4.12.md")
        self.assertTrue((self.folder / "LogChecklists" / "Feed 4.12.md").read_text(encoding="utf-8").startswith("# Feed 4.12\n"))
        page.keyboard.press("Escape")
        expect(page.locator("aside.checklist h2")).to_have_text("Feed 4.12")

    def test_an_item_is_dragged_by_mouse(self):
        page = self.open("#/check/release")
        dialog = self.editor(page)
        handle, target = dialog.locator('[data-at="0/0"] .handle'), dialog.locator('[data-at="0/2"]')
        box, goal = handle.bounding_box(), target.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] - 4, steps=6)
        expect(target).to_have_attribute("data-drop", "behind")
        page.mouse.up()
        expect(dialog.locator(".order .words").nth(2)).to_have_text("feed.show_article exactly 1 per article_id")

    def test_on_a_phone_a_finger_orders_and_everything_is_within_reach(self):
        page = self.open("#/check/release", **PHONE)
        page.locator("aside.checklist").get_by_role("button", name="Edit", exact=True).tap()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".sound")).to_contain_text("Items: 5")
        for button in dialog.locator(".order button, .adder button").all():
            box = button.bounding_box()
            self.assertGreaterEqual(round(min(box["width"], box["height"])), 44)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        dialog.locator('[data-at="0/0"] .down').tap()
        expect(dialog.locator(".order .words").first).to_have_text("feed.tap_article")
        dialog.locator('[data-at="0/1"] .up').tap()
        expect(dialog.locator(".order .words").first).to_have_text("feed.show_article exactly 1 per article_id")
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Save as a file").tap()
        self.assertEqual(download.value.suggested_filename, "release.md")
        # Last, because the browser ignores taps for a moment after a drag.
        handle = dialog.locator('[data-at="0/1"] .handle')
        handle.scroll_into_view_if_needed()
        box, goal = handle.bounding_box(), dialog.locator('[data-at="0/0"]').bounding_box()
        session = page.context.new_cdp_session(page)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 7):
            session.send("Input.dispatchTouchEvent", {
                "type": "touchMove", "touchPoints": [{"x": x, "y": y + (goal["y"] + 4 - y) * step / 6}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(dialog.locator(".order .words").first).to_have_text("feed.tap_article")


if __name__ == "__main__":
    run_file()
