import DaybookBase
import DaybookStore

/// An event of a coverage report. What was not examined is `nil`.
package struct EventCoverage: Sendable {
    package var event: String
    package var calls: Int64?
    /// The first calls, in scan order.
    package var called: [(file: String, line: Int64)]
    package var fired: Int64?

    package static let form = Form<EventCoverage>.object(
        "EventCoverage", .init("event", .text, \.event), .init("calls", .optional(.integer), \.calls),
        .init("called", .list(call), absent: [], \.called), .init("fired", .optional(.integer), \.fired),
        make: EventCoverage.init)

    private static let call = Form<(file: String, line: Int64)>.object(
        "EventCall", .init("file", .text, \.file), .init("line", .integer, \.line)
    ) { ($0, $1) }

    /// Parses a report, the JSON of `daybook coverage --json`.
    package static func events(ofReport json: [UInt8]) throws(FormError) -> [EventCoverage] {
        guard case .object(let report)? = try? JSONReader.value(of: json), let events = report["events"] else {
            throw FormError("a report")
        }
        return try Form.list(form).read(events)
    }

    fileprivate var bytes: Int { called.reduce(event.utf8.count + 100) { $0 + $1.file.utf8.count + 30 } }
}

/// Coverage of the events, page by page; empty without a report.
package struct CoverageAnswer: Sendable {
    /// When the report was written: nanoseconds since 1970.
    package var written: Int64?
    package var events: [EventCoverage]
    package var next: Int?

    static let form = Form<CoverageAnswer>.object(
        "CoveragePage", .init("written", .optional(.nanoseconds), \.written),
        .init("events", .list(EventCoverage.form), \.events), .init("next", .optional(.number), \.next),
        make: CoverageAnswer.init)
}

extension CoverageAnswer {
    /// - Throws: ``Problem`` for a wrong parameter.
    package init(
        _ parameters: Parameters, of report: (events: [EventCoverage], written: Int64)?
    ) throws(Problem) {
        var after: Int64 = 0
        for (name, value) in parameters { after = try FilterParameters.number(name, value, in: 0...Int64.max) }
        let all = report?.events ?? []
        var bytes = 0
        let page = all[Int(min(after, Int64(all.count)))...].prefix { event in
            defer { bytes += event.bytes }
            return bytes < AnswerBounds.bytes
        }
        (written, events) = (report?.written, Array(page))
        next = page.endIndex < all.count ? page.endIndex : nil
    }
}
