"""Where the tests' builds are, their flags, and what every build needs to know."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A folder of its own, because these flags would make every other build start over. Nested packages build into it too:
# with the same flags the package manager reuses the root's modules and compiles only theirs.
SCRATCH = ROOT / ".build-test"
# Nobody debugs these builds, and verifying the compiler is not our task. Each module is compiled whole, by one process
# that also writes its interface: the default has three processes type-check it, for a fifth more processor time of the
# whole build. (The package manager needs the index of our own sources to find the tests. With two threads it gets a
# file for each source.)
WHOLE = ["-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo", "-disable-batch-mode"]
SWIFTC = ["-warnings-as-errors", "-index-ignore-system-modules", "-Xfrontend", "-disable-llvm-verify", *WHOLE]
FLAGS = ["--scratch-path", str(SCRATCH), *(word for flag in SWIFTC for word in ("-Xswiftc", flag)),
         "-debug-info-format", "none"]


def find_libraries():
    """Has each `swift build` of this process and its children find Homebrew's libraries, as in the Makefile."""
    if sys.platform == "darwin":
        script = ROOT / "scripts" / "pkg-config-path"
        os.environ["PKG_CONFIG_PATH"] = subprocess.check_output([str(script)], text=True).strip()


def binaries(*flags, folder=ROOT):
    """The folder of a package's built programs, which differs between the build systems."""
    words = ["swift", "build", *flags, "--show-bin-path"]
    return Path(subprocess.check_output(words, cwd=folder, text=True).strip().splitlines()[-1])
