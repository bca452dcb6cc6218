"""The check for phones finds faults that only a phone's compiler sees, and reports file and line."""

import contextlib
import io
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import phone


@unittest.skipUnless(sys.platform == "linux", "the interfaces are those of a toolchain for Linux")
class PhoneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name).resolve()
        version = ".".join(map(str, phone.floor(phone.ROOT)))
        cls.phones = []
        for triple, flags in phone.CONFIGURATIONS:
            # Updates what earlier checks built; the tests' own modules go with their folder.
            kept = phone.Phone(triple.format(floor=version), flags)
            kept.prepare()
            shutil.copytree(
                kept.folder, cls.root / "kept" / kept.folder.name, ignore=shutil.ignore_patterns("cache"))
            cls.phones.append(phone.Phone(kept.triple, flags, cls.root, cls.root / "kept"))

    def complaints(self, text, phone=0):
        file = self.root / "Trial.swift"
        file.write_text(text, encoding="utf-8")
        return "\n".join(self.phones[phone].module("Trial", [file]))

    def test_code_for_phones_is_accepted(self):
        text = "import UIKit\n@MainActor func a() -> String { UIDevice.current.systemName }\n"
        self.assertEqual(self.complaints(text), "")

    def test_mistake_in_branch_for_phones_is_named_with_its_place(self):
        for condition in ("os(iOS)", "canImport(Darwin)", "canImport(ObjectiveC)", "canImport(UIKit)", "!os(Linux)"):
            text = f"#if {condition}\nfunc a() -> Int {{\n    \"b\"\n}}\n#endif\n"
            self.assertIn("Trial.swift:3:5: error: cannot convert return expression", self.complaints(text), condition)

    def test_branches_for_others_are_passed_over(self):
        for condition in ("os(Linux)", "os(macOS)", "canImport(Glibc)", "canImport(FoundationNetworking)", "DEBUG"):
            self.assertEqual(self.complaints(f"#if {condition}\nlet a: Int = \"b\"\n#endif\n"), "", condition)

    def test_simulator_and_debug_build_are_checked_too(self):
        text = "#if targetEnvironment(simulator) && DEBUG\nlet a: Int = \"b\"\n#endif\n"
        self.assertEqual(self.complaints(text), "")
        self.assertIn("Trial.swift:2:14: error", self.complaints(text, phone=1))

    def test_class_that_a_phone_lacks_is_found(self):
        text = "import Foundation\nlet a = Process()\n"
        self.assertIn("Trial.swift:2:9: error: cannot find 'Process' in scope", self.complaints(text))

    def test_symbol_newer_than_the_floor_is_found_unless_it_is_asked_for(self):
        text = "func a() {\n    let b: InlineArray<2, Int> = [1, 2]\n    _ = b.count\n}\n"
        self.assertIn("Trial.swift:2:12: error: 'InlineArray' is only available in iOS 26.0", self.complaints(text))
        self.assertEqual(self.complaints(f"@available(iOS 26, *)\n{text}"), "")

    def test_newer_symbol_of_a_framework_is_found(self):
        framework = self.root / "Framework.swift"
        framework.write_text("@available(iOS 26, *) public struct New { public init() {} }\n", encoding="utf-8")
        self.assertEqual(self.phones[0].module("Framework", [framework]), [])
        self.assertIn(
            "Trial.swift:3:5: error: 'New' is only available in iOS 26",
            self.complaints("import Framework\nfunc a() {\n    New()\n}\n"))

    def test_isolation_and_races_are_checked(self):
        text = "import UIKit\nfunc a() -> String { UIDevice.current.systemName }\n"
        self.assertIn("Trial.swift:2:39: error: main actor-isolated property", self.complaints(text))
        text = "final class A { var b = 0 }\n@MainActor func take(_ a: A) {}\n" \
            "func c() async {\n    let a = A()\n    await take(a)\n    a.b = 1\n}\n"
        self.assertIn("Trial.swift:5:11: error: sending 'a' risks causing data races", self.complaints(text))

    def test_what_no_stub_declares_is_an_error(self):
        text = "import UIKit\n@MainActor func a() { UIDevice.current.batteryHealth() }\n"
        self.assertIn("has no member 'batteryHealth'", self.complaints(text))

    def test_override_and_delegate_must_fit_objective_c(self):
        text = "import UIKit\nextension UIWindow {\n    open override func motionEnded(_ motion: Int) {}\n}\n"
        self.assertIn("Trial.swift:3:24: error: method does not override", self.complaints(text))

    def test_changed_source_is_compiled_again(self):
        self.assertEqual(self.complaints("let a = 1\n"), "")
        self.assertIn("Trial.swift:1:14: error", self.complaints("let a: Int = \"b\"\n"))
        self.assertIn("Trial.swift:1:14: error", self.complaints("let a: Int = \"b\"\n"))
        self.assertEqual(self.complaints("let a = 1\n"), "")

    def test_module_without_files_and_what_stands_on_a_broken_one_fail(self):
        one, other = self.root / "One.swift", self.root / "Other.swift"
        one.write_text("let a: Int = \"b\"\n", encoding="utf-8")
        other.write_text("import One\n", encoding="utf-8")
        check = phone.Check(self.root, {}, self.phones[0])
        self.assertEqual(check.complaints("None", []), ["there is nothing to check"])
        self.assertIn("One.swift:1:14: error", check.complaints("One", [one])[0])
        self.assertEqual(check.complaints("Other", [other]), ["not checked, for One does not compile"])

    def modules(self, root):
        """Module → its files, as the check of a repository has them."""
        generated = {name: root / f"{name}.swift" for name in ("page", "dictionary", "events", "examples")}
        return {name: files for name, files, _ in phone.Check(root, generated, self.phones[0]).modules()}

    def test_list_has_what_apps_and_their_tests_link(self):
        modules = self.modules(phone.ROOT)
        manifest = (phone.ROOT / "Package.swift").read_text(encoding="utf-8")
        products = set(re.findall(r'\.library\(name: "(\w+)"', manifest))
        # For Macs and servers: starting processes, and serving.
        elsewhere = {"DaybookProcesses", "DaybookHTTPServer"}
        self.assertEqual(products - set(modules), elsewhere & products)
        self.assertEqual([name for name, files in modules.items() if not files], [])
        names = {"RecipeBoxApp", "RecipeBoxAppGroup", "RecipeBoxAppTests", "RecipeBoxAppUITests", "DaybookFirebase"}
        self.assertLessEqual(names, set(modules))

    def test_sample_without_one_of_its_folders_has_nothing_to_check(self):
        sample = self.root / "repository" / "Examples" / "RecipeBoxApp"
        (sample / "Model").mkdir(parents=True)
        (sample / "Model" / "Model.swift").write_text("", encoding="utf-8")
        generated = {name: self.root / f"{name}.swift" for name in ("dictionary", "events")}
        check = phone.Check(self.root / "repository", generated, self.phones[0])
        files = {name: files for name, files, _ in check.sample()}
        self.assertEqual((files["RecipeBoxApp"], files["RecipeBoxAppTests"], files["RecipeBoxEvents"]), ([], [], []))

    def test_unit_tests_and_ui_tests_are_compiled(self):
        file = self.root / "Tests.swift"
        text = "import Testing\n@Suite struct A {\n    @Test func a() throws { #expect(try #require(b()) == 1) }\n" \
            "    func b() -> Int? { 1 }\n}\n"
        file.write_text(text, encoding="utf-8")
        self.assertEqual(self.phones[0].module("Tests", [file], phone.TEST_FLAGS), [])
        file.write_text(text.replace("Int? { 1 }", "Int? { \"\" }"), encoding="utf-8")
        self.assertIn("Tests.swift:4:24: error", self.phones[0].module("Tests", [file], phone.TEST_FLAGS)[0])
        text = "import XCTest\nfinal class A: XCTestCase {\n    func testA() { XCUIApplication().launch() }\n}\n"
        self.assertIn("Trial.swift:3:20: error", self.complaints(text))
        self.assertEqual(self.complaints(text.replace("func", "@MainActor func")), "")

    def test_mistake_in_c_is_found(self):
        file = self.root / "Mistake.c"
        text = "#include <stdlib.h>\n#if defined(__APPLE__)\nint a(void) { return b; }\n#endif\n"
        file.write_text(text, encoding="utf-8")
        self.assertIn("Mistake.c:3:22: error", self.phones[0].c_sources([file])[0])

    def test_each_module_is_counted(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            count = phone.told([("ios", "A", 2, []), ("ios", "B", 1, ["B.swift:1:1: error: it does not compile"])])
        self.assertEqual((count.passed, count.failed), (1, 1))
        self.assertIn("✓ A: 2 files\n✗ B: 1 files\n    B.swift:1:1: error", output.getvalue())


    def test_declarations_of_foundation_have_the_dates_of_the_toolchain(self):
        self.assertEqual(phone.wrong_dates(phone.foundation_dates(), self.phones[0].declared_dates()), [])


class PureTest(unittest.TestCase):
    def test_declaration_without_its_date_is_named(self):
        known = {"URL.appending(path:)": (16, 0), "Date.now": (15, 0), "Data": (8, 0), "Locale.Region": (16, 0)}
        declared = {"URL.appending(path:)": (14, 0), "Date.now": (15, 0), "Data": None, "Locale": None}
        self.assertEqual(
            phone.wrong_dates(known, declared), ["URL.appending(path:) came with iOS 16.0; its declaration says 14.0"])
        self.assertEqual(
            phone.wrong_dates({"A": (17, 4)}, {"A": None}), ["A came with iOS 17.4; its declaration says nothing"])

    def test_floor_is_what_the_package_says(self):
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "Package.swift"
            manifest.write_text("platforms: [.iOS(.v17_4), .macOS(.v14)],", encoding="utf-8")
            self.assertEqual(phone.floor(Path(folder)), (17, 4))
            manifest.write_text("platforms: [.macOS(.v14)],", encoding="utf-8")
            with self.assertRaises(RuntimeError):
                phone.floor(Path(folder))

    def test_modules_come_after_those_they_stand_on(self):
        self.assertEqual(phone.in_order({"A": {"C", "Foundation"}, "B": {"A"}, "C": set()}), ["C", "A", "B"])


if __name__ == "__main__":
    unittest.main()
