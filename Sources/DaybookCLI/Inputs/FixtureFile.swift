import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// Fixtures and recordings as files.
enum FixtureFile {
    /// How the names of fixtures end.
    static let endings = [".json", ".json.gz"] + RecordFile.endings

    /// A fixture: a JSON object of events, or typed NDJSON.
    ///
    /// - Throws: ``InputError``.
    static func read(_ path: String) throws -> LocatedFixture {
        let text = try TextFile.read(path)
        do {
            return try LocatedFixture(text: text)
        } catch let error as FixtureError {
            throw InputError(file: path, line: error.line, message: error.message)
        }
    }

    /// What of a fixture is not compared; `nil` where all is.
    static func note(on fixture: LocatedFixture, in path: String) -> InputError? {
        guard !fixture.passedOver.isEmpty else { return nil }
        return InputError(
            file: path,
            message: "only `tag` and `attributes` are compared; passed over: \(fixture.passedOver.text())")
    }

    /// Goes through the records of a recording one by one; those that mark runs left out.
    /// - Parameter body: takes a record, and what it has besides its columns, as ``RecordingComparison`` names it.
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
    /// What a comparison of recordings takes of a record besides its columns.
    /// - Throws: ``JSONError`` if its context is no JSON.
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
    /// A record of a store or of its NDJSON.
    ///
    /// - Throws: ``JSONError`` if its attributes or its context are no JSON.
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
