"""Compiles every module that an app links for iOS, on Linux.

The toolchain's standard library includes its interfaces as text, with availability for every system. Compiled for
`arm64-apple-ios` they are a phone's standard library, and the compiler refuses what is newer than the minimum version.
Apple's frameworks are declared in `STUBS`, only as far as they are used; anything else is an error. Where the toolchain
has Foundation's availability too, the declarations are compared with it.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import architecture
import examples
from counting import Count

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "Tests" / "DaybookAppleTests" / "Stubs"
# Compiled modules are kept, and rebuilt only if they or their dependencies have changed.
FOLDER = ROOT / ".build-phone"

# For the App Store, and for developers.
CONFIGURATIONS = [("arm64-apple-ios{floor}", []), ("arm64-apple-ios{floor}-simulator", ["-D", "DEBUG"])]
# What can differ in the second configuration. A module without it is only built there for its importers, and its
# function bodies were checked in the first.
CONDITION = re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:DEBUG|targetEnvironment)\b", re.MULTILINE)

# Including Swift Testing, which Xcode builds from the same sources.
STANDARD_LIBRARY = ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "Synchronization", "Testing"]
# Additions of a phone's standard library to that of this machine. Source:
# https://developer.apple.com/documentation/swift/autoreleasingunsafemutablepointer
ADDED = {
    "Swift": """
@frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : Swift._Pointer {
  public let _rawValue: Builtin.RawPointer
  public init(_ rawValue: Builtin.RawPointer)
  public var pointee: Pointee { get nonmutating set }
}
public func _getErrorEmbeddedNSError<T>(_ x: T) -> Swift.AnyObject? where T : Swift.Error
""",
    "_Concurrency": """
@available(iOS 13.0, *)
public func _runTaskForBridgedAsyncMethod(
  @_inheritActorContext _ body: __owned @escaping @Sendable () async -> Swift.Void)
