"""A day of the sample app RecipeBox for pictures: its definitions, checklists, alerts, and some 1,500 records.

The numbers are always the same; only the times move, so that the newest record is a minute old.
"""

import json
import random
import shutil
import subprocess
import time
from pathlib import Path

from collector import BINARY

SAMPLE = Path(__file__).resolve().parents[2] / "Examples" / "RecipeBox"
DEVICES = [("iPhone17,3", "phone", "18.1"), ("iPhone15,2", "phone", "18.0.1"), ("iPad14,5", "tablet", "18.1")]
WORDS = ["egg", "卵焼き", "carbonara", "борщ", "味噌汁", "pancakes", "なす"]
SESSIONS = 14
PERSONAS = """# subscription

プラン案内の確認 / Before each release of the plans.

| persona  | plan    |
|----------|---------|
| new free | free    |
| member   | premium |

## offer
- metric: conversion

- [ ] subscription.show_offer
    - Tap on *popularity* as a free user. 人気順をタップします。
- [ ] subscription.purchase after subscription.show_offer
- [ ] subscription.show_offer each placement
- [ ] never subscription.show_offer when plan = "premium"
- [ ] recipe_detail.save exactly 1 per recipe_id

## by eye
- [ ] The price is the store's, in the user's currency
"""
ALERTS = """# Requests fail

Somebody cannot cook. The runbook is in the team's handbook, chapter 4.

```sql
SELECT count(*) FROM records WHERE tag = 'network.api_error'
```

- every 1s
- when value > 3
- notify ${DAYBOOK_TEST_WEBHOOK}

# Searching works

検索が止まったら知らせます。

```checklist
- [ ] recipe_search.search at least 100000
- [ ] never app_lifecycle.crash_recovered
```

- every 1s
- over 90s
- notify ${DAYBOOK_TEST_WEBHOOK}

# Nobody subscribes

```sql
SELECT count(*) FROM records WHERE tag = 'subscription.purchase'
```

- every 1m
- when value = 0
- for 1d
- notify ${DAYBOOK_TEST_WEBHOOK}
"""


def prepare(folder):
    """Writes the team's files to `folder`."""
    for name in ("LogDefinitions", "LogChecklists", "LogBoards"):
        shutil.copytree(SAMPLE / name, folder / name)
    (folder / "LogChecklists" / "subscription.md").write_text(PERSONAS, encoding="utf-8")
    (folder / "LogAlerts").mkdir()
    (folder / "LogAlerts" / "recipes.md").write_text(ALERTS, encoding="utf-8")


def cover(folder):
    """Writes a coverage report of the sample's sources and a test run to `folder`."""
    run = folder / "run.ndjson"
    run.write_text("".join(f"{json.dumps(record)}\n" for record in records()[:60]), encoding="utf-8")
    report = folder / "coverage.json"
    told = subprocess.run([BINARY, "coverage", "LogDefinitions", "--sources", "Sources", "--events", run, "--json"],
                          cwd=SAMPLE, capture_output=True, timeout=180)
    report.write_bytes(told.stdout)
    return report


def records():
    """The day's records in order of arrival, as NDJSON has them."""
    dice = random.Random(7)
    end = time.time_ns() - 60 * 10**9
    return [record for number in range(SESSIONS)
            for record in Visit(number, dice, end - (SESSIONS - number) * 31 * 60 * 10**9).records]


