"""Compiles every module for the Apple platforms that it is for, on Linux: the whole package for a Mac, and for the others
what an app links, with the integrations and, for a phone, the sample app for Xcode and its tests."""

import json
import re
import subprocess
from dataclasses import dataclass

import apple_sizes
import architecture
import examples
from apple_sdk import FOLDER, SDK, imports, in_order
from counting import Count

DEBUG = ["-D", "DEBUG"]


@dataclass(frozen=True)
class Configuration:
    """What is compiled: a platform as Apple spells it, a triple without its version, and flags."""

    platform: str
    triple: str
    flags: tuple = ()

    def full_triple(self, floor):
        prefix, mark, suffix = self.triple.partition("-simulator")
        return f"{prefix}{floor[0]}.{floor[1]}{mark}{suffix}"


# For the stores, and for developers. The older watches have pointers of 32 bits.
CONFIGURATIONS = [
    Configuration("macOS", "arm64-apple-macosx"),
    Configuration("macOS", "arm64-apple-macosx", tuple(DEBUG)),
    Configuration("iOS", "arm64-apple-ios"),
    Configuration("iOS", "arm64-apple-ios-simulator", tuple(DEBUG)),
    Configuration("tvOS", "arm64-apple-tvos"),
    Configuration("watchOS", "arm64-apple-watchos"),
    Configuration("watchOS", "arm64_32-apple-watchos"),
    Configuration("visionOS", "arm64-apple-xros"),
]
# The inspector and what it shows: there is no web view.
NOT_ON_WATCHES = {"DaybookStore", "DaybookDefinitions", "DaybookAPI", "DaybookInspector"}
# What can differ in a configuration with flags. A module without it is only built there for its importers, if they cannot
# take the one without flags; its function bodies were checked in the platform's first configuration.
CONDITION = re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:DEBUG|targetEnvironment)\b", re.MULTILINE)
# What can differ between Apple's platforms: the declarations of frameworks that all have are the same for all.
DIFFERING = re.compile(
    r"^\s*#(?:if|elseif)\b.*\b(?:os\((?:macOS|iOS|tvOS|watchOS|visionOS)\)|targetEnvironment"
    r"|canImport\((?!Darwin|ObjectiveC|Foundation|Glibc|Musl|Android))", re.MULTILINE)
# The modules of the sample app for Xcode by platform, and where they are in its folder.
SAMPLE = {
    "iOS": {
        "RecipeBoxApp": ["App", "Model"],
        "RecipeBoxAppGroup": ["AppGroup"],
        "RecipeBoxAppTests": ["Model", "Tests"],
        "RecipeBoxAppUITests": ["UITests"],
    },
    "macOS": {"RecipeBoxMac": ["Mac", "App/InspectorStore.swift"]},
}
# Swift Testing's macros place a constant in its own section. Proving that it is constant takes the standard library's
# function bodies, which are omitted here; builds of the same tests on this machine check it.
TEST_FLAGS = [
    word for each in ("diagnose-unknown-const-values", "performance-diagnostics")
    for word in ("-Xllvm", f"-sil-disable-pass={each}")]
# A package is named after its folder; here the name only has to be the same everywhere.
OURS = ["-package-name", "daybook"]


class Check:
    """What one configuration compiles, in an order in which each module comes after those it imports."""

    def __init__(self, root, generated, targets, sdk):
        """`generated` has the Swift files made for the check: `page`, `dictionary`, `events` and `examples`; `targets` are
        the package's, as `package_targets` has them."""
        self.root, self.generated, self.targets, self.sdk = root, generated, targets, sdk
        self.c_flags = []
        self.failed = set()

    def rows(self):
        """(module, number of files, complaints) of each; with flags, only of modules for which they matter."""
        self.sdk.prepare()
        for name, files, flags in self.modules():
            is_checked = not self.sdk.flags or any(
                CONDITION.search(file.read_text(encoding="utf-8")) for file in files)
            complaints = self.complaints(name, files, flags, is_checked)
            if is_checked or complaints:
                yield name, len(files), complaints

    def modules(self):
        """(module, files, flags), each after its dependencies."""
        linked = architecture.LINKED_BY_APPS - (NOT_ON_WATCHES if self.sdk.platform == "watchOS" else set())
        swift = {
            name: files for name, files in self.targets.items() if self.sdk.platform == "macOS" or name in linked}
        graph = {name: set().union(*map(imports, files)) for name, files in swift.items()}
        c_targets = {folder.name for folder in (self.root / "Sources").glob("C*")}
        for name in sorted(set().union(*graph.values()) & c_targets):
            self.c_flags += self.sdk.c_module(name)
            if files := sorted((self.root / "Sources" / name).glob("*.c")):
                yield name, files, []
        for name in in_order(graph):
            yield name, swift[name] + ([self.generated["page"]] if name == "DaybookInspector" else []), OURS
        # Examples in doc comments that need Apple's frameworks; most leave their results unused.
        if self.sdk.platform == "iOS":
            yield "Examples", [self.generated["examples"]], ["-no-warnings-as-errors"]
        for manifest in sorted((self.root / "Integrations").glob("*/Package.swift")):
            # Other people's packages, which an integration may import, are not available here.
            if 'url: "' not in manifest.read_text(encoding="utf-8"):
                for folder in sorted((manifest.parent / "Sources").iterdir()):
                    yield folder.name, sorted(folder.rglob("*.swift")), []
        yield from self.sample()

    def sample(self):
        """The same for the sample app for Xcode and its tests: a module consists of one or more folders, or files."""
        parts = SAMPLE.get(self.sdk.platform, {})
        if not parts:
            return
        events = sorted((self.root / "Examples" / "RecipeBox" / "Sources" / "RecipeBoxEvents").glob("*.swift"))
        yield "RecipeBoxEvents", [*events, self.generated["events"]] if events else [], []
        yield "RecipeBoxDictionary", [self.generated["dictionary"]], []
        for name, places in parts.items():
            places = [self.root / "Examples" / "RecipeBoxApp" / place for place in places]
            found = [sorted(place.rglob("*.swift")) if place.is_dir() else [place] * place.exists() for place in places]
            files = sum(found, []) if all(found) else []
            yield name, files, TEST_FLAGS if any("Testing" in imports(file) for file in files) else []

    def complaints(self, name, files, flags=(), is_checked=True):
        if not files:
            found = ["there is nothing to check"]
        elif files[0].suffix == ".c":
            found = self.sdk.c_sources(files)
        elif used := set().union(*(imports(file) for file in files)) & self.failed:
            found = [f"not checked, for {', '.join(sorted(used))} does not compile"]
        elif not is_checked and self.sdk.takes_plain(name):
            found = []
        else:
            is_small = self.sdk.triple.startswith("arm64_32")
            then = (lambda *module: apple_sizes.complaints(self.sdk, *module, [*self.c_flags, *flags])) if is_small else None
            has_bodies = is_checked and not is_small and self.has_own_bodies(files)
            skip = [] if has_bodies else ["-experimental-skip-non-inlinable-function-bodies"]
            found = self.sdk.module(name, files, [*skip, *self.c_flags, *flags], then)
        if found:
            self.failed.add(name)
        return found

    def has_own_bodies(self, files):
        """Whether function bodies can have other mistakes here than on macOS and iOS, where all are compiled."""
        return self.sdk.platform in ("macOS", "iOS") or any(
            DIFFERING.search(file.read_text(encoding="utf-8")) for file in files)


