"""Alerts in a real browser: the page follows them, and shows hostile text as text."""

import re

import audit
from browser_case import BrowserCase, go, run_file
from collector import event

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

HOSTILE = '<img src=x onerror=document.title="owned">\u202egpj.exe' + "w" * 150
ALERTS = f"""# Nobody taps

Tell the feed team.

```checklist
- [ ] never search.run
```

- every 1s
- over 10s
- notify ${{DAYBOOK_TEST_WEBHOOK}}

# {HOSTILE}

{HOSTILE}

```sql
SELECT '{HOSTILE}' AS label, count(*) FROM records WHERE tag = 'feed.show_article'
```

- every 1s
- when value > 0
- notify ${{DAYBOOK_TEST_WEBHOOK}}
"""


class AlertsTest(BrowserCase):
    def prepare(self):
        (self.folder / "LogAlerts").mkdir()
        (self.folder / "LogAlerts" / "feed.md").write_text(ALERTS, encoding="utf-8")

    def test_the_page_changes_when_a_watch_fires(self):
        page = self.open()
        page.keyboard.press("g")
        page.keyboard.press("a")
        self.wait_for_screen(page, "alerts")
        entry = page.locator(".entry", has_text="Nobody taps")
        expect(entry).to_contain_text(re.compile("not checked yet|ok"))
        entry.click()
        detail = page.locator("aside.detail")
        expect(detail).to_contain_text("never search.run")
        # A window is judged once it has passed.
        expect(entry).to_contain_text("ok")
        self.server.post(event("search.run", keyword="egg"))
        expect(entry).to_contain_text("firing")
        expect(detail.locator(".labels")).to_contain_text("firing")
        expect(detail.locator(".labels .reason")).to_be_visible()
        # What is in trouble comes first; the reader's selection stays.
        expect(page.locator(".entry").first).to_contain_text("Nobody taps")
        expect(entry).to_have_attribute("aria-current", "true")
        self.quiet()

    def test_who_is_told_what_has_happened_and_a_mute_are_shown(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        go(page, "#/alerts")
        entry = page.locator(".entry", has_text="onerror")
        # Nothing listens at the target: the page must not claim that anyone was notified.
        expect(entry).to_contain_text("not delivered")
        entry.click()
        delivery = page.locator(".deliveries li")
        expect(delivery).to_contain_text("${DAYBOOK_TEST_WEBHOOK}")
        expect(delivery).to_contain_text("it did not answer")
        expect(delivery).to_contain_text("will be retried")
        history = page.locator(".alerthistory li")
        expect(history.filter(has_text="fired").first).to_be_visible()
        expect(history.filter(has_text="it did not answer").first).to_be_visible()
        page.get_by_role("button", name="Mute", exact=True).click()
        dialog = page.locator("dialog[open]")
        dialog.locator("select").select_option("8h")
        dialog.get_by_label("Tester").fill("Ann")
        dialog.locator("button.primary").click()
        expect(page.locator("aside.detail")).to_contain_text(re.compile("Muted until .* by Ann"))
        expect(entry).to_contain_text("muted")
        page.reload()
        self.wait_for_screen(page, "alerts")
        page.get_by_role("button", name="End the mute").click()
        expect(page.get_by_role("button", name="Mute", exact=True)).to_be_visible()
        expect(history.filter(has_text="mute ended").first).to_contain_text("Ann")
        history.filter(has_text="fired").last.get_by_role("link", name="records before it").click()
        self.wait_for_screen(page, "history")
        expect(page.locator(".row", has_text="feed.show_article").first).to_be_visible()
        self.quiet()

    def test_hostile_texts_are_text_at_every_width(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        for width, height in ((390, 844), (820, 1180), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            go(page, "#/alerts")
            entry = page.locator(".entry", has_text="onerror")
            expect(entry).to_contain_text("firing")
            entry.click()
            expect(page.locator("aside.detail h2")).to_contain_text("onerror")
            self.assertEqual(page.locator(".app :is(script, b, i, img:not(.brand img))").count(), 0)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            self.assertEqual(page.evaluate("""() => [...document.querySelectorAll("aside.detail .content *")]
                .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className)"""), [])
            self.assertNotEqual(page.title(), "owned")
            self.assertEqual(audit.nameless(page), [])
            self.assertEqual(audit.faults(page), [])
        self.quiet()


if __name__ == "__main__":
    run_file()
