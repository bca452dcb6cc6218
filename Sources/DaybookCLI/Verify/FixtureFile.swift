import DaybookChecklist
import DaybookStore
import DaybookTesting

/// Fixtures and recordings as files.
enum FixtureFile {
    /// A fixture: a JSON object of events, or typed NDJSON.
    ///
    /// - Throws: ``InputError``.
    static func read(_ path: String) throws -> Fixture {
        let text = try TextFile.read(path)
        do {
            return try Fixture(text: text)
        } catch {
            throw InputError(file: path, message: "\(error)")
        }
    }

    /// The records of a recording with all their own columns; those that mark runs left out.
    ///
    /// - Throws: ``InputError`` at the first line that is no record.
    static func records(_ path: String) async throws -> [FixtureRecord] {
        var records: [FixtureRecord] = []
        try await forEach(path) { records.append($0) }
        return records
    }

    /// Goes through the records of a recording one by one; those that mark runs left out.
    static func forEach(_ path: String, _ body: (FixtureRecord) throws -> Void) async throws {
        try await RecordFile(path: path).forEachRecord { row, line in
            guard row.kind != .run else { return }
            let number = row.sequence.map { Int64(clamping: $0) } ?? Int64(line)
            try body(
                FixtureRecord(tag: row.tag, number: number, columns: try JudgedRecord(row, number: number).ownColumns))
        }
    }
}
