import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request under way, from ``Log/start(_:recording:fileID:function:line:column:)`` to its end, for HTTP clients other
/// than `URLSession`. Only the first end counts. Safe to share between threads.
public final class LogRequest: Sendable {
    private let measurement: LogMeasurement?
    private let description: RequestDescription
    private let recording: RequestRecording

    init(_ measurement: LogMeasurement?, _ description: RequestDescription, _ recording: RequestRecording) {
        self.measurement = measurement
        self.description = description
        self.recording = recording
    }

    /// The `traceparent` header for the request; `nil` for none.
    public var traceParent: String? { recording.sendsTraceParent ? measurement?.context.traceParent : nil }

    /// Ends the request with its response. Status 400 and above counts as failed: a warning, from 500 an error.
    public func end(_ response: RecordedResponse) {
        guard let measurement else { return }
        keepBodies(response.body, of: measurement)
        measurement.end(
            description.attributes(response), failure: RequestDescription.failure(status: response.status),
            level: RequestDescription.level(status: response.status))
    }

    /// Ends a request without a response. A cancelled one has also failed, but at level `info`.
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
    /// Starts the record of a request made with any HTTP client. It is a span of the current task's measurement, if
    /// any, and written when the request ends.
    ///
    /// Requests made during an output's delivery are not recorded: otherwise sending a record would create another.
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

/// Why there was no response: OpenTelemetry's `error.type`, of low cardinality.
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
