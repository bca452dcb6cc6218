"""The page by keyboard alone: every control can be reached and shows its focus, every screen responds to its keys."""

from alerts_test import ALERTS
from browser_case import BrowserCase, go, import_module, run_file, settle
from collector import event, message, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None

# Visible controls that Tab reaches. Of radio groups and list rows, only the group or list itself counts.
CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true })
        && one.getClientRects().length > 0)"""
# Numbers every control, then reports which has the focus, and whether it is visible.
NUMBER = f"() => {{ window.controls = ({CONTROLS})(); return controls.length; }}"
FOCUSED = """() => {
    const one = document.activeElement;
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    const name = `${one.tagName.toLowerCase()}.${one.className} “${(one.ariaLabel ?? one.textContent).trim().slice(0, 40)}”`;
    // A file's own field is a square of one pixel inside of the button that stands for it.
    const shown = one.type === "file" ? getComputedStyle(one.parentElement) : style;
    return { number: controls.indexOf(one), name, isBody: one === document.body,
        hasRing: shown.outlineStyle !== "none" && parseFloat(shown.outlineWidth) >= 2,
        isInView: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth };
}"""


class KeyboardTest(BrowserCase):
    def prepare(self):
        (self.folder / "LogAlerts").mkdir()
        (self.folder / "LogAlerts" / "feed.md").write_text(ALERTS, encoding="utf-8")

    def fill(self):
        self.server.post(*self.session("s1", event("feed.show_article", article_id="x", position=0),
                                       message("a line", 17), event("search.run", keyword="egg", mail="a@b.c")))
        self.server.post_spans(*self.session("s1", *(
            request("GET", f"https://api.example/{number}", 200, 100) for number in range(3))))

    def walk(self, page):
        """Presses Tab until it wraps around; every control must have had and shown the focus."""
        for _ in range(5):
            missed = self.missed(page)
            # Starts over if an answer arrived meanwhile and replaced controls.
            if not missed or page.evaluate("controls.every((one) => one.isConnected)"):
                break
        self.assertEqual(missed, [], page.url)

    def missed(self, page):
        """The controls that did not get the focus in one round of Tab."""
        page.evaluate("document.activeElement?.blur()")
        count = page.evaluate(NUMBER)
        reached = set()
        # One more step may leave the page, and one may return to the starting point.
        for _ in range(count + 2):
            page.keyboard.press("Tab")
            seen = page.evaluate(FOCUSED)
            if seen["isBody"]:
                continue
            self.assertTrue(seen["hasRing"], f"no ring: {seen['name']} at {page.url}")
            self.assertTrue(seen["isInView"], f"out of view: {seen['name']} at {page.url}")
            reached.add(seen["number"])
        return page.evaluate("(reached) => controls.filter((_, number) => !reached.includes(number))"
                             ".map((one) => `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 40)}`)",
                             sorted(reached))

    def test_tab_reaches_every_control_and_shows_where_it_is(self):
        self.fill()
        page = self.open()
        for hash_ in ("#/history?sel=1", "#/history?facets=1&not=tag:a.b", "#/history?violations=1",
                      "#/history?view=timeline", "#/net/4", "#/dict/search.run", "#/dict?view=coverage",
                      "#/check/release", "#/sessions/s1", "#/sql", "#/alerts/Nobody%20taps"):
            with self.subTest(hash=hash_):
                go(page, hash_)
                self.walk(page)
        self.quiet()

    def test_dialogs_hold_the_focus_and_give_it_back(self):
        self.fill()
        page = self.open()
        for hash_, name in (("#/history", "Export"), ("#/history", "Keys"), ("#/dict", "Check a definition"),
                            ("#/dict/feed.show_article", "Add to a checklist"), ("#/check/release", "Start a run"),
                            ("#/check/release", "Sign off"), ("#/check/release", "Pair a phone")):
            with self.subTest(name=name):
                go(page, hash_)
                button = page.get_by_role("button", name=name, exact=True).first
                button.focus()
                page.keyboard.press("Enter")
                dialog = page.get_by_role("dialog")
                dialog.wait_for()
                settle(page)
                for _ in range(12):
                    page.keyboard.press("Tab")
                    self.assertTrue(page.evaluate(
                        "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"))
                page.keyboard.press("Escape")
                expect(dialog).to_have_count(0) if name != "Keys" else expect(dialog).to_be_hidden()
                expect(button).to_be_focused()
        self.quiet()

    def test_the_focus_comes_back_to_what_was_drawn_anew_behind_a_dialog(self):
        self.fill()
        page = self.open("#/check/release")
        verdict = page.locator(".items li", has_text="feed.show_article").first
        expect(verdict).to_contain_text("1×")
        button = page.get_by_role("button", name="Start a run", exact=True)
        button.focus()
        before = button.element_handle()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        self.server.post(event("feed.show_article", article_id=2, position=0))
        expect(verdict).to_contain_text("2×")
        self.assertFalse(before.evaluate("(button) => button.isConnected"))
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()
        self.quiet()

    def test_the_timeline_is_moved_and_read_by_keys(self):
        self.server.post_spans(*(request("GET", "https://api.example/a", 200, 100 + number) for number in range(20)))
        self.server.post(message("before them all") | {"timeUnixNano": "1700000000000000000"})
        page = self.open()
        page.keyboard.press("g")
        page.keyboard.press("t")
        # A span and a mark of the axis.
        page.locator(".track .span").first.wait_for()
        settle(page)
        window = page.locator(".timetools .total").first
        shown = window.inner_text()

        def press(key):
            before = window.inner_text()
            page.keyboard.press(key)
            expect(window).not_to_have_text(before)
            return window.inner_text()

        closer = press("+")
        self.assertNotEqual(closer, shown)
        self.assertEqual(press("-"), shown)
        press("ArrowLeft")
        self.assertEqual(press("ArrowRight"), shown)
        whole = press("0")
        # By steps in time: newest first, then back; the window follows the selection.
        page.keyboard.press("j")
        expect(page.locator(".detail h2")).to_be_visible()
        expect(page.locator("[data-chosen=true]")).to_have_count(1)
        for _ in range(4):
            press("+")
        for _ in range(20):
            page.keyboard.press("k")
        expect(page.locator(".detail .message")).to_have_text("before them all")
        expect(page.locator("[data-chosen=true]")).to_be_in_viewport()
        oldest = window.inner_text()
        page.keyboard.press("Home")
        expect(window).not_to_have_text(oldest)
        page.keyboard.press("End")
        expect(window).to_have_text(oldest)
        self.assertEqual(press("0"), whole)
        page.keyboard.press("Escape")
        expect(page.locator("[data-chosen=true]")).to_have_count(0)
        # The table shows everything loaded: its arrows scroll as usual, and there is no window to move.
        page.get_by_role("button", name="Table", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.locator(".timeline tbody tr")).to_have_count(1)
        expect(window).to_have_text("")
        page.keyboard.press("+")
        page.keyboard.press("Enter")
        expect(window).to_have_text(whole)
        self.quiet()

    def test_a_second_press_does_not_reach_the_control_that_took_the_place_of_the_first(self):
        self.server.post(*(event(tag, article_id=1, position=0) for tag, count in (
            ("feed.tap_article", 3), ("feed.show_article", 2), ("search.run", 1)) for _ in range(count)))
        page = self.open("#/history?facets=1")
        value = page.locator(".facetline", has_text="search.run").locator(".facetvalue")
        value.focus()
        page.keyboard.press("Enter")
        # Fewer rows are above it now.
        expect(page.locator(".facetline", has_text="feed.tap_article")).to_have_count(0)
        expect(value).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".term")).to_have_count(1)
        self.assertNotIn("not=", page.url)
        self.quiet()

    def test_the_focus_stays_with_what_has_the_same_label(self):
        page = self.open()
        for name in ("dom", "bridge"):
            import_module(page, f"js/base/{name}.js")
        focused = """async (labels) => {
            const { h, replaceChildren } = await import('/assets/js/base/dom.js');
            const part = document.body.appendChild(h('div'));
            const buttons = (all) => all.map((label) => h('button', null, label));
            const [before, after, index] = labels;
            replaceChildren(part, buttons(before));
            part.children[index].focus();
            replaceChildren(part, buttons(after));
            const place = [...part.children].indexOf(document.activeElement);
            part.remove();
            return place;
        }"""
        for before, after, index, place in (
                (["a", "b"], ["a", "b"], 1, 1), (["a", "b"], ["b"], 1, 0), (["a", "b"], ["a", "c"], 1, -1),
                (["a", "b"], ["b", "c", "b"], 1, -1), (["a", "b"], ["b", "b"], 1, 1)):
            self.assertEqual(page.evaluate(focused, [before, after, index]), place, (before, after))
        self.quiet()

    def test_alerts_are_read_by_keys_and_keep_the_focus(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        page.keyboard.press("g")
        page.keyboard.press("a")
        self.wait_for_screen(page, "alerts")
        chosen = page.locator(".entry[aria-current=true]")
        firing = page.locator(".entry", has_text="onerror")
        expect(firing).to_contain_text("firing")
        # What is in trouble comes first.
        page.keyboard.press("j")
        expect(chosen).to_contain_text("onerror")
        page.keyboard.press("j")
        expect(chosen).to_contain_text("Nobody taps")
        page.keyboard.press("E")
        expect(chosen).to_contain_text("onerror")
        page.keyboard.press("k")
        expect(chosen).to_contain_text("onerror")
        page.keyboard.press("Enter")
        page.wait_for_function("() => Boolean(document.activeElement?.closest('.sideslot'))")
        # Past the mute durations, to the alert's statement.
        link = page.get_by_role("link", name="Run in SQL")
        for _ in range(8):
            if link.evaluate("(link) => link === document.activeElement"):
                break
            page.keyboard.press("Tab")
        expect(link).to_be_focused()
        page.keyboard.press("Escape")
        expect(chosen).to_have_count(0)
        # A selected link keeps the focus, even when the list is redrawn.
        page.locator(".entry", has_text="Nobody taps").focus()
        page.keyboard.press("Enter")
        expect(chosen).to_contain_text("Nobody taps")
        expect(chosen).to_be_focused()
        self.quiet()

    def test_the_help_names_every_key(self):
        page = self.open()
        page.keyboard.press("?")
        told = set(" ".join(page.locator("dialog kbd").all_inner_texts()).split())
        source = page.evaluate("fetch('/assets/js/app.js').then((answer) => answer.text())")
        bound = source[source.index("bindKeys(document, {"):source.index("}, {", source.index("bindKeys(document, {"))]
        keys = page.evaluate(f"Object.keys({bound.removeprefix('bindKeys(document, ')}}})")
        names = {" ": "Space", "Escape": "Esc", "ArrowLeft": "←", "ArrowRight": "→", "-": "−"}
        # In lists, arrows do what j and k do everywhere, and = is + without Shift.
        silent = {"ArrowDown", "ArrowUp", "="}
        for key in keys:
            for part in names.get(key, key).split() if key != " " else ["Space"]:
                if part not in silent:
                    self.assertIn(part, told)
        self.quiet()


if __name__ == "__main__":
    run_file()
