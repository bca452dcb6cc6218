"""What the documentation site is made of, without building it: every document has its group and its page."""

import importlib.machinery
import importlib.util
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("docs", str(ROOT / "scripts" / "docs"))
docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs", loader))
loader.exec_module(docs)


def declared_tests():
    """Each Swift test as `File.test`, each Python test by its name, each file of the page's unit tests."""
    found = set()
    for folder in ("Tests", "Examples", "Integrations", "scripts"):
        for file in (ROOT / folder).rglob("*"):
            if ".build" in file.parts or file.suffix not in (".swift", ".py", ".mjs"):
                continue
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".swift":
                names = re.findall(r"@Test(?:(?!@Test).)*?\bfunc (\w+)\(", text, re.DOTALL)
                found.update(f"{file.stem}.{name}" for name in names)
            elif file.suffix == ".py":
                found.update(re.findall(r"def (test_\w+)\(", text))
            elif file.name.endswith(".test.mjs"):
                found.add(file.name)
    return found


class DocsTest(unittest.TestCase):
    def test_every_document_has_a_group_and_every_group_its_documents(self):
        found = docs.documents()
        self.assertEqual({name for names in docs.GROUPS.values() for name in names}, set(found))

    def test_no_two_documents_share_a_page(self):
        names = [docs.page_name(file) for file in docs.documents().values()]
        self.assertEqual(len(names), len(set(names)))

    def test_links_between_documents_become_links_between_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.md"
            file.write_text(
                "# A\n\nLike [B](https://b.example) and [the pipeline](pipeline.md).\n\n"
                "See [B](https://b.example), [tests](../testing.md#faults), [licence](../LICENSE), [above](#a).\n")
            found = {"pipeline": Path("docs/guides/pipeline.md"), "testing": Path("docs/guides/testing.md")}
            self.assertEqual(
                docs.page(file, found),
                "# A\n\nLike B and [the pipeline](doc:guide-pipeline).\n\n"
                "See [B](https://b.example), [tests](doc:guide-testing), licence, above.\n")

    def test_pages_of_figures_and_the_indexes_of_folders_have_names_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "decisions" / "0001-a.md"
            file.parent.mkdir()
            file.write_text(
                "# 1. A\n\n[All](README.md), [2](0002-b.md), [the guide](../guides/delivery.md), "
                "[figures](../benchmarks/delivery.md#a), [more](../benchmarks/README.md), [us](../../README.md#a).\n")
            found = {
                "decisions": Path("docs/decisions/README.md"), "0002-b": Path("docs/decisions/0002-b.md"),
                "delivery": Path("docs/guides/delivery.md"), "benchmarks": Path("docs/benchmarks/README.md"),
                "benchmarks/delivery": Path("docs/benchmarks/delivery.md"),
            }
            self.assertEqual(
                docs.page(file, found),
                "# 1. A\n\n[All](doc:about-decisions), [2](doc:decision-0002-b), [the guide](doc:guide-delivery), "
                "[figures](doc:benchmark-delivery), [more](doc:about-benchmarks), us.\n")

    def test_every_decision_has_its_sections_and_its_row(self):
        folder = ROOT / "docs" / "decisions"
        index = (folder / "README.md").read_text(encoding="utf-8")
        files = sorted(folder.glob("[0-9]*.md"))
        self.assertEqual([int(file.name[:4]) for file in files], list(range(1, len(files) + 1)))
        for file in files:
            text = file.read_text(encoding="utf-8")
            title = text.splitlines()[0].removeprefix("# ")
            self.assertTrue(title.startswith(f"{int(file.name[:4])}. "), title)
            self.assertRegex(text, r"\n\nStatus: (Accepted|Superseded by \d+), \d{4}-\d\d-\d\d")
            for heading in ("Context", "Decision", "Consequences"):
                self.assertIn(f"\n## {heading}\n", text, file.name)
            self.assertIn(f"| [{title}]({file.name}) |", index)

    def test_every_module_has_its_summary(self):
        with tempfile.TemporaryDirectory() as folder:
            for module in docs.MODULES:
                if module != "Daybook":
                    docs.summary(Path(folder) / module, module)
                    text = (Path(folder) / module / f"{module}.md").read_text(encoding="utf-8")
                    self.assertTrue(text.startswith(f"# ``{module}``\n\n"), text)

    def test_every_file_that_a_document_names_is_there(self):
        path = re.compile(
            r"(?<![\w/.-])((?:Sources|Tests|scripts|docs|Plugins|Examples|Benchmarks|Integrations)/[\w./+-]*[\w/])")
        # A value in an example of an answer.
        samples = {"Sources/Feed.swift"}
        stale, named = [], 0
        for file in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
            # What has changed since is what a changelog is for.
            if file.name == "CHANGELOG.md":
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                for name in set(path.findall(line)) - samples:
                    named += 1
                    if not (ROOT / name).exists() and not (file.parent / name).exists():
                        stale.append(f"{file.relative_to(ROOT)}:{number}: {name}")
        self.assertEqual(stale, [])
        self.assertGreater(named, 30)

    def test_every_test_that_a_document_names_is_there(self):
        declared = declared_tests()
        stale, named = [], 0
        for file in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                for name in re.findall(r"`(\w+Tests\.\w+|test_\w+|[\w-]+\.test\.mjs)`", line):
                    named += 1
                    if name not in declared:
                        stale.append(f"{file.relative_to(ROOT)}:{number}: {name}")
        self.assertEqual(stale, [])
        self.assertGreater(named, 150)

    def test_the_five_documents_have_105_points_each_shown_or_not_yet_there(self):
        text = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (\d+) \| (.+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
        self.assertEqual([int(number) for number, *_ in rows], list(range(1, 106)))
        for number, _, here, shown in rows:
            self.assertTrue("`" in shown or "*Not yet*" in here, f"nothing shows {number}")

    def test_way_of_a_record_names_files_that_declare_what_it_says(self):
        steps = re.findall(
            r"^(\d+)\. `([^`]+)`: (?:`(\w+)`)?", (ROOT / "docs" / "record-path.md").read_text(encoding="utf-8"),
            re.MULTILINE)
        self.assertEqual([int(number) for number, _, _ in steps], list(range(1, len(steps) + 1)))
        self.assertTrue(30 <= len(steps) <= 45, len(steps))
        self.assertEqual(len({file for _, file, _ in steps}), len(steps))
        for _, name, symbol in steps:
            text = (ROOT / name).read_text(encoding="utf-8")
            if symbol:
                declaration = rf"\b(?:func|class|struct|enum|protocol|extension)\s+{symbol}\b"
                self.assertRegex(text, declaration, f"{name} does not declare {symbol}")


if __name__ == "__main__":
    unittest.main()
