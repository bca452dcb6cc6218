"""A package outside the repository builds an app with the app-side products, and the app contains nothing else."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))
import architecture  # noqa: E402
import building  # noqa: E402

IS_MAC = sys.platform == "darwin"

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Consumer",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(name: "daybook", path: "ROOT")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ],
            exclude: ["LogDefinitions"],
            plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")])
    ],
    swiftLanguageModes: [.v6]
)
"""

DEFINITIONS = """# feed

## show_article

An article is shown.

- article_id: !integer
"""

MAIN = """import Daybook
import DaybookOTLP
import Foundation

let pipeline = try Pipeline(directory: URL(fileURLWithPath: CommandLine.arguments[1])) {
    Route("**", to: OTLPOutput(endpoint: URL(string: "http://127.0.0.1:9")!))
}
Log.install(pipeline)
Log("feed").post(Feed.showArticle(articleId: 42))
await pipeline.suspend()
print("pending:", await pipeline.ledgers()["otlp"]?.pending ?? 0)
"""


class ConsumerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for path, text in (
            ("Package.swift", MANIFEST.replace("ROOT", str(ROOT))),
            ("Sources/Consumer/LogDefinitions/feed.md", DEFINITIONS),
            ("Sources/Consumer/main.swift", MAIN),
        ):
            file = cls.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        cls.map = cls.folder / "link.map"
        cls.binary = building.binaries(*building.FLAGS, folder=cls.folder) / "Consumer"
        # Linked anew each time, to get its map.
        cls.binary.unlink(missing_ok=True)
        cls.command = [
            "swift", "build", "--product", "Consumer", *building.FLAGS,
            *(["-Xlinker", "-map", "-Xlinker", str(cls.map)] if IS_MAC else ["-Xlinker", f"-Map={cls.map}"])]
        cls.build = cls.built()

    @classmethod
    def built(cls):
        return subprocess.run(
            cls.command, cwd=cls.folder, capture_output=True, text=True, errors="replace",
            timeout=580)

    def setUp(self):
        self.assertEqual(self.build.returncode, 0, self.build.stdout[-4000:] + self.build.stderr[-4000:])

    def test_builds_without_warnings(self):
        text = self.build.stdout + self.build.stderr
        self.assertNotIn("warning:", text, text[-4000:])

    def test_program_names_no_library_of_server_or_database(self):
        self.assertEqual(architecture.links_c_library(self.binary, "sqlite3|microhttpd|pq|zstd"), [])
        # zlib must be found: a check that finds nothing at all would not notice the others either.
        self.assertEqual(len(architecture.links_c_library(self.binary)), 1)

    def test_link_map_holds_only_what_apps_link(self):
        modules = set(re.findall(r"/(\w+)\.build/", self.map.read_text(errors="replace")))
        linked = {"Consumer", "Daybook", "DaybookBase", "DaybookJournal", "DaybookOTLP", "CChecksum", "CThreads"}
        self.assertEqual(modules, linked if IS_MAC else {*linked, "DaybookCurl"})

    def test_program_logs_a_generated_event(self):
        done = subprocess.run(
            [self.binary, str(self.folder / "logs")], capture_output=True, text=True, timeout=180, check=True)
        self.assertEqual(done.stdout, "pending: 1\n")

    def test_the_build_follows_the_definitions(self):
        sources = self.folder / "Sources" / "Consumer"
        feed, added = sources / "LogDefinitions" / "feed.md", sources / "LogDefinitions" / "menu.md"
        use = sources / "Menu.swift"
        self.addCleanup(feed.write_text, DEFINITIONS, encoding="utf-8")
        for file in (added, use):
            self.addCleanup(file.unlink, missing_ok=True)

        feed.write_text(DEFINITIONS.replace("!integer", "!intger"), encoding="utf-8")
        broken = self.built()
        self.assertNotEqual(broken.returncode, 0)
        self.assertIn(
            "/feed.md:7:15: error: unknown type `!intger` (did you mean `!integer`?)", broken.stdout + broken.stderr)

        feed.write_text(DEFINITIONS + "- mood: Mood\n", encoding="utf-8")
        unknown = self.built()
        self.assertNotEqual(unknown.returncode, 0)
        self.assertRegex(unknown.stdout + unknown.stderr, r"/feed\.md:8:\d+: error: cannot find type 'Mood' in scope")

        feed.write_text(DEFINITIONS, encoding="utf-8")
        added.write_text("# menu\n\n## open\n", encoding="utf-8")
        use.write_text("func opened() -> Menu { .open }\n", encoding="utf-8")
        follows = self.built()
        self.assertEqual(follows.returncode, 0, follows.stdout[-4000:] + follows.stderr[-4000:])

        added.unlink()
        deleted = self.built()
        self.assertNotEqual(deleted.returncode, 0)
        self.assertIn("cannot find type 'Menu' in scope", deleted.stdout + deleted.stderr)


if __name__ == "__main__":
    unittest.main()
