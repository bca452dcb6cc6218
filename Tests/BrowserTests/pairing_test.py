"""Pairs a phone with the page in a real browser; the phone is another process.

The program `PairedPhone` is beside the one that DAYBOOK_BINARY names; `swift build --build-tests` makes both.
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from browser_case import BrowserCase, import_module, run_file
from collector import BINARY

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

PHONE = Path(BINARY or "").parent / "PairedPhone"
CHECKLIST = """# plans

| persona | plan |
|---------|------|
| free    | free |
| member  | paid |

- [ ] feed.show_article
- [ ] never feed.tap_article when plan = "free"
"""
# The drawn code: each module is dark where the path fills its middle.
MODULES = """(svg) => { const size = svg.viewBox.baseVal.width; const path = svg.querySelector("path");
    return Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) =>
        path.isPointInFill(new DOMPoint(x + 0.5, y + 0.5)))); }"""


class PairingCase(BrowserCase):
    def prepare(self):
        (self.folder / "LogChecklists" / "plans.md").write_text(CHECKLIST, encoding="utf-8")

    def show_code(self, page, persona="member", tester="Aya"):
        page.locator("aside.checklist").get_by_role("button", name="Pair a phone").click()
        dialog = page.get_by_role("dialog", name="Pair a phone")
        dialog.get_by_role("combobox", name="Persona").select_option(persona)
        dialog.get_by_role("textbox", name="Tester").fill(tester)
        dialog.get_by_role("button", name="Show the code").click()
        return dialog


class PairingTest(PairingCase):
    @unittest.skipUnless(PHONE.is_file(), f"{PHONE} is not built")
    def test_a_phone_takes_the_checklist_and_its_records_come_live(self):
        page = self.open("#/check/plans")
        dialog = self.show_code(page)
        # The server listens on loopback: the page says that no phone can reach it, and what to do.
        expect(dialog).to_contain_text("A phone cannot reach this collector")
        expect(dialog).to_contain_text("--listen")
        self.assertEqual(dialog.locator(".qr").count(), 0)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        dialog.get_by_role("button", name="Copy the link").click()
        link = page.evaluate("navigator.clipboard.readText()")
        self.assertNotIn(self.server.token, link)
        phone = subprocess.Popen([PHONE, self.folder / "phone", link], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(phone.stdout.close)
        self.addCleanup(phone.wait)
        self.addCleanup(phone.kill)
        word, told = phone.stdout.readline().split(" ", 1)
        told = json.loads(told)
        self.assertEqual((word, told["persona"], told["tester"], told["key"]), ("paired", "member", "Aya", ""))
        self.assertEqual(told["checklist"], CHECKLIST)
        expect(dialog.get_by_role("status")).to_have_text("Paired. The run is in the table.")
        dialog.get_by_role("button", name="Close").click()
        cell = page.locator(".board .outcomes")
        expect(cell).to_contain_text("under way · 4.12.0")
        cell.click()
        item = page.locator(".item", has_text="feed.show_article")
        expect(item).to_have_attribute("data-state", "waiting")
        expect(page.locator(".item", has_text="never")).to_have_attribute("data-state", "not_applicable")
        phone.stdin.write("feed.show_article\n")
        phone.stdin.flush()
        # While the phone's process is running.
        expect(item).to_have_attribute("data-state", "ok")
        self.assertIsNone(phone.poll())
        phone.stdin.close()
        self.assertEqual(phone.wait(120), 0)
        self.quiet()

    def test_the_dialog_is_driven_by_the_keyboard(self):
        page = self.open("#/check/plans")
        button = page.get_by_role("button", name="Pair a phone")
        button.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Pair a phone")
        expect(dialog.get_by_role("combobox", name="Persona")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.type("Aya")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("button", name="Copy the link")).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()
        self.quiet()


class ReachableTest(PairingCase):
    # A name that others can reach, as behind a proxy.
    SERVE = ("--host", "logs.example")

    def test_the_code_on_the_screen_says_what_the_link_says(self):
        page = self.open("#/check/plans", color_scheme="dark")
        dialog = self.show_code(page, tester="")
        link = dialog.locator(".link").inner_text()
        self.assertTrue(link.startswith("daybook://pair?collector=https://logs.example&code="), link)
        expect(dialog.get_by_role("img", name="QR code of the link below")).to_be_visible()
        drawn = dialog.locator(".qr svg").evaluate(MODULES)
        import_module(page, "js/model/qr.js")
        wanted = page.evaluate("(link) => import('/assets/js/model/qr.js').then(({ qrCode }) => qrCode(link))", link)
        self.assertEqual([row[4:-4] for row in drawn[4:-4]], wanted)
        # Light around it, and dark on light even in the dark theme.
        self.assertFalse(any(any(row) for row in drawn[:4] + drawn[-4:]))
        expect(dialog.locator(".qr")).to_have_css("background-color", "rgb(255, 255, 255)")
        self.quiet()


if __name__ == "__main__":
    run_file()
