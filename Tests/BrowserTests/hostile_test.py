"""Hostile payloads in a real browser: they are text on every screen."""


from browser_case import BrowserCase, go, run_file
from collector import event, message, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202egpj.exe'


class HostileTest(BrowserCase):
    def test_a_hostile_payload_is_text(self):
        self.server.post(
            message(HOSTILE, **{"daybook.tag": "<b>bold</b>", "<i>key</i>": HOSTILE}),
            event("feed.show_article", article_id=1, position=0))
        page = self.open()
        row = self.row(page, "onerror")
        row.wait_for()
        self.assertEqual(page.locator(".row img, .row script, .row b, .row i").count(), 0)
        row.click()
        detail = page.locator(".detail")
        expect(detail.locator(".message")).to_have_text(HOSTILE)
        detail.get_by_text("JSON", exact=True).click()
        self.assertEqual(detail.locator("img, script, b, i").count(), 0)
        isolation = page.evaluate("getComputedStyle(document.querySelector('.detail bdi')).unicodeBidi")
        self.assertEqual(isolation, "isolate")
        page.evaluate("(hash) => { location.hash = hash }", "#/sql?sql=SELECT+message+FROM+records")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".result tbody")).to_contain_text("onerror")
        self.assertEqual(page.locator(".result img, .result script").count(), 0)
        self.assertNotEqual(page.title(), "owned")
        self.quiet()

    def test_naughty_texts_are_text_on_every_screen(self):
        naughty = [
            HOSTILE, "\u202eright to left\u202c", "\u2066\u2067isolated", "\ufeffmark", "e\u0301" * 40, "👩‍👩‍👧‍👦" * 20,
            "Ω≈ç√∫", "\u0000nul", "=cmd|' /C calc'!A0", "javascript:alert(1)", "../../../etc/passwd",
            "%s%n{{7*7}}${7*7}", "<svg/onload=alert(1)>", "'; DROP TABLE records; --", "a" * 5_000, "\n" * 200,
            "__proto__", "constructor", "ﷺ" * 30, "\u200b\u200b",
        ]
        self.server.post(*(event(f"feed.{text[:60]}", **{text[:60]: text, "article_id": 1}) for text in naughty),
                         *(message(text) for text in naughty))
        self.server.post_spans(*(
            {**request("GET", f"https://api.example/{text[:80]}", 200, 5), "name": text[:80] or "none"}
            for text in naughty))
        page = self.open()
        for width, height in ((1280, 800), (390, 844)):
            with self.subTest(width=width):
                page.set_viewport_size({"width": width, "height": height})
                go(page, "#/history")
                self.look_everywhere(page, width)

    def look_everywhere(self, page, width):
        page.locator(".row").first.wait_for()
        elements = """() => document.querySelectorAll(
            '.app :is(script, img:not(.brand img), iframe, object, embed, link, style, b, i, font)').length"""
        for hash_ in ("#/history", "#/history?violations=1", "#/history?view=timeline", "#/net", "#/dict",
                      "#/dict?view=coverage", "#/dict?unseen=latest", "#/check/release",
                      "#/sessions", "#/sql", *(f"#/history?sel={number}" for number in range(1, 41, 3)), "#/net/50",
                      f"#/dict/{HOSTILE[:20]}", f"#/check/{HOSTILE[:20]}", f"#/sessions/{HOSTILE[:20]}"):
            go(page, hash_)
            self.assertEqual(page.evaluate(elements), 0, hash_)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width, hash_)
        self.assertNotEqual(page.title(), "owned")
        self.quiet()

    def test_a_text_of_five_megabytes_leaves_the_page_usable(self):
        # More than the collector accepts in an OpenTelemetry request; an import may contain it.
        self.server.take({"kind": "message", "tag": "a.b", "message": "x" * 5_000_000})
        self.server.post(message("small"))
        page = self.open()
        self.row(page, "small").wait_for()
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(page.locator(".row[aria-selected=true]")).to_contain_text("xxxx")
        expect(page.locator(".detail h2")).to_be_visible()
        # The first part, and the rest on request.
        text = page.locator(".detail .message bdi")
        more = page.get_by_role("button", name="Show 100,000 more of 5,000,000 characters")
        expect(more).to_be_visible()
        self.assertEqual(len(text.inner_text()), 4_001)
        more.click()
        page.wait_for_function("() => document.querySelector('.detail .message bdi')?.textContent.length === 104_001")
        page.keyboard.press("k")
        expect(page.locator(".row[aria-selected=true]")).to_contain_text("small")
        self.quiet()


if __name__ == "__main__":
    run_file()
