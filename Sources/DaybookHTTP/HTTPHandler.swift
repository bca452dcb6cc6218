/// Answers requests. The same handler runs behind a socket, behind a web view's scheme handler, and in a test.
///
/// Implementations are safe to call from any number of tasks at once.
public protocol HTTPHandler: Sendable {
    /// Decides on the head alone, before any body is read: how much body to take, or an answer at once.
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission

    /// Who sends, where the handler knows it from more than the address: the name of a key that it has checked. Clients
    /// share the room for bodies by it. Asked only of requests that were accepted. Default: `nil`.
    func sender(of head: HTTPRequest.Head) -> String?

    /// Answers a whole request. Never throws: an error is a response.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}

extension HTTPHandler {
    public func sender(of head: HTTPRequest.Head) -> String? { nil }
}

/// What a handler says to the head of a request.
public enum HTTPAdmission: Sendable {
    /// Read the body, at most this many bytes; one byte more is answered with 413.
    case accept(bodyLimit: Int)
    /// Answer now; the body is discarded (at most 1 MiB of it) first.
    case refuse(HTTPResponse)
}
