"""The check for Apple's platforms finds faults that only their compilers see, and reports file and line."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import apple
import apple_sdk
import apple_sizes
from apple import CONFIGURATIONS

# One per triple, and the debug build for a phone's simulator.
CHECKED = [each for each in CONFIGURATIONS if not each.flags or "simulator" in each.triple]
PLATFORMS = {each.platform for each in CONFIGURATIONS}


@unittest.skipUnless(sys.platform == "linux", "the interfaces are those of a toolchain for Linux")
class AppleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name).resolve()
        cls.manifest = apple.manifest(apple_sdk.ROOT)
        oldest = apple.floors(cls.manifest)
        cls.sdks = {}
        for each in CHECKED:
            # Updates what earlier checks built; the tests' own modules go with their folder.
            triple = each.full_triple(oldest[each.platform])
            kept = apple_sdk.SDK(each.platform, triple, each.flags)
            kept.prepare()
            shutil.copytree(
                kept.folder, cls.root / "kept" / kept.folder.name, ignore=shutil.ignore_patterns("cache", "modules*"))
            cls.sdks[each.triple.removeprefix("arm64-apple-")] = apple_sdk.SDK(
                each.platform, triple, each.flags, cls.root, cls.root / "kept")

    def complaints(self, text, sdk="ios"):
        file = self.root / "Trial.swift"
        file.write_text(text, encoding="utf-8")
        return "\n".join(self.sdks[sdk].module("Trial", [file]))

    def test_code_for_each_platform_is_accepted(self):
        uikit = "import UIKit\n@MainActor func a() -> String { UIDevice.current.systemName }\n"
        appkit = "import AppKit\n@MainActor func a() { NSWorkspace.shared.open(URL(fileURLWithPath: \"\")) }\n"
        foundation = "import Foundation\nlet a = ProcessInfo.processInfo.operatingSystemVersion\n"
        texts = {"macosx": appkit, "watchos": foundation, "arm64_32-apple-watchos": foundation}
        for sdk in self.sdks:
            self.assertEqual(self.complaints(texts.get(sdk, uikit), sdk), "", sdk)

    def test_mistake_in_each_platforms_branch_is_named_with_its_place(self):
        systems = {"macosx": "macOS", "ios": "iOS", "ios-simulator": "iOS", "tvos": "tvOS", "xros": "visionOS"}
        apples = ["canImport(Darwin)", "canImport(ObjectiveC)", "canImport(SwiftUI)", "!os(Linux)"]
        others = ["canImport(Glibc)", "canImport(Musl)", "canImport(Android)", "canImport(FoundationNetworking)"]
        for sdk in self.sdks:
            own = systems.get(sdk, "watchOS")
            taken = [f"os({own})", *apples, "canImport(AppKit)" if own == "macOS" else "canImport(UIKit)"]
            taken += ["canImport(WebKit)"] if own in ("macOS", "iOS", "visionOS") else []
            text = "\n".join(f"#if {each}\nlet a{number}: Int = \"b\"\n#endif" for number, each in enumerate(taken)) + "\n"
            found = self.complaints(text, sdk)
            for number, each in enumerate(taken):
                self.assertIn(f"Trial.swift:{3 * number + 2}:{15}: error: cannot convert value", found, f"{sdk}: {each}")
            passed = [*others, "os(Linux)", *(f"os({each})" for each in sorted(PLATFORMS) if each != own)]
            passed += ["canImport(UIKit)"] if own == "macOS" else ["canImport(AppKit)"]
            passed += ["canImport(WebKit)", "canImport(MetricKit)"] if own in ("tvOS", "watchOS") else []
            text = "".join(f"#if {each}\nlet a: Int = \"b\"\n#endif\n" for each in passed)
            self.assertEqual(self.complaints(text, sdk), "", sdk)

    def test_symbol_that_a_platform_lacks_is_found(self):
        lacking = {
            "Process()": ("Foundation", {"macosx"}), "NSWorkspace.shared": ("AppKit", {"macosx"}),
            "UIDevice.self": ("UIKit", {"ios", "ios-simulator", "tvos", "xros"}),
            "UIPasteboard.self": ("UIKit", {"ios", "ios-simulator", "xros"}),
            "WKWebView.self": ("WebKit", {"macosx", "ios", "ios-simulator", "xros"}),
            "MXMetricManager.self": ("MetricKit", {"macosx", "ios", "ios-simulator", "xros"}),
        }
        for symbol, (framework, having) in lacking.items():
            text = f"import {framework}\n@MainActor func a() {{ _ = {symbol} }}\n"
            for sdk in self.sdks:
                found = self.complaints(text, sdk)
                self.assertEqual("error" in found, sdk not in having, f"{symbol} on {sdk}: {found}")

    def test_what_is_too_large_for_the_older_watches_is_found_with_its_place(self):
        constants = [
            "let a: Int = 0x8000_0000", "let a = 1 << 31", "let a: UInt = 1 << 32", "let a = 3 * (1 << 30)", "let a = -3_000_000_000",
            "let a = -(2_000_000_000 + 147_483_649)", "let a = Double(1 << 31)", "let a = Int(3_000_000_000)",
            "func a(b: Int = 5_000_000_000) {}", "func a(b: Int) -> Bool { b < 1 << 40 }", "let a = [1: 4_294_967_296]"]
        conversions = [
            f"func a(b: {wide}) -> {narrow} {{ {narrow}(b{more}) }}" for narrow, wide, more in [
                ("Int", "UInt64", ""), ("Int", "Int64", " / 2"), ("Int", "UInt32", " & 63"), ("UInt", "UInt64", ""),
                ("UInt", "Int64", ""), ("Int", "UInt64", " + 1")]]
        conversions += ["func a(b: Int64?) -> Int? { b.map { Int($0) } }", "func a(b: Int64?) -> Int? { b.map(Int.init) }"]
        small = [
            "let a: Int = 0x7fff_ffff", "let a: Int = -0x8000_0000", "let a: UInt = 0xffff_ffff", "let a: Int64 = 1 << 40",
            "func a(b: UInt64) -> Int { Int(clamping: b) }", "func a(b: UInt64) -> Int? { Int(exactly: b) }",
            "func a(b: UInt64) -> Int { Int(truncatingIfNeeded: b) }", "func a(b: UInt16, c: Int32) -> Int { Int(b) + Int(c) }",
            "func a(b: UInt64) -> Int64 { Int64(b) }", "func a(b: UInt32) -> UInt { UInt(b) }", "let a = UInt64(1) << 40"]
        file = self.root / "Trial.swift"
        sdk = self.sdks["arm64_32-apple-watchos"]
        found = {}
        for text in constants + conversions + small:
            file.write_text(f"// é\n{text}\n", encoding="utf-8")
            found[text] = apple_sizes.complaints(sdk, "Trial", [file], [])
        for text in constants:
            self.assertRegex(found[text][0], r"^Trial\.swift:2: error: -?\d+ is too large for the U?Int of 32 bits$", text)
        self.assertEqual([text for text in constants + conversions if not found[text]], [])
        for text in conversions:
            self.assertRegex(found[text][0], r"^Trial\.swift:2: error: U?Int of a large \w+ traps", text)
        self.assertEqual([text for text in small if found[text]], [])

    def test_module_with_such_a_place_fails_on_those_watches_alone(self):
        file = self.root / "Wide.swift"
        file.write_text("func a(b: UInt64) -> Int { Int(b) }\n", encoding="utf-8")
        for sdk in self.sdks.values():
            found = apple.Check(self.root, {}, {}, sdk).complaints("Wide", [file])
            self.assertEqual(len(found), 1 if sdk.triple.startswith("arm64_32") else 0, found)

    def test_class_that_a_phone_lacks_is_found(self):
        text = "import Foundation\nlet a = Process()\n"
        self.assertIn("Trial.swift:2:9: error: cannot find 'Process' in scope", self.complaints(text))

    def test_symbol_newer_than_the_floor_is_found_unless_it_is_asked_for(self):
        text = "func a() {\n    let b: InlineArray<2, Int> = [1, 2]\n    _ = b.count\n}\n"
        for sdk, each in zip(self.sdks, CHECKED):
            newer = f"Trial.swift:2:12: error: 'InlineArray' is only available in {each.platform} 26.0"
            self.assertIn(newer, self.complaints(text, sdk), sdk)
            self.assertEqual(self.complaints(f"@available({each.platform} 26, *)\n{text}", sdk), "", sdk)

    def test_first_visionos_has_what_came_with_ios_17(self):
        text = "func a(b: UnownedSerialExecutor, c: Int.Type) -> Any { _createOffsetBasedKeyPath(root: c, value: c, offset: 0) }\n"
        self.assertEqual(self.complaints(text, "xros"), "")
        self.assertIn("is only available in iOS 17.0", self.complaints(text, "ios"))

    def test_newer_symbol_of_a_framework_is_found(self):
        framework = self.root / "Framework.swift"
        framework.write_text("@available(iOS 26, *) public struct New { public init() {} }\n", encoding="utf-8")
        self.assertEqual(self.sdks["ios"].module("Framework", [framework]), [])
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
        check = apple.Check(self.root, {}, {}, self.sdks["ios"])
        self.assertEqual(check.complaints("None", []), ["there is nothing to check"])
        self.assertIn("One.swift:1:14: error", check.complaints("One", [one])[0])
        self.assertEqual(check.complaints("Other", [other]), ["not checked, for One does not compile"])

    def modules(self, root, sdk="ios"):
        """Module → its files, as the check of a repository has them."""
        generated = {name: root / f"{name}.swift" for name in ("page", "dictionary", "events", "examples")}
        targets = apple.package_targets(root, self.manifest)
        return {name: files for name, files, _ in apple.Check(root, generated, targets, self.sdks[sdk]).modules()}

    def test_list_has_what_apps_and_their_tests_link_and_for_a_mac_everything(self):
        products = {each["name"] for each in self.manifest["products"] if "library" in each["type"]}
        # For Macs and servers: starting processes, and serving.
        elsewhere = {"DaybookProcesses", "DaybookHTTPServer"}
        for sdk in self.sdks:
            modules = self.modules(apple_sdk.ROOT, sdk)
            lacking = {"macosx": set(), "watchos": elsewhere | apple.NOT_ON_WATCHES}
            lacking["arm64_32-apple-watchos"] = lacking["watchos"]
            self.assertEqual(products - set(modules), lacking.get(sdk, elsewhere) & products, sdk)
            self.assertEqual([name for name, files in modules.items() if not files], [])
            self.assertEqual("DaybookCollector" in modules, sdk == "macosx")
        programs = {
            each["name"].replace("-", "_") for each in self.manifest["targets"] if each["type"] in ("executable", "regular")}
        swift = {each for each in programs if not each.startswith("C") or each == "CrashWriter"}
        self.assertLessEqual(swift, set(self.modules(apple_sdk.ROOT, "macosx")))
        names = {"RecipeBoxApp", "RecipeBoxAppGroup", "RecipeBoxAppTests", "RecipeBoxAppUITests", "DaybookFirebase"}
        self.assertLessEqual(names, set(self.modules(apple_sdk.ROOT)))

    def test_sample_without_one_of_its_folders_has_nothing_to_check(self):
        sample = self.root / "repository" / "Examples" / "RecipeBoxApp"
        (sample / "Model").mkdir(parents=True)
        (sample / "Model" / "Model.swift").write_text("", encoding="utf-8")
        generated = {name: self.root / f"{name}.swift" for name in ("dictionary", "events")}
        check = apple.Check(self.root / "repository", generated, {}, self.sdks["ios"])
        files = {name: files for name, files, _ in check.sample()}
        self.assertEqual((files["RecipeBoxApp"], files["RecipeBoxAppTests"], files["RecipeBoxEvents"]), ([], [], []))

    def test_unit_tests_and_ui_tests_are_compiled(self):
        file = self.root / "Tests.swift"
        text = "import Testing\n@Suite struct A {\n    @Test func a() throws { #expect(try #require(b()) == 1) }\n" \
            "    func b() -> Int? { 1 }\n}\n"
        file.write_text(text, encoding="utf-8")
        self.assertEqual(self.sdks["ios"].module("Tests", [file], apple.TEST_FLAGS), [])
        file.write_text(text.replace("Int? { 1 }", "Int? { \"\" }"), encoding="utf-8")
        self.assertIn("Tests.swift:4:24: error", self.sdks["ios"].module("Tests", [file], apple.TEST_FLAGS)[0])
        text = "import XCTest\nfinal class A: XCTestCase {\n    func testA() { XCUIApplication().launch() }\n}\n"
        self.assertIn("Trial.swift:3:20: error", self.complaints(text))
        self.assertEqual(self.complaints(text.replace("func", "@MainActor func")), "")

    def test_mistake_in_c_is_found(self):
        file = self.root / "Mistake.c"
        text = "#include <stdlib.h>\n#if defined(__APPLE__)\nint a(void) { return b; }\n#endif\n"
        file.write_text(text, encoding="utf-8")
        self.assertIn("Mistake.c:3:22: error", self.sdks["ios"].c_sources([file])[0])

    def test_each_module_is_counted(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            count = apple.told([("ios", "A", 2, []), ("ios", "B", 1, ["B.swift:1:1: error: it does not compile"])])
        self.assertEqual((count.passed, count.failed), (1, 1))
        self.assertIn("✓ A: 2 files\n✗ B: 1 files\n    B.swift:1:1: error", output.getvalue())

    def test_declarations_of_foundation_have_the_dates_of_the_toolchain(self):
        known, oldest = apple_sdk.foundation_dates(["macOS", "iOS"]), apple.floors(self.manifest)
        for sdk, platform in (("macosx", "macOS"), ("ios", "iOS")):
            declared = self.sdks[sdk].declared_dates()
            self.assertGreater(len(declared.keys() & known[platform].keys()), 100)
            self.assertEqual(apple_sdk.wrong_dates(known[platform], declared, platform, oldest[platform]), [])


class PureTest(unittest.TestCase):
    def test_declaration_without_its_date_is_named(self):
        known = {"URL.appending(path:)": (16, 0), "Date.now": (17, 0), "Data": (8, 0), "Locale.Region": (17, 4)}
        declared = {"URL.appending(path:)": (14, 0), "Date.now": (16, 0), "Data": None, "Locale": None}
        self.assertEqual(
            apple_sdk.wrong_dates(known, declared, "iOS", (16, 0)),
            ["Date.now came with iOS 17.0; its declaration says 16.0"])
        self.assertEqual(
            apple_sdk.wrong_dates({"A": (17, 4)}, {"A": None}, "tvOS", (16, 0)),
            ["A came with tvOS 17.4; its declaration says nothing"])

    def test_floors_are_what_the_package_says(self):
        names = {"macOS": "13.0", "iOS": "17.4", "tvOS": "16.0", "watchOS": "9.1", "visionOS": "1.0"}
        manifest = {"platforms": [{"platformName": name.lower(), "version": each} for name, each in names.items()]}
        self.assertEqual(apple.floors(manifest)["iOS"], (17, 4))
        self.assertEqual(apple.floors(manifest)["watchOS"], (9, 1))
        for name in names:
            platforms = [each for each in manifest["platforms"] if each["platformName"] != name.lower()]
            with self.assertRaisesRegex(RuntimeError, name):
                apple.floors({"platforms": platforms})

    def test_versions_of_visionos_follow_those_of_ios(self):
        for ios, vision in {"13.0": "1.0", "17.0": "1.0", "17.4": "1.1", "18.0": "2.0", "18.4": "2.4", "26.1": "26.1"}.items():
            self.assertEqual(
                apple_sdk.with_vision_versions(f"@available(macOS 1.0, iOS {ios}, *) iOS {ios}"),
                f"@available(macOS 1.0, visionOS {vision}, *) iOS {ios}")
        own = "@available(iOS 18.0, visionOS 2.1, *)"
        self.assertEqual(apple_sdk.with_vision_versions(own), own)
        self.assertEqual(
            apple_sdk.with_vision_versions("@available(iOS, deprecated: 26.0, message: \"\")"),
            "@available(visionOS, deprecated: 26.0, message: \"\")")

    def test_modules_come_after_those_they_stand_on(self):
        self.assertEqual(apple_sdk.in_order({"A": {"C", "Foundation"}, "B": {"A"}, "C": set()}), ["C", "A", "B"])

    def test_unknown_platform_is_refused(self):
        with self.assertRaisesRegex(ValueError, "MacOS: give macOS, iOS"):
            next(apple.check(apple_sdk.ROOT, Path("none"), ["MacOS"]))


if __name__ == "__main__":
    unittest.main()
