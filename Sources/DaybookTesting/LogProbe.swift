import Daybook
import DaybookBase
import DaybookChecklist
import DaybookTools
import Foundation

/// Receives, in a test, what another process logs: an app that the test launches.
///
/// The app connects with `Route.toProbe()` in its pipeline, in place of its network outputs; the test with this:
///
/// ```
/// let app = XCUIApplication()
/// let probe = try LogProbe(launchEnvironment: &app.launchEnvironment)
/// app.launch()
/// try await probe.wait { try $0.expect("app.launch") }
/// ```
///
/// The probe also serves content stubs, so that the app's runs are always the same. It listens only on 127.0.0.1, which
/// test and app share on a Mac, in a simulator and on a device, and accepts records only at an unguessable path.
/// Records logged before the probe was created are left out. Safe to share between threads; call ``stop()`` at the end
/// of the test.
public final class LogProbe: Sendable {
    /// Identifies a record in a resent batch.
    private struct Identity: Hashable {
        var sequence: UInt64
        var time: Int64
        var tag: String
    }

    private struct State {
        var records: [Record] = []
        var identities: Set<Identity> = []
        /// By method and path: `GET /menu`.
        var stubs: [String: LoopbackServer.Response] = [:]
        var rules: [(rules: RequestRules, response: LoopbackServer.Response)] = []
        var unexpected: [String] = []
        var problems: [String] = []
        /// Records logged before the probe was created.
        var early = 0
    }

    /// Where records are accepted: known only to the app that the test launches.
    private let path: String
    private let state: Shared
    private let server: LoopbackServer

    private final class Shared: Sendable {
        let mutex = Mutex(State())
    }

    /// Starts listening on a free port.
    ///
    /// ```swift
    /// let probe = try LogProbe()
    /// defer { probe.stop() }
    /// try await probe.wait(timeout: .seconds(10)) { try $0.expect("app.launch") }
    /// ```
    /// - Throws: If no port is available.
    public init() throws {
        let state = Shared()
        let random = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        let path = "/probe/\(String(random.0, radix: 16))\(String(random.1, radix: 16))"
        // The clock of log calls may be a tick behind.
        let start = Int64(Date().timeIntervalSince1970 * 1e9) - 10_000_000
        self.state = state
        self.path = path
        server = try LoopbackServer { request in
            if request.method == "POST", request.path == path { return Self.take(request.body, from: start, state) }
            return Self.answer(request, state)
        }
    }

    /// Starts listening, and adds the address to the environment of the app that is launched next.
    ///
    /// ```swift
    /// var environment: [String: String] = [:]    // of an XCUIApplication: `&app.launchEnvironment`
    /// let probe = try LogProbe(launchEnvironment: &environment)
    /// ```
    /// - Parameter launchEnvironment: The app's, such as `XCUIApplication.launchEnvironment`; gets ``environment``.
    /// - Throws: If no port is available.
    public convenience init(launchEnvironment: inout [String: String]) throws {
        try self.init()
        launchEnvironment.merge(environment) { _, own in own }
    }

    deinit { server.stop() }

    public func stop() { server.stop() }

    /// The probe's address, from which the app can load its content during the test.
    public var url: URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = Int(server.port)
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// What to add to the environment of a program under test.
    public var environment: [String: String] { [Route.probeVariable: url.absoluteString + path] }

    /// Answers GET requests to this path with a file, as JSON if its name ends in `.json`.
    /// - Throws: If the file cannot be read.
    public func serve(_ path: String, file: URL) throws {
        let body = [UInt8](try Data(contentsOf: file))
        serve(path, body: body, type: file.pathExtension == "json" ? "application/json" : "application/octet-stream")
    }

