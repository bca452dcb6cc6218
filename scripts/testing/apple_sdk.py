"""An Apple platform's standard library and frameworks, as far as a compiler on Linux needs them.

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

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "Tests" / "DaybookAppleTests" / "Stubs"
# Compiled modules are kept, and rebuilt only if they or their dependencies have changed.
FOLDER = ROOT / ".build-apple"

# Including Swift Testing, which Xcode builds from the same sources.
STANDARD_LIBRARY = ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "Synchronization", "Testing"]
# Additions of Apple's standard library to that of this machine. Source:
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
@available(iOS 13.0, macOS 10.15, tvOS 13.0, watchOS 6.0, *)
public func _runTaskForBridgedAsyncMethod(
  @_inheritActorContext _ body: __owned @escaping @Sendable () async -> Swift.Void)
""",
}
AVAILABLE = re.compile(r"@available\([^)]*\)")
IOS_VERSION = re.compile(r"\biOS((?:, (?:introduced|deprecated|obsoleted):)? )(\d+)(?:\.(\d+))?[\d.]*")
# A framework's declarations name the platforms that have it; those that do not are for all.
PLATFORMS_LINE = re.compile(r"^// Only on (.+)\.$", re.MULTILINE)
# Newer only by name: of two functions with one name, the toolchain has only the newer, Apple's platforms both.
EXCEPTIONS = {"NotificationCenter.removeObserver(_:)"}
# The headers of libraries that every Apple platform has.
LIBRARY_HEADERS = [Path("/usr/include") / name for name in ("sqlite3.h", "zlib.h", "zconf.h")]
# Headers of the server's libraries, for a Mac, where Homebrew has them.
SERVER_HEADERS = [
    *(Path("/usr/include") / name for name in ("microhttpd.h", "zstd.h", "zstd_errors.h")),
    *(Path("/usr/include/postgresql") / name for name in ("libpq-fe.h", "postgres_ext.h", "pg_config_ext.h")),
    Path(f"/usr/include/{platform.machine()}-linux-gnu/curl"),
]


class SDK:
    """The standard library and frameworks of one platform, compiled for one triple, and modules built on them.

    Not thread-safe; several processes would write to the same folder.
    """

    def __init__(self, platform, triple, flags=(), root=ROOT, folder=FOLDER):
        """`platform` as Apple spells it: `macOS`. What `flags` change is built beside the same frameworks, and on the modules
        of the same triple without flags, if there are any."""
        self.platform, self.triple, self.flags, self.root = platform, triple, list(flags), root
        self.folder = folder / triple
        self.frameworks = self.folder / "frameworks"
        self.modules = self.folder / "-".join(["modules", *(flag for flag in flags if flag != "-D")])
        self.libraries = self.folder / "libraries"
        plain = self.folder / "modules"
        self.plain = plain if flags and plain.exists() else None
        for each in (self.frameworks, self.modules, self.libraries):
            each.mkdir(parents=True, exist_ok=True)
        self.made = {}
        self.search = [
            "-target", self.triple, "-I", str(self.frameworks), "-I", str(self.modules),
            *(["-I", str(self.plain)] if self.plain else []), "-module-cache-path", str(self.folder / "cache"),
            "-plugin-path", str(toolchain() / "lib/swift/host/plugins")]
        self.clang_search = ["-nostdlibinc", "-isystem", str(STUBS / "include"), "-isystem", str(self.libraries)]
        version = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
        self.compiler = digest(version, Path(__file__))
        self.library_headers = LIBRARY_HEADERS + (SERVER_HEADERS if platform == "macOS" else [])
        self.headers = digest(*sorted((STUBS / "include").rglob("*")), *self.library_headers)

    def prepare(self):
        """Compiles the platform's side. Raises the compiler's message if a framework's declaration is wrong."""
        declared = frameworks(self.platform)
        for file in self.frameworks.glob("*.swiftmodule"):
            if file.stem not in (*STANDARD_LIBRARY, *declared):
                file.unlink()
        for name in STANDARD_LIBRARY:
            self.standard_module(name)
        for header in self.library_headers:
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
                raise RuntimeError("\n".join([f"the declarations of {name} for {self.triple}:", *complaints]))

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
        if self.platform == "visionOS":
            body = with_vision_versions(body)
        interface = self.frameworks / f"{name}.swiftinterface"
        output = self.frameworks / f"{name}.swiftmodule"
        key = digest(self.compiler, head, body)
        if is_current(output, key):
            return
        interface.write_text(head + mark + body, encoding="utf-8")
        words = ["-parse-stdlib"] if name in ("Swift", "_Concurrency") else []
        complaints = self.run([
            "swift-frontend", "-compile-module-from-interface", str(interface), *words, *self.search,
            "-module-name", name, "-o", str(output)])
        if complaints:
            raise RuntimeError("\n".join([f"the toolchain's {name} for {self.triple}:", *complaints]))
        remember(output, key)

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

    def module(self, name, files, flags=(), then=None):
        """Compiles a module on the frameworks, and calls `then` with its name and files, which looks at it again; returns the
        complaints."""
        return self.compile(name, files, [*self.flags, *flags], self.modules, then)

    def takes_plain(self, name):
        """Takes a module as it was built without flags, if it was; returns whether."""
        key = self.plain and (self.plain / f"{name}.key")
        if not key or not key.exists():
            return False
        self.made[name] = key.read_text()
        return True

    def compile(self, name, files, flags, folder, then=None):
        """Compiles a module up to its interface, which includes all of the compiler's checks but of bodies that `flags`
        skip."""
        files = [Path(os.path.relpath(file, self.root)) for file in sorted(files)]
        used = set().union(*(imports(self.root / file) for file in files))
        self.made[name] = key = digest(
            self.compiler, self.headers, *flags, *(f"{each} {self.made.get(each)}" for each in sorted(used)),
            *map(str, files), *(self.root / file for file in files))
        output = folder / f"{name}.swiftmodule"
        if is_current(output, key):
            return []
        complaints = self.run([
            "swift-frontend", "-emit-module", *self.module_flags(name, files), "-o", str(output), "-Onone", *flags,
            *map(str, files)])
        if not complaints and then:
            complaints = then(name, files)
        if not complaints:
            remember(output, key)
        return complaints

    def module_flags(self, name, files):
        """What every look of the compiler at a module needs."""
        return [
            *self.search, "-module-name", name, "-swift-version", "6", "-warnings-as-errors",
            *([] if any(file.name == "main.swift" for file in files) else ["-parse-as-library"]),
            *(word for flag in self.clang_search for word in ("-Xcc", flag))]

    def declared_dates(self):
        """Symbol → the version in Foundation's declarations that introduced it or its type."""
        words = ["-I", str(self.frameworks), *(word for flag in self.clang_search for word in ("-Xcc", flag))]
        folder = self.folder / "graphs"
        dates = dates_in(symbol_graphs("Foundation", self.triple, folder, words), self.platform)
        shutil.rmtree(folder)
        return dates

    def run(self, words):
        """The compiler's lines; empty if it has no complaints."""
        # A compiler crash is a complaint too, without the registers.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        result = subprocess.run(words, cwd=self.root, env=environment, capture_output=True, text=True)
        text = (result.stdout + result.stderr).strip()
        if result.returncode == 0:
            return []
        return text.splitlines() or [f"{words[0]} ended with status {result.returncode}"]


