"""Rules that the compiler does not check: who imports whom, what is linked, how long a file is."""

import re
import subprocess
from pathlib import Path

SERVER_MODULES = {
    "DaybookHTTPServer", "DaybookCollector", "DaybookDatabases", "CMicroHTTPD", "CPostgreSQL", "CCrypto", "CSpawn",
    "CZstd",
}

# Our modules that a module may import; unlisted modules may import any. `DaybookCLI` ties all together.
ALLOWED = {
    "CChecksum": set(),
    "CSpawn": set(),
    "CStoreFile": {"CSQLite"},
    "CThreads": set(),
    "DaybookBase": {"CThreads"},
    "DaybookJournal": {"DaybookBase", "CThreads", "CChecksum"},
    "DaybookCurl": {"DaybookBase", "CCurl"},
    "Daybook": {"DaybookBase", "DaybookJournal", "DaybookCurl", "CThreads"},
    "DaybookOTLP": {"DaybookBase", "Daybook", "CZlib"},
    "DaybookTools": {"DaybookBase", "CThreads"},
    "DaybookJournalInspection": {"DaybookJournal"},
    "DaybookBlackBox": {"DaybookBase", "Daybook"},
    "DaybookPuree": {"Daybook"},
    "DaybookApple": {"DaybookBase", "Daybook", "DaybookJournal", "DaybookHTTP"},
    "DaybookDefinitions": {"DaybookBase", "DaybookTools"},
    "DaybookChecklist": {"DaybookBase", "DaybookTools"},
    "DaybookHTTP": {"DaybookBase", "DaybookTools"},
    "DaybookStore": {"DaybookBase", "DaybookTools", "DaybookDefinitions", "CChecksum", "CSQLite", "CStoreFile"},
    "DaybookDatabases": {"DaybookBase", "DaybookTools", "DaybookStore", "DaybookCurl", "CPostgreSQL"},
    "DaybookAPI": {
        "DaybookBase", "DaybookTools", "DaybookHTTP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist",
    },
    "DaybookInspector": {
        "DaybookBase", "DaybookTools", "DaybookHTTP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist",
        "DaybookAPI",
    },
    "DaybookTesting": {"DaybookBase", "DaybookTools", "Daybook", "DaybookJournal", "DaybookChecklist"},
    "DaybookProcesses": {"DaybookBase", "CSpawn"},
    "DaybookHTTPServer": {"DaybookBase", "DaybookTools", "DaybookHTTP", "CMicroHTTPD"},
    "DaybookCollector": {
        "DaybookBase", "DaybookTools", "DaybookHTTP", "DaybookOTLP", "DaybookStore", "DaybookDatabases",
        "DaybookDefinitions", "DaybookChecklist", "DaybookAPI", "DaybookProcesses", "CZlib", "CZstd", "CCrypto",
    },
    "daybook-definitions": {"DaybookDefinitions"},
}

# Pipeline parts, and users of the app-side modules, in modules that otherwise depend only on the base.
EXCEPTIONS = {
    "Sources/DaybookStore/StoreOutput.swift": {"Daybook"},  # an output
    "Sources/DaybookCollector/Alerts/AlertRunner.swift": {"Daybook"},  # sends over the app's HTTP transport
    "Sources/DaybookCollector/Alerts/AlertSender.swift": {"Daybook"},  # sends over the app's HTTP transport
    "Sources/DaybookCollector/Alerts/AlertTrial.swift": {"Daybook"},  # prints as the console does
    "Sources/DaybookCollector/Operation/OwnLog.swift": {"Daybook"},  # prints as the console does
}

# What apps may link: neither these nor anything below them may import a server module.
LINKED_BY_APPS = {
    "DaybookBase", "Daybook", "DaybookCurl", "DaybookJournal", "DaybookOTLP", "DaybookTools", "DaybookDefinitions", "DaybookChecklist",
    "DaybookStore", "DaybookAPI", "DaybookInspector", "DaybookTesting", "DaybookApple", "DaybookHTTP", "DaybookBlackBox",
    "DaybookPuree",
}

