import DaybookBase
import DaybookChecklist
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers an app's requests in a test, so that test logs never reach production and content is always the same.
///
/// Give the code under test ``session`` (or a session made with ``configuration``). A request without a matching rule
/// fails and is kept in ``unexpected``; nothing reaches the network. Each stub sees only its own sessions' requests, so
/// tests can run concurrently; `URLSession.shared`, only between ``takeSharedSession()`` and
/// ``releaseSharedSession()``. Safe to share between threads.
public final class EndpointStub: Sendable {
    public struct Request: Sendable {
        public var method: String
        public var url: URL
        /// Names in lower case.
        public var headers: [String: String]
        public var body: Data
    }

    fileprivate struct Response {
        var status: Int
        var body: Data
        var type: String
    }

    /// Which requests are answered, and whether they are kept.
    fileprivate struct Rule {
        var path: String
        var host: String?
        var method: String?
        /// Selects requests, and converts them to records.
        var rules: RequestRules?
        var isRecorded: Bool
        var response: Response
    }

    private struct State {
        var rules: [Rule] = []
        var recorded: [Request] = []
        var records: [Record] = []
        var unexpected: [String] = []
        var hasSharedSession = false
    }

    /// The live stubs, with the classes that answer for them.
    private static let stubs = Mutex<[Slot?]>([])

    private struct Slot: Sendable {
        weak var stub: EndpointStub?
        var identity: ObjectIdentifier
    }

    /// The stub's index among the live ones.
    private let number: Int
    private let state = Mutex(State())

    /// Creates a stub without rules.
    ///
    /// ```swift
    /// let stub = EndpointStub()
    /// stub.serve("/articles", json: [7, 8])
    /// let session = stub.session
    /// ```
    public init() {
        // Reserves the slot first, so that others see only a complete object.
        number = Self.stubs.withLock { stubs in
            let free = stubs.firstIndex { $0 == nil } ?? stubs.count
            let place = Slot(stub: nil, identity: ObjectIdentifier(protocolClass(free)))
            if free == stubs.count { stubs.append(place) } else { stubs[free] = place }
            return free
        }
        Self.stubs.withLock { $0[number]?.stub = self }
    }

    deinit {
        releaseSharedSession()
        Self.stubs.withLock { $0[number] = nil }
    }

    /// Records log requests and answers them. The last matching rule counts.
    /// - Parameters:
    ///   - path: `*` matches one segment, a final `/**` any number of them.
    ///   - host: Such as `log.example.com`. Default: any.
    ///   - method: Such as `POST`. Default: any.
    ///   - status: The response's status. Default 200.
    ///   - body: The response. Default: an empty JSON object, `{}`.
    public func record(
        _ path: String, host: String? = nil, method: String? = nil, status: Int = 200, body: Data = Data("{}".utf8),
        type: String = "application/json"
    ) {
        add(
            Rule(
                path: path, host: host, method: method, isRecorded: true,
                response: Response(status: status, body: body, type: type)))
    }

    /// Receives the log requests that a team's rules describe: each is recorded, converted to ``records`` and answered.
    ///
    /// A request without an event is listed in ``unexpected``.
    public func record(
        _ rules: RequestRules, status: Int = 200, body: Data = Data("{}".utf8), type: String = "application/json"
    ) {
        add(
            Rule(
                path: "/**", rules: rules, isRecorded: true,
                response: Response(status: status, body: body, type: type)))
    }

    /// Answers requests with bytes. The last matching rule counts.
    /// - Parameters:
    ///   - path: `*` matches one segment, a final `/**` any number of them.
    ///   - host: Such as `api.example.com`. Default: any.
    ///   - method: Default `GET`, which also matches `HEAD`.
    ///   - status: Default 200.
    public func serve(
        _ path: String, host: String? = nil, method: String = "GET", status: Int = 200, body: Data,
        type: String = "application/json"
    ) {
        add(
            Rule(
                path: path, host: host, method: method, isRecorded: false,
                response: Response(status: status, body: body, type: type)))
    }

    /// Answers requests with a value as JSON: `stub.serve("/feeds", json: ["articles": [7, 8]])`.
    public func serve(
        _ path: String, host: String? = nil, method: String = "GET", status: Int = 200, json value: Value
    ) {
        serve(path, host: host, method: method, status: status, body: Data(JSONWriter.text(value).utf8))
    }

    /// Answers requests with a file.
    /// - Throws: If the file cannot be read.
    public func serve(
        _ path: String, host: String? = nil, method: String = "GET", status: Int = 200, file: URL,
        type: String = "application/json"
    ) throws {
        serve(path, host: host, method: method, status: status, body: try Data(contentsOf: file), type: type)
    }

    private func add(_ rule: Rule) { state.withLock { $0.rules.append(rule) } }

    /// The log requests received, in order.
    public var recorded: [Request] { state.withLock { $0.recorded } }

