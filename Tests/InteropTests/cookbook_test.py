"""Each statement of docs/guides/cookbook.md returns what a person would count in the records below.

Needs DAYBOOK_BINARY.
"""

import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "BrowserTests"))
from collector import Server  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "cookbook.md").read_text(encoding="utf-8")


def statements():
    """The guide's statements by their headings."""
    parts = re.split(r"^## (.*)$", GUIDE, flags=re.M)[1:]
    found = {}
    for title, text in zip(parts[::2], parts[1::2]):
        if block := re.search(r"```sql\n(.*?)```", text, re.S):
            found[title] = block[1].rstrip().rstrip(";")
    return found


class CookbookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        sample = ROOT / "Examples" / "RecipeBox"
        for name in ("LogDefinitions", "LogChecklists"):
            shutil.copytree(sample / name, Path(folder.name) / name)
        self.server = Server(folder.name, 0, "--own-records", "none")
        self.addCleanup(self.server.stop)
        self.server.take(*self.records())

    @staticmethod
    def records():
        """Three installations. Ann searches, shows and saves on the 1st, and returns on the 2nd and the 8th; Ben
        searches on the 1st and shows a recipe an hour later; Cleo, on version 2, comes on the 2nd and fails once."""
        count = 0

        def record(who, day, time, version, **fields):
            nonlocal count
            count += 1
            return {"uid": f"u-{count}", "time": f"2026-11-{day:02}T{time}Z", "installation": who, "level": 9,
                    "session": f"{who}-{day}", "context": {"service.version": version, "app_version": version}, **fields}

        def event(who, day, time, version, tag, **attributes):
            return record(who, day, time, version, kind="event", tag=tag, attributes=attributes)

        search = {"keyword": "egg", "order": "latest", "trigger": "keyboard"}
        yield event("ann", 1, "10:00:00", "1", "recipe_search.search", **search)
        yield event("ann", 1, "10:01:00", "1", "recipe_detail.show", recipe_id=1)
        yield event("ann", 1, "10:02:00", "1", "recipe_detail.save", recipe_id=1)
        yield event("ben", 1, "11:00:00", "1", "recipe_search.search", **search)
        yield event("ben", 1, "12:00:00", "1", "recipe_detail.show", recipe_id=2)
        yield event("ann", 2, "10:00:00", "1", "recipe_search.search", **search)
        yield event("cleo", 2, "10:00:00", "2", "recipe_search.search", **search)
        yield record("cleo", 2, "10:00:01", "2", kind="error", tag="app.network", message="no answer", level=17)
        trace = {"trace_id": "0" * 31 + "1"}
        yield record("cleo", 2, "10:00:02", "2", kind="span", tag="menu", message="load menu", duration=2_000_000_000,
                     span_id="0" * 15 + "1", **trace)
        yield record("cleo", 2, "10:00:02.500", "2", kind="request", tag="app.network", message="GET /menu",
                     duration=1_000_000_000, span_id="0" * 15 + "2", parent_span_id="0" * 15 + "1", **trace)
        yield record("cleo", 2, "10:00:03", "2", kind="message", tag="menu", message="Loaded", span_id="0" * 15 + "1",
                     **trace)
        yield event("ann", 8, "10:00:00", "1", "recipe_search.search", **search)

    expected = {
        "Daily users, by version": [["2026-11-01", "1", 2], ["2026-11-02", "1", 1], ["2026-11-02", "2", 1],
                                    ["2026-11-08", "1", 1]],
        "Success rate": [["1", 4, 25.0], ["2", 1, 0.0]],
        "A funnel": [["search", 3], ["show", 2], ["save", 1]],
        "Retention": [["2026-11-01", 2, 1, 1], ["2026-11-02", 1, 0, 0]],
        "Errors by version": [["1", 4, 0, 0.0], ["2", 1, 1, 100.0]],
        "Durations": [["GET /menu", 1, 1000.0, 1000.0, 1000.0, None], ["load menu", 1, 2000.0, 2000.0, 2000.0, None]],
        "Messages of a form": [["GET /menu", 1]],
        "What happened during a measurement": [["load menu", "request", "GET /menu", 500.0, 1000.0],
                                               ["load menu", "message", "Loaded", 1000.0, None]],
        "Is an event still sent?": [["recipe_search.search", "1", 4, "2026-11-01 10:00:00", "2026-11-08 10:00:00"],
                                   ["recipe_search.search", "2", 1, "2026-11-02 10:00:00", "2026-11-02 10:00:00"]],
        "An unusual day": [],
    }

    def ask(self, sql):
        return self.server.ask("sql", sql=sql)["rows"]

    def test_every_statement_answers_as_counted_by_hand(self):
        self.assertEqual(set(statements()), set(self.expected))
        for title, sql in statements().items():
            with self.subTest(title):
                rows = self.ask(sql)
                if title == "Durations":
                    rows.sort()
                self.assertEqual(rows, self.expected[title])

    def test_records_of_the_future_change_no_answer(self):
        self.server.take(*({"uid": f"ahead-{who}-{number}", "time": "2099-01-01T10:00:00Z", "kind": "event",
                            "tag": "recipe_search.search", "session": who, "installation": who, "attributes": {},
                            "context": {"service.version": "1"}}
                           for who in ("ann", "nobody") for number in range(9)))
        for title in ("Daily users, by version", "Retention", "An unusual day"):
            with self.subTest(title):
                self.assertEqual(self.ask(statements()[title]), self.expected[title])

    def test_a_day_with_many_more_records_is_found(self):
        self.server.take(*({"uid": f"many-{number}", "time": f"2026-11-09T10:{number:02}:00Z", "kind": "event",
                            "tag": "settings.change_theme", "session": "s", "installation": "ann", "attributes": {}}
                           for number in range(9)),
                         {"uid": "few", "time": "2026-11-07T10:00:00Z", "kind": "event", "tag": "settings.change_theme",
                          "session": "s", "installation": "ann", "attributes": {}})
        self.assertEqual(self.ask(statements()["An unusual day"]), [["settings.change_theme", 9, 1.0]])


if __name__ == "__main__":
    unittest.main()
