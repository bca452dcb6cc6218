"""The check of platforms finds what is newer than the floor and what iOS lacks, and nothing behind a condition."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import platforms

NEWER = "s:15Synchronization5MutexV"
PROCESS = "s:10Foundation7ProcessC"


class PlatformsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def complaints(self, text, line, usr=NEWER, name="Mutex"):
        file = self.root / "A.swift"
        file.write_text(text, encoding="utf-8")
        return platforms.complaints([("A", str(file), line, usr, name)], {NEWER: (18, 0)}, self.root, (16, 0))

    def test_newer_symbol_is_named_with_its_place(self):
        self.assertEqual(
            self.complaints("let a = Mutex(0)\n", 1), ["A.swift:1: Mutex came with iOS 18.0; the floor is 16.0"])

    def test_symbol_behind_its_condition_is_allowed(self):
        for text, line in (
            ("@available(iOS 18, macOS 15, *)\nfinal class A {\n    let a = Mutex(0)\n}\n", 3),
            ("func a() {\n    if #available(iOS 18, *) {\n        let a = Mutex(0)\n    }\n}\n", 3),
            ("@available(iOS 18, macOS 15, *)\nlet a = Mutex(0)\n", 2),
        ):
            self.assertEqual(self.complaints(text, line), [], text)

    def test_condition_ends_with_its_block_and_must_suffice(self):
        for text, line in (
            ("@available(iOS 18, *)\nclass A {\n}\nlet a = Mutex(0)\n", 4),
            ("func a() {\n    if #available(iOS 18, *) {\n    } else {\n        let a = Mutex(0)\n    }\n}\n", 4),
            ("@available(iOS 17, *)\nclass A {\n    let a = Mutex(0)\n}\n", 3),
        ):
            self.assertEqual(len(self.complaints(text, line)), 1, text)

    def test_class_that_ios_lacks_is_found_but_not_in_a_branch_for_others(self):
        self.assertEqual(self.complaints("let a = Process()\n", 1, PROCESS, "Process"), ["A.swift:1: iOS has no Process"])
        text = "#if os(macOS) || os(Linux)\nlet a = Process()\n#else\nlet b = Process()\n#endif\nlet c = Process()\n"
        self.assertEqual(self.complaints(text, 2, PROCESS, "Process"), [])
        self.assertEqual(len(self.complaints(text, 4, PROCESS, "Process")), 1)
        self.assertEqual(len(self.complaints(text, 6, PROCESS, "Process")), 1)

    def test_floor_is_what_the_package_says(self):
        (self.root / "Package.swift").write_text("platforms: [.iOS(.v17_4), .macOS(.v14)],", encoding="utf-8")
        self.assertEqual(platforms.floor(self.root), (17, 4))
        self.assertGreaterEqual(platforms.floor(platforms.ROOT), (16, 0))

    def test_team_type_of_the_same_name_is_not_meant(self):
        self.assertEqual(self.complaints("let a = Process()\n", 1, "s:3App7ProcessV", "Process"), [])

    def test_deliberate_uses_in_a_real_build_are_found(self):
        if shutil.which("swiftc") is None or not (platforms.toolchain() / "lib" / "libIndexStore.so").exists():
            self.skipTest("there is no toolchain with an index library here")
        source = self.root / "Use.swift"
        source.write_text(
            "import Foundation\nimport Synchronization\n\nlet word = Atomic(1)\nlet tool = Process()\n"
            "if #available(iOS 18, *) { print(Atomic(2).load(ordering: .relaxed)) }\n", encoding="utf-8")
        subprocess.run(
            ["swiftc", "-c", "-module-name", "Use", "-index-store-path", "index", "-o", "Use.o", str(source)],
            cwd=self.root, check=True, capture_output=True)
        uses = list(platforms.Index(self.root / "index").uses({"Use"}))
        found = platforms.complaints(uses, platforms.introduced(), self.root, (16, 0))
        self.assertTrue(any(each.startswith("Use.swift:4: Atomic came with iOS 18.0") for each in found), found)
        self.assertIn("Use.swift:5: iOS has no Process", found)
        self.assertFalse(any(each.startswith("Use.swift:6") for each in found), found)


if __name__ == "__main__":
    unittest.main()
