"""The page itself in a real browser: token, keyboard, sizes, languages, and what strangers get."""

import contextlib
import http.server
import threading
import urllib.error
import urllib.request

import audit
from browser_case import BrowserCase, go, run_file, settle
from collector import Server, event, message, request

try:
    from playwright.sync_api import expect
except ImportError:
    expect = None


@contextlib.contextmanager
def strangers_server(seen):
    """Another server on the same host; adds the requests it gets to `seen`."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, self.headers.items()))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class PageTest(BrowserCase):
    def test_the_token_leaves_the_address_and_stays_with_its_origin(self):
        page = self.open()
        self.assertNotIn("token", page.url)
        self.assertNotIn(self.server.token, page.url)
        self.assertNotIn(self.server.token, page.evaluate("JSON.stringify({ ...localStorage })"))
        self.assertEqual(page.context.cookies(), [])
        # Another server on the same host gets nothing, neither in a request nor in its own page.
        seen = []
        with strangers_server(seen) as other:
            stranger = page.context.new_page()
            stranger.goto(other)
            stranger.evaluate("fetch('/api/v1/live')")
            self.assertEqual(stranger.evaluate("""() => new Promise((done) => {
                const channel = new BroadcastChannel("daybook/token");
                channel.onmessage = ({ data }) => done(data);
                channel.postMessage(null);
                setTimeout(() => done(Object.keys(sessionStorage).length), 500);
            })"""), 0)
        self.assertGreater(len(seen), 1)
        self.assertNotIn(self.server.token, str(seen))
        self.assertNotIn("cookie", str(seen).lower())
        page.reload()
        page.wait_for_selector(".nav")
        page.go_back()
        self.assertNotIn("token", page.url)
        self.quiet()

    def test_a_link_with_the_token_opens_its_screen(self):
        page = self.open()
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        fresh = context.new_page()
        # A new page and an open one.
        for page in (fresh, page):
            page.goto(f"{self.server.url}&at=/check/release")
            self.wait_for_screen(page, "check")
            expect(page.locator("aside.checklist h2")).to_have_text("release")
            self.assertEqual(page.url, f"{self.server.origin}/#/check/release")
            page.go_back()
            self.assertNotIn("token", page.url)

    def test_tabs_lend_each_other_the_token(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        # A link opened in its own tab, and a typed address.
        self.row(page, "feed.show_article").wait_for()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Dictionary").click(modifiers=["Control"])
        self.wait_for_screen(opened.value, "dict")
        typed = page.context.new_page()
        typed.goto(f"{self.server.origin}/#/check/release")
        self.wait_for_screen(typed, "check")
        # When all are closed, nobody has it; the printed address unlocks waiting pages where they are.
        for other in (page, opened.value):
            other.close()
        typed.evaluate("sessionStorage.clear()")
        typed.reload()
        expect(typed.locator("h1")).to_have_text("This inspector is locked")
        typed.context.new_page().goto(self.server.url)
        self.wait_for_screen(typed, "check")
        self.assertEqual(typed.url, f"{self.server.origin}/#/check/release")

    def test_without_the_token_the_page_is_locked(self):
        context = self.browser.new_context(locale="en-US")
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(self.server.origin + "/")
        expect(page.locator("h1")).to_have_text("This inspector is locked")
        page.locator("input").fill("0" * 32)
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("This token is wrong")
        page.locator("input").fill(self.server.url)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".nav")

    def test_blur_mode_and_the_keys_switch_last(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open()
        self.row(page, "feed.show_article").wait_for()
        page.keyboard.press("b")
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        page.reload()
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        page.keyboard.press("?")
        page.get_by_role("checkbox", name="Single-key shortcuts").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        expect(page.locator(".row .value").first).to_have_css("filter", "blur(5px)")
        self.quiet()

    def test_everything_that_acts_has_a_name_and_every_text_its_contrast(self):
        self.server.post(*self.session("s1", event("feed.show_article", article_id="x", position=0)))
        self.server.post_spans(*self.session("s1", request("GET", "https://api.example/a", 200, 100)))
        self.server.post_lossy(message("after the loss", 17), disk_limit=3)
        self.server.sign_off("release", tester="Aya")
        page = self.open()
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            for hash_ in ("#/history?sel=1", "#/history?violations=1", "#/history?view=timeline", "#/net/2",
                          "#/dict/feed.show_article", "#/dict?view=coverage", "#/check/release", "#/sessions/s1", "#/sql"):
                go(page, hash_)
                self.assertEqual(audit.nameless(page), [], hash_)
                self.assertEqual(audit.faults(page), [], f"{hash_} {theme}")
            for hash_, name in (("#/check/release", "Start a run"), ("#/check/release", "Sign off"),
                                ("#/check/release", "Pair a phone"), ("#/dict/feed.show_article", "Add to a checklist"),
                                ("#/dict", "Check a definition"), ("#/history", "Export"), ("#/history", "Keys")):
                go(page, hash_)
                page.get_by_role("button", name=name, exact=True).first.click()
                page.get_by_role("dialog").wait_for()
                settle(page)
                self.assertEqual(audit.nameless(page), [], name)
                self.assertEqual(audit.faults(page), [], f"{name} {theme}")
                page.keyboard.press("Escape")
        self.quiet()

    def test_the_keyboard_alone_is_enough(self):
        self.server.post(*(event("feed.show_article", article_id=number, position=number) for number in range(5)))
        page = self.open()
        self.row(page, "article_id").first.wait_for()
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(page.locator(".row[aria-selected=true]")).to_contain_text("3")
        expect(page.locator(".detail h2")).to_have_text("feed.show_article")
        page.keyboard.press("Escape")
        expect(page.locator(".row[aria-selected=true]")).to_have_count(0)
        page.keyboard.press("/")
        page.keyboard.type("gd j")
        expect(page.get_by_role("searchbox")).to_have_value("gd j")
        page.keyboard.press("Escape")
        # No alerts exist, so their key does nothing.
        for keys, screen in (("d", "dict"), ("c", "check"), ("n", "net"), ("s", "sessions"), ("q", "sql"), ("a", "sql"),
                             ("i", "insights"), ("r", "releases"), ("t", "history"), ("v", "history"), ("h", "history")):
            page.keyboard.press("g")
            page.keyboard.press(keys)
            self.wait_for_screen(page, screen)
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        self.quiet()

    def test_every_screen_is_driven_by_the_keyboard(self):
        """On each: to its list by the screen's key, through it by j and k, into the detail, on by Tab, back by
        Escape."""
        self.server.post(*self.session("s1", event("feed.show_article", article_id=1, position=0),
                                       event("search.run", keyword="egg")))
        self.server.post_spans(*self.session("s2", *(
            request("GET", f"https://api.example/{number}", 200, 100) for number in range(2))))
        page = self.open()
        self.row(page, "search.run").wait_for()
        chosen = ".row[aria-selected=true], .entry[aria-selected=true], .entry[aria-current=true]"
        for key in ("h", "n", "d", "s"):
            page.keyboard.press("g")
            page.keyboard.press(key)
            settle(page)
            page.keyboard.press("j")
            expect(page.locator(f".mainslot :is({chosen})")).to_have_count(1)
            first = page.url
            page.keyboard.press("j")
            page.wait_for_function("(first) => location.href !== first", arg=first)
            page.keyboard.press("k")
            page.wait_for_function("(first) => location.href === first", arg=first)
            page.keyboard.press("Enter")
            page.wait_for_function("() => Boolean(document.activeElement?.closest('.sideslot'))")
            # The detail has arrived.
            settle(page)
            page.keyboard.press("Tab")
            inside = page.evaluate("Boolean(document.activeElement?.closest('.sideslot'))")
            self.assertTrue(inside, f"Tab leaves the detail of g {key}")
            page.keyboard.press("Escape")
            expect(page.locator(f".mainslot :is({chosen})")).to_have_count(0)
        # The checklist's box, the statement's field and the timeline have keys of their own.
        page.keyboard.press("g")
        page.keyboard.press("c")
        box = page.get_by_role("checkbox")
        box.focus()
        page.keyboard.press("Space")
        expect(box).to_be_checked()
        page.keyboard.press("g")
        page.keyboard.press("q")
        page.get_by_role("textbox").focus()
        page.keyboard.type("SELECT 1 AS one")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".result th")).to_have_text("one")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("t")
        expect(page.locator(".lanes")).to_be_visible()
        self.quiet()

    def test_a_lost_connection_keeps_the_rows_and_resumes(self):
        self.server.post(message("before the restart"))
        page = self.open()
        self.row(page, "before the restart").wait_for()
        port = self.server.port
        self.server.stop()
        expect(page.locator(".pill")).to_contain_text("reconnecting")
        self.assertEqual(self.row(page, "before the restart").count(), 1)
        self.server = Server(self.folder, port)
        # A restart has a new token; the page says so instead of retrying forever.
        expect(page.locator("h1")).to_have_text("This inspector is locked")
        page.goto(self.server.url)
        self.row(page, "before the restart").wait_for()

    def test_every_layout_and_language_fits(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        for locale, word in (("en-US", "History"), ("ja-JP", "履歴"), ("ru-RU", "История")):
            page = self.open(locale=locale)
            for size in ((390, 844), (834, 1112), (1440, 900)):
                with self.subTest(size=size, locale=locale):
                    page.set_viewport_size({"width": size[0], "height": size[1]})
                    go(page, "#/history")
                    expect(page.locator(".navlink[aria-current=page]")).to_have_text(word)
                    self.row(page, "feed.show_article").click()
                    expect(page.locator(".detail h2")).to_be_visible()
                    for screen in ("history", "net", "dict", "check", "sessions", "sql", "insights"):
                        go(page, f"#/{screen}")
                        expect(page.locator(".app")).to_have_attribute("data-screen", screen)
                        # The panes scroll, never the page itself.
                        self.assertEqual(page.evaluate(
                            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), [*size])
            page.context.close()
        self.quiet()

    def test_no_kind_is_cut(self):
        self.server.post(
            event("feed.show_article", article_id=1, position=0), message("hi"), message("oh", 17),
            request("GET", "https://api.example/feed", 200, 12))
        for locale in ("en-US", "ja-JP", "ru-RU"):
            page = self.open(locale=locale)
            for width in (1024, 1280, 1440):
                with self.subTest(width=width, locale=locale):
                    page.set_viewport_size({"width": width, "height": 900})
                    self.row(page, "feed.show_article").wait_for()
                    expect(page.locator(".row .cell.kind")).to_have_count(4)
                    self.assertEqual(page.evaluate("""() => [...document.querySelectorAll('.row .cell.kind span:last-child')]
                        .filter((word) => word.scrollWidth > word.clientWidth || word.parentElement.scrollWidth > word.parentElement.clientWidth)
                        .map((word) => `${word.textContent} ${word.scrollWidth} in ${word.clientWidth}`)"""), [])
            page.context.close()
        self.quiet()

    def test_a_dialog_closes_when_another_screen_is_shown(self):
        page = self.open("#/check")
        page.get_by_role("button", name="New checklist").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        go(page, "#/history")
        expect(page.get_by_role("dialog")).to_have_count(0)
        self.quiet()

    def test_touch_targets_are_at_least_44_pixels(self):
        self.server.post(event("feed.show_article", article_id=1, position=0))
        page = self.open(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        self.row(page, "feed.show_article").wait_for()
        small = page.evaluate("""() => [...document.querySelectorAll('button, a, select, input, .row')]
            .map((element) => [element.className, element.getBoundingClientRect()])
            .filter(([, box]) => box.width > 0 && (box.height < 44 || box.width < 44))
            .map(([name, box]) => `${name} ${box.width}×${box.height}`)""")
        self.assertEqual(small, [])

    def test_every_route_is_closed_to_strangers(self):
        routes = [("GET", path) for path in (
            "status", "records", "records/1", "records/count", "records/1/explanation", "histogram", "facets",
            "sessions", "losses", "definitions", "tags", "coverage", "checklists", "checklists/release/report", "live", "alerts",
            "runs", "runs/1/verdict", "violations", "sql/schema", "insights/1", "nothing")]
        routes += [("POST", path) for path in (
            "sql", "insights", "import", "definitions/check", "checklists/release/signoff",
            "checklists/release/items", "checklists/release/items/undo", "runs/start", "runs/1/finish", "pairings")]
        for method, path in [*routes, ("DELETE", "sessions/s1")]:
            shown = {"authorization": f"Bearer {self.server.token}"}
            for headers, statuses in (
                ({}, (401,)), ({"authorization": "Bearer 0"}, (401,)),
                ({**shown, "host": "evil.example"}, (403, 421)),
                ({**shown, "origin": "http://evil.example"}, (403, 421)),
            ):
                with self.subTest(method=method, path=path, headers=sorted(headers)):
                    asked = urllib.request.Request(f"{self.server.origin}/api/v1/{path}", headers=headers, method=method,
                        data=b"{}" if method == "POST" else None)
                    with self.assertRaises(urllib.error.HTTPError) as refused:
                        urllib.request.urlopen(asked, timeout=120)
                    self.assertIn(refused.exception.code, statuses)
                    refused.exception.close()


if __name__ == "__main__":
    run_file()
