import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers an app's requests inside a test, so that test logs never reach production and content is always the same.
///
/// Give the code under test ``session`` (or a session made of ``configuration``). What no rule answers fails and is kept in
/// ``unexpected``; nothing goes to the network. Each stub sees the requests of its own sessions only, so that tests may
/// run at the same time. `URLSession.shared` cannot be stubbed: Foundation on Linux ignores registered protocols there.
/// Safe to share between threads.
public final class EndpointStub: Sendable {
    /// A request that came.
    public struct Request: Sendable {
        public var method: String
        public var url: URL
        /// Names in lower case.
        public var headers: [String: String]
        public var body: Data
    }

    fileprivate enum Rule {
        case stub(body: Data, type: String)
        case log(status: Int)
    }

    private struct State {
        var rules: [(pattern: String, rule: Rule)] = []
        var recorded: [Request] = []
        var unexpected: [String] = []
    }

    /// The stubs that live, by the class that answers for each.
    private static let stubs = Mutex<[Living?]>([])

    private struct Living: Sendable {
        weak var stub: EndpointStub?
        var identity: ObjectIdentifier
    }

    /// The stub's place among those that live.
    private let number: Int
    private let state = Mutex(State())

    /// A stub without rules.
    public init() {
        // The place is taken first, so that the object is complete when others can see it.
        number = Self.stubs.withLock { stubs in
            let free = stubs.firstIndex { $0 == nil } ?? stubs.count
            let place = Living(stub: nil, identity: ObjectIdentifier(protocolClass(free)))
            if free == stubs.count { stubs.append(place) } else { stubs[free] = place }
            return free
        }
        Self.stubs.withLock { $0[number]?.stub = self }
    }

    deinit { Self.stubs.withLock { $0[number] = nil } }

    /// Takes log requests: those to a path, or with `/**` at its end to all paths below, are recorded and answered.
    public func record(_ path: String, status: Int = 200) {
        state.withLock { $0.rules.append((path, .log(status: status))) }
    }

    /// Serves content: a GET of a path is answered with bytes.
    public func serve(_ path: String, body: Data, type: String = "application/json") {
        state.withLock { $0.rules.append((path, .stub(body: body, type: type))) }
    }

    /// Serves content: a GET of a path is answered with a file.
    /// - Throws: if it cannot be read.
    public func serve(_ path: String, file: URL, type: String = "application/json") throws {
        serve(path, body: try Data(contentsOf: file), type: type)
    }

    /// The log requests that came, in order.
    public var recorded: [Request] { state.withLock { $0.recorded } }

    /// Requests that no rule answers, with why: `GET https://api.example/menu`.
    public var unexpected: [String] { state.withLock { $0.unexpected } }

    /// A configuration whose sessions are answered by this stub alone.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass(number)]
        return configuration
    }

    /// A session that is answered by this stub alone.
    public var session: URLSession { URLSession(configuration: configuration) }

    fileprivate static func stub(of identity: ObjectIdentifier) -> EndpointStub? {
        stubs.withLock { stubs in stubs.first { $0?.identity == identity }??.stub }
    }

    fileprivate enum Answer {
        case response(HTTPURLResponse, Data)
        case failure(String)
    }

    fileprivate func answer(_ request: URLRequest) -> Answer {
        guard let url = request.url else { return .failure("a request without an address") }
        let method = request.httpMethod ?? "GET"
        let path = url.path.isEmpty ? "/" : url.path
        return state.withLock { state in
            let rule = state.rules.last { Self.covers($0.pattern, path) && $0.rule.takes(method) }?.rule
            switch rule {
            case .stub(let body, let type)?: return Self.response(url, 200, body, type)
            case .log(let status)?:
                guard let body = Self.body(of: request) else {
                    let problem =
                        "\(method) \(url): its body does not reach a URLProtocol on Linux; send it by a data task with "
                        + "`httpBody` instead of an upload task, or use LogProbe"
                    state.unexpected.append(problem)
                    return .failure(problem)
                }
                var headers: [String: String] = [:]
                for (name, value) in request.allHTTPHeaderFields ?? [:] {
                    headers[name.lowercased()] = value
                }
                state.recorded.append(Request(method: method, url: url, headers: headers, body: body))
                return Self.response(url, status, Data(), "application/json")
            case nil:
                state.unexpected.append("\(method) \(url)")
                return .failure("\(method) \(url): no rule of the endpoint stub answers it")
            }
        }
    }

    private static func covers(_ pattern: String, _ path: String) -> Bool {
        guard pattern.hasSuffix("/**") else { return pattern == path }
        return path == pattern.dropLast(3) || path.hasPrefix(pattern.dropLast(2))
    }

    private static func response(_ url: URL, _ status: Int, _ body: Data, _ type: String) -> Answer {
        let headers = ["Content-Type": type, "Content-Length": String(body.count)]
        guard
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return .failure("no answer can be made for \(url)") }
        return .response(response, body)
    }

    /// The body, which Apple's Foundation hands over as a stream; `nil` where a body must be and is not.
    private static func body(of request: URLRequest) -> Data? {
        if let body = request.httpBody { return body }
        guard let stream = request.httpBodyStream else {
            return ["GET", "HEAD", "DELETE"].contains(request.httpMethod ?? "GET") ? Data() : nil
        }
        stream.open()
        defer { stream.close() }
        var body = Data()
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while body.count <= 64 << 20 {
            let count = stream.read(&piece, maxLength: piece.count)
            guard count > 0 else { return count == 0 ? body : nil }
            body.append(contentsOf: piece[..<count])
        }
        return nil
    }
}

extension EndpointStub.Rule {
    fileprivate func takes(_ method: String) -> Bool {
        switch self {
        case .stub: method == "GET" || method == "HEAD"
        case .log: true
        }
    }
}

/// A type for each number: sessions know a stub by a class alone, for Foundation on Linux hands a protocol neither the
/// session nor the configuration's header fields.
private enum Zero {}
private enum Successor<Number> {}

private func protocolClass(_ number: Int) -> AnyClass { protocolClass(number, Zero.self) }

private func protocolClass<Number>(_ number: Int, _: Number.Type) -> AnyClass {
    number == 0 ? StubProtocol<Number>.self : protocolClass(number - 1, Successor<Number>.self)
}

/// Hands requests of a stub's sessions to the stub.
private final class StubProtocol<Number>: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        switch EndpointStub.stub(of: ObjectIdentifier(type(of: self)))?.answer(request) {
        case .response(let response, let body)?:
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: body)
            client?.urlProtocolDidFinishLoading(self)
        case .failure(let reason)?: fail(reason)
        case nil: fail("the endpoint stub of this session is gone; keep it for as long as the session is used")
        }
    }

    override func stopLoading() {}

    private func fail(_ reason: String) {
        client?.urlProtocol(
            self, didFailWithError: URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: reason]))
    }
}