def manifest(root):
    """The package's manifest, as the package manager reads it."""
    words = ["swift", "package", "--package-path", str(root), "--scratch-path", str(FOLDER / "package"), "dump-package"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def floors(manifest):
    """Platform → its oldest version that the package supports, as (major, minor)."""
    found = {}
    for each in manifest["platforms"]:
        major, _, minor = each["version"].partition(".")
        found[each["platformName"].replace("os", "OS")] = int(major), int(minor or 0)
    missing = {each.platform for each in CONFIGURATIONS} - set(found)
    if missing:
        raise RuntimeError(f"Package.swift names no {', '.join(sorted(missing))}")
    return found


def package_targets(root, manifest):
    """Module of a Swift target → its files, without tests."""
    found = {}
    for target in manifest["targets"]:
        if target["type"] in ("regular", "executable"):
            folder = root / (target.get("path") or f"Sources/{target['name']}")
            files = sorted(
                file for file in folder.rglob("*.swift")
                if not any(file.is_relative_to(folder / each) for each in target["exclude"]))
            if files:
                found[target["name"].replace("-", "_")] = files
    return found


def generate(root, binaries, folder):
    """Runs a build's tools to write the Swift files that plugins generate."""
    sample = root / "Examples" / "RecipeBox"
    tools = {
        "page": ["daybook-assets", root / "Sources" / "DaybookInspector" / "Assets"],
        "dictionary": [
            "daybook-definitions", "generate-swift-dictionary", "--project", sample / "daybook.json", "--output"],
        "events": ["daybook-definitions", "generate-swift", sample / "LogDefinitions", "--output"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, (tool, *words) in tools.items():
        files[name] = folder / f"{name}.swift"
        result = subprocess.run(
            [str(binaries / tool), *map(str, words), str(files[name])], capture_output=True, text=True, cwd=root)
        if result.returncode != 0:
            raise RuntimeError(f"{tool} {' '.join(map(str, words))}: {result.stderr.strip()}")
    files["examples"] = folder / "examples.swift"
    imported = ["Daybook", "DaybookOTLP", "DaybookHTTP"]
    files["examples"].write_text(examples.source(root, ["DaybookApple"], imported), encoding="utf-8")
    return files


def check(root, binaries, platforms=()):
    """(configuration, module, number of files, complaints) of everything that is checked, on these platforms or all.

    Raises `ValueError` for a platform that does not exist.
    """
    if unknown := set(platforms) - {each.platform for each in CONFIGURATIONS}:
        raise ValueError(f"{', '.join(sorted(unknown))}: give macOS, iOS, tvOS, watchOS or visionOS")
    generated = generate(root, binaries, FOLDER / "generated")
    package = manifest(root)
    oldest, targets = floors(package), package_targets(root, package)
    for each in CONFIGURATIONS:
        if not platforms or each.platform in platforms:
            sdk = SDK(each.platform, each.full_triple(oldest[each.platform]), each.flags, root)
            for row in Check(root, generated, targets, sdk).rows():
                yield (" ".join([sdk.triple, *each.flags]), *row)


def told(rows):
    """Prints what was checked and the compiler's complaints; each module is a test."""
    count, last = Count(), None
    for configuration, name, files, complaints in rows:
        if configuration != last:
            print(configuration)
        last = configuration
        print(f"{'✗' if complaints else '✓'} {name}: {files} files", flush=True)
        for complaint in complaints:
            print(f"    {complaint}")
        count += Count(failures=[(name, str(complaints[0]))]) if complaints else Count(passed=1)
    return count
