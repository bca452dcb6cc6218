import DaybookBase
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
