"""Annotations of inlining and optimisation: each is listed with what it is worth, and there are no others.

Counted as docs/benchmarks/log-call.md says, by building without a group: instructions of a log call (typed, literal, closure,
message, or through `Redact.credentials`), or bytes of a program's code. *Needed* says that it does not compile without, or
that its callers are not in this repository. To add one, count with and without it, and say here what it saves.
"""

import re

import architecture

FOLDERS = ["Sources", "Tests", "Benchmarks"]
ANNOTATION = re.compile(
    r"@(?:inline\(\w+\)|_optimize\(\w+\)|_semantics\(|inlinable|usableFromInline|frozen|_transparent|_alwaysEmitIntoClient"
    r"|_specialize\(|_effects\()"
)

# (files that begin so, annotation, how many there are, what they are worth)
LISTED = [
    ("Sources/Daybook/", "@inline(__always)", 43, "typed 296, literal 207, closure 236, message 286, credentials 582"),
    ("Sources/Daybook/", "@_optimize(speed)", 20, "typed 34, closure 25, message 75, Append 55; costs 4 KB"),
    ("Sources/Daybook/", "@inline(never)", 20, "with those below: typed 32, message 108, Append 37, and 12 KB"),
    ("Sources/Daybook/Log/", "@_alwaysEmitIntoClient", 35, "a program has the code of the calls alone that it makes"),
    ("Sources/Daybook/Log/", "@usableFromInline", 7, "needed by those"),
    ("Sources/Daybook/Encoding/", "@inlinable", 1, "needed: a call's place is made where the call is"),
    ("Sources/Daybook/Pipeline/", "@_semantics", 2, "4 KB: a pipeline without a context has no copy of its own"),
    ("Sources/DaybookBase/", "@inline(__always)", 25, "with the ring's: typed 97, literal 238, message 350, Append 160"),
    ("Sources/DaybookBase/", "@inlinable", 110, "typed 480, when the protobuf writer was called; atomics and lock too"),
    ("Sources/DaybookBase/", "@usableFromInline", 41, "needed by those"),
    ("Sources/DaybookBase/", "@inline(never)", 5, "listed with those of Daybook"),
    ("Sources/DaybookBase/Collections/Ordering.swift", "@_semantics", 1, "3 KB for each type that is sorted"),
    ("Sources/DaybookJournal/Ring/", "@inline(__always)", 4, "listed with those of DaybookBase"),
    ("Sources/DaybookJournal/Ring/", "@inline(never)", 1, "listed with those of Daybook"),
    ("Sources/DaybookJournal/", "@inlinable", 39, "needed: `append` is inlined into the log call, with what it calls"),
    ("Sources/DaybookJournal/", "@usableFromInline", 18, "needed by those"),
    # The collector's: not part of a log call, and not counted yet. Rates of ingest show them.
    ("Sources/DaybookCollector/Receiving/", "@inline(__always)", 5, "not counted: decoding"),
    ("Sources/DaybookCollector/Receiving/", "@inline(never)", 1, "not counted: decoding"),
    ("Sources/DaybookStore/Records/", "@inlinable", 1, "not counted: the columns of a row"),
    ("Sources/DaybookTools/", "@inline(__always)", 2, "not counted: masking and quoted names"),
    # So that a row measures the call, and not its caller.
    ("Benchmarks/", "@inline(__always)", 5, "needed: the prototype in Swift is one function, as in C"),
    ("Benchmarks/", "@inline(never)", 1, "needed: a log call is a call"),
    ("Tests/DaybookAppleTests/Stubs/", "@frozen", 2, "needed: as Apple declares them"),
]


def complaints(root, listed=None):
    """One complaint for each annotation that is not listed, and for each row whose number is another one."""
    listed = LISTED if listed is None else listed
    found, rows = {}, {}
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.swift")):
            name = str(file.relative_to(root))
            source = architecture.without_comments(file.read_text(encoding="utf-8"))
            for match in ANNOTATION.finditer(source):
                annotation = match[0].rstrip("(")
                row = next((row for row in listed if name.startswith(row[0]) and row[1] == annotation), None)
                if row:
                    rows[row] = rows.get(row, 0) + 1
                else:
                    found.setdefault((name, annotation), []).append(source.count("\n", 0, match.start()) + 1)
    unlisted = [
        f"{name}: {annotation} is not listed with its worth, line {', '.join(map(str, lines))} or so"
        for (name, annotation), lines in found.items()
    ]
    return unlisted + [
        f"{row[0]}: {rows.get(row, 0)} × {row[1]}, and {row[2]} are listed in scripts/testing/annotations.py"
        for row in listed
        if rows.get(row, 0) != row[2]
    ]
