import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` whose requests are recorded: `let api = log.recording(session)`, then `api.data(for: request)`.
///
/// The methods behave like `URLSession`'s; ``RequestRecording`` says what is recorded. Timing is recorded where the
/// platform measures it. Safe to share between threads.
public struct RecordingSession: Sendable {
    private let session: URLSession
    private let log: Log
    private let recording: RequestRecording

    /// Wraps a session. Requests made with that session itself are not recorded.
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

    /// Sends a request with a file as its body, of which only the size is recorded.
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

    /// Sends a request whose response is saved to a file, of which only the size is recorded.
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

extension Log {
    /// A session whose requests are recorded with this log's tag.
    public func recording(
        _ session: URLSession = .shared, _ recording: RequestRecording = RequestRecording()
    ) -> RecordingSession {
        RecordingSession(session, log: self, recording: recording)
    }
}
