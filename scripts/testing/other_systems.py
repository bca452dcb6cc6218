"""Compiles what runs on Android and on Linux without Glibc as their Swift SDKs would: for Android what an app links, for musl,
with which static programs are linked, all of our modules.

Neither SDK is needed. The toolchain's compiled modules of Linux are copied for the other triple, where `os` and `canImport`
answer as on that system; in the copies the C library is called otherwise, so that there is no `Glibc`, only `Musl` or
`Android`. Its headers are musl's. They stand in for Android's too, which name the same constants as numbers; what differs in
Bionic (functions that it lacks, pointers that are never null) is not seen.
"""

import platform
import re
import shutil
from pathlib import Path

import apple
import architecture
from apple_sdk import FOLDER, LIBRARY_HEADERS, ROOT, SDK, SERVER_HEADERS, digest, imports, in_order, toolchain

MACHINE = platform.machine()
INCLUDE = Path("/usr/include")
MUSL = INCLUDE / f"{MACHINE}-linux-musl"
# Headers of the kernel, and of the servers' libraries.
OTHERS = [
    *(INCLUDE / name for name in ("linux", "asm-generic", "openssl")), INCLUDE / f"{MACHINE}-linux-gnu" / "asm",
    *LIBRARY_HEADERS, *SERVER_HEADERS]
# OpenSSL's configuration, apart from its other headers of the same folder.
ARCHITECTURE = INCLUDE / f"{MACHINE}-linux-gnu" / "openssl"
# System → its triple, the folder of its modules in a toolchain, and the module of its C library.
SYSTEMS = {
    "Android": (f"{MACHINE}-unknown-linux-android28", "android", "Android"),
    "musl": (f"{MACHINE}-swift-linux-musl", "linux-static", "Musl"),
}
# Where the functions of a module can differ from those of Linux, and from musl's, which has the same C library here.
CONDITIONS = {
    "musl": re.compile(r"^\s*#(?:if|elseif)\b.*\b(?:os|canImport)\(", re.MULTILINE),
    "Android": re.compile(r"^\s*#(?:if|elseif)\b.*\bos\(", re.MULTILINE),
}
# The C library by a name of equal length: a compiled module has it where it says what it imports.
GLIBC, HIDDEN = re.compile(rb"(?<!Swift)Glibc"), "_Libc"


class System(SDK):
    """The modules of one system, compiled on copies of those of Linux."""

    def __init__(self, name, root=ROOT, folder=FOLDER):
        self.system = name
        triple, self.place, self.library = SYSTEMS[name]
        super().__init__(name, triple, (), root, folder)
        self.resources, self.sysroot = self.folder / "resources", self.folder / "sysroot"
        # Some of musl's headers only warn that they have an old name.
        self.clang_search = [
            f"--sysroot={self.sysroot}", "-isystem", str(self.folder / "architecture"), "-Wno-#warnings"]
        self.search += ["-resource-dir", str(self.resources), "-sysroot", str(self.sysroot)]
        self.headers = digest(Path(__file__), *sorted(MUSL.rglob("*.h")), *OTHERS)

    def prepare(self):
        """Copies the toolchain's side, if it has changed."""
        state, key = self.folder / "key", digest(self.compiler, self.headers)
        if state.exists() and state.read_text() == key:
            return
        if missing := [str(each) for each in [MUSL, *OTHERS, ARCHITECTURE] if not each.exists()]:
            raise RuntimeError(f"{', '.join(missing)} is missing; `make setup` installs it")
        shutil.rmtree(self.folder)
        for each in (self.frameworks, self.modules):
            each.mkdir(parents=True)
        self.copy_headers()
        self.copy_modules()
        if complaints := self.run([
            "swift-frontend", "-emit-module", *self.module_flags(self.library, [self.umbrella()]),
            "-o", str(self.frameworks / f"{self.library}.swiftmodule"), str(self.umbrella())]):
            raise RuntimeError("\n".join([f"the C library of {self.system}:", *complaints]))
        state.write_text(key)

    def umbrella(self):
        return self.folder / f"{self.library}.swift"

    def copy_headers(self):
        headers = self.sysroot / "usr" / "include"
        headers.mkdir(parents=True)
        for each in [*MUSL.iterdir(), *OTHERS]:
            (headers / each.name).symlink_to(each)
        linux = toolchain() / "lib" / "swift" / "linux" / MACHINE
        shutil.copy(linux / "glibc.modulemap", headers / "module.modulemap")
        shutil.copy(linux / "SwiftGlibc.h", headers)
        # What tells Unicode's headers that they are on Android.
        (headers / "android").mkdir()
        (headers / "android" / "api-level.h").write_text("#define __ANDROID_API__ 28\n")
        (self.folder / "architecture").mkdir()
        (self.folder / "architecture" / "openssl").symlink_to(ARCHITECTURE)

    def copy_modules(self):
        swift = toolchain() / "lib" / "swift"
        self.resources.mkdir()
        for each in swift.iterdir():
            if each.name != "linux":
                (self.resources / each.name).symlink_to(each)
        for file in (swift / "linux").glob(f"*.swiftmodule/{MACHINE}-unknown-linux-gnu.swiftmodule"):
            folder = self.resources / self.place / file.parent.name.replace("Glibc", HIDDEN)
            folder.mkdir(parents=True)
            # The version of a system is no part of a module's name.
            copy = folder / f"{self.triple.rstrip('0123456789')}.swiftmodule"
            copy.write_bytes(GLIBC.sub(HIDDEN.encode(), file.read_bytes()))
        self.umbrella().write_text(f"@_exported import {HIDDEN}\n")


class Check(apple.Check):
    """What one system compiles."""

    def rows(self):
        """(module, number of files, complaints) of each."""
        self.sdk.prepare()
        for name, files, flags in self.modules():
            yield name, len(files), self.complaints(name, files, flags)

    def has_own_bodies(self, files):
        """Whether function bodies can have other mistakes here than on Linux, where all are compiled."""
        return any(CONDITIONS[self.sdk.system].search(file.read_text(encoding="utf-8")) for file in files)

    def modules(self):
        """(module, files, flags), each after its dependencies."""
        ours = self.root / "Sources"
        swift = {
            name: files for name, files in self.targets.items()
            if (name in architecture.LINKED_BY_APPS if self.sdk.system == "Android" else files[0].is_relative_to(ours))}
        graph = {name: set().union(*map(imports, files)) for name, files in swift.items()}
        for name in sorted(set().union(*graph.values()) & {folder.name for folder in ours.glob("C*")}):
            self.c_flags += self.sdk.c_module(name)
            if files := sorted((ours / name).glob("*.c")):
                yield name, files, []
        for name in in_order(graph):
            yield name, swift[name] + ([self.generated["page"]] if name == "DaybookInspector" else []), apple.OURS


def check(root, binaries):
    """(system, module, number of files, complaints) of everything that is checked, as `apple.check` has them."""
    generated = apple.generate(root, binaries, FOLDER / "generated")
    targets = apple.package_targets(root, apple.manifest(root))
    for name in SYSTEMS:
        for row in Check(root, generated, targets, System(name, root)).rows():
            yield (name, *row)
