/// How far a shutdown has come.
enum Stage: Int, Comparable {
    case serving
    /// No new connections; streams end; what was asked is answered, and the connection closed.
    case draining
    /// Working handlers are no longer waited for.
    case abandoning

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}
