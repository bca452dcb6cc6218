"""What modules that apps link use of the platform, held against the oldest system that they run on.

The toolchain knows since which system each symbol of its libraries exists (symbol graphs), and a debug build leaves an
index of every use of a symbol, with file and line. Joined, they name each use of something newer than the floor. Only the
toolchain's own libraries carry these dates on Linux; classes of Foundation that iOS lacks stand on a list.
"""

import ctypes
import json
import platform
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The graphs are those of the toolchain: made once, for whatever is checked.
GRAPHS = ROOT / ".build-platforms"
LIBRARIES = ["Swift", "_Concurrency", "_StringProcessing", "Synchronization", "FoundationEssentials"]

# Classes of Foundation that iOS does not have.
NOT_ON_IOS = {
    "Process", "Host", "NSTask", "NSUserScriptTask", "NSUserAppleScriptTask", "NSUserUnixTask", "NSAppleScript",
    "NSDistributedNotificationCenter", "DistributedNotificationCenter", "NSBackgroundActivityScheduler", "NSXMLDocument",
    "XMLDocument", "XMLElement", "XMLNode", "XMLDTD", "XMLDTDNode", "NSConnection", "NSPortNameServer",
    "NSGarbageCollector", "FTSENT",
}

# Uses that are newer by name and not by what is called: the symbol, and why.
EXCEPTIONS = {
    # An overload of the operator for words of 128 bits is newer; the index names one of its family.
    "&*(_:_:)": "an overload that every integer has from the beginning",
    "next(isolation:)": "back-deployed: the compiler puts it into the program where the system lacks it",
}


class StringRef(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode("utf-8", "replace") if self.length else ""


VISIT_NAME = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, StringRef)
VISIT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
RECORD_DEPENDENCY = 2
REFERENCE = 1 << 2


class Index:
    """The index that a build left, read by the toolchain's own library (`indexstore.h` of the LLVM project)."""

    def __init__(self, store):
        self.library = ctypes.CDLL(str(toolchain() / "lib" / "libIndexStore.so"))
        for name in (
            "indexstore_unit_reader_get_main_file", "indexstore_unit_reader_get_module_name",
            "indexstore_unit_dependency_get_name", "indexstore_symbol_get_usr", "indexstore_symbol_get_name",
        ):
            getattr(self.library, name).restype = StringRef
        for name in (
            "indexstore_store_create", "indexstore_unit_reader_create", "indexstore_record_reader_create",
            "indexstore_occurrence_get_symbol",
        ):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.indexstore_occurrence_get_roles.restype = ctypes.c_uint64
        self.store = ctypes.c_void_p(self.call("indexstore_store_create", str(store).encode()))

    def call(self, name, *words):
        error = ctypes.c_void_p()
        result = getattr(self.library, name)(*words, ctypes.byref(error))
        if not result:
            raise RuntimeError(f"{name}: the index cannot be read")
        return result

    def units(self):
        names = []
        self.library.indexstore_store_units_apply_f(
            self.store, 1, None, VISIT_NAME(lambda _, name: names.append(str(name)) or True))
        return names

    def uses(self, modules):
        """(module, file, line, USR, name) of each use of a symbol in the modules' files that are still there."""
        for unit in self.units():
            reader = ctypes.c_void_p(self.call("indexstore_unit_reader_create", self.store, unit.encode()))
            module = str(self.library.indexstore_unit_reader_get_module_name(reader))
            file = str(self.library.indexstore_unit_reader_get_main_file(reader))
            records = []

            def dependency(_, each, records=records):
                each = ctypes.c_void_p(each)
                if self.library.indexstore_unit_dependency_get_kind(each) == RECORD_DEPENDENCY:
                    records.append(str(self.library.indexstore_unit_dependency_get_name(each)))
                return True

            if module in modules and Path(file).exists():
                self.library.indexstore_unit_reader_dependencies_apply_f(reader, None, VISIT(dependency))
            self.library.indexstore_unit_reader_dispose(reader)
            for record in records:
                yield from ((module, file, *use) for use in self.occurrences(record))

    def occurrences(self, record):
        reader = ctypes.c_void_p(self.call("indexstore_record_reader_create", self.store, record.encode()))
        found = []

        def occurrence(_, each):
            each = ctypes.c_void_p(each)
            if self.library.indexstore_occurrence_get_roles(each) & REFERENCE:
                symbol = ctypes.c_void_p(self.library.indexstore_occurrence_get_symbol(each))
                line, column = ctypes.c_uint(), ctypes.c_uint()
                self.library.indexstore_occurrence_get_line_col(each, ctypes.byref(line), ctypes.byref(column))
                found.append((
                    line.value, str(self.library.indexstore_symbol_get_usr(symbol)),
                    str(self.library.indexstore_symbol_get_name(symbol))))
            return True

        self.library.indexstore_record_reader_occurrences_apply_f(reader, None, VISIT(occurrence))
        self.library.indexstore_record_reader_dispose(reader)
        return found


