"""The examples in doc comments of public initialisers, as Swift that a compiler can check.

    examples.py FOLDER MODULE...    writes FOLDER/Examples.swift
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The products that apps and their tests use; each public initialiser has an example.
CLIENT = ["DaybookBase", "Daybook", "DaybookOTLP", "DaybookApple", "DaybookTesting", "DaybookBlackBox", "DaybookPuree",
          "DaybookProcesses"]
# Files of two more products, for builds with the inspector in the app; the same holds for these.
INSPECTOR_FILES = {
    "DaybookInspector": ["AccessToken.swift", "InspectorHandler.swift", "LogDictionary.swift", "API/LiveAPI.swift"],
    "DaybookStore": ["MemoryStore.swift", "ObservedStore.swift", "StoreOutput.swift", "SQLite/SQLiteStore.swift"],
}
INITIALISER = re.compile(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*public (?:convenience |required |override )*init\b")
# Called by literals or nibs, never written by hand.
UNWRITTEN = re.compile(r"init\??\((?:\w+Literal|rawValue|coder)\b")
# What an example may use without making it.
PARAMETERS = "pipeline: Pipeline<EmptyContext>, log: Log, folder: URL, collector: URL"


def doc_comment(lines, index):
    """The lines of the doc comment above a declaration, as (number from 1, text without the slashes)."""
    first = index
    while first > 0 and lines[first - 1].strip().startswith(("///", "@")):
        first -= 1
    return [
        (number + 1, lines[number].strip()[3:].removeprefix(" ")) for number in range(first, index)
        if lines[number].strip().startswith("///")]


def initialisers(root, module):
    """(file, line, examples) of each public initialiser; an example is (line, code)."""
    for file in sorted((root / "Sources" / module).rglob("*.swift")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for index, line in enumerate(lines):
            if not INITIALISER.match(line) or UNWRITTEN.search(line):
                continue
            examples, code = [], None
            for number, text in doc_comment(lines, index):
                if text == "```swift":
                    code = (number + 1, [])
                elif text == "```" and code:
                    examples.append((code[0], "\n".join(code[1])))
                    code = None
                elif code:
                    code[1].append(text)
            yield file.relative_to(root), index + 1, examples


def source(root, modules, imported=()):
    """A Swift file with a function for each example; errors are reported at their place in the sources."""
    text = "".join(f"import {module}\n" for module in ["Foundation", *imported, *modules])
    text += "\n#if canImport(FoundationNetworking)\n    import FoundationNetworking\n#endif\n"
    number = 0
    for module in modules:
        for file, _, examples in initialisers(root, module):
            for line, code in examples:
                number += 1
                isolation = "@MainActor " if module == "DaybookApple" else ""
                text += f"\n{isolation}func example{number}({PARAMETERS}) async throws {{\n"
                text += f'#sourceLocation(file: "{file}", line: {line})\n{code}\n#sourceLocation()\n}}\n'
    return text


if __name__ == "__main__":
    (Path(sys.argv[1]) / "Examples.swift").write_text(source(ROOT, sys.argv[2:]), encoding="utf-8")
