"""Each check of the architecture complains where its rule is broken, and only there."""

import tempfile
import unittest
from pathlib import Path

import architecture


class ArchitectureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for module in ("Daybook", "DaybookJournal", "DaybookHTTPServer", "DaybookInspector", "DaybookChecklist", "CMicroHTTPD"):
            self.write(f"Sources/{module}/A.swift", "import Foundation\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def graph(self):
        return architecture.imports(self.root)

    def test_clean_house_has_no_complaints(self):
        self.write("Sources/Daybook/B.swift", "import DaybookJournal\n")
        graph = self.graph()
        self.assertEqual(architecture.forbidden_imports(graph), [])
        self.assertEqual(architecture.server_imports(graph), [])
        self.assertEqual(architecture.circles(graph), [])
        self.assertEqual(architecture.long_files(self.root), [])

    def test_forbidden_import_is_found_however_it_is_written(self):
        for line in (
            "import Daybook", "@testable import Daybook", "package import Daybook", "@_exported import Daybook",
            "import struct Daybook.Record", "  import Daybook", "@preconcurrency private import Daybook",
        ):
            self.write("Sources/DaybookChecklist/B.swift", line + "\n")
            self.assertEqual(
                architecture.forbidden_imports(self.graph()),
                ["Sources/DaybookChecklist/B.swift: DaybookChecklist must not import Daybook"], line)

    def test_comments_and_text_are_no_imports(self):
        self.write(
            "Sources/DaybookChecklist/B.swift",
            '// import Daybook\n/* \nimport Daybook\n*/\nlet text = """\nimport Daybook\n"""\n')
        self.assertEqual(architecture.forbidden_imports(self.graph()), [])

    def test_server_is_found_behind_another_module(self):
        self.write("Sources/DaybookInspector/B.swift", "import DaybookJournal\n")
        self.write("Sources/DaybookJournal/B.swift", "import CMicroHTTPD\n")
        self.assertIn("DaybookInspector, which apps link, reaches CMicroHTTPD", architecture.server_imports(self.graph()))

    def test_circle_is_found(self):
        self.write("Sources/Daybook/B.swift", "import DaybookJournal\n")
        self.write("Sources/DaybookJournal/B.swift", "import DaybookHTTPServer\n")
        self.write("Sources/DaybookHTTPServer/B.swift", "import Daybook\n")
        self.assertEqual(len(architecture.circles(self.graph())), 3)

    def test_long_file_is_found(self):
        self.write("Sources/Daybook/Long.swift", "\n" * 501)
        self.write("Sources/Daybook/Just.swift", "\n" * 500)
        self.assertEqual(len(architecture.long_files(self.root)), 1)

    def test_linked_library_is_found(self):
        libraries = ["libsqlite3.so.0", "libz.so.1", "libstdc++.so.6", "libmicrohttpd.so.12", "libzstd.so.1"]
        original = architecture.linked_libraries
        self.addCleanup(setattr, architecture, "linked_libraries", original)
        architecture.linked_libraries = lambda binary: libraries
        self.assertEqual(
            architecture.links_c_library(Path("x")),
            ["x links libsqlite3.so.0", "x links libz.so.1", "x links libmicrohttpd.so.12"])

    def test_every_rule_speaks_of_a_module_that_can_exist(self):
        for module, names in architecture.ALLOWED.items():
            self.assertNotIn(module, names)
        self.assertFalse(architecture.LINKED_BY_APPS & architecture.SERVER_MODULES)


if __name__ == "__main__":
    unittest.main()
