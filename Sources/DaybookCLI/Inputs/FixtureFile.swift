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
    static func forEach(
        _ recording: Recording, learning masking: inout MaskingPolicy?, _ body: (FixtureRecord) throws -> Void
    ) async throws {
        var learned = masking
        defer { masking = learned }
        try await recording.forEachRecord { row, place in
            guard row.kind != .run else { return }
            learned?.learn(tag: row.tag, attributes: row.attributes, context: row.context)
            try body(JudgedRecord(row, number: place.number).fixtureRecord)
        }
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

    private static func members(of text: String) throws(JSONError) -> Attributes {
        if case .object(let members) = try JSONReader.value(of: Array(text.utf8)) { members } else { Attributes() }
    }
}
