"""The check of privacy manifests finds each API that needs a reason, and what is wrong with a manifest."""

import plistlib
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import apple
import apple_sdk
import privacy

HEADER = """#pragma once
struct stat { int size; };
int stat(const char *, struct stat *);
"""
FRAMEWORK = """
public final class UserDefaults { public init() {} }
public enum Key {
%s
}
"""


@unittest.skipUnless(sys.platform == "linux", "the interfaces are those of a toolchain for Linux")
class UseTest(unittest.TestCase):
    """What is used, of modules compiled for a phone."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name).resolve()
        triple = "arm64-apple-ios%d.%d" % apple.floors(apple.manifest(apple_sdk.ROOT))["iOS"]
        kept = apple_sdk.SDK("iOS", triple)
        kept.prepare()
        shutil.copytree(kept.folder, cls.root / "kept" / triple, ignore=shutil.ignore_patterns("cache", "modules*"))
        cls.sdk = apple_sdk.SDK("iOS", triple, (), cls.root, cls.root / "kept")
        # A made-up framework and C library that have all of the API.
        functions = {name for in_c, _, _ in privacy.CATEGORIES.values() for name in in_c.split()} - {"stat"}
        header = cls.file("Sources/CMade/include/CMade.h", HEADER + "".join(f"int {name}(void);\n" for name in functions))
        members = {name for _, names, _ in privacy.CATEGORIES.values() for name in names.split()} - {"UserDefaults"}
        lines = "\n".join(f"    public static let {name} = 1" for name in members)
        cls.made = cls.sdk.c_module("CMade")
        if found := cls.sdk.module("Made", [cls.file("Made.swift", FRAMEWORK % lines)]):
            raise RuntimeError(found)
        cls.calls = {name: f"import CMade\nfunc a() {{ _ = {name}() }}\n" for name in functions}
        cls.calls["stat"] = "import CMade\nfunc a() -> Int32 { var b = stat(size: 1)\nreturn stat(\"\", &b) }\n"
        cls.calls |= {name: f"import Made\nfunc a() -> Int {{ Key.{name} }}\n" for name in members}
        cls.calls["UserDefaults"] = "import Made\nfunc a() -> UserDefaults { .init() }\n"

    @classmethod
    def file(cls, name, text):
        file = cls.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def used(self, texts, name="DaybookTrial"):
        files = [self.file(f"{name}/{each}", text) for each, text in texts.items()]
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(privacy.index(self.sdk, name, files, self.made, Path(folder)), [])
            return privacy.used(Path(folder), files)

    def test_each_api_is_found_with_its_file(self):
        texts = {f"Of{name}.swift": text.replace("a()", f"a{number}()") for number, (name, text) in enumerate(self.calls.items())}
        found = self.used(texts, "DaybookAll")
        self.assertEqual(set(found), set(privacy.CATEGORIES))
        for category, (in_c, in_swift, _) in privacy.CATEGORIES.items():
            names = f"{in_c} {in_swift}".split()
            self.assertEqual(sorted(found[category]), sorted(f"{name} in Of{name}.swift" for name in names))

    def test_branch_for_apples_platforms_is_read(self):
        text = "#if canImport(Darwin)\nimport Darwin\nlet a = mach_absolute_time()\n#endif\n"
        self.assertEqual(self.used({"A.swift": text}), {"SystemBootTime": ["mach_absolute_time in A.swift"]})

    def test_c_is_read_too(self):
        text = "#include <sys/stat.h>\n#if defined(__APPLE__)\n" \
            "int a(int b) { struct stat c; return fstat(b, &c); }\n#endif\n"
        self.assertEqual(self.used({"A.c": text}), {"FileTimestamp": ["fstat in A.c"]})

    def test_same_words_of_ours_are_no_use(self):
        text = "import CMade\nimport Made\n/// systemUptime\nextension Key { static let systemUptimes = \"UserDefaults\" }\n" \
            "extension Made.UserDefaults { var modificationDate: Int { 1 } }\n" \
            "struct A { var modificationDate = 1 }\nfunc fstat(_ a: A) -> Int { a.modificationDate }\n" \
            "func b() -> Int { fstat(A()) + Int(stat(size: 1).size) + statfs }\nlet statfs = 1\n"
        found = self.used({"A.swift": text})
        self.assertEqual(found, {"UserDefaults": ["UserDefaults in A.swift"]})

    def test_source_that_does_not_compile_is_told(self):
        file = self.file("Broken.swift", "let a: Int = \"\"\n")
        with tempfile.TemporaryDirectory() as folder:
            found = privacy.index(self.sdk, "DaybookTrial", [file], [], Path(folder))
        self.assertIn("Broken.swift:1:14: error", found[0])


class ManifestTest(unittest.TestCase):
    """What is wrong with a manifest."""

    USES = {"FileTimestamp": ["stat in A.swift"], "DiskSpace": ["statfs in A.swift"]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def found(self, content, uses=None, resources=(privacy.FILE,)):
        if content is not None:
            data = content if isinstance(content, bytes) else plistlib.dumps(content)
            (self.folder / privacy.FILE).write_bytes(data)
        return "\n".join(privacy.complaints("A", self.USES if uses is None else uses, self.folder, set(resources)))

    def manifest(self, **categories):
        return {
            "NSPrivacyTracking": False, "NSPrivacyTrackingDomains": [], "NSPrivacyCollectedDataTypes": [],
            "NSPrivacyAccessedAPITypes": [
                {"NSPrivacyAccessedAPIType": privacy.PREFIX + name, "NSPrivacyAccessedAPITypeReasons": reasons}
                for name, reasons in categories.items()]}

    def right(self):
        return self.manifest(FileTimestamp=["C617.1", "3B52.1"], DiskSpace=["E174.1"])

    def test_what_is_declared_and_used_is_right(self):
        self.assertEqual(self.found(self.right()), "")

    def test_module_that_uses_none_has_none(self):
        self.assertEqual(self.found(None, {}), "")
        self.assertIn("A uses nothing that needs a reason", self.found(self.manifest(), {}))

    def test_missing_manifest_is_told_with_what_uses_it(self):
        found = self.found(None)
        self.assertIn("A uses stat in A.swift, and has no PrivacyInfo.xcprivacy", found)
        self.assertIn("A uses statfs in A.swift", found)

    def test_category_too_few_or_too_many_is_told(self):
        self.assertIn("DiskSpace is missing: A uses statfs in A.swift", self.found(self.manifest(FileTimestamp=["C617.1"])))
        content = self.manifest(FileTimestamp=["C617.1"], DiskSpace=["E174.1"], UserDefaults=["CA92.1"])
        self.assertIn("UserDefaults is declared, and A uses nothing of it", self.found(content))
        content = self.manifest(FileTimestamp=["C617.1"], DiskSpace=["E174.1"], Cameras=["CA92.1"])
        self.assertIn("Cameras is declared", self.found(content))

    def test_wrong_reason_or_none_is_told(self):
        for reasons, given in ((["C617.1"], "C617.1"), (["E174.1", "X"], "E174.1, X"), ([], "nothing")):
            found = self.found(self.manifest(FileTimestamp=["C617.1"], DiskSpace=reasons))
            self.assertIn(f"{given} is no reason for NSPrivacyAccessedAPICategoryDiskSpace", found)
        for category, (_, _, reasons) in privacy.CATEGORIES.items():
            uses = {category: ["a in A.swift"]}
            self.assertEqual(self.found(self.manifest(**{category: reasons.split()}), uses), "")

    def test_broken_manifest_is_told(self):
        whole = plistlib.dumps(self.right())
        without = plistlib.dumps({"NSPrivacyAccessedAPITypes": [{}]})
        for content in (b"", b"{", whole[:-20], plistlib.dumps([]), without):
            self.assertIn("it is not a privacy manifest", self.found(content), content)

    def test_key_too_few_or_too_many_is_told(self):
        right = self.right()
        for key in right.keys() - {"NSPrivacyAccessedAPITypes"}:
            self.assertIn("it must have", self.found({name: each for name, each in right.items() if name != key}))
        self.assertIn("it has the keys", self.found({**right, "NSPrivacyMore": True}))

    def test_manifest_that_the_package_does_not_name_is_told(self):
        self.assertIn("Package.swift does not name it among the resources of A", self.found(self.right(), resources=()))


if __name__ == "__main__":
    unittest.main()
