"""Takes a picture of every screen of the inspector: two themes, three sizes, three languages.

    DAYBOOK_BINARY=$(swift build --show-bin-path)/daybook-cli .venv/bin/python Tests/BrowserTests/screenshots.py FOLDER [WORD …]

writes FOLDER/SIZE-THEME-LANGUAGE-SCREEN.png; only names with all WORDs among their parts, if given. It exits with 1 and
says where if a page is wider or higher than its window, if it complains, or if `audit.py` finds something.
"""

import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import audit
from browser_case import CHROMIUM, go, import_module, missing, prepare_context, settle, sync_playwright
from collector import Server, message
from recipe_day import cover, prepare, records

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
THEMES = ("light", "dark")
LANGUAGES = {"en": "en-US", "ja": "ja-JP", "ru": "ru-RU"}
CHART = """SELECT strftime('%Y-%m-%d %H:00', time / 1000000000, 'unixepoch') AS hour,
  context ->> '$."service.version"' AS version, count(*) AS records
FROM records
GROUP BY 1, 2"""
# The hash, and what is pressed before the picture is taken.
SCREENS = {
    "history": ("/history", None),
    "filtered": ("/history?kind=event,request&level=info&filter=recipe+-tag%3Drecipe_search.search+has%3Arecipe_id", None),
    "detail": ("/history?sel={error}", None),
    "event": ("/history?sel={event}", None),
    "violations": ("/history?violations=1&sel={violation}", None),
    "groups": ("/history?violations=1", None),
    "timeline": ("/history?view=timeline", None),
    "chart.table": ("/history?view=timeline", "table"),
    "dictionary": ("/dict", None),
    "coverage": ("/dict?view=coverage", None),
    "unseen": ("/dict?unseen=latest", None),
    "definition": ("/dict/recipe_search.search", None),
    "add": ("/dict/recipe_detail.share", "add"),
    "pasted": ("/dict", "check"),
    "checklists": ("/check", None),
    "checklist": ("/check/first_release", None),
    "editor": ("/check/first_release", "edit"),
    "newlist": ("/check", "newlist"),
    "board": ("/check/subscription", None),
    "start": ("/check/subscription", "start"),
    "pair": ("/check/subscription", "pair"),
    "code": ("/check/subscription", "code"),
    "run": ("/check/subscription?run={run}", None),
    "signed": ("/check/subscription?run={signed}", None),
    "signoff": ("/check/subscription?run={run}", "signoff"),
    "network": ("/net", None),
    "exchange": ("/net/{request}", None),
    "sessions": ("/sessions", None),
    "session": ("/sessions/session-13", None),
    "sql": ("/sql?sql=SELECT+tag%2C+count(*)+AS+n%0AFROM+records%0AGROUP+BY+tag%0AORDER+BY+n+DESC", "run"),
    "boards": ("/boards", None),
    "board-product": ("/boards/product", None),
    "board-health": ("/boards/health", None),
    "save": ("/sql?chart=line&sql=" + quote(CHART), "save"),
    "releases": ("/releases", None),
    "breakdown": ("/history?by=version", None),
    "chart": ("/sql?chart=line&sql=" + quote(CHART), "run"),
    "bars": ("/sql?chart=bar&sql=SELECT+tag%2C+count(*)+AS+n%0AFROM+records%0AGROUP+BY+tag%0AORDER+BY+n+DESC", "run"),
    "funnel": ("/insights?kind=funnel&steps=recipe_search.search%0Arecipe_detail.show%0Arecipe_detail.save&within=1h"
               "&by=version", "insight"),
    "retention": ("/insights?kind=retention&steps=recipe_search.search&joining=installation&by=day", "insight"),
    "path": ("/insights?kind=path&steps=recipe_search.search", "insight"),
    "alerts": ("/alerts", None),
    "alert": ("/alerts/Requests%20fail", None),
    "export": ("/history", "export"),
    "help": ("/history", "?"),
}
# What is pressed, by the key of its text.
BUTTONS = {"table": "chart.table", "check": "define.open", "start": "check.start", "edit": "edit.open",
           "newlist": "edit.new", "signoff": "check.signOff", "pair": "pair.open", "code": "pair.open", "add": "add.open",
           "run": "sql.run", "insight": "sql.run", "export": "export.title", "save": "board.save"}
DEFINITION = "# feed\n\n## show_article\n\n- article_id: !bigin\n    - 記事のID\n- position: !integer\n"


