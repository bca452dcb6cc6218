"""What the steps of a release share: the version, the folder, and the libraries that a program needs."""

import functools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# glibc's own. They stay the machine's, as its loader does: one of another version would not fit it.
GLIBC = re.compile(r"(ld-linux[\w-]*|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl)\.so\.\d+")
SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"
# On a Mac: what comes with the system, and what Homebrew keeps up to date.
SYSTEM = ("/usr/lib/", "/System/Library/")
BREWED = re.compile(r"/opt/(libmicrohttpd|libpq|zstd)/lib/")


def fail(message):
    """Ends the step, with what happened and what to do."""
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def output(*words):
    """What a command prints."""
    try:
        return subprocess.run(
            [str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    except FileNotFoundError:
        return fail(f"{words[0]} is not installed: .ci/setup installs what a release needs")
    except subprocess.CalledProcessError as error:
        return fail(f"{' '.join(map(str, words))} ended with status {error.returncode}")


def version():
    """The version that the sources name."""
    text = (ROOT / "Sources/Daybook/Release.swift").read_text(encoding="utf-8")
    return re.search(r'version = "([^"]+)"', text).group(1)


def time_of_commit():
    """Seconds since 1970, for the times in an archive: the same commit makes the same bytes."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def is_mac():
    return platform.system() == "Darwin"


def name():
    """What an archive is called, and the folder in it."""
    machine = {"aarch64": "arm64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    return f"daybook-{version()}-{'macos' if is_mac() else 'linux'}-{machine}"


def needed(file):
    """The libraries that a program or library itself names."""
    if is_mac():
        return re.findall(r"^\t(\S+) \(", output("otool", "-L", file), re.MULTILINE)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", file))


def libraries(binary):
    """By its name, where each library is that a program needs: itself or through others; on a Mac, itself."""
    if is_mac():
        return {Path(path).name: path for path in needed(binary)}
    found = dict(re.findall(r"^\s*(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$", output("ldd", binary), re.MULTILINE))
    missing = [name for name, path in found.items() if path == "not found"]
    if missing:
        fail(f"{binary} needs {', '.join(missing)}, which this machine lacks: run scripts/setup build")
    return found


def is_glibc(library):
    return GLIBC.fullmatch(library) is not None


@functools.lru_cache(maxsize=None)
def package(path):
    """Whose a library is, as (name, version, source, licences); a source that nobody names is None."""
    if is_mac():
        return brewed(path)
    real = os.path.realpath(path)
    # The same file under two names, where /lib leads to /usr/lib; the package manager knows one.
    for candidate in (real, re.sub(r"^/usr", "", real)):
        owner = subprocess.run(
            ["dpkg-query", "-S", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if owner.returncode == 0:
            break
    else:
        if "/swift/" in real:
            return swift()
        fail(f"no Debian package has {real}: a release contains only what can be named; install it from a package")
    name = owner.stdout.split(": ")[0]
    fields = output("dpkg-query", "-W", "-f=${Package}\t${Version}\t${source:Package} ${source:Version}", name).split("\t")
    text = licence_file(fields[0]).read_text(encoding="utf-8", errors="replace")
    # Each licence by its short name, where the file is in the form that programs can read.
    licences = dict.fromkeys(re.findall(r"^License: *(\S.*?) *$", text, re.MULTILINE)) if text.startswith("Format:") else ()
    return (*fields, tuple(licences) or (f"as in licences/{fields[0]}",))


def licence_file(package):
    """Where the text of a package's licences is, on Linux."""
    if package == "swift":
        return Path(shutil.which("swift")).resolve().parents[1] / "share/swift/LICENSE.txt"
    return Path("/usr/share/doc") / package / "copyright"


def swift():
    """The language's libraries, inside the program in a release for Linux."""
    found = re.search(r"Swift version (\S+)", output("swift", "--version"))
    return "swift", found.group(1) if found else "unknown", None, (SWIFT_LICENCE,)


def brewed(path):
    if path.startswith(SYSTEM):
        return "macOS", output("sw_vers", "-productVersion").strip(), None, ()
    match = re.search(r"/Cellar/([^/]+)/([^/]+)/", os.path.realpath(path))
    if match is None:
        fail(f"{path} is neither the system's nor Homebrew's: install it with brew")
    formula = json.loads(output("brew", "info", "--json=v2", match.group(1)))["formulae"][0]
    return match.group(1), match.group(2), None, (formula["license"],)