    /// Answers requests to this path with bytes; the last stub of a path counts.
    /// - Parameters:
    ///   - path: Such as `/menu`, whatever the query; or with one query, as it is sent: `/recipes?q=egg`.
    ///   - method: Default `GET`.
    ///   - status: Default 200.
    public func serve(
        _ path: String, method: String = "GET", status: Int = 200, body: [UInt8], type: String = "application/json"
    ) {
        let response = LoopbackServer.Response(status: status, contentType: type, body: body)
        state.mutex.withLock { $0.stubs["\(method) \(path)"] = response }
    }

    /// Answers requests to this path with a value as JSON.
    public func serve(_ path: String, method: String = "GET", status: Int = 200, json value: Value) {
        serve(path, method: method, status: status, body: Array(JSONWriter.text(value).utf8))
    }

    /// Receives the log requests that a team's rules describe, for an app that sends its own: they become ``records``
    /// and are answered. The app's log address is ``url``; a rule's host is ignored. Stubs come first; of several sets
    /// of rules, the first match counts.
    /// - Parameters:
    ///   - rules: Which requests, and what they contain.
    ///   - status: The response's status. Default 200.
    ///   - body: The response. Default: an empty JSON object, `{}`.
    public func record(_ rules: RequestRules, status: Int = 200, body: [UInt8] = Array("{}".utf8)) {
        let response = LoopbackServer.Response(status: status, body: body)
        state.mutex.withLock { $0.rules.append((rules, response)) }
    }

    /// The records so far, in order of arrival; a batch that was sent twice counts once.
    public var records: RecordedRecords { state.mutex.withLock { RecordedRecords($0.records) } }

    /// Requests without a stub, such as `GET /menu`; at most the first 100.
    public var unexpectedRequests: [String] { state.mutex.withLock { $0.unexpected } }