""",
}
# The modules of the sample app for Xcode, and their folders.
SAMPLE = {
    "RecipeBoxApp": ["App", "Model"],
    "RecipeBoxAppGroup": ["AppGroup"],
    "RecipeBoxAppTests": ["Model", "Tests"],
    "RecipeBoxAppUITests": ["UITests"],
}
# Newer only by name: of two functions with one name, the toolchain has only the newer, a phone both.
EXCEPTIONS = {"NotificationCenter.removeObserver(_:)"}
# Swift Testing's macros place a constant in its own section. Proving that it is constant takes the standard library's
# function bodies, which are omitted here; builds of the same tests on this machine check it.
TEST_FLAGS = [
    word for each in ("diagnose-unknown-const-values", "performance-diagnostics")
    for word in ("-Xllvm", f"-sil-disable-pass={each}")]
# The headers of libraries that every iPhone has, if this machine has them.
LIBRARY_HEADERS = [Path("/usr/include") / name for name in ("sqlite3.h", "zlib.h", "zconf.h")]


class Phone:
    """A phone's standard library and frameworks, compiled for one triple, and modules built on them.

    Not thread-safe; several processes would write to the same folder.
    """

    def __init__(self, triple, flags=(), root=ROOT, folder=FOLDER):
        self.triple, self.flags, self.root = triple, list(flags), root
        self.folder = folder / "-".join([triple, *(flag for flag in flags if flag != "-D")])
        self.frameworks, self.modules = self.folder / "frameworks", self.folder / "modules"
        self.libraries = self.folder / "libraries"
        for each in (self.frameworks, self.modules, self.libraries):
            each.mkdir(parents=True, exist_ok=True)
        self.state = self.folder / "state.json"
        self.keys = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.made = {}
        self.search = [
            "-target", self.triple, "-I", str(self.frameworks), "-I", str(self.modules), "-module-cache-path",
            str(self.folder / "cache"), "-plugin-path", str(toolchain() / "lib/swift/host/plugins")]
        self.clang_search = ["-nostdlibinc", "-isystem", str(STUBS / "include"), "-isystem", str(self.libraries)]
        version = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
        self.compiler = digest(version, Path(__file__))
        self.headers = digest(*sorted((STUBS / "include").rglob("*")), *LIBRARY_HEADERS)

    def prepare(self):
        """Compiles the phone's side. Raises the compiler's message if a framework's declaration is wrong."""
        declared = frameworks()
        for file in self.frameworks.glob("*.swiftmodule"):
            if file.stem not in (*STANDARD_LIBRARY, *declared):
                file.unlink()
        for name in STANDARD_LIBRARY:
            self.standard_module(name)
        for header in LIBRARY_HEADERS:
            if not header.exists():
                raise RuntimeError(f"{header} is missing; `make setup` installs it")
            (self.libraries / header.name).unlink(missing_ok=True)
            (self.libraries / header.name).symlink_to(header)
        with_headers = (STUBS / "include" / "module.modulemap").read_text(encoding="utf-8")
        for name in in_order({name: set().union(*map(imports, files)) for name, files in declared.items()}):
            # Some frameworks are both C and Swift.
            is_mixed = re.search(rf"^module {name}\b", with_headers, re.MULTILINE)
            flags = ["-suppress-warnings", *(["-import-underlying-module"] if is_mixed else [])]
            if complaints := self.compile(name, declared[name], flags, self.frameworks):
                raise RuntimeError("\n".join([f"the declarations of {name}:", *complaints]))

    def standard_module(self, name):
        library = toolchain() / "lib" / "swift" / "linux" / f"{name}.swiftmodule"
        source = next(file for file in library.glob("*.swiftinterface") if ".private." not in file.name)
        text = source.read_text(encoding="utf-8")
        # The interface's first lines are the flags. Function bodies say nothing about a symbol's interface and take
        # most of the time; without its body a symbol cannot be back-deployed, and counts from its earlier date.
        head, mark, body = text.partition("\nimport ")
        head = re.sub(r"-target \S+", f"-target {self.triple}", head)
        head = head.replace(" -O ", " -O -disable-availability-checking -experimental-skip-all-function-bodies ", 1)
        body = re.sub(r"@backDeployed\([^)]*\)", "", body).replace("import Glibc\n", "")
        body += ADDED.get(name, "")
        interface = self.frameworks / f"{name}.swiftinterface"
        output = self.frameworks / f"{name}.swiftmodule"
        key = digest(self.compiler, head, body)
        if self.is_current(name, key, output):
            return
        interface.write_text(head + mark + body, encoding="utf-8")
        words = ["-parse-stdlib"] if name in ("Swift", "_Concurrency") else []
        complaints = self.run([
            "swift-frontend", "-compile-module-from-interface", str(interface), *words, *self.search,
            "-module-name", name, "-o", str(output)])
        if complaints:
            raise RuntimeError("\n".join([f"the toolchain's {name} for {self.triple}:", *complaints]))
        self.remember(name, key)

    def c_module(self, name):
        """The compiler's flags to import a C target of the package."""
        folder = self.root / "Sources" / name
        modulemap = folder / "module.modulemap"
        if not modulemap.exists():
            # As the package manager makes it.
            modulemap = self.folder / f"{name}.modulemap"
            header = folder / "include" / f"{name}.h"
            modulemap.write_text(f'module {name} {{\n    umbrella header "{header}"\n    export *\n}}\n')
        self.made[name] = digest(*sorted(folder.rglob("*.h")))
        return ["-Xcc", f"-fmodule-map-file={modulemap}"]

    def c_sources(self, files):
        """The compiler's complaints about a C target."""
        return self.run([
            "clang", "-target", self.triple, "-fsyntax-only", "-Wall", "-Werror", *self.clang_search,
            "-I", str(files[0].parent / "include"), *(os.path.relpath(file, self.root) for file in files)])

    def module(self, name, files, flags=()):
        """Compiles a module on the frameworks; returns the compiler's complaints."""
        return self.compile(name, files, flags, self.modules)

    def compile(self, name, files, flags, folder):
        """Compiles a module up to its interface, which includes all of the compiler's checks."""
        files = [Path(os.path.relpath(file, self.root)) for file in sorted(files)]
        used = set().union(*(imports(self.root / file) for file in files))
        self.made[name] = key = digest(
            self.compiler, self.headers, *flags, *(f"{each} {self.made.get(each)}" for each in sorted(used)),
            *map(str, files), *(self.root / file for file in files))
        output = folder / f"{name}.swiftmodule"
        if self.is_current(name, key, output):
            return []
        complaints = self.run([
            "swift-frontend", "-emit-module", *self.search, "-module-name", name, "-o", str(output),
            "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-Onone",
            *(word for flag in self.clang_search for word in ("-Xcc", flag)), *self.flags, *flags, *map(str, files)])
        if not complaints:
            self.remember(name, key)
        return complaints

    def declared_dates(self):
        """Symbol → the iOS version in Foundation's declarations, its own or that of its type."""
        words = ["-I", str(self.frameworks), *(word for flag in self.clang_search for word in ("-Xcc", flag))]
        folder = self.folder / "graphs"
        dates = dates_in(symbol_graphs("Foundation", self.triple, folder, words))
        shutil.rmtree(folder)
        return dates

    def is_current(self, name, key, output):
        return self.keys.get(name) == key and output.exists()

    def remember(self, name, key):
        self.keys[name] = key
        self.state.write_text(json.dumps(self.keys, indent=1, sort_keys=True))

    def run(self, words):
        """The compiler's lines; empty if it has no complaints."""
        # A compiler crash is a complaint too, without the registers.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        result = subprocess.run(words, cwd=self.root, env=environment, capture_output=True, text=True)
        text = (result.stdout + result.stderr).strip()
        if result.returncode == 0:
            return []
        return text.splitlines() or [f"{words[0]} ended with status {result.returncode}"]


