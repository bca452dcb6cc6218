"""Markdown reports, over records with text that GitHub, GitLab and chats turn into links, mentions and pictures,
rendered by GitHub's own Markdown parser."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
# In every text of a record, so that none outside code is missed.
MARK = "zqx"
LIVE = [
    "@octocat #7 GH-7 o/r#7 fixes #3 !8 %9 ~bug $snip", "d670460b4b4aece5915caf5c68d12f560a9fe3e4", "https://e.example www.e.example a@e.example",
    "<img src=x onerror=y> </code></li><script>a</script> <!--", "[in](https://e.example) ![p](https://e.example/p.png) [^1] [x]: https://e",
    "`", "``", "` `` ``` @octocat", "\\", "a\\|b", "a|b || c", "\\`@octocat\\`", "$`@octocat`$", ":smile: **b** _i_ ~~s~~ &lt;b&gt; &#64;octocat",
    "\n\n# head\n\n- [x] item\n\n| a |\n|---|\n", "\r\n/close\r/merge\u2028/approve\u0085x", "\u001b[2J\u0007\u009b\u202e\u2066\u200b\ufeff\U000e0041",
    "```\n@octocat\n```", "    @octocat", "> @octocat", " ` ", "e\u0301`\u0301|\u0301@octocat",
]
ALLOWED = {"h1", "h2", "h3", "p", "ul", "ol", "li", "input", "code", "table", "thead", "tbody", "tr", "th", "td", "strong", "blockquote", "pre"}


class Outside(HTMLParser):
    """A page's tags, and its text outside code."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.code, self.depth = [], "", "", 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.depth += tag in ("code", "pre")

    def handle_endtag(self, tag):
        self.depth -= tag in ("code", "pre")

    def handle_data(self, data):
        if self.depth:
            self.code += data
        else:
            self.text += data


class ReportMarkdownTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")

    def run_tool(self, *words):
        process = subprocess.run([os.environ["DAYBOOK_BINARY"], *words], cwd=self.folder, capture_output=True, check=False)
        return process.stdout.decode("utf-8") + (process.stderr.decode("utf-8") if not process.stdout else "")

    def prepare(self, live):
        text = f"{MARK} {live}"
        def record(tag, version, **more):
            return json.dumps({
                "kind": "event", "tag": tag, "message": text, "session": text, "attributes": {"title": text, text: text},
                "context": {"service.version": version, "app.installation.id": text}, **more}) + "\n"
        start = record("run.start", text, kind="run", attributes={
            "run": text, "checklist": "list", "scenario": "list", "tester": text, "build": text})
        self.write("App.swift", "FeedEvents.open()\n")
        self.write("a.ndjson", record("feed.open", text) * 2 + record(text, text) + record("feed.opem " + text, text))
        self.write("b.ndjson", record("feed.open", "2 " + text) + record("feed.close", text))
        self.write("run.ndjson", start + record("feed.open", text) * 2)
        self.write("list.md", "# list\n\n## list\n\n- [ ] feed.open exactly 1\n    - title = \"y\"\n- [ ] feed.opem\n- [ ] feed.open exactly 1 per title\n")
        self.write("personas.md", "# list\n\n| persona | service.version |\n|---|---|\n| free | free |\n\n## list\n\n- [ ] feed.open\n")
        self.write("fixture.json", json.dumps({"feed.open": [{"title": "y " + text.replace("\n", " ").replace("\r", " ")}]}))
        self.write("defs/feed.md", "# feed\n\n## open\n\nIt.\n\n- title: Kind\n    - `a`: It.\n\n## shut\n\nIt.\n")
        line = re.sub(r"[^ -~]", " ", text).replace("`", "'")
        self.write("changed/feed.md", f"# feed\n\n## open\n\nIt.\n\n- title: Kind\n    - `{line}`: It.\n")
        self.write("board.md", "# board\n\n```sql\nSELECT tag, message, session FROM records\n```\n\n```filter\ntag=a.b\n```\n")
        for name in ("s.sqlite", "s.sqlite-wal", "s.sqlite-shm"):
            (self.folder / name).unlink(missing_ok=True)
        for name in ("a.ndjson", "b.ndjson"):
            self.run_tool("import", "--store", "s.sqlite", name)

    # Every command that prints Markdown; the help texts are searched for more.
    REPORTS = {
        "verify": [
            ["--markdown", "--checklist", "list.md", "--events", "a.ndjson"],
            ["--markdown", "--checklist", "list.md", "--events", "run.ndjson", "--events", "b.ndjson"],
            ["--markdown", "--checklist", "personas.md", "--events", "a.ndjson", "--persona", "free", "--definitions", "defs"],
            ["--markdown", "--fixture", "fixture.json", "--events", "a.ndjson"],
            ["--markdown", "--fixture", "fixture.json", "--events", "a.ndjson", "--definitions", "defs"],
        ],
        "coverage": [["defs", "--sources", ".", "--events", "a.ndjson", "--store", "s.sqlite", "--markdown"]],
        "definitions diff": [["defs", "changed", "--format", "markdown"]],
        "funnel": [["feed.open -> feed.close", "--by", "version", "--store", "s.sqlite", "--format", "markdown"]],
        "retention": [["feed.open", "--store", "s.sqlite", "--format", "markdown"]],
        "path": [["feed.open", "--by", "version", "--store", "s.sqlite", "--format", "markdown"]],
        "count": [["feed.open", "--by", "version, title", "--store", "s.sqlite", "--format", "markdown"]],
        "measure": [["_duration of feed.open", "--by", "title", "--store", "s.sqlite", "--format", "markdown"]],
        "differ": [["feed.open from feed.**", "--by", "version, title", "--store", "s.sqlite", "--format", "markdown"]],
        "boards print": [["board.md", "--store", "s.sqlite", "--format", "markdown"]],
    }
    # No record's value is in these.
    EMPTY = {"retention", "measure"}

    def test_every_report_in_markdown_is_looked_at(self):
        names = re.findall(r"^  ([a-z ]+?) {2,}", self.run_tool("--help"), re.MULTILINE)
        self.assertGreater(len(names), 20)
        found = {name for name in names if "arkdown" in self.options(name)}
        self.assertEqual(found, set(self.REPORTS))

    def options(self, name):
        """The lines of a command's help about options."""
        text = self.run_tool(*name.split(), "--help")
        return "\n".join(line for line in text.split("\n") if "--markdown" in line or "--format" in line)

    def test_nothing_of_a_record_is_read_as_markdown(self):
        for live in LIVE:
            self.prepare(live)
            for command, lines in self.REPORTS.items():
                for words in lines:
                    with self.subTest(live=live, command=command, words=words):
                        self.look(self.run_tool(*command.split(), *words), command not in self.EMPTY)

    def look(self, report, has_values):
        html = cmarkgfm.markdown_to_html_with_extensions(report, Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES, EXTENSIONS)
        page = Outside(html)
        self.assertLessEqual(set(page.tags), ALLOWED, report)
        self.assertNotIn(MARK, page.text, report)
        # Nor a record's number.
        self.assertIsNone(re.search(r"#\d|@\w", page.text), report)
        if has_values:
            self.assertIn(MARK, page.code, report)
        for line in report.split("\n"):
            self.assertIsNone(re.search("[\x00-\x1f\x7f-\x9f\u200b\u202e\u2028\u2066\ufeff\U000e0041]", line), report)
        # No value ends its cell or line.
        self.assertEqual(page.tags.count("h1"), len(re.findall("^# ", report, re.MULTILINE)))
        self.assertNotIn("\n# head", report)
        bars = []
        for line in report.split("\n"):
            # Parsers disagree about backslashes before a bar: for each, a row has as many cells as its header.
            found = {len(re.findall(r"(?<!\\)\|", line)), len(re.findall(r"\|", re.sub(r"\\.", "", line)))}
            bars = bars + [found] if line.startswith("|") else []
            self.assertEqual([found] * len(bars), bars, report)
            self.assertLessEqual(len(found), 1, report)


if __name__ == "__main__":
    unittest.main()
