"""What `scripts/setup` and `make` do on a Mac: run here with a Mac's tools and stand-ins for Homebrew and Swift."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import mac_tools

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = "libmicrohttpd libpq openssl@3 zstd"
PROGRAMS = {
    "uname": "#!/bin/sh\necho Darwin\n",
    "brew": """#!/bin/sh
echo "brew $*" >> "$ASKED"
case "$1" in
list) for name in $INSTALLED; do echo "$name"; done ;;
--prefix) echo "$CELLAR/opt/$2" ;;
install) exit "${FAILS:-0}" ;;
esac
""",
    "swift": """#!/bin/sh
echo "swift $* with $PKG_CONFIG_PATH" >> "$ASKED"
case "$*" in
*--show-bin-path) echo "$CELLAR/products" ;;
esac
""",
}
FOUND = {name: "#!/bin/sh\n" for name in ("pkg-config", "node", "tsc", "nginx", "haproxy", "chromium")}
# Xcode's Python is too old for the tests' packages; Homebrew's makes an environment.
OLD = "#!/bin/sh\nexit 1\n"
NEW = """#!/bin/sh
echo "python3.13 $*" >> "$ASKED"
[ "$1" != -m ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
"""


@unittest.skipUnless(sys.platform == "linux", "a Mac has the tools themselves")
class MacSetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cellar = self.folder / "homebrew"
        self.asked = self.folder / "asked"
        self.copy = self.folder / "daybook"
        for name in (
            "Makefile",
            "scripts/setup",
            "scripts/pkg-config-path",
            "Tests/requirements.txt",
            "Tests/requirements-programs.txt",
        ):
            (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.copy / name)
        (self.cellar / "products").mkdir(parents=True)

    def run_with(self, *words, programs=None, without=(), **variables):
        """(status, output, what was asked of Homebrew, Swift and Python)."""
        self.asked.write_text("")
        kept = {name: text for name, text in {**PROGRAMS, **(programs or {})}.items() if name not in without}
        with mac_tools.tree(kept) as path:
            environment = {"PATH": path, "ASKED": str(self.asked), "CELLAR": str(self.cellar), **variables}
            done = subprocess.run(words, cwd=self.copy, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, self.asked.read_text()

    def test_what_is_missing_is_said_and_installed_by_one_command(self):
        for purpose in ("build", "demo"):
            status, told, asked = self.run_with("scripts/setup", purpose)
            self.assertEqual((status, told), (0, f"setup: brew install {LIBRARIES} pkgconf\n"))
            self.assertEqual(asked, f"brew list --formula -1\nbrew install --quiet {LIBRARIES} pkgconf\n")
        _, told, _ = self.run_with("scripts/setup", "build", programs=FOUND, INSTALLED="libpq zstd libpqxx")
        self.assertEqual(told, "setup: brew install libmicrohttpd openssl@3\n")

    def test_nothing_is_said_where_all_is_there(self):
        status, told, asked = self.run_with("scripts/setup", "build", programs=FOUND, INSTALLED=LIBRARIES)
        self.assertEqual((status, told, asked), (0, "", "brew list --formula -1\n"))

    def test_a_library_that_cannot_be_had_ends_it(self):
        self.assertEqual(self.run_with("scripts/setup", "build", FAILS="1")[0], 1)

    def test_what_only_tests_need_may_be_missing(self):
        status, told, asked = self.run_with(
            "scripts/setup",
            programs={"python3": '#!/bin/sh\nexec python3.13 "$@"\n', "python3.13": NEW},
            INSTALLED=LIBRARIES,
            FAILS="1",
        )
        self.assertEqual(status, 0, told)
        self.assertIn("setup: brew install pkgconf node typescript nginx haproxy postgresql@17 google-chrome\n", told)
        self.assertIn("python3.13 -m venv .venv\n", asked)

    def test_tests_get_a_python_that_their_packages_run_with(self):
        programs = {**FOUND, "python3": OLD}
        folder = self.cellar / "opt" / "python@3.13" / "bin"
        installed = f"{LIBRARIES} postgresql@16"
        status, told, _ = self.run_with("scripts/setup", programs=programs, INSTALLED=installed)
        self.assertIn("setup: brew install python@3.13\n", told)
        folder.mkdir(parents=True)
        (folder / "python3.13").write_text(NEW)
        (folder / "python3.13").chmod(0o755)
        status, told, asked = self.run_with("scripts/setup", programs=programs, INSTALLED=installed)
        self.assertEqual(status, 0, told)
        self.assertNotIn("brew install", asked)
        self.assertIn("-m pip install", asked)
        self.assertEqual(self.run_with("scripts/setup", programs=programs, INSTALLED=installed)[1], "")

    def test_without_homebrew_or_swift_it_says_what_to_install(self):
        status, told, _ = self.run_with("scripts/setup", "build", without=["brew"])
        self.assertEqual(
            (status, told), (1, f"setup: Homebrew is missing, by which a Mac gets {LIBRARIES}: see https://brew.sh\n")
        )
        status, told, _ = self.run_with("scripts/setup", "build", without=["swift"])
        self.assertEqual(status, 1)
        self.assertIn("Xcode", told)

    def test_make_install_builds_with_the_libraries_and_copies_the_command(self):
        shutil.copy("/bin/true", self.cellar / "products" / "daybook-cli")
        status, told, asked = self.run_with(
            "make", "install", f"PREFIX={self.folder}/prefix", programs=FOUND, INSTALLED=LIBRARIES
        )
        self.assertEqual(status, 0, told)
        paths = f"{self.cellar}/opt/libpq/lib/pkgconfig:{self.cellar}/opt/openssl@3/lib/pkgconfig"
        self.assertRegex(asked, f"\nswift build -c release --product daybook-cli -debug-info-format none *with {paths}\n")
        self.assertNotIn("static-swift-stdlib", asked)
        installed = self.folder / "prefix" / "bin" / "daybook"
        self.assertEqual(subprocess.run([installed]).returncode, 0)

    def test_make_help_lists_the_targets(self):
        status, told, _ = self.run_with("make", "help")
        self.assertEqual(status, 0)
        for target in ("demo", "install", "test"):
            self.assertIn(f"  make {target} ", told)

    def test_a_path_of_the_user_stays(self):
        keg = f"{self.cellar}/opt/libpq/lib/pkgconfig"
        _, told, _ = self.run_with("scripts/pkg-config-path", PKG_CONFIG_PATH=f"/mine:{keg}")
        self.assertEqual(told, f"{self.cellar}/opt/openssl@3/lib/pkgconfig:/mine:{keg}\n")
        _, told, _ = self.run_with(
            "scripts/pkg-config-path", programs={"uname": "#!/bin/sh\necho Linux\n"}, PKG_CONFIG_PATH="/mine"
        )
        self.assertEqual(told, "/mine\n")

    def test_python_scripts_hand_the_path_to_their_builds(self):
        script = (
            "import os, sys; sys.platform = 'darwin'; sys.path.insert(0, sys.argv[1]); import building; "
            "building.find_libraries(); os.execvp('swift', ['swift', 'build'])"
        )
        _, told, asked = self.run_with("python3", "-c", script, str(ROOT / "scripts" / "testing"))
        self.assertIn(f"swift build with {self.cellar}/opt/libpq/lib/pkgconfig:", asked, told)


if __name__ == "__main__":
    unittest.main()