def toolchain():
    """The toolchain's folder `usr`."""
    return Path(shutil.which("swift")).resolve().parent.parent


def floor(root):
    """The oldest iOS that the package supports."""
    version = re.search(r"\.iOS\(\.v(\d+)(?:_(\d+))?\)", (root / "Package.swift").read_text(encoding="utf-8"))
    if version is None:
        raise RuntimeError("Package.swift names no iOS")
    return int(version.group(1)), int(version.group(2) or 0)


def symbol_graphs(module, triple, folder, words=()):
    """A module's public symbols, as the toolchain writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-target", triple, "-output-dir", str(folder),
         "-minimum-access-level", "public", *words],
        check=True, capture_output=True)
    for file in folder.glob(f"{module}*.symbols.json"):
        yield from json.loads(file.read_text())["symbols"]


def dates_in(symbols):
    """Symbol → the iOS version that introduced it or its type; `None` if neither says."""
    dates = {}
    for symbol in symbols:
        versions = [each["introduced"] for each in symbol.get("availability", [])
                    if each.get("domain") == "iOS" and "introduced" in each]
        date = min(((each["major"], each.get("minor", 0)) for each in versions), default=None)
        name = ".".join(symbol["pathComponents"])
        # Of overloads, the oldest counts.
        dates[name] = date if name not in dates else min(date or (0, 0), dates[name] or (0, 0)) or None
    return dates


def foundation_dates():
    """Symbol → the iOS version that introduced it, for the part of Foundation that the toolchain has with
    availability."""
    with tempfile.TemporaryDirectory() as folder:
        triple = f"{platform.machine()}-unknown-linux-gnu"
        return {
            name: date for name, date in dates_in(symbol_graphs("FoundationEssentials", triple, Path(folder))).items()
            if date is not None}


def wrong_dates(known, declared):
    """Complaints about declarations older than what they declare. Before iOS 14, no availability is needed."""
    text = {name: "nothing" if date is None else f"{date[0]}.{date[1]}" for name, date in declared.items()}
    return [
        f"{name} came with iOS {known[name][0]}.{known[name][1]}; its declaration says {text[name]}"
        for name in sorted(declared.keys() & known.keys() - EXCEPTIONS)
        if known[name] >= (14, 0) and (declared[name] or (0, 0)) < known[name]]


def frameworks():
    """Framework → its declaring files: `Network.swift`, or all of the folder `Foundation`."""
    found = {}
    for file in sorted(STUBS.rglob("*.swift")):
        place = file.relative_to(STUBS)
        found.setdefault(place.parts[0].removesuffix(".swift"), []).append(file)
    return found


def digest(*parts):
    """A key from texts and file contents."""
    sum = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) and part.is_file() else str(part).encode()
        sum.update(len(data).to_bytes(8, "little") + data)
    return sum.hexdigest()


def imports(file):
    """The modules that a Swift file imports."""
    return set(architecture.IMPORT.findall(architecture.without_comments(file.read_text(encoding="utf-8"))))


def in_order(graph):
    """Names, each after its dependencies."""
    order = []

    def add(name):
        if name in graph and name not in order:
            for each in sorted(graph[name] - {name}):
                add(each)
            order.append(name)

    for name in sorted(graph):
        add(name)
    return order


class Check:
    """Every module that an app links, the integrations, and the sample app for Xcode with its tests, in one
    configuration."""

    def __init__(self, root, generated, phone):
        """`generated` has the Swift files made for the check: `page`, `dictionary`, `events` and `examples`."""
        self.root, self.generated, self.phone = root, generated, phone
        self.c_flags = []
        self.failed = set()

    def rows(self):
        """(module, number of files, complaints) of each; with flags, only of modules for which they matter."""
        self.phone.prepare()
        for name, files, flags in self.modules():
            is_checked = not self.phone.flags or any(
                CONDITION.search(file.read_text(encoding="utf-8")) for file in files)
            complaints = self.complaints(name, files, flags, is_checked)
            if is_checked or complaints:
                yield name, len(files), complaints

    def modules(self):
        """(module, files, flags), each after its dependencies."""
        graph = architecture.imports(self.root)
        graph = {name: set(graph[name]) for name in architecture.LINKED_BY_APPS}
        for name in sorted(set().union(*graph.values()) - set(graph)):
            self.c_flags += self.phone.c_module(name)
            if files := sorted((self.root / "Sources" / name).glob("*.c")):
                yield name, files, []
        for name in in_order(graph):
            files = sorted((self.root / "Sources" / name).rglob("*.swift"))
            page = [self.generated["page"]] if name == "DaybookInspector" else []
            # A package is named after its folder; here the name only has to be the same everywhere.
            yield name, files + page, ["-package-name", "daybook"]
        # Examples in doc comments that need Apple's frameworks; most leave their results unused.
        yield "Examples", [self.generated["examples"]], ["-no-warnings-as-errors"]
        for manifest in sorted((self.root / "Integrations").glob("*/Package.swift")):
            # Other people's packages, which an integration may import, are not available here.
            if 'url: "' not in manifest.read_text(encoding="utf-8"):
                for folder in sorted((manifest.parent / "Sources").iterdir()):
                    yield folder.name, sorted(folder.rglob("*.swift")), []
        yield from self.sample()

    def sample(self):
        """The same for the sample app for Xcode and its tests: a module consists of one or more folders."""
        events = sorted((self.root / "Examples" / "RecipeBox" / "Sources" / "RecipeBoxEvents").glob("*.swift"))
        yield "RecipeBoxEvents", [*events, self.generated["events"]] if events else [], []
        yield "RecipeBoxDictionary", [self.generated["dictionary"]], []
        for name, folders in SAMPLE.items():
            parts = [sorted((self.root / "Examples" / "RecipeBoxApp" / folder).rglob("*.swift")) for folder in folders]
            files = sum(parts, []) if all(parts) else []
            yield name, files, TEST_FLAGS if any("Testing" in imports(file) for file in files) else []

    def complaints(self, name, files, flags=(), is_checked=True):
        if not files:
            found = ["there is nothing to check"]
        elif files[0].suffix == ".c":
            found = self.phone.c_sources(files)
        elif used := set().union(*(imports(file) for file in files)) & self.failed:
            found = [f"not checked, for {', '.join(sorted(used))} does not compile"]
        else:
            skip = [] if is_checked else ["-experimental-skip-non-inlinable-function-bodies"]
            found = self.phone.module(name, files, [*skip, *self.c_flags, *flags])
        if found:
            self.failed.add(name)
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


def check(root, binaries):
    """(configuration, module, number of files, complaints) of everything that is checked."""
    generated = generate(root, binaries, FOLDER / "generated")
    version = ".".join(map(str, floor(root)))
    for triple, flags in CONFIGURATIONS:
        phone = Phone(triple.format(floor=version), flags, root)
        for row in Check(root, generated, phone).rows():
            yield (" ".join([phone.triple, *flags]), *row)


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