def is_current(output, key):
    """Whether a compiled module was made from what the key tells."""
    state = output.with_suffix(".key")
    return output.exists() and state.exists() and state.read_text() == key


def remember(output, key):
    output.with_suffix(".key").write_text(key)


def with_vision_versions(interface):
    """An interface that says of visionOS what it says of iOS, where it names no version of its own. The first visionOS is
    of the year of iOS 17. Source: `iOS_visionOS` in SDKSettings.json of the visionOS SDK."""
    def version(found):
        major, minor = int(found[2]), int(found[3] or 0)
        if major < 18:
            return f"visionOS{found[1]}1.{max(0, minor - 3) if major == 17 else 0}"
        return f"visionOS{found[1]}{major if major >= 26 else major - 16}.{minor}"

    def attribute(found):
        return found[0] if "visionOS" in found[0] else IOS_VERSION.sub(version, found[0])

    return AVAILABLE.sub(attribute, interface)


def toolchain():
    """The toolchain's folder `usr`."""
    return Path(shutil.which("swift")).resolve().parent.parent


def symbol_graphs(module, triple, folder, words=()):
    """A module's public symbols, as the toolchain writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-target", triple, "-output-dir", str(folder),
         "-minimum-access-level", "public", *words],
        check=True, capture_output=True)
    for file in folder.glob(f"{module}*.symbols.json"):
        yield from json.loads(file.read_text())["symbols"]


def dates_in(symbols, platform="iOS"):
    """Symbol → the platform's version that introduced it or its type; `None` if neither says."""
    dates = {}
    for symbol in symbols:
        versions = [each["introduced"] for each in symbol.get("availability", [])
                    if each.get("domain") == platform and "introduced" in each]
        date = min(((each["major"], each.get("minor", 0)) for each in versions), default=None)
        name = ".".join(symbol["pathComponents"])
        # Of overloads, the oldest counts.
        dates[name] = date if name not in dates else min(date or (0, 0), dates[name] or (0, 0)) or None
    return dates


def foundation_dates(platforms):
    """Platform → symbol → the version that introduced it, for the part of Foundation that the toolchain has with
    availability."""
    with tempfile.TemporaryDirectory() as folder:
        triple = f"{platform.machine()}-unknown-linux-gnu"
        symbols = list(symbol_graphs("FoundationEssentials", triple, Path(folder)))
    return {
        each: {name: date for name, date in dates_in(symbols, each).items() if date is not None}
        for each in platforms}


def wrong_dates(known, declared, platform, floor):
    """Complaints about declarations older than what they declare. Up to the package's floor, no date is needed."""
    text = {name: "nothing" if date is None else f"{date[0]}.{date[1]}" for name, date in declared.items()}
    return [
        f"{name} came with {platform} {known[name][0]}.{known[name][1]}; its declaration says {text[name]}"
        for name in sorted(declared.keys() & known.keys() - EXCEPTIONS)
        if known[name] > floor and (declared[name] or (0, 0)) < known[name]]


def frameworks(platform):
    """Framework → its declaring files, `Network.swift` or all of the folder `Foundation`, of those the platform has."""
    found = {}
    for file in sorted(STUBS.rglob("*.swift")):
        place = file.relative_to(STUBS)
        line = PLATFORMS_LINE.search(file.read_text(encoding="utf-8"))
        if line is None or platform in re.split(r",? and |, ", line[1]):
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
