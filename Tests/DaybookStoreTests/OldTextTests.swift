import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import Testing

/// Texts stored before they were bounded on arrival are bounded when rows are read.
@Suite(.temporaryDirectory) struct OldTextTests {
    private let directory = TemporaryDirectory.current
    private static let rows = ["\u{316}\u{301}", "\u{F73}"].map { String(repeating: $0, count: 1_000) }

    private func isSafe(_ text: String?) -> Bool { text.map { $0.utf8.elementsEqual($0.streamSafe.utf8) } ?? true }

    @Test("Bounds overlong combining sequences in old rows when reading", arguments: rows) func boundsOldTexts(
        row: String
    ) async throws {
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        let text = "a" + row
        var old = RecordRow(
            uid: "u" + row, time: 1, kind: .event, level: 9, tag: text, attributes: "{\"b\(row)\":\"\(text)\"}",
            context: "{\"c\(row)\":\"\(text)\"}")
        (old.message, old.session, old.module, old.file, old.installation) = (text, text, text, text, text)
        try await store.append(RecordBatch(rows: [old]))
        let read = try #require(try await store.page(RecordQuery()).first?.row)
        for text in [
            read.uid, read.tag, read.attributes, read.context, read.message, read.session, read.module, read.file,
            read.installation,
        ] {
            #expect(isSafe(text) && text?.isEmpty == false)
        }
        let cells = try await store.query("SELECT message, tag, attributes FROM records", limits: QueryLimits()).rows
            .flatMap(\.self)
        #expect(cells.count == 3)
        for cell in cells {
            if case .text(let text) = cell { #expect(isSafe(text)) } else { Issue.record("\(cell)") }
        }
    }
}
