"""The page's layers complain about imports that lead up, aside or in a circle, and about no others."""

import tempfile
import unittest
from pathlib import Path

import page_layers

ROOT = Path(__file__).resolve().parents[2]


class PageLayersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("base/dom.js")
        self.write("texts/boards/en.js")
        self.write("texts/en.js", "./boards/en.js")
        self.write("parts/answer.js", "../base/dom.js")
        self.write("sql/sql.js", "../parts/answer.js", "../base/dom.js")
        self.write("boards/boards.js", "../parts/answer.js")
        self.write("app.js", "./sql/sql.js", "./boards/boards.js")

    def write(self, path, *names, form='import {{ a }} from "{}";\n'):
        file = self.root / page_layers.PAGE / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("// @ts-check\n" + "".join(map(form.format, names)), encoding="utf-8")

    def assert_wrong(self, path, folder, name):
        complaints = page_layers.complaints(self.root)
        start = f"{page_layers.PAGE}/{path}: {folder} must not import {name}: "
        self.assertEqual([one.startswith(start) for one in complaints if "circle" not in one], [True], complaints)

    def test_what_leads_down_is_fine(self):
        self.assertEqual(page_layers.complaints(self.root), [])

    def test_the_page_itself_is_fine(self):
        self.assertGreater(len(page_layers.imports(ROOT)), 100)
        self.assertEqual(page_layers.complaints(ROOT), [])

    def test_a_screen_that_imports_a_screen_is_found(self):
        self.write("sql/result.js", "../boards/boards.js")
        self.assert_wrong("sql/result.js", "sql", "boards/boards.js")

    def test_what_leads_up_is_found_in_a_type_too(self):
        self.write("base/list.js", "../sql/sql.js", form='/** @typedef {{import("{}").SQL}} SQL */\n')
        self.assert_wrong("base/list.js", "base", "sql/sql.js")

    def test_what_starts_the_page_is_imported_by_nobody(self):
        self.write("parts/answer.js", "../app.js")
        self.assert_wrong("parts/answer.js", "parts", "app.js")

    def test_two_folders_that_import_each_other_are_found_from_both_ends(self):
        self.write("sql/sql.js", "../boards/boards.js")
        self.write("boards/boards.js", "../sql/sql.js")
        complaints = page_layers.complaints(self.root)
        self.assertEqual(len([one for one in complaints if "must not import" in one]), 2, complaints)
        self.assertIn("a circle: sql/sql.js → boards/boards.js → sql/sql.js", complaints)

    def test_a_circle_within_a_folder_is_found(self):
        self.write("sql/one.js", "./other.js")
        self.write("sql/other.js", "./one.js")
        self.assertEqual(page_layers.complaints(self.root), [
            "a circle: sql/one.js → sql/other.js → sql/one.js", "a circle: sql/other.js → sql/one.js → sql/other.js"])

    def test_a_folder_without_a_layer_is_found(self):
        self.write("widgets/button.js", "../base/dom.js")
        self.assertEqual(
            page_layers.complaints(self.root),
            [f"{page_layers.PAGE}/widgets: a folder without a layer: name it in scripts/testing/page_layers.py"])


if __name__ == "__main__":
    unittest.main()
