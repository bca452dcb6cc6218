"""The report of CI jobs, over a repository with a change, and that every template calls it with the variables it
reads."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from report_markdown_test import ALLOWED, EXTENSIONS, LIVE, Outside

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Integrations" / "CI"
SCRIPT = FOLDER / "daybook-report"
TEMPLATES = ["action.yml", "gitlab.yml", "circleci.yml", "bitrise.yml"]


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("LogDefinitions/feed.md", "# feed\n\nThe feed.\n\n## show\n\nIt came.\n\n- tab: !string 8\n    - Tab\n")
        self.write("daybook.json", "{}")
        self.write("App/Feed.swift", "log.post(Feed.show(tab: tab))\n")
        self.write("LogChecklists/feed.md", "## feed\n- [ ] feed.show\n")
        self.write("Fixtures/feed.json", '{"show": [{"tab": "home"}]}')
        self.write("recordings/feed.ndjson", '{"tag": "feed.show", "attributes": {"tab": "home"}}\n')
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", "one")

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.folder, check=True)

    def report(self, **variables):
        """The exit status, the report and standard error."""
        environment = {
            "PATH": os.environ["PATH"], "DAYBOOK": os.environ["DAYBOOK_BINARY"], "HOME": str(self.folder),
            "DEFINITIONS": "LogDefinitions", "BASE": "main", "EVENTS": "recordings", **variables,
        }
        process = subprocess.run([SCRIPT], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        file = self.folder / "daybook-report" / "report.md"
        return process.returncode, file.read_text(encoding="utf-8"), process.stderr

    def test_a_pull_request_is_told_all(self):
        summary = self.folder / "summary.md"
        status, report, errors = self.report(
            CHECKLISTS="LogChecklists", FIXTURES="Fixtures", GITHUB_STEP_SUMMARY=str(summary))
        self.assertEqual(status, 0, report + errors)
        self.assertIn("### Definitions", report)
        self.assertIn("- [x] feed.show", report)
        self.assertIn("- [x] Records of `show`: 1", report)
        self.assertIn("**1 of 1** events in use are called.", report)
        self.assertEqual(summary.read_text(encoding="utf-8"), report)
        for name in ("junit-checklists.xml", "junit-fixtures.xml"):
            self.assertIn('failures="0"', (self.folder / "daybook-report" / name).read_text(encoding="utf-8"))

    def test_what_breaks_fails_and_is_in_the_report(self):
        self.write("LogDefinitions/feed.md", "# feed\n\nThe feed.\n\n## shown\n\nIt came.\n\n- tab: !string 8\n    - Tab\n")
        status, report, _ = self.report(CHECKLISTS="LogChecklists")
        self.assertEqual(status, 2, report)  # the checklist names undefined events
        self.assertIn("feed.show", report)
        self.assertIn("no event `feed.show` is defined", report)
        status, report, _ = self.report(FIXTURES="Fixtures", DEFINITIONS="", BASE="")
        self.assertEqual(status, 0, report)
        self.write("recordings/feed.ndjson", '{"tag": "feed.show", "attributes": {"tab": "new"}}\n')
        status, report, _ = self.report(FIXTURES="Fixtures", DEFINITIONS="", BASE="")
        self.assertEqual(status, 1, report)
        self.assertIn('tab: expected "home", got "new"', report)
        self.assertIn("- [ ] `feed.shown` is not called", report)

    def test_nothing_of_a_record_is_alive_in_the_report(self):
        mark = "zqx"
        for live in LIVE:
            text = f"{mark} {live}"
            self.write("LogChecklists/feed.md", "# feed\n\n| persona | plan |\n|---|---|\n| free | free |\n\n## feed\n- [ ] feed.show\n")
            context, attributes = {"plan": text}, {"tab": text}
            run = {"run": "1", "checklist": "feed", "scenario": "feed", "persona": "free", "tester": text, "build": text}
            lines = [
                {"kind": "run", "tag": "run.start", "attributes": run, text: 1},
                {"tag": "feed.show", "attributes": attributes, "context": context, text: 1, "`" * 9 + text: 1},
                {"tag": "feed." + text, "attributes": attributes, "context": context},
            ]
            self.write("recordings/feed.ndjson", "".join(json.dumps(line) + "\n" for line in lines))
            self.write("more/feed.ndjson", "".join(json.dumps(line) + "\n" for line in lines) + mark + "`" * 5 + live)
            for events in ["recordings", "more"]:
                with self.subTest(live=live, events=events):
                    status, report, errors = self.report(CHECKLISTS="LogChecklists", FIXTURES="Fixtures", BASE="", EVENTS=events)
                    self.assertEqual(status, 1 if events == "recordings" else 2, report + errors)
                    html = cmarkgfm.markdown_to_html_with_extensions(
                        report, Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES, EXTENSIONS)
                    page = Outside(html)
                    self.assertLessEqual(set(page.tags), ALLOWED, report)
                    self.assertNotIn(mark, page.text, report)
                    self.assertIsNone(re.search(r"#\d|@\w", page.text), report)
                    # Problems of a whole scenario are in the report as in the verdict.
                    if events == "recordings":
                        self.assertIn(mark, page.code, report)
                        self.assertIn("the records are not of persona", page.code, report)
                        self.assertIn("members are not read", page.code, report)

    def test_a_recording_that_is_not_there_is_an_error(self):
        (self.folder / "recordings" / "feed.ndjson").unlink()
        status, report, errors = self.report(FIXTURES="Fixtures", BASE="")
        self.assertEqual(status, 2)
        self.assertIn("has no recording", report)
        self.assertIn("has no recording", errors)


class TemplatesTest(unittest.TestCase):
    def test_every_template_calls_the_script_with_what_it_reads(self):
        script = SCRIPT.read_text(encoding="utf-8")
        known = set(re.findall(r"^#   ([A-Z_]+) ", script, re.MULTILINE))
        self.assertEqual(len(known), 8)
        for variable in known:
            self.assertIn("${" + variable, script, variable)
        for name in TEMPLATES:
            text = (FOLDER / name).read_text(encoding="utf-8")
            self.assertRegex(text, r"daybook-report\b", name)
            given = set(re.findall(r"^\s+([A-Z_]+): ", text, re.MULTILINE)) | set(re.findall(r"\b([A-Z_]+)=", text))
            given -= {"PROGRAM", "PKG_CONFIG_PATH", "GH_TOKEN", "NUMBER", "GIT_DEPTH"}
            self.assertTrue(given, name)
            self.assertLessEqual(given, known, name)

    def test_the_steps_of_the_action_are_shell(self):
        text = (FOLDER / "action.yml").read_text(encoding="utf-8")
        for block in re.findall(r"run: \|\n((?:        .*\n)+)", text):
            subprocess.run(["bash", "-n", "-c", block], check=True)
        subprocess.run(["bash", "-n", SCRIPT], check=True)


if __name__ == "__main__":
    unittest.main()
