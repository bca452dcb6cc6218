extension [ScenarioVerdict] {
    /// The verdicts for programs: one JSON object, keys in a fixed order.
    public func jsonReport(of checklist: Checklist) -> String {
        let all = flatMap(\.items)
        let counts = ItemVerdict.Status.allCases.map { status in
            "\(JSONText.quoted(status.rawValue)):\(all.count { $0.status == status })"
        }
        return "{\"checklist\":\(JSONText.quoted(checklist.title)),\"file\":\(JSONText.quoted(checklist.file)),"
            + "\"passed\":\(passed),\"counts\":{\(counts.joined(separator: ","))},"
            + "\"scenarios\":[\(map(\.json).joined(separator: ","))]}\n"
    }
}

extension ScenarioVerdict {
    fileprivate var json: String {
        "{\"name\":\(JSONText.quoted(scenario.name)),\"passed\":\(passed),"
            + "\"persona\":\(text(run.persona)),\"build\":\(text(run.build)),\"tester\":\(text(run.tester)),"
            + "\"finished\":\(run.isFinished),\"problem\":\(text(problem?.reason)),\"items\":[\(items.map(\.json).joined(separator: ","))]}"
    }
}

private func text(_ text: String?) -> String { text.map(JSONText.quoted) ?? "null" }

extension ItemVerdict {
    fileprivate var json: String {
        "{\"text\":\(JSONText.quoted(item.text)),\"line\":\(item.location.line),"
            + "\"status\":\(JSONText.quoted(status.rawValue)),"
            + "\"reason\":\(reason.map(JSONText.quoted) ?? "null"),\"matches\":\(matches),"
            + "\"tests\":\(item.tests.count),\"notes\":\(item.notes.count),"
            + "\"records\":[\(evidence.map(\.json).joined(separator: ","))]}"
    }
}

extension Evidence {
    fileprivate var json: String {
        let values = values.map { "\(JSONText.quoted($0.column)):\($0.value?.json ?? "null")" }
        return "{\"number\":\(number),\"time\":\(time),\"tag\":\(JSONText.quoted(tag)),"
            + "\"values\":{\(values.joined(separator: ","))},\"note\":\(note.map(JSONText.quoted) ?? "null")}"
    }
}

extension ChecklistValue {
    fileprivate var json: String {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? String(value) : JSONText.quoted(String(value))
        case .text(let value): JSONText.quoted(value)
        case .structure(let json): json
        }
    }
}

/// The little of JSON that a report writes, without Foundation.
enum JSONText {
    /// A string literal.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
