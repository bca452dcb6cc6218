/// Answers requests. The same handler runs behind a socket, behind a web view's scheme handler, and in a test.
///
/// Implementations are safe to call from any number of tasks at once.
public protocol HTTPHandler: Sendable {
    /// Decides from the head alone, before any body is read: how much of the body to read, or a response at once.
    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission

    /// The sender, if the handler knows more than the address: the name of a key that it has checked. The space for
    /// bodies is shared out by it. Only called for accepted requests. Default: `nil`.
    func sender(of head: HTTPRequest.Head) -> String?

    /// Responds to a whole request. Never throws: an error is a response.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}

extension HTTPHandler {
    public func sender(of head: HTTPRequest.Head) -> String? { nil }
}

/// A handler's decision on the head of a request.
public enum HTTPAdmission: Sendable {
    /// Read at most this many bytes of body; a longer one is answered with 413.
    case accept(bodyLimit: Int)
    /// Answer now; the body is discarded first (at most 1 MiB of it).
    case refuse(HTTPResponse)
}
