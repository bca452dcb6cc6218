"""What handlers must not do: block a thread, or loop without a bound. A response may take time only in an await."""

import re

import architecture

# Where requests are answered, and what that calls.
FOLDERS = [
    "Sources/DaybookHTTP", "Sources/DaybookHTTPServer", "Sources/DaybookAPI", "Sources/DaybookInspector", "Sources/DaybookCollector",
    "Sources/DaybookCLI/Assistants", "Sources/DaybookCLI/Serve",
]

# (what it is, its pattern, what to do instead)
BLOCKING = [
    ("a file that is read whole", r"\b(?:Data|String)\(contentsOf|\.contents\(atPath:", "RegularFile.bytes"),
    ("a file that is opened", r"\bFileHandle\(for|(?<![.\w])(?<!func )(?:open|openat|fopen|mmap)\(", "RegularFile.open"),
    ("bytes that are waited for", r"(?<![\w])(?:Glibc\.|Darwin\.)(?:read|recv|accept|connect)\(|(?<![.\w])(?:fread|fgets|getline|recv|pread)\(", "a descriptor that does not block"),
    ("a thread that sleeps", r"\bThread\.sleep|(?<![.\w])(?:sleep|usleep|nanosleep)\(", "Task.sleep, or the server's sweep"),
    ("a thread that waits", r"\bDispatchSemaphore|\bDispatchGroup|\bNSCondition|\.sync\s*(?:\(|\{)|\.waitUntilExit\(|\bRunLoop\b|(?<![.\w])(?:poll|select|waitpid)\(", "a continuation"),
    ("a task on the threads that all share", r"(?<![.\w])Task(?:\.detached)?\s*(?:\(priority: \.\w+\)\s*)?\{", "WorkThreads.runBeside"),
    ("a loop without a bound", r"\bwhile\s+true\b|\bfor\s*;\s*;|\brepeat\s*\{[^{}]*\}\s*while\s+true\b", "a count, or the end of what is read"),
]

# The allowed places, each with its reason: the file, and how many.
TASK, LOOP, THREAD, BYTES = (
    "a task on the threads that all share", "a loop without a bound", "a thread that waits", "bytes that are waited for")
ALLOWED = {
    ("Sources/DaybookHTTPServer/MicroHTTPD/Connection.swift", THREAD): (2, "poll with no time"),
    ("Sources/DaybookHTTPServer/MicroHTTPD/LibraryCheck.swift", TASK): (1, "awaits the end of a server that was tried"),
    ("Sources/DaybookHTTPServer/MicroHTTPD/LoopbackClient.swift", BYTES): (1, "before a server starts"),
    ("Sources/DaybookAPI/Records/MatchingRecords.swift", LOOP): (1, "ends at its budget of time"),
    ("Sources/DaybookAPI/Boards/BoardParser.swift", LOOP): (1, "each round takes from the line"),
    ("Sources/DaybookInspector/Checklists/SignOffDesk.swift", LOOP): (1, "ends when its request is cancelled"),
    ("Sources/DaybookAPI/Form/JSONSplice.swift", LOOP): (1, "ends where the string is cut"),
    ("Sources/DaybookCollector/Operation/OwnLog.swift", TASK): (1, "awaits the store alone"),
    ("Sources/DaybookCollector/Statements/StatementProcess.swift", BYTES): (1, "on the statement's own thread"),
    ("Sources/DaybookCollector/Statements/StatementProcess.swift", THREAD): (1, "on the statement's own thread"),
    ("Sources/DaybookCollector/Statements/StatementProcesses.swift", TASK): (1, "sleeps"),
    ("Sources/DaybookCollector/Statements/StatementWorker.swift", "a file that is read whole"): (1, "in the statement's own process"),
    ("Sources/DaybookCollector/Statements/StatementWorker.swift", BYTES): (2, "in the statement's own process"),
}


def complaints(root):
    """A complaint for each place where a handler may block or loop forever, and for each obsolete exception."""
    found = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.swift")):
            name = str(file.relative_to(root))
            source = architecture.without_comments(file.read_text(encoding="utf-8"))
            for what, pattern, instead in BLOCKING:
                lines = [source.count("\n", 0, match.start()) + 1 for match in re.finditer(pattern, source)]
                allowed = ALLOWED.get((name, what), (0, ""))[0]
                if len(lines) > allowed:
                    found.append(f"{name}: {what}, line {', '.join(map(str, lines))} or so: use {instead}")
                elif len(lines) < allowed:
                    found.append(f"scripts/testing/handlers.py: {name} has {what} {len(lines)} times: say so")
    return found