# What is written only once: (what, its file, marks of a second). A file has a second one if every pattern of a row of
# marks is found in its source without comments.
WRITTEN_ONCE = [
    (
        "escaper of JSON", "Sources/DaybookBase/JSON/JSONWriter.swift",
        [
            # A unicode escape put together from parts: "\\u00", "\\u" + digits, "\\u\(digits)", and the same in raw
            # strings. Complete ones (#"\u0000"#) and Swift's own \u{…} do not count.
            [r'(?<!#)"[^"\n]*\\\\u(?:00"|"|\\\(|%0?4)'],
            [r'#"[^"\n]*\\u(?:00"#|"#|\\#\(|%0?4)'],
            # A quote written as an escape beside an escaped backslash.
            [r'"\\\\\\""', r'"\\\\\\\\"'],
            [r'#"\\""#', r'#"\\\\"#'],
            [r'append\(UInt8\(ascii: "u"\)\)'],
        ],
    ),
    (
        "parser of tag patterns", "Sources/DaybookBase/Text/TagPattern.swift",
        [[r'"\*\*"', r'(?:split\(separator|components\(separatedBy): "\."']],
    ),
    (
        "search for the nearest name", "Sources/DaybookTools/NearestName.swift",
        [
            [r"(?i)levenshtein|edit_?distance"],
            [r"\bmin\([^;{}]{0,80}?\]\s*\+\s*1\s*,[^;{}]{0,80}?\]\s*\+\s*1"],
        ],
    ),
    (
        "SHA-256", "Sources/DaybookCollector/Keys/StoredKey.swift",
        [
            [r"(?i)0x6a_?09_?e6_?67"],
            [r"(?m)^\s*(?:@[\w()]+\s+)*(?:\w+\s+)?import\s+(?:CCrypto|CryptoKit|Crypto|CommonCrypto)\b"],
        ],
    ),
]

# Escapers of other languages, whose quotes and backslashes are escaped like JSON's.
OTHER_LANGUAGES = {
    "Sources/DaybookDefinitions/Generators/Swift/SwiftSource.swift",  # string literals of Swift
    "Sources/DaybookDefinitions/Generators/Kotlin/KotlinParameter.swift",  # string literals of Kotlin
    "Sources/DaybookCollector/Operation/Metrics.swift",  # labels of Prometheus
}

# The modules that may use Foundation's networking: an app's choice, Apple's platforms, and tests. On Linux a truncated
# response kills the process, so everything else sends through `DefaultTransport` or `DaybookCurl`.
NETWORKING = {"Daybook", "DaybookApple", "DaybookTesting"}
NETWORKED = re.compile(r"\b(?:URLSession|FoundationNetworking|NSURLConnection)\b")

LINE_LIMIT = 500
IMPORT = re.compile(
    r"^\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?([\w-]+)",
    re.MULTILINE,
)


def imports(root):
    """Module → {imported module of ours: the files that import it}."""
    modules = sorted(folder.name for folder in (root / "Sources").iterdir() if folder.is_dir())
    graph = {}
    for module in modules:
        graph[module] = {}
        for file in sorted((root / "Sources" / module).rglob("*.swift")):
            for name in IMPORT.findall(without_comments(file.read_text(encoding="utf-8"))):
                if name in modules and name != module:
                    graph[module].setdefault(name, []).append(str(file.relative_to(root)))
    return graph


def without_comments(text):
    """Swift source without comments and the content of multi-line strings; enough to find imports."""
    text = re.sub(r'#*"""[\s\S]*?"""#*', '""', text)
    return re.sub(r"/\*[\s\S]*?\*/|//[^\n]*", "", text)


def forbidden_imports(graph):
    """A complaint for each import that a module's rule does not allow."""
    return [
        f"{file}: {module} must not import {name}"
        for module, names in graph.items()
        if module in ALLOWED
        for name, files in names.items()
        if name not in ALLOWED[module]
        for file in files
        if name not in EXCEPTIONS.get(file, ())
    ]


