"""Checks the documentation site's sources without building it, and that nothing a document names is gone."""

import functools
import importlib.machinery
import importlib.util
import re
import tempfile
import unittest
from pathlib import Path

import examples

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"),
    *(file for folder in ("Examples", "Integrations") for file in (ROOT / folder).rglob("README.md")
      if ".build" not in file.parts)]
loader = importlib.machinery.SourceFileLoader("docs", str(ROOT / "scripts" / "docs"))
docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs", loader))
loader.exec_module(docs)


def prose(file):
    """(number, line) of a document's lines outside code blocks, without inline code."""
    is_code = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"`[^`]*`", "", line)


@functools.cache
def anchors(file):
    """The anchors of a document's headings, as code hosts make them."""
    found, is_code = set(), False
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and (match := re.match(r"#{1,6}\s+(.*)", line)):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).strip().lower()
            name = base = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            count = 0
            while name in found:
                count += 1
                name = f"{base}-{count}"
            found.add(name)
    return found


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

    def test_every_file_that_a_document_names_is_there(self):
        path = re.compile(
            r"(?<![\w/.-])((?:Sources|Tests|scripts|docs|Plugins|Examples|Benchmarks|Integrations)/[\w./+-]*[\w/])")
        # A value in a sample answer, and a reader's own file.
        samples = {"Sources/Feed.swift", "Sources/App/main.swift"}
        stale, named = [], 0
        for file in DOCUMENTS:
            # A changelog may name what has changed since.
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

    def test_every_heading_that_a_link_leads_to_is_there(self):
        stale, named = [], 0
        for file in DOCUMENTS:
            for number, line in prose(file):
                for target in re.findall(r"\]\(([^)\s:]*#[^)\s]+)\)", line):
                    name, _, anchor = target.partition("#")
                    document = file.parent / name if name else file
                    named += 1
                    if not document.exists() or document.suffix == ".md" and anchor not in anchors(document):
                        stale.append(f"{file.relative_to(ROOT)}:{number}: {target}")
        self.assertEqual(stale, [])
        self.assertGreater(named, 80)

    def test_every_decision_that_a_link_names_has_its_number(self):
        wrong, named = [], 0
        for file in DOCUMENTS:
            for number, line in prose(file):
                # "decision 61", "decisions 3, 14"; among the decisions a bare number.
                for text, target in re.findall(r"\[(?:decision )?(\d+)\]\([^)]*?(\d{4})-[\w-]+\.md[^)]*\)", line):
                    named += 1
                    if int(text) != int(target):
                        wrong.append(f"{file.relative_to(ROOT)}:{number}: {text} leads to {target}")
        self.assertEqual(wrong, [])
        self.assertGreater(named, 20)

    def test_every_target_of_make_that_a_document_names_is_there(self):
        declared = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        stale, named = [], 0
        for file in DOCUMENTS:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                for target in re.findall(r"(?:`|^\$ |^)make ([a-z][a-z-]+)", line):
                    named += 1
                    if target not in declared:
                        stale.append(f"{file.relative_to(ROOT)}:{number}: make {target}")
        self.assertEqual(stale, [])
        self.assertGreater(named, 20)

    def test_every_name_of_daybook_that_a_document_uses_is_in_the_sources(self):
        """Environment variables, metrics, and other names like `daybook_…`."""
        sources = "".join(
            file.read_text(encoding="utf-8") for folder in ("Sources", "Integrations", "Tests", "deploy", "scripts", "Examples")
            for file in (ROOT / folder).rglob("*")
            if file.suffix in (".swift", ".py", ".js", ".sh", ".yml", "") and file.is_file() and ".build" not in file.parts
            and file.stat().st_size < 1_000_000)
        # `daybook serve` derives its variables from its options; a role that operators create.
        made = {
            "DAYBOOK_" + name.upper().replace("-", "_") for name in re.findall(r'\.(?:value|flag)\(\s*"([\w-]+)"', sources)}
        allowed = made | {"daybook_sql"}
        stale, named = [], 0
        for file in DOCUMENTS:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                for name in re.findall(r"\b(DAYBOOK_[A-Z_]*[A-Z]|daybook_[a-z_]*[a-z])\b", line):
                    named += 1
                    if name not in allowed and name not in sources:
                        stale.append(f"{file.relative_to(ROOT)}:{number}: {name}")
        self.assertEqual(stale, [])
        self.assertGreater(named, 50)

    def test_every_long_run_and_fuzz_target_is_in_the_document_of_promises(self):
        text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
        rows = dict(re.findall(r"^\| `([a-z-]+)([^|]*\|[^|]*)\|", text, re.MULTILINE))
        program = (ROOT / "Benchmarks" / "Reliability" / "ReliabilityCommand.swift").read_text(encoding="utf-8")
        commands = re.findall(r'"([a-z-]+)": \("', program)
        self.assertGreater(len(commands), 8)
        self.assertEqual(sorted(rows), sorted(commands))
        targets = [
            name for file in (ROOT / "Tests" / "Support" / "DaybookFuzzing").glob("*.swift")
            for name in re.findall(r'FuzzTarget\(\s*"([a-z-]+)"', file.read_text(encoding="utf-8"))]
        self.assertGreater(len(targets), 8)
        self.assertEqual([name for name in targets if f"`{name}`" not in rows["fuzz"]], [])

    def test_documents_name_the_versions_that_the_package_has(self):
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        tools = re.search(r"swift-tools-version: (\S+)", manifest).group(1)
        oldest = dict(re.findall(r"\.(\w+OS)\(\.v(\d+)\)", manifest))
        self.assertEqual(len(oldest), 5)
        for name in ("CONTRIBUTING.md", "docs/guides/operate.md", "scripts/setup"):
            self.assertIn(f"Swift {tools} or later", (ROOT / name).read_text(encoding="utf-8"))
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for text in (f"Swift {tools} or later", f"swift-tools-version: {tools}",
                     f".iOS(.v{oldest['iOS']}), .macOS(.v{oldest['macOS']})"):
            self.assertIn(text, readme)
        guide = (ROOT / "docs" / "guides" / "apple.md").read_text(encoding="utf-8")
        changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        for system, version in oldest.items():
            for document in (readme, guide, changes):
                self.assertIn(f"{system} {version}", document)

    def test_code_for_apps_imports_nothing_newer_than_the_oldest_ios(self):
        """`Synchronization` came with iOS 18; the compiler on Linux does not know what a phone lacks."""
        wrong, blocks = [], 0
        for file in [ROOT / "README.md", *(ROOT / "docs" / "guides").glob("*.md")]:
            for code in re.findall(r"^```swift\n(.*?)^```", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
                blocks += 1
                if "import Synchronization" in code:
                    wrong.append(file.name)
        self.assertEqual(wrong, [])
        self.assertGreater(blocks, 50)

    def test_symbols_that_comments_and_landing_pages_link_to_are_of_their_own_module(self):
        """A link to another module's symbol makes `make docs` fail."""
        wrong, links = [], 0
        for module in docs.MODULES:
            files = {file: file.read_text(encoding="utf-8") for file in (ROOT / "Sources" / module).rglob("*.swift")}
            types = set(re.findall(
                r"\b(?:class|struct|enum|protocol|typealias|extension|actor|case) (\w+)", "\n".join(files.values())))
            for file, text in files.items():
                # Only public declarations have a page.
                for comment in re.findall(r"((?:^ *///.*\n)+)(?:^ *@.*\n)*^.*\bpublic\b", text, re.MULTILINE):
                    for name in re.findall(r"``([A-Z]\w*)[^`]*``", comment):
                        links += 1
                        if name not in types:
                            wrong.append(f"{file.relative_to(ROOT)}: {name}")
            page = (ROOT / "Sources" / module / f"{module}.docc" / f"{module}.md").read_text(encoding="utf-8")
            for name in re.findall(r"^- ``(\w+)``$", page, re.MULTILINE):
                links += 1
                if name not in types:
                    wrong.append(f"{module}.docc: {name}")
        self.assertEqual(wrong, [])
        self.assertGreater(links, 150)

    def test_the_version_stands_in_one_place(self):
        constant = ROOT / "Sources" / "Daybook" / "Release.swift"
        version = re.search(r'version = "([^"]+)"', constant.read_text(encoding="utf-8")).group(1)
        self.assertRegex(version, r"^\d+\.\d+\.\d+")
        others = [
            str(file.relative_to(ROOT)) for folder in ("Sources", "Plugins", "deploy", "scripts")
            for file in (ROOT / folder).rglob("*") if file.is_file() and file != constant and "__pycache__" not in file.parts
            and re.search(rf"daybook[/ ]v?{re.escape(version)}", file.read_text(encoding="utf-8", errors="ignore"))]
        self.assertEqual(others, [])

    def test_every_initialiser_that_apps_call_has_an_example(self):
        missing = [
            f"{file}:{line}" for module in [*examples.CLIENT, *examples.INSPECTOR_FILES]
            for file, line, found in examples.initialisers(ROOT, module)
            if not found and (module in examples.CLIENT or str(file.relative_to(Path("Sources", module)))
                              in examples.INSPECTOR_FILES[module])]
        self.assertEqual(missing, [])

    def test_a_missing_example_is_noticed_and_one_that_is_there_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "Sources" / "A" / "B.swift"
            file.parent.mkdir(parents=True)
            file.write_text(
                "/// One.\npublic init(a: Int) {}\n\n/// Two.\n///\n/// ```swift\n/// B(b: 1)\n/// ```\n@inlinable\n"
                "public init?(b: Int) {}\n\npublic init(integerLiteral value: Int) {}\n")
            self.assertEqual(
                [(line, found) for _, line, found in examples.initialisers(Path(folder), "A")],
                [(2, []), (10, [(7, "B(b: 1)")])])
            text = examples.source(Path(folder), ["A"])
            self.assertIn('#sourceLocation(file: "Sources/A/B.swift", line: 7)\nB(b: 1)\n', text)

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