    /// Waits until an expectation is met, and throws its error if it is not met in time.
    ///
    /// One that later records can break (`exactly`, `never`) is met at the first moment: first end the app, or wait for
    /// an event that comes last.
    /// - Parameters:
    ///   - timeout: Default 10 s.
    ///   - isolation: Where `expectation` is called. Default: the caller's actor, which is the main actor in a UI test.
    ///   - expectation: Such as `{ try $0.expect("app.launch") }`.
    /// - Throws: The last `ExpectationFailure`, with the requests without a stub; any other error of `expectation`, at
    ///   once.
    public func wait(
        timeout: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
        for expectation: (RecordedRecords) throws -> Void
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        while true {
            do {
                return try expectation(records)
            } catch let failure as ExpectationFailure {
                guard ContinuousClock.now < deadline else { throw failure.adding(explanation(after: timeout)) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func explanation(after timeout: Duration) -> String {
        state.mutex.withLock { state in
            var lines = ["not met within \(timeout)"]
            if state.records.isEmpty {
                lines.append(
                    "no record has arrived: was the app launched with the probe's environment "
                        + "(\(Route.probeVariable)), is it a debug build, does its pipeline have Route.toProbe(), and does "
                        + "its Info.plist allow local networking (NSAllowsLocalNetworking)?")
            }
            if state.early > 0 {
                lines.append("left out: \(state.early) records that the app logged before this probe was made")
            }
            if !state.unexpected.isEmpty { lines.append("no stub for: \(state.unexpected.joined(separator: ", "))") }
            return (lines + state.problems).joined(separator: "\n") + "\n"
        }
    }

    private static func answer(_ request: LoopbackServer.Request, _ shared: Shared) -> LoopbackServer.Response {
        shared.mutex.withLock { state in
            for address in [request.target, request.path] {
                if let stub = state.stubs["\(request.method) \(address)"] { return stub }
            }
            let sent = RequestRules.Request(
                method: request.method, host: nil, target: request.target, body: request.body)
            for (rules, response) in state.rules {
                guard let (records, problems) = rules.records(of: sent) else { continue }
                state.records += records
                state.problems += problems.prefix(max(0, 10 - state.problems.count))
                return response
            }
            if state.unexpected.count < 100 { state.unexpected.append("\(request.method) \(request.path)") }
            return LoopbackServer.Response(
                status: 404, body: Array(#"{"error":"The probe has no stub for this path."}"#.utf8))
        }
    }

    private static func take(_ body: [UInt8], from start: Int64, _ shared: Shared) -> LoopbackServer.Response {
        var records: [Record] = []
        for line in body.split(separator: 0x0A) where !line.allSatisfy({ $0 <= 0x20 }) {
            do {
                records.append(try ProbeLine.record(Array(line)))
            } catch {
                shared.mutex.withLock { state in
                    if state.problems.count < 10 { state.problems.append("a line that is not a record: \(error)") }
                }
                return LoopbackServer.Response(status: 400)
            }
        }
        shared.mutex.withLock { state in
            // A response may be lost, and its batch resent.
            let new = records.filter {
                state.identities.insert(Identity(sequence: $0.sequence, time: $0.time, tag: $0.tag)).inserted
            }
            state.records += new.filter { $0.time >= start }
            state.early += new.count { $0.time < start }
        }
        return LoopbackServer.Response(status: 200)
    }
}

extension ExpectationFailure {
    func adding(_ text: String) -> ExpectationFailure { ExpectationFailure(description: description + text) }
}

extension RecordedRecords {
    /// Reads records from text, one per line: the file of a `FileOutput` with the format `.json`, or what a UI test
    /// reads from the app's screen (`RecordsView`, in `DaybookApple`).
    ///
    /// ```swift
    /// try RecordedRecords(ndjson: #"{"tag": "app.launch"}"#).expect("app.launch exactly 1")
    /// ```
    /// - Throws: Which line is not a record, and why.
    public init(ndjson: String) throws {
        var records: [Record] = []
        for (index, line) in ndjson.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = Array(ByteOrderMark.skipped(Array(line)))
            if line.allSatisfy({ $0 <= 0x20 }) { continue }
            do {
                records.append(try ProbeLine.record(line))
            } catch {
                throw ExpectationFailure(description: "line \(index + 1) is not a record: \(error)\n")
            }
        }
        self.init(records)
    }

    /// One record per line, for `daybook verify` and for attachments; private columns are masked.
    public var ndjson: String { records.map { TextFormat.json.text(of: $0) + "\n" }.joined() }
}

/// Parses a line of NDJSON in ``TextFormat/json``.
enum ProbeLine {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: Why the line is not a record.
    static func record(_ line: [UInt8]) throws -> Record {
        guard case .object(let object) = try JSONReader.value(of: line), case .string(let tag)? = object["tag"] else {
            throw Problem(description: "a record is an object with a tag")
        }
        func text(_ key: String) -> String? { object[key]?.text }
        func integer(_ key: String) -> Int64? { if case .int(let number)? = object[key] { number } else { nil } }
        func attributes(_ key: String) -> Attributes {
            if case .object(let attributes)? = object[key] { attributes } else { [:] }
        }
        let time = object["time"].flatMap { $0 == .null ? nil : $0 }
        guard let nanoseconds = time.map({ ReadTime.nanoseconds(of: $0) }) ?? 0 else {
            throw Problem(description: "`time` is not a time: \(ReadTime.problem(of: time ?? .null))")
        }
        var record = Record(
            time: nanoseconds,
            kind: text("kind").flatMap(Kind.init(rawValue:)) ?? .event,
            level: Level.allCases.first { $0.name == text("level") } ?? .info, tag: tag, message: text("message"),
            attributes: attributes("attributes"))
        record.sequence = integer("seq").flatMap { UInt64(exactly: $0) } ?? 0
        record.context = attributes("context")
        if let session = text("session") { record.context["session.id"] = .string(session) }
        record.duration = integer("duration")
        record.file = text("file")
        record.function = text("function")
        record.line = integer("line").map { Int(clamping: $0) }
        if case .int(let column)? = record.attributes[WireName.column.description] {
            record.column = Int(clamping: column)
            record.attributes[WireName.column.description] = nil
        }
        return record
    }
}
