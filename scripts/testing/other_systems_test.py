"""The check for Android and musl finds faults that only their SDKs would see, and reports file and line."""

import sys
import tempfile
import unittest
from pathlib import Path

import apple
import apple_sdk
import architecture
import other_systems

LIBRARY = """#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif
"""


@unittest.skipUnless(sys.platform == "linux", "the modules are those of a toolchain for Linux")
class OtherSystemsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name).resolve()
        cls.systems = {name: other_systems.System(name, cls.root, cls.root / "kept") for name in other_systems.SYSTEMS}
        for system in cls.systems.values():
            system.prepare()

    def complaints(self, text, system):
        file = self.root / "Trial.swift"
        file.write_text(text, encoding="utf-8")
        return "\n".join(self.systems[system].module("Trial", [file]))

    def test_c_library_by_the_house_style_is_accepted(self):
        uses = "import Foundation\nimport Synchronization\n" \
            "func a() -> Int32 { var b = stat()\nreturn fstat(1, &b) == 0 ? errno : SOCK_STREAM }\n" \
            "let c = URL(fileURLWithPath: String(cString: strerror(EINTR))).path\n"
        for system in self.systems:
            self.assertEqual(self.complaints(LIBRARY + uses, system), "", system)

    def test_glibc_cannot_be_imported(self):
        for system, other in (("Android", "Musl"), ("musl", "Android")):
            for name in ("Glibc", "Darwin", other):
                self.assertIn(f"Trial.swift:1:8: error: no such module '{name}'", self.complaints(f"import {name}\n", system))
            without = LIBRARY.replace(f"canImport({self.systems[system].library})", "os(Windows)")
            self.assertIn("Trial.swift:8:12: error: no such module 'Glibc'", self.complaints(without, system))

    def test_mistake_in_each_systems_branch_is_named_with_its_place(self):
        taken = {
            "Android": ["os(Android)", "canImport(Android)", "canImport(FoundationNetworking)", "!os(Linux)"],
            "musl": ["os(Linux)", "canImport(Musl)", "canImport(FoundationNetworking)", "!canImport(Glibc)"],
        }
        passed = {
            "Android": ["os(Linux)", "canImport(Glibc)", "canImport(Musl)", "canImport(Darwin)", "os(iOS)"],
            "musl": ["os(Android)", "canImport(Glibc)", "canImport(Android)", "canImport(Darwin)", "os(macOS)"],
        }
        for system in self.systems:
            for each in taken[system]:
                found = self.complaints(f"#if {each}\nlet a: Int = \"b\"\n#endif\n", system)
                self.assertIn("Trial.swift:2:14: error: cannot convert value", found, f"{system}: {each}")
            for each in passed[system]:
                self.assertEqual(self.complaints(f"#if {each}\nlet a: Int = \"b\"\n#endif\n", system), "", f"{system}: {each}")

    def test_types_of_glibc_alone_are_found(self):
        for uses in (
            "let a = Int32(SOCK_STREAM.rawValue)", "func a() { setpriority(__priority_which_t(0), 0, 1) }",
            "func a(_ b: __rlimit_resource_t) {}", "let a = Glibc.errno",
        ):
            for system in self.systems:
                self.assertIn("Trial.swift:10:", self.complaints(f"{LIBRARY}{uses}\n", system), f"{system}: {uses}")

    def test_mistake_in_c_is_found(self):
        file = self.root / "Mistake.c"
        text = "#define _GNU_SOURCE\n#include <spawn.h>\n" \
            "int a(posix_spawn_file_actions_t *b) { return posix_spawn_file_actions_addclosefrom_np(b, 3); }\n"
        for system in self.systems.values():
            file.write_text(text, encoding="utf-8")
            self.assertIn("Mistake.c:3:47: error", system.c_sources([file])[0])
            file.write_text(text.replace("addclosefrom_np(b, 3)", "destroy(b)"), encoding="utf-8")
            self.assertEqual(system.c_sources([file]), [])

    def test_list_has_what_apps_link_and_for_musl_all_of_ours(self):
        targets = apple.package_targets(apple_sdk.ROOT, apple.manifest(apple_sdk.ROOT))
        ours = {folder.name.replace("-", "_") for folder in (apple_sdk.ROOT / "Sources").iterdir() if list(folder.rglob("*.swift"))}
        for name, wanted in (("Android", architecture.LINKED_BY_APPS), ("musl", ours)):
            check = other_systems.Check(apple_sdk.ROOT, {"page": self.root / "page.swift"}, targets, self.systems[name])
            found = {module: files for module, files, _ in check.modules()}
            self.assertEqual({module for module, files in found.items() if files[0].suffix == ".swift"}, set(wanted))
            self.assertLessEqual({"CChecksum", "CStoreFile", "CThreads"}, set(found))

    def test_functions_are_compiled_where_systems_can_differ(self):
        file = self.root / "Trial.swift"
        for condition, where in (("os(Linux)", ["Android", "musl"]), ("canImport(Darwin)", ["musl"]), ("DEBUG", [])):
            file.write_text(f"func a() {{ let b: Int = \"\" }}\n#if {condition}\n#endif\n", encoding="utf-8")
            for name, system in self.systems.items():
                check = other_systems.Check(self.root, {}, {}, system)
                check.modules = lambda: [("Trial", [file], [])]
                found = [complaints for *_, complaints in check.rows() if complaints]
                self.assertEqual(bool(found), name in where, f"{name}: {condition}")

    def test_changed_headers_are_copied_again(self):
        system = self.systems["musl"]
        made = system.frameworks / "Musl.swiftmodule"
        before = made.stat().st_mtime_ns
        system.prepare()
        self.assertEqual(made.stat().st_mtime_ns, before)
        system.headers = "others"
        system.prepare()
        self.assertGreater(made.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
