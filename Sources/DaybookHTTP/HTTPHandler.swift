/// Responds to requests: behind a socket, a web view's scheme handler, or in a test.
///
/// Implementations may be called from any number of tasks at once.
public protocol HTTPHandler: Sendable {
    /// Decides from the head, before any body is read: how much of the body to read, or an immediate response.
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission

    /// The sender's identity beyond its address: the name of a verified key. The server shares its memory for bodies by
    /// sender. Called only for accepted requests. Default: `nil`.
    func sender(of head: HTTPRequest.Head) -> String?

    /// The kind of work. Called only for accepted requests. Default: ``HTTPWork/ordinary``.
    func work(of head: HTTPRequest.Head) -> HTTPWork

    /// Whether an accepted request would still be accepted. Called periodically while the request is processed and
    /// while its response streams, so that revoking a key takes effect. Must not block. Default: `true`.
    func allows(_ head: HTTPRequest.Head) -> Bool

    /// Responds to a complete request. Never throws: an error is a response.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}

extension HTTPHandler {
    public func sender(of head: HTTPRequest.Head) -> String? { nil }

    public func work(of head: HTTPRequest.Head) -> HTTPWork { .ordinary }

    public func allows(_ head: HTTPRequest.Head) -> Bool { true }
}

/// A kind of work. A server runs each kind on its own threads, so that no kind delays another.
public enum HTTPWork: Sendable, Equatable {
    /// Receiving records.
    case ingest
    /// Health checks: must not wait for anything that readers hold.
    case health
    /// Everything else. It may compute and block. It holds one of a limited number of places, and is answered with 503
    /// when the time is up.
    case bounded(by: Duration)

    /// ``bounded(by:)`` a minute.
    public static let ordinary = HTTPWork.bounded(by: .seconds(60))
    /// ``bounded(by:)`` an hour: for changes to a store that should complete.
    public static let long = HTTPWork.bounded(by: .seconds(3_600))
}

/// A handler's decision on a request's head.
public enum HTTPAdmission: Sendable {
    /// Read at most this many bytes of body; a longer one gets 413.
    case accept(bodyLimit: Int)
    /// Respond now; the body is discarded first (at most 1 MiB of it).
    case refuse(HTTPResponse)
}