    /// The records made by the rules, in the order received.
    public var records: RecordedRecords { state.withLock { RecordedRecords($0.records) } }

    /// Requests without a matching rule, with the reason: `GET https://api.example/menu`.
    public var unexpected: [String] { state.withLock { $0.unexpected } }

    /// A configuration for sessions that only this stub answers.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass(number)]
        return configuration
    }

    /// A session that only this stub answers.
    public var session: URLSession { URLSession(configuration: configuration) }

    /// Answers `URLSession.shared` too, until ``releaseSharedSession()`` or the stub's end. Of several stubs, the last
    /// to take it answers.
    ///
    /// The session is shared by the process: tests that take it must not run concurrently with others that use it
    /// (`.serialized`), and requests of other code without a matching rule fail. Requests that have begun are not
    /// affected.
    public func takeSharedSession() {
        releaseSharedSession()
        state.withLock { $0.hasSharedSession = true }
        Self.stubs.withLock { _ in
            #if canImport(FoundationNetworking)
                // Registered classes do not affect an existing session. Here its configuration is shared; Apple's is a
                // copy.
                let configuration = URLSession.shared.configuration
                configuration.protocolClasses = [protocolClass(number)] + (configuration.protocolClasses ?? [])
            #else
                _ = URLProtocol.registerClass(protocolClass(number))
            #endif
        }
    }

    /// Returns `URLSession.shared` to the network, or to the stub that had it before.
    public func releaseSharedSession() {
        let hadIt = state.withLock { state in
            defer { state.hasSharedSession = false }
            return state.hasSharedSession
        }
        guard hadIt else { return }
        let own: AnyClass = protocolClass(number)
        Self.stubs.withLock { _ in
            #if canImport(FoundationNetworking)
                URLSession.shared.configuration.protocolClasses?.removeAll { $0 == own }
            #else
                URLProtocol.unregisterClass(own)
            #endif
        }
    }

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
        return state.withLock { state in
            guard let rule = state.rules.last(where: { $0.takes(method, url) }) else {
                state.unexpected.append("\(method) \(url)")
                return .failure("\(method) \(url): no rule of the endpoint stub answers it")
            }
            guard rule.isRecorded else { return Self.response(url, rule.response) }
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
            let sent = RequestRules.Request(method: method, host: url.host, target: url.target, body: Array(body))
            let (records, problems) = rule.rules?.records(of: sent) ?? ([], [])
            state.records += records
            state.unexpected += problems
            return Self.response(url, rule.response)
        }
    }

    private static func response(_ url: URL, _ answer: Response) -> Answer {
        // These statuses have no body.
        let body = [204, 304].contains(answer.status) ? Data() : answer.body
        let headers = ["Content-Type": answer.type, "Content-Length": String(body.count)]
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return .failure("no answer can be made for \(url)") }
        return .response(response, body)
    }

    /// Apple's Foundation passes the body as a stream; `nil` if a required body is missing.
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
    fileprivate func takes(_ method: String, _ url: URL) -> Bool {
        if let rules {
            return rules.take(RequestRules.Request(method: method, host: url.host, target: url.target, body: []))
        }
        return RequestPath(url.target).matches(path) && (host == nil || host?.lowercased() == url.host?.lowercased())
            && (self.method == nil || self.method == method || self.method == "GET" && method == "HEAD")
    }
}

extension URL {
    fileprivate var target: String {
        let components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        return (components?.percentEncodedPath ?? path) + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}

extension RequestRules {
    /// A request's records, and why other entries have none; `nil` if no rule matches.
    func records(of request: Request) -> (records: [Record], problems: [String])? {
        var (records, problems): ([Record], [String]) = ([], [])
        do {
            guard var reading = try reading(request) else { return nil }
            while let entry = reading.next() {
                switch entry {
                case .event(let event): records.append(Record(event))
                case .refused(let refusal): problems.append(refusal.description)
                case .skipped, .absent: break
                }
            }
        } catch {
            problems.append("\(error)")
        }
        return (records, problems)
    }
}

extension Record {
    /// Logged now if the request has no time.
    fileprivate init(_ event: RequestRules.Event) {
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        self.init(
            time: event.time ?? now, kind: .event, level: Level(severityNumber: event.severityNumber), tag: event.tag,
            attributes: event.attributes)
    }
}

/// A type per number: only its class identifies a stub, because Foundation on Linux passes a protocol neither the
/// session nor the configuration's headers.
private enum Zero {}
private enum Successor<Number> {}

private func protocolClass(_ number: Int) -> AnyClass { protocolClass(number, Zero.self) }

private func protocolClass<Number>(_ number: Int, _: Number.Type) -> AnyClass {
    number == 0 ? StubProtocol<Number>.self : protocolClass(number - 1, Successor<Number>.self)
}

/// Passes requests of a stub's sessions to the stub.
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
