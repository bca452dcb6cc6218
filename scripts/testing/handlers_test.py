"""The lint of handlers finds every kind of fault in a bad tree, and nothing in ours."""

import tempfile
import unittest
from pathlib import Path

import handlers

ROOT = Path(__file__).resolve().parent.parent.parent

# What it must find, each alone in a file.
BAD = [
    "let text = try String(contentsOf: url)", "let bytes = try Data(contentsOf: URL(fileURLWithPath: path))",
    "let all = try String(contentsOfFile: path, encoding: .utf8)", "FileManager.default.contents(atPath: path)",
    "try FileHandle(forReadingFrom: url)", "let descriptor = open(path, O_RDONLY)", "fopen(path, mode)",
    "Glibc.read(descriptor, buffer, 1)", "recv(socket, buffer, 1, 0)", "fgets(buffer, 10, stdin)",
    "Thread.sleep(forTimeInterval: 1)", "sleep(1)", "usleep(10)", "DispatchSemaphore(value: 0)", "DispatchGroup()",
    "queue.sync { work() }", "queue.sync(execute: work)", "process.waitUntilExit()", "RunLoop.main.run()",
    "poll(&entry, 1, -1)", "Task { await work() }", "Task.detached { await work() }",
    "Task.detached(priority: .high) { await work() }", "while true { work() }", "while  true\n{ work() }",
    "repeat { work() } while true",
]
# Harmless lookalikes.
GOOD = [
    "try await Task.sleep(for: .seconds(1))", "func open(_ id: Int) {}", "store.open(path)", "let task: Task<Void, Never>",
    "// open(path) would wait", "reader.read(name, value)", "while let next = rest.popFirst() { use(next) }",
    "WorkThreads.runBeside { await work() }", "try RegularFile.bytes(of: path, limit: 10)", "body.contents(of: 3)",
]


class HandlersTest(unittest.TestCase):
    def found(self, source, folder=handlers.FOLDERS[0]):
        with tempfile.TemporaryDirectory() as root:
            file = Path(root) / folder / "Bad.swift"
            file.parent.mkdir(parents=True)
            file.write_text(f"func answer() {{\n    {source}\n}}\n", encoding="utf-8")
            return [line for line in handlers.complaints(Path(root)) if "Bad.swift" in line]

    def test_each_bad_line_is_found_in_each_folder(self):
        for source in BAD:
            for folder in handlers.FOLDERS:
                with self.subTest(source=source, folder=folder):
                    self.assertTrue(self.found(source, folder))

    def test_nothing_else_is(self):
        for source in GOOD:
            with self.subTest(source=source):
                self.assertEqual(self.found(source), [])

    def test_an_exception_that_is_none_is_told(self):
        with tempfile.TemporaryDirectory() as root:
            (file, what), _ = next(iter(handlers.ALLOWED.items()))
            path = Path(root) / file
            path.parent.mkdir(parents=True)
            path.write_text("func answer() {}\n", encoding="utf-8")
            self.assertTrue(any(what in line for line in handlers.complaints(Path(root))))

    def test_our_handlers_do_not_block(self):
        self.assertEqual(handlers.complaints(ROOT), [])


if __name__ == "__main__":
    unittest.main()
