"""An annotation that is not listed is found, wherever it is written, and a list that is no longer true."""

import tempfile
import unittest
from pathlib import Path

import annotations

ROOT = Path(__file__).resolve().parent.parent.parent
ROW = ("Sources/Daybook/Log", "@inlinable", 1, "worth it")


class AnnotationsTest(unittest.TestCase):
    def found(self, source, listed=(), path="Sources/Daybook/Log/Log.swift"):
        with tempfile.TemporaryDirectory() as root:
            file = Path(root) / path
            file.parent.mkdir(parents=True)
            file.write_text(source, encoding="utf-8")
            return annotations.complaints(Path(root), list(listed))

    def test_each_kind_is_found(self):
        for annotation in (
            "@inline(__always)", "@inline(never)", "@_optimize(speed)", "@_optimize(size)", "@inlinable", "@frozen",
            "@usableFromInline", "@_transparent", "@_alwaysEmitIntoClient", '@_semantics("optimize.sil")',
            "@_specialize(where T == Int)", "@_effects(readonly)",
        ):
            for source in (f"{annotation} func f() {{}}", f"    {annotation}\n    public func f() {{}}"):
                with self.subTest(source=source):
                    self.assertEqual(len(self.found(source)), 1)

    def test_it_is_found_in_every_folder(self):
        for folder in annotations.FOLDERS:
            self.assertEqual(len(self.found("@inlinable func f() {}", path=f"{folder}/A/B.swift")), 1)

    def test_nothing_else_is(self):
        for source in ("// @inlinable would cost more", "@discardableResult func f() {}", "/* @inline(never) */ let a = 1"):
            with self.subTest(source=source):
                self.assertEqual(self.found(source), [])

    def test_a_row_says_how_many_there_are(self):
        self.assertEqual(self.found("@inlinable func f() {}", [ROW]), [])
        self.assertIn("2 × @inlinable, and 1", self.found("@inlinable func f() {}\n@inlinable func g() {}", [ROW])[0])
        self.assertIn("0 × @inlinable, and 1", self.found("func f() {}", [ROW])[0])

    def test_a_row_is_for_its_files_and_its_annotation(self):
        self.assertEqual(len(self.found("@inlinable func f() {}", [ROW], "Sources/DaybookBase/A.swift")), 2)
        self.assertEqual(len(self.found("@inline(never) func f() {}", [ROW])), 2)

    def test_each_row_says_what_it_is_worth(self):
        for row in annotations.LISTED:
            with self.subTest(row=row):
                self.assertGreater(row[2], 0)
                self.assertGreater(len(row[3]), 5)

    def test_ours_are_listed(self):
        self.assertEqual(annotations.complaints(ROOT), [])


if __name__ == "__main__":
    unittest.main()
