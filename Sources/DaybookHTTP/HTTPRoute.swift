/// One entry of a router: which requests go to which handler.
public struct HTTPRoute: Sendable {
    /// Which paths a route takes.
    public enum Path: Sendable, Hashable {
        /// This path alone.
        case exact(String)
        /// This path and what lies below it: `/api` takes `/api` and `/api/records`, never `/apiary`. `/` takes all.
        case prefix(String)
    }

    /// The methods taken, in upper case; `nil` takes every method. `GET` takes `HEAD` too.
    public var methods: [String]?
    /// The paths taken.
    public var path: Path
    /// Who answers.
    public var handler: any HTTPHandler

    /// A route.
    public init(_ methods: [String]?, _ path: Path, _ handler: any HTTPHandler) {
        self.methods = methods
        self.path = path
        self.handler = handler
    }

    func takes(method: String) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (method == "HEAD" && methods.contains("GET"))
    }
}

extension HTTPRoute.Path {
    func matches(_ path: String) -> Bool {
        switch self {
        case .exact(let text):
            return path == text
        case .prefix(let text):
            // In bytes: a character comparison would let a combining mark after the prefix hide it.
            let prefix = text.hasSuffix("/") ? text.utf8.dropLast() : text.utf8[...]
            guard path.utf8.starts(with: prefix) else { return false }
            let rest = path.utf8.dropFirst(prefix.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/")
        }
    }

    /// Which of two matching paths wins: the longer, and at the same length the exact one.
    var precision: Int {
        switch self {
        case .exact(let text): text.utf8.count * 2 + 1
        case .prefix(let text): text.utf8.count * 2
        }
    }
}
