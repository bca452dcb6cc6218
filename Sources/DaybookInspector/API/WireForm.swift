import DaybookBase
import DaybookStore
import DaybookTools

/// Answers for programs that want every value as it is stored, where the page's are shortened and have no numbers that
/// JavaScript would round.
package enum WireForm: String, Sendable {
    /// Of records: whole, with `attributes` and `context` as the texts that are stored.
    case stored
    /// Of an answer to a statement: numbers as numbers of their kind.
    case exact

    /// The parameter that asks for a form.
    package static let parameter = "form"

    /// Whether a form is asked for.
    /// - Throws: ``Problem`` for another one.
    static func isAsked(
        _ form: WireForm, in parameters: [(name: String, value: String)]
    ) throws(Problem) -> Bool {
        guard let text = parameters.first(where: { $0.name == parameter })?.value else {
            return false
        }
        guard text == form.rawValue else {
            throw Problem(.badRequest, "form is \(form.rawValue) or left out, not “\(text)”.")
        }
        return true
    }
}

extension JSONBuilder {
    /// A record as it is stored: ``WireForm/stored``.
    mutating func stored(_ record: StoredRecord) {
        let row = record.row
        object {
            $0.key("id")
            $0.integer(record.id)
            $0.key("time")
            $0.decimal(row.time)
            $0.key("kind")
            $0.string(row.kind.rawValue)
            $0.key("level")
            $0.integer(Int64(row.level))
            for (name, text) in row.texts {
                guard let text else { continue }
                $0.key(name)
                $0.string(text)
            }
            for (name, number) in [("duration", row.duration), ("line", row.line.map { Int64($0) })] {
                guard let number else { continue }
                $0.key(name)
                $0.decimal(number)
            }
        }
    }

    /// A cell in the form ``WireForm/exact``.
    mutating func exact(_ cell: QueryResult.Cell) {
        switch cell {
        case .null: null()
        case .integer(let number): written { $0.append(contentsOf: String(number).utf8) }
        case .real(let number) where number.isFinite: real(number)
        case .real(let number):
            object {
                $0.key("real")
                $0.string("\(number)")
            }
        case .text(let text): string(text)
        case .blob(let bytes):
            object {
                $0.key("hex")
                $0.string(Hex.text(bytes))
            }
        }
    }
}

extension RecordRow {
    fileprivate var texts: [(String, String?)] {
        [
            ("uid", uid), ("tag", tag), ("message", message), ("module", module), ("attributes", attributes),
            ("context", context), ("session", session), ("installation", installation), ("trace_id", traceID),
            ("span_id", spanID), ("parent_span_id", parentSpanID), ("file", file), ("function", function),
        ]
    }
}

extension StoredRecord {
    /// Reads a record in the form ``WireForm/stored``; `nil` for anything else.
    package init?(stored value: Value) {
        guard case .object(let members) = value, let id = members.number("id"), let uid = members.text("uid"),
            let time = members.number("time"), let kind = members.text("kind").flatMap(Kind.init(rawValue:)),
            let level = members.number("level"), let tag = members.text("tag"),
            let attributes = members.text("attributes"), let context = members.text("context")
        else { return nil }
        var row = RecordRow(
            uid: uid, time: time, kind: kind, level: Int(clamping: level), tag: tag, attributes: attributes,
            context: context)
        row.message = members.text("message")
        row.module = members.text("module")
        row.session = members.text("session")
        row.installation = members.text("installation")
        row.traceID = members.text("trace_id")
        row.spanID = members.text("span_id")
        row.parentSpanID = members.text("parent_span_id")
        row.duration = members.number("duration")
        row.file = members.text("file")
        row.function = members.text("function")
        row.line = members.number("line").map { Int(clamping: $0) }
        self.init(id: id, row: row)
    }
}

extension QueryResult.Cell {
    /// Reads a cell in the form ``WireForm/exact``; `nil` for anything else.
    package init?(exact value: Value) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .object(let members):
            if let bytes = members.text("hex").flatMap({ Hex.bytes($0) }) {
                self = .blob(bytes)
            } else if let number = members.text("real").flatMap({ Double($0) }) {
                self = .real(number)
            } else {
                return nil
            }
        default: return nil
        }
    }
}

extension Attributes {
    /// A member that is a text.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    /// A member that is a whole number, or a text of its digits.
    package func number(_ name: String) -> Int64? {
        switch self[name] {
        case .int(let number)?: number
        case .string(let digits)?: Int64(digits)
        default: nil
        }
    }

    /// The elements of a member that is an array.
    package func elements(_ name: String) -> [Value]? {
        if case .array(let elements)? = self[name] { elements } else { nil }
    }

    /// A member that is an object.
    package func members(_ name: String) -> Attributes? {
        if case .object(let members)? = self[name] { members } else { nil }
    }
}
