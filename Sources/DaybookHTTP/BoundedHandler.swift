import DaybookBase

/// A handler that answers a bounded number of requests at once, so that many page readers delay only each other.
/// Further requests are answered with 503 and `Retry-After`. Safe to share between threads.
public struct BoundedHandler: HTTPHandler {
    private let base: any HTTPHandler
    private let limit: Int
    private let active = Active()

    private final class Active: Sendable {
        let count = Atomic(0)
    }

    /// - Parameters:
    ///   - limit: the most requests handled at once. Streaming a response's body does not count.
    ///   - base: handles the requests.
    public init(limit: Int, around base: any HTTPHandler) {
        (self.limit, self.base) = (limit, base)
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { base.admit(head) }

    public func sender(of head: HTTPRequest.Head) -> String? { base.sender(of: head) }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        defer { active.count.subtract(1, ordering: .relaxed) }
        guard active.count.add(1, ordering: .relaxed) <= limit else { return Self.busy }
        return await base.respond(to: request)
    }

    private static var busy: HTTPResponse {
        var response = HTTPResponse.problem(
            503, code: "overload", "Too many requests at once; try again in a moment.")
        // Spread, so that they do not come back all at once.
        response.headers["retry-after"] = String(Int.random(in: 1...5))
        return response
    }
}
