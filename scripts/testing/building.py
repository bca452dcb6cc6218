"""Where the tests' builds are, and with which flags they are made."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Its own folder, because the flags would make every other build start anew. The packages beside the root build into it
# too: with the same flags the package manager finds the root's modules made, and compiles only what is theirs.
SCRATCH = ROOT / ".build-test"
# Nobody debugs these builds, and the compiler's check of its own work is not ours. (The index is needed: the package
# manager finds the tests by it.)
FLAGS = ["--scratch-path", str(SCRATCH), "-Xswiftc", "-warnings-as-errors", "-Xswiftc", "-Xfrontend", "-Xswiftc",
         "-disable-llvm-verify", "-debug-info-format", "none"]
