import Daybook

/// A record as the probe receives it: a line of NDJSON, as ``TextFormat/json`` writes it.
enum ProbeLine {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: why the line is no record.
    static func record(_ line: [UInt8]) throws -> Record {
        guard case .object(let object) = try JSONReader.value(of: line), case .string(let tag)? = object["tag"] else {
            throw Problem(description: "a record is an object with a tag")
        }
        func text(_ key: String) -> String? { if case .string(let text)? = object[key] { text } else { nil } }
        func integer(_ key: String) -> Int64? { if case .int(let number)? = object[key] { number } else { nil } }
        func attributes(_ key: String) -> Attributes {
            if case .object(let attributes)? = object[key] { attributes } else { [:] }
        }
        var record = Record(
            time: text("time").flatMap { Timestamp(rfc3339: $0)?.nanoseconds } ?? 0,
            kind: text("kind").flatMap(Kind.init(rawValue:)) ?? .event,
            level: Level.allCases.first { $0.name == text("level") } ?? .info, tag: tag, message: text("message"),
            attributes: attributes("attributes"))
        record.sequence = integer("seq").flatMap { UInt64(exactly: $0) } ?? 0
        record.context = attributes("context")
        if let session = text("session") { record.context["session.id"] = .string(session) }
        record.duration = integer("duration")
        record.file = text("file")
        record.function = text("function")
        record.line = integer("line").map { Int($0) }
        return record
    }
}
