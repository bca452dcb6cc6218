"""Each architecture check complains where its rule is broken, and only there."""

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

    def test_name_that_two_modules_declare_is_found(self):
        self.write("Sources/Daybook/B.swift", "public struct Wire {}\nprivate struct State {}\n// struct Loose {}\n")
        self.write("Sources/DaybookJournal/B.swift", "@usableFromInline\npackage enum Wire {}\nprivate struct State {}\n")
        self.write("Sources/DaybookChecklist/B.swift", "struct Loose {}\nextension Wire {}\n")
        self.assertEqual(
            architecture.names_twice(self.root), ["Wire is declared in Daybook and in DaybookJournal: rename one"])

    def test_a_second_client_is_found(self):
        self.write("Sources/Daybook/B.swift", "let session = URLSession(configuration: .default)\n")
        self.write("Sources/DaybookInspector/B.swift", "// Not URLSession.\nlet name = MyURLSessionLike()\n")
        self.assertEqual(architecture.own_clients(self.root), [])
        for line in ("import FoundationNetworking", "let (data, _) = try await URLSession.shared.data(from: url)"):
            self.write("Sources/DaybookHTTPServer/B.swift", line + "\n")
            self.assertEqual(
                architecture.own_clients(self.root),
                ["Sources/DaybookHTTPServer/B.swift: Foundation's networking: use DefaultTransport, or DaybookCurl"], line)

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

    def assert_found(self, what, sources):
        for source in sources:
            self.write("Sources/Daybook/Again.swift", source)
            complaints = architecture.written_again(self.root)
            self.assertEqual(len(complaints), 1, source)
            self.assertTrue(complaints[0].startswith(f"Sources/Daybook/Again.swift: a second {what}: use "), complaints)

    def test_second_escaper_of_json_is_found_however_it_is_written(self):
        self.assert_found("escaper of JSON", [
            'bytes.append(contentsOf: "\\\\u00".utf8)\n',
            'result += "\\\\u" + String(repeating: "0", count: 4 - digits.count) + digits\n',
            'bytes += "\\\\u\\(digits)".utf8\n',
            'result += String(format: "\\\\u%04x", scalar.value)\n',
            'result += #"\\u\\#(digits)"#\n',
            'text.replacing("\\\\", with: "\\\\\\\\").replacing("\\"", with: "\\\\\\"")\n',
            'case "\\"": result += "\\\\\\""\ncase "\\\\": result += "\\\\\\\\"\n',
            'case 0x22: result += #"\\""#\ncase 0x5C: result += #"\\\\"#\n',
            'bytes.append(UInt8(ascii: "u"))\n',
        ])

    def test_other_second_ways_are_found(self):
        self.assert_found("parser of tag patterns", [
            'let terms = text.split(separator: ".")\nif terms.last == "**" {}\n',
            'let terms = text.components(separatedBy: ".")\nswitch terms.last { case "**": break }\n',
        ])
        self.assert_found("search for the nearest name", [
            "func levenshtein(_ left: String) {}\n", "let editDistance = 3\n",
            "row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)\n",
            "row[j] = min(min(last[j] + 1, row[j - 1] + 1), last[j - 1] + cost)\n",
        ])
        self.assert_found("SHA-256", [
            "let state: [UInt32] = [0x6a09e667, 0xbb67ae85]\n", "let state: [UInt32] = [0x6A09_E667]\n",
            "import CryptoKit\n", "    import CCrypto\n", "package import Crypto\n", "import CommonCrypto\n",
        ])

    def test_lines_by_characters_are_found_and_those_by_scalars_are_not(self):
        self.write("Sources/DaybookHTTP/Lines.swift", "\n".join([
            'text.split(separator: "\\n")', 'text.components(separatedBy: "\\n")', 'text.firstIndex(of: "\\n")',
            'if text.hasSuffix("\\n") {', 'text.replacing("\\n", with: " ")', 'text.prefix { $0 != "\\n" }',
            'text.unicodeScalars.split(separator: "\\n")', 'lines.joined(separator: "\\n")',
            'text.split(whereSeparator: \\.isNewline)', '// text.split(separator: "\\n")',
        ]))
        found = [complaint.split(":")[1] for complaint in architecture.lines_by_characters(self.root)]
        self.assertEqual(found, ["1", "2", "3", "4", "5", "6"])

    def test_second_way_to_change_a_file_is_found(self):
        source = "\n".join([
            "try data.write(to: url, options: .atomic)", "try text.write(toFile: path, atomically: true)",
            "manager.createFile(atPath: path, contents: nil)", "try manager.removeItem(atPath: path)",
            "try manager.moveItem(at: a, to: b)", "let file = open(path, O_WRONLY)", "unlink(path)", "rename(a, b)",
            "try OwnedFile.replace(path, with: text)", "table.write(to: &text)", "// unlink(path)",
        ])
        for path in ["DaybookInspector/A", "DaybookCollector/Alerts/A", "DaybookCLI/A"]:
            self.write(f"Sources/{path}.swift", source)
        self.write("Sources/DaybookTools/Files/FolderTurn.swift", source)
        self.write("Sources/DaybookJournal/A.swift", source)
        found = [complaint.split(":")[:2] for complaint in architecture.other_writers(self.root)]
        self.assertEqual(len(found), 24)
        self.assertEqual({line for _, line in found}, {str(number) for number in range(1, 9)})

    def test_files_that_may_write_are_there(self):
        house = Path(__file__).resolve().parents[2]
        for path in architecture.OWN_WRITERS:
            self.assertTrue((house / path).is_file(), path)

    def test_what_only_looks_like_a_second_way_is_none(self):
        self.write("Sources/Daybook/Again.swift", "\n".join([
            "// A comment may speak of 0x6a09e667 and levenshtein.", "/// import CryptoKit",
            'let isZero = units.starts(with: #"\\u0000"#.utf8)', 'let swift = "\\\\u{\\(digits)}"',
            'let quoted = "\\"" + text + "\\""', 'let isDirectory = path.split(separator: "/").contains("**")',
            "let size = min(counts[0] + 1, limit)", 'if route.pattern == "**" {}', "import CryptoKitten",
        ]))
        self.assertEqual(architecture.written_again(self.root), [])

    def test_what_is_written_once_may_stand_in_its_place(self):
        for what, place, marks in architecture.WRITTEN_ONCE:
            self.write(place, '"\\\\u00" levenshtein 0x6a09e667 "**" split(separator: ".")\n')
            found = [complaint for complaint in architecture.written_again(self.root) if f"a second {what}:" in complaint]
            self.assertEqual([complaint for complaint in found if complaint.startswith(place)], [])
            (self.root / place).unlink()

    def test_what_is_written_once_is_there_and_so_is_each_escaper_of_another_language(self):
        house = Path(__file__).resolve().parents[2]
        for _, place, _ in architecture.WRITTEN_ONCE:
            self.assertTrue((house / place).is_file(), place)
        for place in architecture.OTHER_LANGUAGES:
            self.assertTrue((house / place).is_file(), place)

    def test_every_rule_speaks_of_a_module_that_can_exist(self):
        for module, names in architecture.ALLOWED.items():
            self.assertNotIn(module, names)
        self.assertFalse(architecture.LINKED_BY_APPS & architecture.SERVER_MODULES)


if __name__ == "__main__":
    unittest.main()
