/// What a record is.
public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A free-form line.
    case message
    /// A Swift error.
    case error
    /// A named, defined activity of the user or the app.
    case event
    /// A measurement with a start and an end.
    case span
    /// An HTTP exchange.
    case request
    /// A marked stretch of records that a checklist is judged over.
    case run
}
