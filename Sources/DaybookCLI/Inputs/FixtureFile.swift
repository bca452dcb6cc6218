import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

enum FixtureFile {
    static let endings = [".json", ".json.gz"] + RecordFile.endings

    /// A JSON object of events, or typed NDJSON.
    static func read(_ path: String) throws -> LocatedFixture {
        let text = try TextFile.read(path)
        do {
            return try LocatedFixture(text: text)
        } catch let error as FixtureError {
            throw InputError(file: path, line: error.line, message: error.message)
        }
    }

    /// A note on what is not compared; `nil` if everything is.
    static func note(on fixture: LocatedFixture, in path: String) -> InputError? {
        guard !fixture.passedOver.isEmpty else { return nil }
        return InputError(
            file: path,
            message: "only `tag` and `attributes` are compared; passed over: \(fixture.passedOver.text())")
    }

    /// Iterates over a recording's records, except run marks.
    /// - Parameter body: receives a record, and its values outside its columns, named as in ``RecordingComparison``.
    static func forEach(
        _ recording: Recording, learning masking: inout MaskingPolicy?,
        _ body: (FixtureRecord, _ others: [String: ChecklistValue]) throws -> Void
    ) async throws {
        var learned = masking
        defer { masking = learned }
        try await recording.forEachRecord { row, place in
            guard row.kind != .run else { return }
            learned?.learn(tag: row.tag, attributes: row.attributes, context: row.context)
            try body(JudgedRecord(row, number: place.number).fixtureRecord, row.comparedBesides())
        }
    }
}

extension RecordRow {
    /// The values outside a record's columns that a comparison of recordings uses.
    /// - Throws: ``JSONError`` for an invalid context.
    fileprivate func comparedBesides() throws(JSONError) -> [String: ChecklistValue] {
        let level = UInt8(exactly: self.level).flatMap(Level.init(rawValue:))?.name ?? String(self.level)
        var others: [String: ChecklistValue] = ["level": .text(level), "kind": .text(kind.rawValue)]
        others["message"] = message.map(ChecklistValue.text)
        for (name, value) in try JudgedRecord.members(of: context).columns where !name.hasPrefix("daybook.") {
            others["context." + name] = value
        }
        return others
    }
}

extension JudgedRecord {
    init(_ row: RecordRow, number: Int64) throws(JSONError) {
        self.init(
            tag: row.tag, number: number, time: row.time, level: Int64(row.level),
            session: row.session.map { .string($0) }, installation: row.installation.map { .string($0) },
            attributes: try Self.members(of: row.attributes), context: try Self.members(of: row.context))
    }

    fileprivate static func members(of text: String) throws(JSONError) -> Attributes {
        if case .object(let members) = try JSONReader.value(of: Array(text.utf8)) { members } else { Attributes() }
    }
}
