"""The steps of a release, as far as they go on this machine: the built command is packed, checked and described, and what
would be published names the right files.

Needs DAYBOOK_BINARY. On a Mac nothing of it has been run yet.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "scripts" / "release"
BINARY = os.environ["DAYBOOK_BINARY"]
sys.path.insert(0, str(STEPS))
import release  # noqa: E402

REPOSITORY = "example/Daybook"
MACHINES = ("linux-arm64", "linux-x86_64", "macos-arm64", "macos-x86_64")


def step(name, *words, folder=STEPS, **variables):
    """A step of a release, run to its end."""
    return subprocess.run(
        [str(word) for word in (folder / name, *words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, **variables})


def needs_patchelf(test):
    missing = platform.system() == "Linux" and shutil.which("patchelf") is None
    return unittest.skipIf(missing, "patchelf is not installed")(test)


def archives_of_all_machines(folder):
    """Stand-ins for the archives of a release, with their checksums."""
    for machine in MACHINES:
        (folder / f"daybook-{release.version()}-{machine}.tar.gz").write_bytes(machine.encode())
    step("checksums", folder).check_returncode()


@needs_patchelf
class ArchiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        packed = step("pack", BINARY, cls.folder)
        assert packed.returncode == 0, packed.stdout
        cls.archive = cls.folder / f"{release.name()}.tar.gz"
        cls.bill = json.loads((cls.folder / f"{release.name()}.cdx.json").read_text())

    def test_archive_runs_and_brings_every_library_that_it_needs(self):
        checked = step("check", self.archive)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn("runs, and needs nothing that a machine may lack", checked.stdout)

    @unittest.skipUnless(platform.system() == "Linux", "an archive for a Mac brings no library")
    def test_archive_that_lacks_a_library_is_refused_by_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "-xzf", self.archive, "-C", folder], check=True)
            next(Path(folder).glob("*/lib/daybook/libpq.so.*")).unlink()
            short = Path(folder) / self.archive.name
            subprocess.run(["tar", "-cf", short, "-C", folder, release.name()], check=True)
            checked = step("check", short)
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout, r"bin/daybook needs libpq\.so\.\d")

    @unittest.skipUnless(platform.system() == "Linux", "glibc is of Linux")
    def test_archive_for_an_older_glibc_is_refused(self):
        checked = step("check", "--glibc", "2.2", self.archive)
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout, r"it needs glibc 2\.\d+, newer than 2\.2: build it on an older system")

    def test_bill_of_materials_names_each_library_that_the_command_needs(self):
        libraries = {
            entry["value"] for part in self.bill["components"] for entry in part["properties"]
            if entry["name"] == "daybook:library"}
        named = {Path(path).name for path in release.needed(BINARY)}
        # The loader is nobody's library.
        self.assertEqual({name for name in named - libraries if not name.startswith("ld-linux")}, set())
        self.assertGreater(len(named), 5)
        if platform.system() == "Linux":
            self.assertEqual(set(release.libraries(BINARY)) - libraries, set())

    def test_bill_of_materials_names_our_version_and_licence_and_those_of_each_part(self):
        ours = self.bill["metadata"]["component"]
        self.assertEqual((ours["name"], ours["version"]), ("daybook", release.version()))
        self.assertEqual(ours["licenses"], [{"license": {"id": "Apache-2.0"}}])
        for part in self.bill["components"]:
            self.assertRegex(part["version"], r"\d", part["name"])
            if part["name"] != "macOS":
                self.assertTrue(part["licenses"], part["name"])
        references = [part["bom-ref"] for part in self.bill["components"]]
        self.assertEqual(self.bill["dependencies"], [{"ref": ours["bom-ref"], "dependsOn": references}])

    def test_bill_of_materials_is_in_the_archive_and_valid(self):
        text = (self.folder / f"{release.name()}.cdx.json").read_text()
        self.assertIsNone(JsonStrictValidator(SchemaVersion.V1_6).validate_str(text))
        inside = subprocess.check_output(
            ["tar", "-xzOf", self.archive, f"{release.name()}/share/doc/daybook/sbom.cdx.json"], text=True)
        self.assertEqual(inside, text)

    @unittest.skipUnless(platform.system() == "Linux", "an archive for a Mac brings no library")
    def test_archive_has_the_licence_of_each_package_whose_library_it_brings(self):
        names = subprocess.check_output(["tar", "-tzf", self.archive], text=True).splitlines()
        terms = {Path(name).name for name in names if "/licences/" in name}
        brought = {Path(name).name for name in names if "/lib/daybook/" in name and not name.endswith("/")}
        self.assertGreater(len(brought), 10)
        for library, path in release.libraries(BINARY).items():
            if library in brought:
                self.assertIn(release.package(path)[0], terms)
        self.assertIn("swift", terms)

    def test_checksums_verify_and_notice_a_changed_byte(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            archives_of_all_machines(folder)
            lines = (folder / "SHA256SUMS").read_text().splitlines()
            self.assertEqual(len(lines), len(MACHINES))
            for line in lines:
                digest, file = line.split("  ")
                self.assertEqual(digest, hashlib.sha256((folder / file).read_bytes()).hexdigest())
            tool = ["shasum", "-a", "256"] if shutil.which("shasum") else ["sha256sum"]
            verify = [*tool, "-c", "SHA256SUMS"]
            self.assertEqual(subprocess.run(verify, cwd=folder, stdout=subprocess.DEVNULL).returncode, 0)
            (folder / lines[0].split("  ")[1]).write_bytes(b"changed")
            changed = subprocess.run(verify, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(changed.returncode, 1)


@needs_patchelf
class ReproducibilityTest(unittest.TestCase):
    def test_same_program_makes_the_same_bytes_whenever_it_is_packed(self):
        # Any program with libraries will do; git is here, and small.
        program = shutil.which("git")
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            for folder, zone in ((first, "UTC"), (second, "Asia/Tokyo")):
                copy = Path(folder) / "program"
                shutil.copyfile(program, copy)
                os.chmod(copy, 0o700 if folder == first else 0o755)
                packed = step("pack", copy, Path(folder) / "out", TZ=zone)
                self.assertEqual(packed.returncode, 0, packed.stdout)
            files = [sorted((Path(folder) / "out").iterdir()) for folder in (first, second)]
            self.assertEqual([file.name for file in files[0]], [file.name for file in files[1]])
            self.assertEqual(len(files[0]), 2)
            for one, other in zip(*files):
                self.assertEqual(one.read_bytes(), other.read_bytes(), one.name)


class FormulaTest(unittest.TestCase):
    def test_formula_names_the_address_and_checksum_of_each_archive(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            archives_of_all_machines(folder)
            step("formula", folder, REPOSITORY).check_returncode()
            text = (folder / "daybook.rb").read_text()
        version = release.version()
        found = re.findall(r'on_(macos|linux|arm|intel) do|url "(.+)"|sha256 "(.+)"', text)
        expected, system, machine = [], None, None
        for block, url, digest in found:
            system = block if block in ("macos", "linux") else system
            machine = {"arm": "arm64", "intel": "x86_64"}.get(block, machine)
            if url:
                archive = f"daybook-{version}-{system}-{machine}.tar.gz"
                self.assertEqual(url, f"https://github.com/{REPOSITORY}/releases/download/v{version}/{archive}")
            if digest:
                self.assertEqual(digest, hashlib.sha256(f"{system}-{machine}".encode()).hexdigest())
                expected.append(f"{system}-{machine}")
        self.assertEqual(sorted(expected), sorted(MACHINES))
        self.assertIn(f'version "{version}"', text)
        self.assertNotRegex(text, r"(?<!#)\{")

    @unittest.skipIf(shutil.which("ruby") is None, "ruby is not installed")
    def test_formula_is_valid_ruby(self):
        with tempfile.TemporaryDirectory() as name:
            archives_of_all_machines(Path(name))
            step("formula", name, REPOSITORY).check_returncode()
            subprocess.run(["ruby", "-c", Path(name) / "daybook.rb"], check=True, stdout=subprocess.DEVNULL)

    def test_release_without_an_archive_of_each_machine_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            archives_of_all_machines(Path(name))
            missing = f"daybook-{release.version()}-macos-arm64.tar.gz"
            (Path(name) / missing).unlink()
            step("checksums", name).check_returncode()
            refused = step("formula", name, REPOSITORY)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"SHA256SUMS has no line for {missing}: pack it on such a machine", refused.stdout)


class VersionTest(unittest.TestCase):
    """The step over sources of a version that has been released."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(STEPS, self.root / "scripts" / "release")
        (self.root / "Sources" / "Daybook").mkdir(parents=True)
        self.write("1.2.0", "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2027-01-02\n\n- New.\n\n## 1.1.0 - 2026-12-01\n\n- Old.\n")

    def write(self, version, changelog):
        (self.root / "Sources/Daybook/Release.swift").write_text(
            f'package enum Release {{\n    package static let version = "{version}"\n}}\n')
        (self.root / "CHANGELOG.md").write_text(changelog)

    def ask(self, *words):
        done = step("version", *words, folder=self.root / "scripts" / "release")
        return done.returncode, done.stdout

    def test_tag_sources_and_changelog_agree(self):
        self.assertEqual(self.ask("v1.2.0"), (0, "1.2.0\n"))
        self.assertEqual(self.ask("--notes", "v1.2.0"), (0, "- New.\n"))
        self.assertEqual(self.ask(), (0, "1.2.0\n"))

    def test_wrong_tag_is_refused_with_both_versions(self):
        for tag in ("v1.2.1", "1.2.0", "v1.2"):
            status, text = self.ask(tag)
            self.assertEqual(status, 1)
            self.assertIn(f"the tag is {tag}, and Sources/Daybook/Release.swift has 1.2.0", text)

    def test_version_that_the_changelog_lacks_is_refused(self):
        self.write("1.3.0", "# Changelog\n\n## Unreleased\n\n- New.\n")
        status, text = self.ask("v1.3.0")
        self.assertEqual(status, 1)
        self.assertIn('CHANGELOG.md has no heading "## 1.3.0 - YEAR-MONTH-DAY"', text)

    def test_version_of_which_the_changelog_says_nothing_is_refused(self):
        self.write("1.3.0", "# Changelog\n\n## 1.3.0 - 2027-01-02\n\n## 1.2.0 - 2027-01-01\n\n- Old.\n")
        status, text = self.ask("v1.3.0")
        self.assertEqual(status, 1)
        self.assertIn("CHANGELOG.md says nothing of 1.3.0", text)

    def test_draft_of_a_release_has_the_notes_and_every_file(self):
        folder = self.root / "dist"
        folder.mkdir()
        archives_of_all_machines(folder)
        calls = self.fake("gh", 'cat "$9"')
        done = step("publish", "v1.2.0", folder, folder=self.root / "scripts" / "release", PATH=calls)
        self.assertEqual((done.returncode, done.stdout), (0, "- New.\n"), done.stdout)
        words = (self.root / "gh.calls").read_text().splitlines()
        self.assertEqual(words[:7], [
            "release", "create", "v1.2.0", "--draft", "--verify-tag", "--title", "Daybook 1.2.0"])
        self.assertEqual(words[9:], [str(file) for file in sorted(folder.iterdir())])

    def test_image_is_pushed_by_machine_and_joined_under_the_version(self):
        calls = self.fake("docker", "[ $1 != login ] || cat > /dev/null")
        variables = {"PATH": calls, "REGISTRY": "registry.example", "GITHUB_REPOSITORY": REPOSITORY,
                     "GITHUB_ACTOR": "somebody", "GITHUB_TOKEN": "secret"}
        for words in (["build"], ["join"]):
            done = step("image", *words, folder=self.root / "scripts" / "release", **variables)
            self.assertEqual(done.returncode, 0, done.stdout)
        words = (self.root / "docker.calls").read_text()
        machine = "arm64" if platform.machine() in ("arm64", "aarch64") else "amd64"
        image = "registry.example/example/daybook:1.2.0"
        self.assertIn(f"push\n{image}-{machine}\n", words)
        self.assertTrue(words.endswith(f"--tag\n{image}\n{image}-amd64\n{image}-arm64\n"), words)
        self.assertNotIn("secret", words)

    def fake(self, name, body):
        """A program that notes the words that it is called with; returns a path that finds it first."""
        folder = self.root / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{self.root}/{name}.calls"\n{body}\n')
        (folder / name).chmod(0o755)
        return f"{folder}{os.pathsep}{os.environ['PATH']}"


if __name__ == "__main__":
    unittest.main()