def toolchain():
    """The toolchain's folder `usr`."""
    return Path(shutil.which("swift")).resolve().parent.parent


def floor(root):
    """The oldest iOS that the package says it runs on."""
    version = re.search(r"\.iOS\(\.v(\d+)(?:_(\d+))?\)", (root / "Package.swift").read_text(encoding="utf-8"))
    if version is None:
        raise RuntimeError("Package.swift names no iOS")
    return int(version.group(1)), int(version.group(2) or 0)


def introduced(folder=GRAPHS):
    """USR → the version of iOS that a symbol came with, of the toolchain's libraries. Graphs are kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    target = f"{platform.machine()}-unknown-linux-gnu"
    dates = {}
    for library in LIBRARIES:
        if not list(folder.glob(f"{library}*.symbols.json")):
            subprocess.run(
                ["swift", "symbolgraph-extract", "-module-name", library, "-target", target, "-output-dir", str(folder),
                 "-minimum-access-level", "public"],
                check=True, capture_output=True)
        for file in folder.glob(f"{library}*.symbols.json"):
            for symbol in json.loads(file.read_text())["symbols"]:
                for entry in symbol.get("availability", []):
                    if entry.get("domain") == "iOS" and "introduced" in entry:
                        version = entry["introduced"]
                        dates[symbol["identifier"]["precise"]] = (version["major"], version.get("minor", 0))
    if len(dates) < 1000:
        raise RuntimeError(f"only {len(dates)} symbols of the toolchain say when they came: the check would find nothing")
    return dates


def complaints(uses, dates, root, floor):
    """One complaint for each use of a symbol that came after the floor, or of a class that iOS lacks, which no condition
    in the source keeps from older systems or from iOS."""
    found, sources = set(), {}
    for _, file, line, usr, name in uses:
        since = dates.get(usr)
        is_newer = since is not None and since > floor and name not in EXCEPTIONS
        is_absent = name in NOT_ON_IOS and re.match(r"[sc]:.*Foundation", usr) is not None
        if not is_newer and not is_absent:
            continue
        if file not in sources:
            sources[file] = Path(file).read_text(encoding="utf-8").splitlines()
        place = f"{Path(file).relative_to(root)}:{line}"
        if is_newer and not is_checked(sources[file], line, since):
            found.add(f"{place}: {name} came with iOS {since[0]}.{since[1]}; the floor is {floor[0]}.{floor[1]}")
        if is_absent and not is_elsewhere(sources[file], line):
            found.add(f"{place}: iOS has no {name}")
    return sorted(found)


def is_checked(lines, line, since):
    """Whether a line stands in a declaration or branch that needs at least this iOS: `@available(iOS 18, …)` before it, or
    `if #available(iOS 18, …) {` around it."""
    depth, guards, pending, was_checked = 0, [], False, False
    for text in lines[:line]:
        was_checked = bool(guards)
        version = re.search(r"[@#]available\(.*\biOS (\d+)(?:\.(\d+))?", text)
        if version and (int(version.group(1)), int(version.group(2) or 0)) >= since:
            pending = True
        for character in re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", text):
            if character == "{":
                depth += 1
                if pending:
                    guards.append(depth)
                    pending, was_checked = False, True
            elif character == "}":
                guards = [guard for guard in guards if guard < depth]
                depth -= 1
    return was_checked or pending


def is_elsewhere(lines, line):
    """Whether a line stands in a branch for other systems: `#if os(macOS) || os(Linux)` and the like."""
    branches = []
    for text in lines[:line]:
        word = text.strip()
        if word.startswith("#if "):
            branches.append("os(" in word and "os(iOS)" not in word and "!" not in word)
        elif word.startswith(("#else", "#elseif")) and branches:
            branches[-1] = False
        elif word.startswith("#endif") and branches:
            branches.pop()
    return any(branches)


def check(root, build, modules):
    """The complaints about a debug build of the modules."""
    uses = list(Index(build / "index" / "store").uses(modules))
    missing = sorted(modules - {module for module, *_ in uses})
    if missing:
        raise RuntimeError(f"the index of {build} knows no use in {', '.join(missing)}")
    return complaints(uses, introduced(), root, floor(root))
