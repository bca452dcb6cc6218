"""What the code host runs: each step of a workflow is a script or a target of make that there is, with no more rights than
it needs, and nothing that somebody else can change under its name."""

import os
import re
import shlex
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
# What a job may write, beside reading the repository.
WRITES = {
    "release.yml build": {"id-token", "attestations"}, "release.yml image": {"packages"},
    "release.yml publish": {"contents", "packages"},
}


def jobs():
    """(file, workflow, name, job) of every job."""
    for file in sorted(FOLDER.glob("*.yml")):
        workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
        for name, job in workflow["jobs"].items():
            yield file.name, workflow, name, job


def steps():
    """(file, job, step) of every step."""
    for file, _, name, job in jobs():
        for step in job["steps"]:
            yield file, name, step


class WorkflowTest(unittest.TestCase):
    def test_there_are_a_workflow_for_changes_and_one_for_tags(self):
        # YAML 1.1 takes the key `on` for a truth value.
        starts = {file: workflow[True] for file, workflow, _, _ in jobs()}
        self.assertEqual(starts, {
            "ci.yml": {"push": {"branches": ["main"]}, "pull_request": None}, "release.yml": {"push": {"tags": ["v*"]}}})

    def test_each_command_is_a_script_or_a_target_of_make(self):
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        commands = [step["run"] for _, _, step in steps() if "run" in step]
        self.assertGreater(len(commands), 10)
        for command in commands:
            program, *words = shlex.split(command)
            if program == "make":
                self.assertIn(words[0], targets, command)
            else:
                self.assertTrue(os.access(ROOT / program, os.X_OK), f"{program} is no script of ours")
            self.assertNotIn("\n", command)
            # What others choose, such as a branch's name, reaches a shell by its variables only.
            self.assertNotIn("${{", command)

    def test_actions_are_pinned_by_commit_with_their_version_beside(self):
        lines = [line for file in FOLDER.glob("*.yml") for line in file.read_text(encoding="utf-8").splitlines()
                 if "uses:" in line]
        self.assertGreater(len(lines), 5)
        pins = {}
        for line in lines:
            match = re.fullmatch(r" +- uses: (actions/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line)
            self.assertIsNotNone(match, line)
            pins.setdefault(match.group(1), set()).add(match.groups()[1:])
        self.assertEqual([action for action, pin in pins.items() if len(pin) > 1], [])

    def test_jobs_may_write_only_what_they_publish(self):
        for file, workflow, name, job in jobs():
            rights = job.get("permissions", workflow["permissions"])
            self.assertEqual(
                {right for right, level in rights.items() if level == "write"}, WRITES.get(f"{file} {name}", set()), name)
            self.assertIn(workflow["permissions"], ({}, {"contents": "read"}), file)

    def test_no_checkout_leaves_its_token_behind(self):
        checkouts = [step for _, _, step in steps() if step.get("uses", "").startswith("actions/checkout@")]
        self.assertGreater(len(checkouts), 4)
        for step in checkouts:
            self.assertIs(step["with"]["persist-credentials"], False)

    def test_archives_are_built_on_four_kinds_of_machine_after_the_version_was_checked(self):
        release = {name: job for file, _, name, job in jobs() if file == "release.yml"}
        machines = release["build"]["strategy"]["matrix"]["include"]
        self.assertEqual([(machine["runner"], "container" in machine) for machine in machines], [
            ("ubuntu-24.04", True), ("ubuntu-24.04-arm", True), ("macos-26", False), ("macos-26-intel", False)])
        self.assertEqual([release[name]["needs"] for name in ("build", "image", "publish")],
                         ["version", "version", ["build", "image"]])

    def test_oldest_glibc_of_a_release_is_that_of_the_system_that_builds_it(self):
        text = (FOLDER / "release.yml").read_text(encoding="utf-8")
        # Debian 12 has 2.36; the image of the container has the same system.
        self.assertEqual(set(re.findall(r"container: (swift:\S+)", text)), {"swift:6.3-bookworm"})
        self.assertIn("check --glibc 2.36 ", text)
        self.assertIn("FROM debian:bookworm-slim", (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