class Studio:
    def __init__(self, folder, browser):
        # With a name that phones can reach, so that the code is drawn.
        self.server = Server(folder, 0, "--host", "logs.example:4318", "--coverage", str(cover(Path(folder))))
        self.browser = browser
        day = records()
        for start in range(0, len(day), 500):
            self.server.take(*day[start:start + 500])
        self.server.post_lossy(message("Delivered after an outage", 13), disk_limit=312, process_ended=4)
        self.sign_off(day[-1]["context"])
        self.places = self.find_places()

    def sign_off(self, context):
        """Runs of three testers, two of them in progress side by side."""
        context = {**context, "plan": "free"}
        for persona, tester in (("new free", "Aya"), ("member", "Boris")):
            run = self.server.ask("runs/start", checklist="subscription", persona=persona, tester=tester,
                                  build="4.12.0")["id"]
            self.server.take({"kind": "event", "tag": "subscription.show_offer", "attributes": {
                "placement": "settings", "campaign": "autumn"}, "context": context})
            self.server.sign_off("subscription", run, tester=tester, build="4.12.0", reason="known, see #812")
            self.signed = run
        for persona, tester, installation in (("new free", "Chihiro", "phone-1"), ("member", "Aya", "phone-2")):
            self.run = self.server.ask("runs/start", checklist="subscription", persona=persona, tester=tester, build="4.12.0",
                            installation=installation)["id"]
            self.server.take(*({"kind": "event", "tag": tag, "installation": installation, "attributes": attributes,
                                "context": context} for tag, attributes in (
                ("subscription.show_offer", {"placement": "banner", "campaign": "autumn"}),
                ("recipe_detail.save", {"recipe_id": 116}), ("recipe_detail.save", {"recipe_id": 116}))))

    def find_places(self):
        def latest(condition):
            return self.server.ask("sql", sql=f"SELECT max(id) FROM records WHERE {condition}")["rows"][0][0]
        return {"run": self.run, "signed": self.signed, "error": latest("kind = 'error'"), "event": latest("tag = 'recipe_search.search'"),
                "violation": latest("tag = 'recipe_detail.shaer'"),
                "request": latest("kind = 'request' AND attributes LIKE '%SaveRecipe%'")}

    def look(self, size, theme, language):
        """A page in one of the variants."""
        width, height = SIZES[size]
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, locale=LANGUAGES[language],
            timezone_id="Asia/Tokyo", has_touch=size != "desktop", is_mobile=size == "phone")
        prepare_context(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.complaints = []
        page.on("console", lambda line: page.complaints.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(self.server.url)
        page.wait_for_selector(".nav")
        # A language's table includes those of the screens.
        for part in ("alerts", *(f"{part}/{language}" for part in ("boards", "checklists", "insights")), language):
            import_module(page, f"js/texts/{part}.js")
        page.words = page.evaluate(f"import('/assets/js/texts/{language}.js').then((module) => module.default)")
        return page

    def show(self, page, screen):
        """Goes to a screen and presses its buttons."""
        hash_, press = SCREENS[screen]
        go(page, hash_.format(**self.places))
        if press == "save":
            page.get_by_role("button", name=page.words["sql.run"], exact=True).click()
            settle(page)
        if press == "?":
            page.keyboard.press("?")
        elif press:
            button = page.get_by_role("button", name=page.words[BUTTONS[press]], exact=True).first
            button.click()
            if press == "check":
                page.get_by_role("dialog").get_by_role("textbox").fill(DEFINITION)
                page.locator(".findings li").first.wait_for()
        if press == "insight":
            page.locator(".insightrun .button").nth(1).wait_for(state="hidden")
        if press == "code":
            page.get_by_role("button", name=page.words["pair.show"], exact=True).click()
        if press:
            # No hover: the picture must not depend on the pointer.
            page.mouse.move(0, 0)
            settle(page)

    def leave(self, page):
        page.keyboard.press("Escape")
        page.evaluate("document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())")


def faults(page, size):
    found = audit.faults(page) + page.complaints
    page.complaints.clear()
    fits = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    return found + ([f"the page is {fits}, its window {SIZES[size]}"] if fits != [*SIZES[size]] else [])


def main(folder, words):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        prepare(Path(place))
        # With scroll bars, as on most desktops.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, ignore_default_args=["--hide-scrollbars"], args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        studio = Studio(place, browser)
        try:
            for form in ((size, theme, language) for size in SIZES for theme in THEMES for language in LANGUAGES):
                wanted = [screen for screen in SCREENS
                          if all(word in ("-".join((*form, screen))).split("-") or word == screen for word in words)]
                if not wanted:
                    continue
                page = studio.look(*form)
                for screen in wanted:
                    name = "-".join((*form, screen))
                    studio.show(page, screen)
                    page.screenshot(path=folder / f"{name}.png")
                    for fault in faults(page, form[0]):
                        count += 1
                        print(f"{name}: {fault}")
                    studio.leave(page)
                page.context.close()
        finally:
            browser.close()
            studio.server.stop()
    print(f"{count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    if missing():
        sys.exit(missing())
    sys.exit(main(sys.argv[1], sys.argv[2:]))