def server_imports(graph):
    """A complaint for each server module that an app-side module reaches."""
    complaints = []
    for module in sorted(LINKED_BY_APPS & graph.keys()):
        reached, open_modules = set(), [module]
        while open_modules:
            for name in graph.get(open_modules.pop(), {}):
                if name not in reached:
                    reached.add(name)
                    open_modules.append(name)
        complaints += [f"{module}, which apps link, reaches {name}" for name in sorted(reached & SERVER_MODULES)]
    return complaints


def circles(graph):
    """A complaint for each module that reaches itself."""
    complaints = []
    for module in graph:
        path, seen = [(name, [module, name]) for name in graph[module]], set()
        while path:
            name, trail = path.pop()
            if name == module:
                complaints.append("a circle: " + " → ".join(trail))
                break
            if name not in seen:
                seen.add(name)
                path += [(next_name, trail + [next_name]) for next_name in graph.get(name, {})]
    return complaints


def long_files(root):
    """A complaint for each source file over the limit."""
    complaints = []
    for folder in ("Sources", "Tests", "Plugins", "Examples", "scripts"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in {".swift", ".js", ".mjs", ".css", ".py", ".c", ".h"} or not file.is_file():
                continue
            if any(part.startswith(".") or part in {"Fixtures", "__pycache__"} for part in file.relative_to(root).parts):
                continue
            lines = file.read_text(encoding="utf-8", errors="replace").count("\n")
            if lines > LINE_LIMIT:
                complaints.append(f"{file.relative_to(root)}: {lines} lines, at most {LINE_LIMIT}: split it by concept")
    return complaints


# Splits and comparisons of text by Swift characters, for which "\\r\
#
# " is a single one: in a file with such line endings they find no "\
#
# ". Scalars and bytes do.
BY_CHARACTERS = re.compile(
    r"""(?x) \b(?:split|components|firstIndex|lastIndex|contains|hasSuffix|hasPrefix|replacing|replacingOccurrences
    |ranges?|firstRange|trimmingCharacters)\((?:\w+:\s*)?"\\n" | \{\s*\$0\s*[!=]=\s*"\\n" """
)


# Where a CR is meant to hide its LF: in output by lines, text must not forge a line.
BY_CHARACTERS_ALLOWED = {"Sources/DaybookBase/Text/PrintableText.swift"}


def lines_by_characters(root):
    """A complaint for each place that finds a text's lines by characters."""
    return [
        f"{file.relative_to(root)}:{number}: lines by characters, of which CR LF is one: use TextLines.split, or `isNewline`"
        for file in sorted((root / "Sources").rglob("*.swift"))
        if str(file.relative_to(root)) not in BY_CHARACTERS_ALLOWED
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1)
        if BY_CHARACTERS.search(line.split("//")[0]) and "unicodeScalars" not in line and "scalar" not in line.lower()
    ]


# Code that changes files, in modules whose files belong to people; and the files that may, because they change only
# their own.
FILE_WRITERS = re.compile(
    r"\.write\(to: |\.write\(toFile|\bcreateFile\(|\b(?:remove|move|copy|replace)Item|\b(?:rename|unlink|mkstemp)\("
    r"|\bO_(?:CREAT|WRONLY|RDWR|TRUNC)\b|FileHandle\(for(?:Writing|Updating)|\bOutputStream\("
)
OWNING_MODULES = {
    "DaybookAPI", "DaybookInspector", "DaybookCollector", "DaybookCLI", "DaybookDefinitions", "DaybookChecklist",
    "DaybookHTTP",
    "DaybookHTTPServer", "DaybookTools", "daybook-definitions",
}
OWN_WRITERS = {
    "Sources/DaybookTools/Files/FolderTurn.swift",  # the one way
    "Sources/DaybookCLI/main.swift",  # /dev/null in place of a closed stream
    "Sources/DaybookCLI/Commands/InspectCommand.swift",  # its own temporary folder
    "Sources/DaybookCollector/Statements/StatementProcess.swift",  # /dev/null for a child
    "Sources/DaybookCollector/Statements/StatementWorker.swift",  # kernel interfaces of this process
}


