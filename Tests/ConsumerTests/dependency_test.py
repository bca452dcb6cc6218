"""An app that names the package by URL meets nothing of the server, and no names of ours differ in case alone."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))
import architecture  # noqa: E402
import building  # noqa: E402

CONSUMER = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Consumer",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(url: "URL", from: "1.0.0")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ])
    ]
)
"""
# C libraries that an app may link: its sending, its compression, its own store.
APP_LIBRARIES = {"CCurl", "CSQLite", "CZlib"}
# Programs that run while an app is built.
APP_PROGRAMS = {"daybook-assets", "daybook-definitions"}
# `CSpawn` starts an app in its tests.
SERVER = architecture.SERVER_MODULES - {"CSpawn"} | {"DaybookCLI"}


def same_but_for_case(names):
    """The groups of names that differ in case alone."""
    folded = {}
    for name in set(names):
        folded.setdefault(name.casefold(), []).append(name)
    return [sorted(group) for group in folded.values() if len(group) > 1]


def names_of(manifest):
    """What products and targets are called; a product may have its target's name."""
    return [thing["name"] for thing in manifest["products"] + manifest["targets"]]


def reached(manifest):
    """The targets that a product needs."""
    needs = {
        target["name"]: [
            *(next(iter(need.values()))[0] for need in target["dependencies"]),
            *(use["plugin"][0] for use in target.get("pluginUsages") or []),
        ]
        for target in manifest["targets"]}
    found, rest = set(), [name for product in manifest["products"] for name in product["targets"]]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += needs[name]
    return found


def complaints(manifest):
    """What a dependency's manifest has and an app does not need."""
    targets = {target["name"]: target["type"] for target in manifest["targets"]}
    libraries = {name for name, kind in targets.items() if kind == "system"}
    programs = {name for name, kind in targets.items() if kind in ("executable", "test")}
    return [
        *(f"{name} is of the server" for name in sorted(SERVER & set(targets))),
        *(f"{name} is a library that no app links" for name in sorted(libraries - APP_LIBRARIES)),
        *(f"{name} is a program that no app's build runs" for name in sorted(programs - APP_PROGRAMS)),
        *(f"{name} is in no product" for name in sorted(set(targets) - reached(manifest))),
        *(f"{target['name']} asks pkg-config" for target in manifest["targets"] if target.get("pkgConfig")),
        *(f"{' and '.join(names)} differ in case alone" for names in same_but_for_case(names_of(manifest))),
    ]


class DependencyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # SwiftPM names a checkout by its real path.
        cls.folder = Path(folder.name).resolve()
        cls.cache = ["--cache-path", str(cls.folder / "cache")]
        programs = cls.folder / "programs"
        programs.mkdir()
        # As on a machine without the server's libraries, where any question is a warning.
        (programs / "pkg-config").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (programs / "pkg-config").chmod(0o755)
        cls.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

        repository = cls.folder / "daybook"
        shutil.copytree(ROOT / "Sources", repository / "Sources")
        shutil.copytree(ROOT / "Plugins", repository / "Plugins")
        shutil.copy(ROOT / "Package.swift", repository)
        person = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        for words in (["init", "--quiet"], ["add", "."], [*person, "commit", "--quiet", "-m", "All"],
                      ["tag", "1.0.0"]):
            subprocess.run(["git", *words], cwd=repository, check=True)

        cls.app = cls.folder / "app"
        (cls.app / "Sources" / "Consumer").mkdir(parents=True)
        (cls.app / "Sources" / "Consumer" / "main.swift").write_text("import Daybook\n", encoding="utf-8")
        (cls.app / "Package.swift").write_text(CONSUMER.replace("URL", repository.as_uri()), encoding="utf-8")
        # Resolves and plans, and builds only what runs at planning.
        cls.plan = subprocess.run(
            ["swift", "build", "--print-manifest-job-graph", *cls.cache], cwd=cls.app, env=cls.environment,
            capture_output=True, text=True, errors="replace", timeout=300)
        cls.root = cls.manifest(ROOT)

    @classmethod
    def manifest(cls, package):
        words = ["swift", "package", "dump-package", "--package-path", str(package), *cls.cache]
        return json.loads(subprocess.check_output(words, text=True, timeout=120))

    def test_app_resolves_it_without_a_warning(self):
        self.assertEqual(self.plan.returncode, 0, self.plan.stderr[-4000:])
        self.assertNotIn("warning:", self.plan.stderr)

    def test_plan_of_the_apps_build_has_nothing_of_the_server(self):
        plan = (self.app / ".build" / "debug.yaml").read_text(encoding="utf-8")
        modules = set(re.findall(r'^  "C\.([\w-]+?)-[^"]*\.module"', plan, re.MULTILINE))
        self.assertLessEqual({"Consumer", "Daybook", "DaybookOTLP"}, modules)
        self.assertEqual(modules & SERVER, set())
        self.assertEqual(set(re.findall(r"/Sources/(C[A-Z]\w+)/module\.modulemap", plan)) - APP_LIBRARIES, set())

    def test_checked_out_package_is_what_apps_need(self):
        manifest = self.manifest(self.app / ".build" / "checkouts" / "daybook")
        self.assertEqual(complaints(manifest), [])
        # And is all of that.
        gone = {product["name"] for product in self.root["products"]} - {product["name"] for product in manifest["products"]}
        self.assertEqual(gone, {"DaybookHTTPServer", "daybook-cli"})

    def test_mistakes_are_found(self):
        manifest = self.manifest(self.app / ".build" / "checkouts" / "daybook")
        kept = {target["name"] for target in manifest["targets"]}
        more = [target for target in self.root["targets"] if target["name"] not in kept]
        self.assertGreater(len(more), 30)
        self.assertTrue(complaints(self.root))
        for target in more:
            self.assertTrue(complaints({**manifest, "targets": [*manifest["targets"], target]}), target["name"])
        for thing, change in itertools.product(("products", "targets"), (str.upper, str.lower, str.swapcase)):
            for one in manifest[thing]:
                if (name := change(one["name"])) != one["name"]:
                    renamed = {**manifest, thing: [*manifest[thing], {**one, "name": name}]}
                    self.assertIn(" differ in case alone", " ".join(complaints(renamed)))

    def test_clone_has_the_server_wherever_it_is(self):
        every = set(names_of(self.root))
        for place, has_state, is_dependency in (
            ("checkouts/daybook", False, False),
            ("checkouts/daybook", True, True),
            ("checkouts/mine/daybook", True, False),
            ("registry/downloads/scope/daybook/1.0.0", False, False),
            ("registry/downloads/scope/daybook/1.0.0", True, True),
            ("downloads/scope/daybook/1.0.0", True, False),
            ("daybook", True, False),
        ):
            with self.subTest(place=place, has_state=has_state), tempfile.TemporaryDirectory(dir=self.folder) as scratch:
                package = Path(scratch) / place
                package.mkdir(parents=True)
                shutil.copy(ROOT / "Package.swift", package)
                if has_state:
                    (Path(scratch) / "workspace-state.json").write_text("{}", encoding="utf-8")
                self.assertEqual(set(names_of(self.manifest(package))) != every, is_dependency)

    def test_no_names_differ_in_case_alone(self):
        self.assertEqual(same_but_for_case(names_of(self.root)), [])
        # The index and the cache of modules name files by digests.
        folders = 0
        for folder, inside, files in os.walk((building.SCRATCH / "debug").resolve()):
            inside[:] = [name for name in inside if name not in ("index", "ModuleCache")]
            self.assertEqual(same_but_for_case(inside + files), [], folder)
            folders += 1
        self.assertGreater(folders, 50)


if __name__ == "__main__":
    unittest.main()
