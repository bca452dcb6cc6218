import DaybookStore

extension SessionSummary {
    fileprivate static let form = Form<SessionSummary>.object(
        "SessionSummary", .init("session", .text, \.session), .init("installation", .optional(.text), \.installation),
        .init("version", .optional(.text), \.version), .init("device", .optional(.text), \.device),
        .init("count", .integer, \.count), .init("errors", .integer, \.errors),
        .init("first_time", .nanoseconds, \.firstTime), .init("last_time", .nanoseconds, \.lastTime)
    ) { session, installation, version, device, count, errors, first, last in
        SessionSummary(
            session: session, installation: installation, version: version, device: device, count: count,
            errors: errors, firstTime: first, lastTime: last)
    }
}

/// A page of sessions, the latest first.
package struct SessionsAnswer: Sendable {
    package var sessions: [SessionSummary]
    package var next: SessionPlace?

    package static let form = Form<SessionsAnswer>.object(
        "SessionPage", .init("sessions", .list(SessionSummary.form), \.sessions),
        .init("next", .optional(place), \.next), make: SessionsAnswer.init)

    private static let place = Form<String>.text.mapped({ $0.text }, { SessionPlace(text: $0) })
}

extension SessionPlace {
    /// `TIME.SESSION`, as in an address.
    package var text: String { "\(lastTime).\(session)" }

    /// `nil` for any other text.
    package init?(text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
        self.init(lastTime: time, session: String(parts[1]))
    }
}

extension PartialAnswer<SessionSummary> {
    /// Sessions with a matching record, in order of the latest match.
    package static let sessions = form("MatchingSessions", "sessions", of: SessionSummary.form)
}
