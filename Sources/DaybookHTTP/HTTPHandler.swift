/// Answers requests. The same handler runs behind a socket, behind a web view's scheme handler, and in a test.
///
/// Implementations are safe to call from any number of tasks at once.
public protocol HTTPHandler: Sendable {
    /// Decides from the head alone, before any body is read: how much of the body to read, or a response at once.
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission

    /// The sender, if the handler knows more than the address: the name of a key that it has checked. The space for
    /// bodies is shared out by it. Only called for accepted requests. Default: `nil`.
    func sender(of head: HTTPRequest.Head) -> String?

    /// What kind of work the answer is. Only called for accepted requests. Default: ``HTTPWork/ordinary``.
    func work(of head: HTTPRequest.Head) -> HTTPWork

    /// Whether a request that was accepted still would be: asked from time to time while it is worked on and while its
    /// response streams, so that a key that is revoked opens nothing any more. Must not block. Default: `true`.
    func allows(_ head: HTTPRequest.Head) -> Bool

    /// Responds to a whole request. Never throws: an error is a response.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}

extension HTTPHandler {
    public func sender(of head: HTTPRequest.Head) -> String? { nil }

    public func work(of head: HTTPRequest.Head) -> HTTPWork { .ordinary }

    public func allows(_ head: HTTPRequest.Head) -> Bool { true }
}

/// What kind of work an answer is: a server does each kind on threads of its own, so that no kind stops another.
public enum HTTPWork: Sendable, Equatable {
    /// Receiving records.
    case ingest
    /// Telling how the server is, for who watches it: waits for nothing that readers hold.
    case health
    /// Everything else. It may compute and block: it holds its own place, of which there are so many, and is answered with
    /// 503 when the time is over.
    case bounded(by: Duration)

    /// ``bounded(by:)`` a minute.
    public static let ordinary = HTTPWork.bounded(by: .seconds(60))
    /// ``bounded(by:)`` an hour: what changes a store and should come to its end.
    public static let long = HTTPWork.bounded(by: .seconds(3_600))
}

/// A handler's decision on the head of a request.
public enum HTTPAdmission: Sendable {
    /// Read at most this many bytes of body; a longer one is answered with 413.
    case accept(bodyLimit: Int)
    /// Answer now; the body is discarded first (at most 1 MiB of it).
    case refuse(HTTPResponse)
}
