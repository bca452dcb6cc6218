"""Runs SQL on a database in this process: engine.py sqlite|clickhouse FOLDER, the statements on standard input.

A statement ends with `;` at the end of a line. Rows are printed one a line, cells separated by tabs, NULL as \\N.
"""

import sys


def sqlite(folder):
    import sqlite3

    database = sqlite3.connect(f"{folder}/test.sqlite", isolation_level=None)

    def run(statement):
        for row in database.execute(statement):
            print("\t".join("\\N" if cell is None else str(cell) for cell in row))

    return run


def clickhouse(folder):
    from chdb.session import Session

    session = Session(f"{folder}/test.chdb")

    def run(statement):
        print(session.query(statement, "TabSeparated").bytes().decode(), end="")

    return run


def statements(text):
    current = []
    for line in text.splitlines():
        if not current and (not line.strip() or line.startswith("--")):
            continue
        current.append(line)
        if line.endswith(";"):
            yield "\n".join(current)[:-1]
            current = []
    if current:
        yield "\n".join(current)


run = {"sqlite": sqlite, "clickhouse": clickhouse}[sys.argv[1]](sys.argv[2])
for statement in statements(sys.stdin.read()):
    try:
        run(statement)
    except Exception as error:  # the test shows it
        sys.exit(f"{error}\nin: {statement}")
