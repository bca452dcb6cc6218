"""Runs of checklists in a real browser: side by side, signed off, reopened."""

from pathlib import Path

from browser_case import PERSONAS, BrowserCase, run_file
from collector import event

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


class RunsTest(BrowserCase):
    def prepare(self):
        (self.folder / "LogChecklists" / "team.md").write_text(PERSONAS, encoding="utf-8")

    def start(self, page, tester, **fields):
        """Starts a run in the page's dialog."""
        page.locator("aside.checklist").get_by_role("button", name="Start a run").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Tester").fill(tester)
        for label, value in fields.items():
            dialog.get_by_label(label).fill(value)
        dialog.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator("aside.checklist .runhead")).to_contain_text(tester)

    def test_a_run_is_signed_off_with_reasons_and_stays_as_it_was(self):
        self.server.post(event("search.run", keyword="egg"), event("feed.show_article", article_id=1, position=0))
        page = self.open("#/check/release")
        side = page.locator("aside.checklist")
        expect(side.locator(".failures").first).to_have_text("1 failed")
        self.start(page, "Aya", Build="4.12.0")
        expect(side.locator(".runhead")).to_contain_text("Run #3 Aya · 4.12.0")
        expect(side.locator(".judged")).to_contain_text("Judged over 0 records of this run")
        self.server.post(event("feed.show_article", article_id=1, position=0), event("feed.show_article", article_id=2, position=0))
        once = side.locator(".item", has_text="exactly 1")
        expect(once).to_have_attribute("data-state", "ok")
        expect(once).to_contain_text("2×")
        # An item links to the run's records, not to all with its name.
        once.get_by_role("link").first.click()
        self.wait_for_screen(page, "history")
        self.wait_for_address(page, "run=3")
        expect(page.locator(".row")).to_have_count(2)
        expect(page.locator(".term")).to_contain_text(["#3"])
        page.go_back()
        side.get_by_role("checkbox").check()
        # Open items come first.
        side.get_by_role("button", name="Sign off").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".openitems .warning")).to_contain_text("2 items are open")
        dialog.get_by_role("button", name="Sign off").click()
        # A missing reason is reported at its field, before anything is sent.
        reasons = dialog.locator(".openitems input")
        expect(dialog.get_by_role("alert")).to_have_text("Enter a reason for each open item: this one has none.")
        expect(reasons.first).to_be_focused()
        expect(reasons.first).to_have_attribute("aria-invalid", "true")
        for field in reasons.all():
            field.fill("known, #812")
        expect(dialog.locator("[aria-invalid]")).to_have_count(0)
        dialog.get_by_label("Tester").fill(" ")
        dialog.get_by_role("button", name="Sign off").click()
        expect(dialog.get_by_role("alert")).to_have_text("Enter the tester: a sign-off is made under a name.")
        expect(dialog.get_by_label("Tester")).to_be_focused()
        dialog.get_by_label("Tester").fill("Aya")
        dialog.get_by_label("Notes").fill("slow network")
        dialog.get_by_role("button", name="Sign off").click()
        expect(side.locator(".runhead")).to_contain_text("Signed off by Aya · 4.12.0")
        expect(side.locator(".runhead")).to_contain_text("2 items waived")
        expect(side.locator(".runhead")).to_contain_text("slow network")
        expect(side.locator(".waiver").first).to_contain_text("known, #812")
        expect(side.get_by_role("button", name="Sign off")).to_have_count(0)
        # Later records do not change it, and a link reopens it.
        self.server.post(event("feed.show_article", article_id=1, position=0), event("search.run", keyword="ham"))
        address = page.url
        page.reload()
        expect(once).to_have_attribute("data-state", "ok")
        expect(side.locator(".judged")).to_contain_text("As signed off, over 2 records")
        expect(side.get_by_role("checkbox")).to_be_checked()
        expect(side.get_by_role("checkbox")).to_be_disabled()
        saved = {}
        for name in ("Markdown", "JUnit"):
            with page.expect_download() as download:
                side.get_by_role("button", name=name, exact=True).click()
            saved[name] = Path(download.value.path()).read_text(encoding="utf-8")
        for word in ("signed off by Aya", "build: `4.12.0`", "records: `2`", "slow network", address):
            self.assertIn(word, saved["Markdown"])
        self.assertIn("waived: `known, #812`", saved["Markdown"])
        self.assertIn('failures="0"', saved["JUnit"])
        self.quiet()

    def test_a_sign_off_of_many_open_items_keeps_its_buttons_in_view(self):
        (self.folder / "LogChecklists" / "long.md").write_text("# long\n\n## all\n\n" + "".join(
            f"- [ ] feed.show_article at least {number}\n" for number in range(1, 31)), encoding="utf-8")
        page = self.open("#/check/long")
        page.set_viewport_size({"width": 700, "height": 420})
        page.locator("aside.checklist").get_by_role("button", name="Sign off").click()
        dialog = page.get_by_role("dialog")
        button = dialog.get_by_role("button", name="Sign off")
        expect(button).to_be_in_viewport(ratio=1)
        button.click()
        expect(dialog.get_by_role("alert")).to_contain_text("Enter a reason")
        expect(dialog.get_by_role("alert")).to_be_in_viewport(ratio=1)
        expect(button).to_be_in_viewport(ratio=1)
        self.quiet()

    def test_testers_run_side_by_side_and_each_run_can_be_opened_again(self):
        for tester, installation in (("Aya", "i-1"), ("Boris", "i-2")):
            self.server.ask("runs/start", checklist="team", persona="paid", tester=tester, installation=installation)
        self.server.take({"tag": "feed.tap_article", "installation": "i-2", "attributes": {"article_id": 1}})
        page = self.open("#/check/team")
        side = page.locator("aside.checklist")
        cells = side.locator(".board .outcomes")
        expect(cells).to_have_count(2)
        expect(cells.nth(0)).to_contain_text("under way")
        cells.nth(1).click()
        expect(side.locator(".runhead")).to_contain_text("Boris · paid")
        tap = side.locator(".item", has_text="feed.tap_article")
        expect(tap.first).to_have_attribute("data-state", "ok")
        # A third run ends neither.
        self.start(page, "Chihiro")
        expect(cells).to_have_count(3)
        cells.nth(0).click()
        expect(tap.first).to_have_attribute("data-state", "waiting")
        self.server.take({"tag": "feed.tap_article", "uid": "later", "installation": "i-1", "attributes": {"article_id": 1}})
        expect(tap.first).to_have_attribute("data-state", "ok")
        side.get_by_role("button", name="Sign off").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Tester")).to_have_value("Aya")
        dialog.get_by_role("button", name="Sign off").click()
        expect(side.locator(".runhead")).to_contain_text("Signed off by Aya")
        expect(cells.first).not_to_contain_text("under way")
        # An unnamed run leaves the board when it ends, and stays in the list of runs.
        cells.nth(1).click()
        expect(side.locator(".runhead")).to_contain_text("Boris")
        side.get_by_role("button", name="End the run").click()
        expect(cells).to_have_count(2)
        side.get_by_text("All runs (3)").click()
        expect(side.locator(".runs li")).to_have_count(3)
        side.locator(".runs a", has_text="Aya").click()
        expect(side.locator(".runhead")).to_contain_text("Signed off by Aya")
        self.quiet()

    def test_without_a_run_a_version_or_a_device_is_chosen_and_named(self):
        # The latest session has the older version.
        for version, installation, number in (("4.12.0", "i-2", 1), ("4.12.0", "i-3", 2), ("4.9.0", "i-1", 3)):
            self.server.take({"kind": "event", "tag": "feed.show_article", "uid": f"r-{number}", "installation": installation,
                              "session": f"s-{number}", "attributes": {"article_id": 1, "position": 0},
                              "context": {"service.version": version, "device.model.name": "Phone"}})
        page = self.open("#/check/release")
        side = page.locator("aside.checklist")
        once = side.locator(".item", has_text="exactly 1")
        # The newest of several versions.
        expect(side.get_by_label("Version")).to_have_value("4.12.0")
        expect(side.get_by_label("Version").locator("option")).to_have_text(["All versions", "4.12.0", "4.9.0"])
        self.wait_for_address(page, "version=4.12.0")
        expect(side.locator(".judged")).to_contain_text("Judged over 2 records (#1–#2, 2 sessions) · 4.12.0 · Phone")
        expect(once).to_have_attribute("data-state", "failed")
        side.get_by_label("Device").select_option("i-3")
        expect(once).to_have_attribute("data-state", "ok")
        expect(side.locator(".judged")).to_contain_text("Judged over 1 record")
        side.get_by_label("Version").select_option("")
        expect(side.locator(".judged")).to_contain_text("Judged over 3 records")
        page.reload()
        expect(side.locator(".judged")).to_contain_text("Judged over 3 records")
        page.go_back()
        expect(once).to_have_attribute("data-state", "ok")
        self.quiet()


if __name__ == "__main__":
    run_file()