def other_writers(root):
    """A complaint for each place that changes people's files by other means than `OwnedFile`."""
    return [
        f"{path}:{number}: changes a file otherwise than by OwnedFile, which keeps what others wrote"
        for module in sorted(OWNING_MODULES)
        for file in sorted((root / "Sources" / module).rglob("*.swift"))
        for path in [str(file.relative_to(root))]
        if path not in OWN_WRITERS
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1)
        if FILE_WRITERS.search(line.split("//")[0]) and ".write(to: &" not in line
    ]


def written_again(root):
    """A complaint for each source file with a second version of what is written only once."""
    complaints = []
    for file in sorted((root / "Sources").rglob("*.swift")):
        path = str(file.relative_to(root))
        source = re.sub(r"/\*[\s\S]*?\*/|(?m:^\s*//[^\n]*)", "", file.read_text(encoding="utf-8"))
        for what, place, marks in WRITTEN_ONCE:
            if path == place or what == "escaper of JSON" and path in OTHER_LANGUAGES:
                continue
            if any(all(re.search(pattern, source) for pattern in row) for row in marks):
                complaints.append(f"{path}: a second {what}: use {place}")
    return complaints


def own_clients(root):
    """A complaint for each file that sends requests by other means than the bounded client."""
    return [
        f"{file.relative_to(root)}: Foundation's networking: use DefaultTransport, or DaybookCurl"
        for file in sorted((root / "Sources").rglob("*.swift"))
        if file.relative_to(root / "Sources").parts[0] not in NETWORKING
        and NETWORKED.search(without_comments(file.read_text(encoding="utf-8")))
    ]


def linked_libraries(binary):
    """The shared libraries that a program itself names, without those that these name."""
    for words, pattern in (
        (["readelf", "-d", str(binary)], r"\(NEEDED\).*\[(.+?)\]"),
        (["otool", "-L", str(binary)], r"^\s+(\S+) \("),
    ):
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=True)
        except FileNotFoundError:
            continue
        names = re.findall(pattern, done.stdout, re.MULTILINE)
        if not names:
            raise RuntimeError(f"{words[0]} names no library of {binary}")
        return names
    raise RuntimeError("neither readelf nor otool is there")


def links_c_library(binary, names="sqlite3|microhttpd|z|pq"):
    """A complaint for each of these C libraries that a program links; by default all of ours."""
    forbidden = re.compile(rf"lib({names})\b")
    return [f"{binary.name} links {name}" for name in linked_libraries(binary) if forbidden.search(name)]


def names_twice(root):
    """A complaint for each type name that two modules declare: a name has one meaning in the whole project."""
    declaration = re.compile(
        r"^(?:@\w+ )*(?:public |package |final |indirect )*(?:struct|enum|class|protocol|actor) (\w+)", re.MULTILINE)
    modules = {}
    for file in sorted((root / "Sources").rglob("*.swift")):
        for name in declaration.findall(without_comments(file.read_text(encoding="utf-8"))):
            modules.setdefault(name, set()).add(file.relative_to(root / "Sources").parts[0])
    return [
        f"{name} is declared in {' and in '.join(sorted(places))}: rename one"
        for name, places in sorted(modules.items()) if len(places) > 1
    ]


def checks(root, binaries):
    """(name, complaints) of every check; `binaries` is the folder with the built programs."""
    import annotations, handlers, page_layers  # They read source as this file does.

    root, binaries = Path(root), Path(binaries)
    graph = imports(root)
    return [
        ("modules import only what they may", forbidden_imports(graph)),
        ("nothing that an app links reaches the server", server_imports(graph)),
        ("no module reaches itself", circles(graph)),
        ("a type's name has one meaning", names_twice(root)),
        (f"no file is over {LINE_LIMIT} lines", long_files(root)),
        ("what is written once is not written again", written_again(root)),
        ("lines of texts are found by bytes or scalars", lines_by_characters(root)),
        ("files that people own are changed in one way", other_writers(root)),
        ("annotations of inlining and optimisation are worth something", annotations.complaints(root)),
        ("handlers neither block nor loop without a bound", handlers.complaints(root)),
        ("all that is sent goes through one client", own_clients(root)),
        ("the page's folders import what stands below them", page_layers.complaints(root)),
        ("daybook-definitions links no C library of ours", links_c_library(binaries / "daybook-definitions")),
    ]
