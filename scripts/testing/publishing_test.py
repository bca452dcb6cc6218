"""What the Swift Package Index is told: it builds what apps link, and documents every library that it can build."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = (ROOT / "Package.swift").read_text(encoding="utf-8")
INDEX = (ROOT / ".spi.yml").read_text(encoding="utf-8")
# Needs libmicrohttpd, which the index's builders lack.
NOT_DOCUMENTED = {"DaybookHTTPServer"}
# No product of its own: it comes with `import Daybook`.
BASE = {"DaybookBase"}


def names(text):
    return re.findall(r"\w+", text)


def documented():
    return names(re.search(r"documentation_targets: \[([^]]+)\]", INDEX).group(1))


class PackageIndexTest(unittest.TestCase):
    def test_every_library_product_is_documented(self):
        products = re.findall(r'\.library\(\s*name: "\w+",\s*(?:type: \.\w+,\s*)?targets: \[([^]]+)\]', MANIFEST)
        self.assertEqual(len(products), MANIFEST.count(".library("))
        targets = {target for product in products for target in names(product)}
        self.assertGreater(len(targets), 10)
        self.assertEqual(set(documented()), targets - NOT_DOCUMENTED | BASE)
        self.assertEqual(len(documented()), len(set(documented())))

    def test_every_documented_library_has_its_landing_page(self):
        for name in documented():
            page = ROOT / "Sources" / name / f"{name}.docc" / f"{name}.md"
            self.assertTrue(page.read_text(encoding="utf-8").startswith(f"# ``{name}``\n\n"), name)
        catalogues = {file.stem for file in (ROOT / "Sources").glob("*/*.docc")}
        self.assertEqual(catalogues, set(documented()))

    def test_every_platform_builds_a_product_that_links_no_library_that_builders_lack(self):
        built = dict(re.findall(r"\{platform: ([\w-]+), (?:target|scheme): (\w+)\}", INDEX))
        self.assertEqual(set(built), {"linux", "macos-spm", "macos-xcodebuild", "ios", "tvos", "watchos", "visionos"})
        for name in set(built.values()):
            self.assertIn(f'.library(name: "{name}", targets: ["{name}"])', MANIFEST)
            self.assertEqual(reachable(name) & {"CMicroHTTPD", "CPostgreSQL", "CZstd", "CCrypto"}, set(), name)
        # SwiftPM builds a target, Xcode a scheme.
        kinds = set(re.findall(r"\{platform: ([\w-]+), (target|scheme):", INDEX))
        self.assertEqual({platform for platform, kind in kinds if kind == "target"}, {"linux", "macos-spm"})

    def test_libraries_that_builders_lack_are_told_apart(self):
        self.assertIn("CMicroHTTPD", reachable("DaybookHTTPServer"))
        self.assertIn("CPostgreSQL", reachable("DaybookCLI"))

    def test_index_reads_no_longer_file(self):
        self.assertLessEqual(len(INDEX.encode()), 1_000)


def reachable(target):
    """What a target links, itself and through others, on any platform: the targets that its declaration names."""
    declarations = dict(re.findall(
        r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "([\w-]+)"(.*?)(?=\n        \.|\n    \])', MANIFEST, re.DOTALL))
    found, waiting = set(), [target]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [word for word in re.findall(r'"([\w-]+)"', declarations[name]) if word in declarations]
    return found


if __name__ == "__main__":
    unittest.main()
