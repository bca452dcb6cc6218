import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` whose requests are recorded: `let api = log.recording(session)`, and then `api.data(for: request)`.
///
/// The methods are `URLSession`'s and behave the same; ``RequestRecording`` determines what is recorded. Timing is
/// recorded if the platform measures it. Safe to share between threads.
public struct RecordingSession: Sendable {
    private let session: URLSession
    private let log: Log
    private let recording: RequestRecording

    /// Wraps a session. Requests made with the session itself are not recorded.
    ///
    /// ```swift
    /// let session = RecordingSession(.shared, log: Log("app.network"))
    /// let (data, _) = try await session.data(from: collector)
    /// ```
    public init(_ session: URLSession, log: Log, recording: RequestRecording = RequestRecording()) {
        self.session = session
        self.log = log
        self.recording = recording
    }

    /// Sends a request.
    /// - Throws: The session's error.
    public func data(
        for request: URLRequest, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) async throws -> (Data, URLResponse) {
        let site = CallSite(fileID: fileID, function: function, line: line, column: column)
        return try await exchange(request, RecordedRequest(request), site, body: { $0 }) { request, timing in
            try await session.data(for: request, delegate: timing)
        }
    }

    /// Gets the contents of an address.
    /// - Throws: The session's error.
    public func data(
        from url: URL, fileID: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
        column: UInt32 = #column
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), fileID: fileID, function: function, line: line, column: column)
    }

    /// Sends a request with a body.
    /// - Throws: The session's error.
    public func upload(
        for request: URLRequest, from body: Data, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) async throws -> (Data, URLResponse) {
        var recorded = RecordedRequest(request)
        recorded.body = body
        recorded.bodyBytes = body.count
        let site = CallSite(fileID: fileID, function: function, line: line, column: column)
        return try await exchange(request, recorded, site, body: { $0 }) { request, timing in
            try await session.upload(for: request, from: body, delegate: timing)
        }
    }

    /// Sends a request with a file as its body. Only the size of the body is recorded.
    /// - Throws: The session's error.
    public func upload(
        for request: URLRequest, fromFile file: URL, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) async throws -> (Data, URLResponse) {
        var recorded = RecordedRequest(request)
        recorded.bodyBytes = Self.size(of: file)
        let site = CallSite(fileID: fileID, function: function, line: line, column: column)
        return try await exchange(request, recorded, site, body: { $0 }) { request, timing in
            try await session.upload(for: request, fromFile: file, delegate: timing)
        }
    }

    /// Sends a request whose response is saved to a file. Only the size of the response's body is recorded.
    /// - Throws: The session's error.
    public func download(
        for request: URLRequest, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) async throws -> (URL, URLResponse) {
        let site = CallSite(fileID: fileID, function: function, line: line, column: column)
        return try await exchange(
            request, RecordedRequest(request), site, body: { _ in nil }, bytes: Self.size(of:)
        ) { request, timing in
            try await session.download(for: request, delegate: timing)
        }
    }

    private func exchange<Content>(
        _ request: URLRequest, _ recorded: RecordedRequest, _ site: CallSite, body: (Content) -> Data?,
        bytes: (Content) -> Int? = { _ in nil },
        perform: (URLRequest, TimingCollector) async throws -> (Content, URLResponse)
    ) async throws -> (Content, URLResponse) {
        let exchange = log.start(recorded, recording, site)
        let timing = TimingCollector()
        var request = request
        if let parent = exchange.traceParent, request.value(forHTTPHeaderField: "traceparent") == nil {
            request.setValue(parent, forHTTPHeaderField: "traceparent")
        }
        do {
            let (content, response) = try await perform(request, timing)
            exchange.end(
                RecordedResponse(response, body: body(content), bodyBytes: bytes(content), timing: timing.timing))
            return (content, response)
        } catch {
            exchange.end(throwing: error)
            throw error
        }
    }

    private static func size(of file: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
    }
}

/// Keeps the timing that a session tells about one task. Safe to share between threads.
private final class TimingCollector: NSObject, URLSessionTaskDelegate {
    private let collected = Mutex<RequestTiming?>(nil)