class Visit:
    def __init__(self, number, dice, start):
        self.number, self.dice, self.time, self.records = number, dice, start, []
        self.device = DEVICES[number % 3]
        self.version = "4.11.3" if number < 6 else "4.12.0"
        self.event("app_lifecycle.launch", cold=True, duration_ms=dice.randint(380, 900), opened_from="icon")
        if number % 5 == 2:
            self.event("app_lifecycle.crash_recovered", crash_reason="SIGSEGV", crashed_at="2026-11-20T10:02:11Z")
        self.message("app.lifecycle", "debug", "Warm caches are ready", {"entries": dice.randint(20, 300)})
        for _ in range(dice.randint(3, 6)):
            self.search()
        self.event("app_lifecycle.enter_background", foreground_seconds=dice.randint(60, 700))

    def search(self):
        word, dice = self.dice.choice(WORDS), self.dice
        order = dice.choice(["latest", "popularity"])
        self.event("recipe_search.search", keyword=word, order=order, trigger="keyboard")
        if order == "popularity" and self.number % 2 == 0:
            self.event("subscription.show_offer", placement=dice.choice(["search_order", "settings", "banner"]),
                       campaign="autumn")
        milliseconds = self.request("GET", f"/search?q={word}&order={order}", 200)
        if dice.random() < 0.15:
            return self.event("recipe_search.no_results", keyword=word, suggested_keyword="egg")
        self.event("recipe_search.show_result", keyword=word, result_count=dice.randint(3, 900), response_ms=milliseconds)
        recipe = dice.randint(100, 180)
        self.event("recipe_search.tap_result", recipe_id=recipe, position=dice.randint(0, 4))
        if dice.random() < 0.14:
            self.request("GET", f"/recipes/{recipe}", 503)
            self.event("network.api_error", path="/recipes/*", status=503, error_code="overloaded", retry_count=1)
            self.message("app.network", "error", "The recipe could not be loaded", {
                "exception.type": "RecipeError.unavailable", "exception.message": "status 503"}, "error")
            return None
        self.request("GET", f"/recipes/{recipe}", 200)
        self.event("recipe_detail.show", recipe_id=recipe, referrer="search", cuisine="japanese")
        if dice.random() < 0.5:
            self.event("recipe_detail.save", recipe_id=recipe, folder_name="週末")
            self.request("POST", "/graphql", 200, operation="SaveRecipe")
        if dice.random() < 0.4:
            self.event("recipe_detail.start_cooking", recipe_id=recipe, servings=dice.randint(1, 6), scale=1.5)
            self.message("app.cooking", "info", "Screen is kept on", {})
        if dice.random() < 0.25:
            # Two mistakes of an app: an undefined name, and a wrong type.
            self.event("recipe_detail.shaer", recipe_id=recipe, destination="com.example.chat")
        if dice.random() < 0.12:
            self.event("recipe_detail.finish_cooking", recipe_id=recipe, elapsed_seconds="a while", rating=9)
        self.span("render list", dice.randint(4, 60))
        return None

    def add(self, kind, tag, attributes, **more):
        self.time += self.dice.randint(200, 9_000) * 10**6
        model, device, system = self.device
        self.records.append({
            "uid": f"day-{self.number}-{len(self.records)}", "time": rfc3339(self.time), "kind": kind, "level": "info",
            "tag": tag, "attributes": attributes, "session": f"session-{self.number:02d}",
            "installation": f"installation-{self.number % 3}",
            "context": {"user_id": 4200 + self.number % 3, "app_version": self.version, "os_version": system,
                        "device_model": model, "device_kind": device, "locale": "ja-JP",
                        "plan": "premium" if self.number % 4 == 1 else "free", "service.version": self.version,
                        "device.model.identifier": model, "os.version": system}, **more})

    def event(self, tag, **attributes):
        self.add("event", tag, attributes)

    def message(self, tag, level, text, attributes, kind="message"):
        self.add(kind, tag, attributes, level=level, message=text, module="RecipeBox", file="Sources/RecipeBox/App.swift",
                 function="start()", line=40 + self.number)

    def span(self, name, milliseconds):
        self.add("span", name, {}, duration=milliseconds * 10**6, trace_id=f"{self.number + 1:032x}",
                 span_id=f"{len(self.records) + 1 + self.number * 1000:016x}")

    def request(self, method, path, status, operation=None):
        milliseconds = self.dice.randint(40, 420)
        attributes = {"http.request.method": method, "url.full": f"https://api.recipebox.example{path}",
                      "http.response.status_code": status, "http.response.body.size": self.dice.randint(200, 40_000),
                      "http.request.header.accept": "application/json",
                      "http.response.header.content-type": "application/json; charset=utf-8"}
        if operation:
            attributes["daybook.http.request.body"] = json.dumps(
                {"operationName": operation, "query": "mutation SaveRecipe($id: ID!) { save(id: $id) { id } }"})
            attributes["graphql.operation.name"] = operation
        self.add("request", method, attributes, duration=milliseconds * 10**6, trace_id=f"{self.number + 1:032x}",
                 span_id=f"{len(self.records) + 1 + self.number * 1000:016x}", level="error" if status >= 500 else "info")
        return milliseconds


def rfc3339(nanoseconds):
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:09d}Z"
