"""Each module that an app links declares, in its privacy manifest, the API that it uses and for which Apple asks a reason.

What a module uses is read from the index that the compiler writes of it, compiled for a phone: it names each declaration
that an expression means, also in branches for Apple's platforms, which objects built on Linux lack. Words of the source
could be a structure or a property of ours.
"""

import os
import plistlib
import re
import tempfile
from pathlib import Path

import apple
import architecture
from apple_sdk import FOLDER, SDK

# Category → its API, functions in C and members in Swift, and the reasons that may be given.
# Source: https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
CATEGORIES = {
    "FileTimestamp": (
        "stat fstat fstatat lstat getattrlist fgetattrlist getattrlistat getattrlistbulk",
        "creationDate modificationDate fileModificationDate contentModificationDateKey creationDateKey",
        "DDA9.1 C617.1 3B52.1 0A2A.1"),
    "SystemBootTime": ("mach_absolute_time", "systemUptime", "35F9.1 8FFB.1 3D61.1"),
    "DiskSpace": (
        "statfs statvfs fstatfs fstatvfs getattrlist fgetattrlist getattrlistat",
        "volumeAvailableCapacityKey volumeAvailableCapacityForImportantUsageKey"
        " volumeAvailableCapacityForOpportunisticUsageKey volumeTotalCapacityKey systemFreeSize systemSize",
        "85F4.1 E174.1 7D9E.1 B728.1"),
    "ActiveKeyboards": ("", "activeInputModes", "3EC4.1 54BD.1"),
    "UserDefaults": ("", "UserDefaults", "CA92.1 1C8F.1 C56D.1 AC6B.1"),
}
PREFIX = "NSPrivacyAccessedAPICategory"
KEYS = {"NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes", "NSPrivacyAccessedAPITypes"}
FILE = "PrivacyInfo.xcprivacy"
# A record of the index is a file whose name begins with the source's; it has names and, after each, what identifies the
# declaration: `c:@F@stat`, `systemUptimes:10Foundation…`. What a module of ours declares has that module's name in it.
SWIFT = re.compile(
    rb"(%s)(?:s:|c:objc)(?!\w*\dDaybook)" % "|".join(
        sorted((name for _, names, _ in CATEGORIES.values() for name in names.split()), key=len, reverse=True)).encode())
C = re.compile(rb"c:@F@(\w+)")


def used(folder, files):
    """Category → the API with the file that uses it, of the records of these files in an index."""
    found, names = {}, {file.name for file in files}
    for record in sorted(folder.glob("v*/records/*/*")):
        if record.name.rpartition("-")[0] not in names:
            continue
        data = record.read_bytes()
        functions, members = ({each.decode() for each in pattern.findall(data)} for pattern in (C, SWIFT))
        for category, (in_c, in_swift, _) in CATEGORIES.items():
            for name in sorted(functions & set(in_c.split()) | members & set(in_swift.split())):
                found.setdefault(category, []).append(f"{name} in {record.name.rpartition('-')[0]}")
    return found


def index(sdk, name, files, flags, folder):
    """Has the compiler write the index of a module; returns its complaints."""
    files = [Path(os.path.relpath(file, sdk.root)) for file in sorted(files)]
    if files[0].suffix == ".c":
        return [
            complaint for file in files for complaint in sdk.run([
                "clang", "-target", sdk.triple, "-fsyntax-only", "-index-store-path", str(folder), *sdk.clang_search,
                "-I", str(file.parent / "include"), str(file)])]
    return sdk.run([
        "swift-frontend", "-typecheck", *sdk.module_flags(name, files), *flags, "-index-store-path", str(folder),
        *(word for file in files for word in ("-index-unit-output-path", str(folder / file))), *map(str, files)])


def complaints(name, uses, folder, resources):
    """What is wrong with the manifest of a module that uses this API; `resources` are those that Package.swift names."""
    file = folder / FILE
    for category, places in sorted(uses.items()):
        if not file.exists():
            yield f"{name} uses {places[0]}, and has no {FILE} that declares {PREFIX}{category}"
    if not file.exists():
        return
    if FILE not in resources:
        yield f"{file}: Package.swift does not name it among the resources of {name}"
    try:
        content = plistlib.loads(file.read_bytes())
        declared = {
            each["NSPrivacyAccessedAPIType"].removeprefix(PREFIX): each["NSPrivacyAccessedAPITypeReasons"]
            for each in content["NSPrivacyAccessedAPITypes"]}
    except Exception as error:  # The parser raises those of its XML too.
        yield f"{file}: it is not a privacy manifest: {type(error).__name__}: {error}"
        return
    if set(content) != KEYS:
        yield f"{file}: it has the keys {', '.join(sorted(content))}; it must have {', '.join(sorted(KEYS))}"
    if not uses:
        yield f"{file}: {name} uses nothing that needs a reason: remove the manifest"
    for category in sorted(uses.keys() | declared.keys()):
        if category not in declared:
            yield f"{file}: {PREFIX}{category} is missing: {name} uses {uses[category][0]}"
        elif category not in uses:
            yield f"{file}: {PREFIX}{category} is declared, and {name} uses nothing of it"
        elif not declared[category] or set(declared[category]) - set(CATEGORIES[category][2].split()):
            given = ", ".join(declared[category]) or "nothing"
            yield f"{file}: {given} is no reason for {PREFIX}{category}; reasons are {CATEGORIES[category][2]}"


def check(root):
    """(what is checked, module, number of files, complaints) of each that an app links, as `apple.check` has them; run it
    after that, for it has compiled the modules."""
    package = apple.manifest(root)
    resources = {
        target["name"]: {each["path"] for each in target["resources"]} for target in package["targets"]}
    phone = next(each for each in apple.CONFIGURATIONS if each.platform == "iOS")
    sdk = SDK(phone.platform, phone.full_triple(apple.floors(package)[phone.platform]), phone.flags, root)
    generated = {name: FOLDER / "generated" / f"{name}.swift" for name in ("page", "dictionary", "events", "examples")}
    modules = apple.Check(root, generated, apple.package_targets(root, package), sdk)
    for name, files, flags in modules.modules():
        if name not in architecture.LINKED_BY_APPS and files[0].suffix != ".c":
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = index(sdk, name, files, [*modules.c_flags, *flags], Path(folder))
            found = found or list(complaints(name, used(Path(folder), files), root / "Sources" / name, resources[name]))
        yield "privacy manifests", name, len(files), found
