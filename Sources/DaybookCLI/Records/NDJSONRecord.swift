import Daybook
import DaybookChecklist
import Foundation

/// One line of NDJSON; only `tag` is required.
struct NDJSONRecord: ChecklistRecord {
    /// Why a line is no record.
    struct Problem: Error {
        var message: String
    }

    let tag: String
    /// The record's `seq`; the line's number where it has none.
    let number: Int64
    let time: Int64
    private let attributes: [String: JSONValue]
    private let context: [String: JSONValue]
    private let envelope: [String: ChecklistValue]

    /// Reads a line.
    ///
    /// - Throws: ``Problem``.
    init(json: Data, line: Int, decoder: JSONDecoder) throws(Problem) {
        let object: [String: JSONValue]
        do {
            guard case .object(let found) = try decoder.decode(JSONValue.self, from: json) else {
                throw Problem(message: "the line is no JSON object")
            }
            object = found
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(message: "the line is no JSON")
        }
        func text(_ key: String) throws(Problem) -> String? {
            switch object[key] {
            case .string(let text): return text
            case nil, .null: return nil
            default: throw Problem(message: "`\(key)` is no text")
            }
        }
        func members(_ key: String) throws(Problem) -> [String: JSONValue] {
            switch object[key] {
            case .object(let members): return members
            case nil, .null: return [:]
            default: throw Problem(message: "`\(key)` is no object")
            }
        }
        guard let tag = try text("tag"), !tag.isEmpty else { throw Problem(message: "the record has no `tag`") }
        if try text("kind") == Kind.run.rawValue {
            throw Problem(
                message: "a record of kind `run` is not judged by this version; cut the recording into a file per run")
        }
        self.tag = tag
        switch object["seq"] {
        case .integer(let sequence): number = sequence
        case nil, .null: number = Int64(line)
        default: throw Problem(message: "`seq` is no whole number")
        }
        switch object["time"] {
        case .integer(let nanoseconds): time = nanoseconds
        case nil, .null: time = 0
        case .string(let text):
            guard let nanoseconds = RFC3339.nanoseconds(text) else {
                throw Problem(message: "`time` is no RFC 3339 time such as 2026-11-20T10:02:11.204Z")
            }
            time = nanoseconds
        default: throw Problem(message: "`time` is neither text nor nanoseconds since 1970")
        }
        attributes = try members("attributes")
        context = try members("context")
        var envelope: [String: ChecklistValue] = [:]
        envelope["_session"] = try text("session").map { .text($0) }
        envelope["_installation"] = try text("installation").map { .text($0) }
        switch object["level"] {
        case .integer(let severity): envelope["_level"] = .integer(severity)
        case nil, .null: break
        case .string(let name):
            guard let level = Level(name: name) else {
                throw Problem(message: "`level` is none of \(Level.allCases.map(\.name).joined(separator: ", "))")
            }
            envelope["_level"] = .integer(Int64(level.rawValue))
        default: throw Problem(message: "`level` is neither a name nor a number")
        }
        self.envelope = envelope
    }

    func value(of column: String) -> ChecklistValue? {
        if let own = attributes[column] { return own.checklistValue }
        if let common = context[column] { return common.checklistValue }
        return envelope[column]
    }
}