    /// What has been told so far.
    var timing: RequestTiming? { collected.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let timing = RequestTiming(metrics)
        collected.withLock { $0 = timing }
    }
}

extension Log {
    /// A session whose requests are recorded under this log's tag.
    public func recording(
        _ session: URLSession = .shared, _ recording: RequestRecording = RequestRecording()
    ) -> RecordingSession {
        RecordingSession(session, log: self, recording: recording)
    }
}

/// A request under way, from ``Log/start(_:recording:fileID:function:line:column:)`` to one of its ends, for HTTP
/// clients other than `URLSession`. Ending twice is harmless: the first end counts. Safe to share between threads.
public final class LogRequest: Sendable {
    private let measurement: LogMeasurement?
    private let description: RequestDescription
    private let recording: RequestRecording

    init(_ measurement: LogMeasurement?, _ description: RequestDescription, _ recording: RequestRecording) {
        self.measurement = measurement
        self.description = description
        self.recording = recording
    }

    /// The value of the `traceparent` header that the request should carry; `nil` if it should not.
    public var traceParent: String? { recording.sendsTraceParent ? measurement?.context.traceParent : nil }

    /// Ends the request with its response. From status 400 on it counts as failed: a warning, from 500 on an error.
    public func end(_ response: RecordedResponse) {
        guard let measurement else { return }
        keepBodies(response.body, of: measurement)
        measurement.end(
            description.attributes(response), failure: RequestDescription.failure(status: response.status),
            level: RequestDescription.level(status: response.status))
    }

    /// Ends a request that got no response. A cancelled one has failed too, but is no error: its level is `info`.
    public func end(throwing error: any Error) {
        guard let measurement else { return }
        keepBodies(nil, of: measurement)
        let fault = RequestFault(error)
        var attributes = description.attributes(nil)
        attributes["error.type"] = .string(fault.type)
        measurement.end(
            attributes, failure: fault.isCancellation ? "cancelled" : error.localizedDescription,
            level: fault.isCancellation ? .info : .error)
    }

    private func keepBodies(_ response: Data?, of measurement: LogMeasurement) {
        guard case .inMemory(let recent) = recording.bodies else { return }
        recent.keep(
            description.bodies(
                spanID: measurement.context.spanID, response: response, limit: recent.maximumBodyBytes))
    }
}

extension Log {
    /// Starts the record of a request made with any HTTP client. The record is a span of the current task's
    /// measurement, if there is one, and is written when the request ends.
    ///
    /// A request made while an output delivers is not recorded: otherwise sending a record would create another.
    public func start(
        _ request: RecordedRequest, recording: RequestRecording = RequestRecording(), fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) -> LogRequest {
        start(request, recording, CallSite(fileID: fileID, function: function, line: line, column: column))
    }

    func start(_ request: RecordedRequest, _ recording: RequestRecording, _ site: CallSite) -> LogRequest {
        let description = RequestDescription(request, recording)
        guard !DeliveryScope.isDelivering, recording.isRecorded(request) else {
            return LogRequest(nil, description, recording)
        }
        let measurement = start(
            description.name, level: .info, isRequest: true, parent: SpanContext.current, site: site)
        return LogRequest(measurement, description, recording)
    }
}

/// What kept an answer from coming: OpenTelemetry's `error.type`, a name of few values.
private struct RequestFault {
    let type: String
    let isCancellation: Bool

    init(_ error: any Error) {
        let code = (error as? URLError)?.code
        isCancellation = error is CancellationError || code == .cancelled
        type =
            switch code {
            case _ where isCancellation: "cancelled"
            case .timedOut?: "timeout"
            case .notConnectedToInternet?: "not_connected"
            case .cannotFindHost?, .dnsLookupFailed?: "host_not_found"
            case .cannotConnectToHost?: "cannot_connect"
            case .networkConnectionLost?: "connection_lost"
            case let code?: "URLError(\(code.rawValue))"
            case nil: String(reflecting: Swift.type(of: error))
            }
    }
}
