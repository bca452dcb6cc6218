"""Where the tests' builds are, and with which flags they are made."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Its own folder, because the flags would make every other build start anew. The packages beside the root build into it
# too: with the same flags the package manager finds the root's modules made, and compiles only what is theirs.
SCRATCH = ROOT / ".build-test"
# Nobody debugs these builds, and the compiler's check of its own work is not ours. A module is compiled as a whole, by one
# process that also writes its interface: the usual way three processes type-check it, for a fifth more of the whole build's
# processor time. (The index of our own sources is needed: the package manager finds the tests by it. Two threads give it
# its file for each source.)
WHOLE = ["-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo", "-disable-batch-mode"]
SWIFTC = ["-warnings-as-errors", "-index-ignore-system-modules", "-Xfrontend", "-disable-llvm-verify", *WHOLE]
FLAGS = ["--scratch-path", str(SCRATCH), *(word for flag in SWIFTC for word in ("-Xswiftc", flag)),
         "-debug-info-format", "none"]
