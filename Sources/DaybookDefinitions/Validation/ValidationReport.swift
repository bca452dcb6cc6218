/// What a recording's events have that their definitions do not allow: collected record by record.
public struct ValidationReport: Sendable {
    /// At most this many violations are kept with their line; all are counted.
    public static let greatestListing = 1_000

    private let validator: RecordValidator
    private var events = 0
    private var total = 0
    private var found: [(line: Int, violation: Violation)] = []

    /// An empty report.
    public init(_ validator: RecordValidator) { self.validator = validator }

    /// Judges one event.
    ///
    /// - Parameter line: Where it stands, from 1.
    public mutating func observe(line: Int, tag: String, attributes: String, context: String?) {
        events += 1
        let violations = validator.violations(tag: tag, attributes: attributes, context: context)
        total += violations.count
        found += violations.prefix(Swift.max(0, ValidationReport.greatestListing - found.count)).map { (line, $0) }
    }

    /// The outcome: exit code 0 if every event is as defined, else 1.
    ///
    /// - Parameter json: One JSON object instead of a line for each violation and a summary.
    public func outcome(file: String, json: Bool) -> CommandOutcome {
        CommandOutcome(output: json ? self.json : text(file: file), exitCode: total == 0 ? 0 : 1)
    }

    private func hint(_ violation: Violation) -> String? {
        violation.kind == .undefinedEvent ? validator.nearestTag(to: violation.tag) : nil
    }

    private func text(file: String) -> String {
        let lines = found.map { line, violation in
            let near = hint(violation).map { " (did you mean `\($0)`?)" } ?? ""
            return "\(file):\(line): \(violation)\(near)\n"
        }
        let more = total > found.count ? "and \(total - found.count) more\n" : ""
        let summary = "\(events) event\(events == 1 ? "" : "s"), \(total) violation\(total == 1 ? "" : "s")\n"
        return lines.joined() + more + summary
    }

    private var json: String {
        func text(_ text: String?) -> JSONText { text.map(JSONText.string) ?? .null }
        return JSONText.object([
            ("ok", .bool(total == 0)), ("events", .number(events)), ("violations", .number(total)),
            (
                "listed",
                .array(
                    found.map { line, violation in
                        .object([
                            ("line", .number(line)), ("event", .string(violation.tag)),
                            ("violation", .string(violation.kind.rawValue)), ("column", text(violation.column)),
                            ("expected", text(violation.expected)), ("found", text(violation.found)),
                            ("message", .string(violation.message)), ("nearest", text(hint(violation))),
                        ])
                    })
            ),
        ]).text
    }
}
