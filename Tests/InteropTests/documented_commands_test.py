"""Every command in a document exists and has the options shown.

Needs DAYBOOK_BINARY.
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))
import mac_scripts  # noqa: E402

DOCUMENTS = [
    *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"),
    *(file for folder in ("Examples", "Integrations") for file in (ROOT / folder).rglob("README.md")
      if ".build" not in file.parts)]
# The end of a command line: a comment, a pipe, another command, a redirection.
END = re.compile(r"\s#\s|[|;&<>)]")


def completion(shell):
    """The program's completion script."""
    words = [os.environ["DAYBOOK_BINARY"], "completion", shell]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def options_by_command():
    """The options of each command, from its completion."""
    script = completion("fish")
    found = {}
    for condition, option in re.findall(r"complete -c daybook -n '([^']*)' -l ([\w-]+)", script):
        words = re.findall(r"__fish_seen_subcommand_from ([\w-]+)", condition)
        found.setdefault(" ".join(words), set()).add(f"--{option}")
    return found


def commands(text):
    """(line, words) of a document's commands, in code blocks and inline."""
    lines = text.replace("\\\n", "  ").splitlines()
    is_code = False
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*(`{3,}|~{3,})", line):
            is_code = not is_code
            continue
        parts = [line] if is_code else re.findall(r"`([^`]+)`", line)
        for part in parts:
            for match in re.finditer(r"(?:^|\$ |\$\(|-- |[A-Z_]+=\S+ |runuser .* )\s*daybook ([a-z][^`]*)", part):
                # A quoted statement is one word, whatever it contains.
                line_end = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", match.group(1))
                yield number, END.split(line_end)[0].split()


def faults(text, known, seen):
    """The faults in a document's commands; adds the names of the others to `seen`."""
    groups = {" ".join(name.split()[:count]) for name in known for count in range(1, len(name.split()))}
    for number, words in commands(text):
        place = f"{number}: daybook {' '.join(words)}"
        name = max(
            (" ".join(words[:count]) for count in range(1, 4) if " ".join(words[:count]) in known), key=len, default=None)
        if name is None:
            # `daybook definitions …` stands for a whole group.
            if words[0] not in groups | {"help"} or len(words) > 1 and words[1] not in ("…", "--help"):
                yield place
            continue
        seen.add(name)
        for word in words[len(name.split()):]:
            option = word.strip(",.[]").split("=")[0]
            if re.fullmatch(r"--[a-z][\w-]*", option) and option not in known[name]:
                yield f"{place} has no {option}"


class DocumentedCommandsTest(unittest.TestCase):
    def test_every_command_in_a_document_is_there_and_takes_its_options(self):
        known, wrong, seen = options_by_command(), [], set()
        for file in DOCUMENTS:
            # Changelogs and decisions may show commands of their time.
            if file.name != "CHANGELOG.md" and file.parent.name != "decisions":
                found = faults(file.read_text(encoding="utf-8"), known, seen)
                wrong += [f"{file.relative_to(ROOT)}:{fault}" for fault in found]
        self.assertEqual(wrong, [])
        # Most commands are shown somewhere.
        self.assertGreater(len(seen), 25)

    def test_commands_and_options_that_are_gone_are_noticed(self):
        text = (
            "Run `daybook serve --post 1`, or `daybook definitions …`.\n\n"
            "```\ndaybook ask \"SELECT '--a'\"\ndaybook query --store s \"SELECT '--b'\" | jq --raw\n```\n")
        self.assertEqual(
            list(faults(text, options_by_command(), set())),
            ["1: daybook serve --post 1 has no --post", "4: daybook ask TEXT"])


class CompletionTest(unittest.TestCase):
    def test_completion_of_bash_is_for_a_macs_too(self):
        script = completion("bash")
        self.assertIn("COMPREPLY", script)
        self.assertEqual(mac_scripts.shell_complaints(script), [])


if __name__ == "__main__":
    unittest.main()
