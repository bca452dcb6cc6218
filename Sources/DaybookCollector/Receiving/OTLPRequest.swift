import DaybookBase
import DaybookOTLP
import DaybookStore

/// Reads requests of OTLP: `ExportLogsServiceRequest` and `ExportTraceServiceRequest`, in protobuf and in JSON.
///
/// Both encodings hand their records to a ``RecordSink``, one after another; nothing holds a whole request's records.
/// What no receiver of ours uses (schema URLs, trace flags) is passed over. Source: opentelemetry-proto 1.7.
package enum OTLPRequest {
    /// The batches of a request in protobuf, ready to be stored.
    /// - Parameter now: the time of records without one, in nanoseconds since 1970.
    /// - Throws: ``OTLPError``.
    package static func batches(
        ofProtobuf body: [UInt8], _ signal: OTLPSignal, now: Int64
    ) throws(OTLPError) -> [RecordBatch] {
        switch signal {
        case .logs: try RowSink<WireLogRecord>.batches(ofProtobuf: body, now: now)
        case .traces: try RowSink<WireSpan>.batches(ofProtobuf: body, now: now)
        }
    }

    /// The batches of a request in JSON, ready to be stored.
    /// - Parameter now: the time of records without one, in nanoseconds since 1970.
    /// - Throws: ``OTLPError``.
    package static func batches(
        ofJSON body: [UInt8], _ signal: OTLPSignal, now: Int64
    ) throws(OTLPError) -> [RecordBatch] {
        switch signal {
        case .logs: try RowSink<WireLogRecord>.batches(ofJSON: body, now: now)
        case .traces: try RowSink<WireSpan>.batches(ofJSON: body, now: now)
        }
    }

    /// Reads a request in protobuf and hands its records to a sink, without a copy of any.
    /// - Throws: ``OTLPError`` that tells the byte at fault; then what the sink has taken is part of a request that is to
    ///   be refused.
    package static func read<Sink: RecordSink>(protobuf bytes: [UInt8], into sink: inout Sink) throws(OTLPError) {
        var decoder = ProtobufDecoder()
        do {
            try bytes.withUnsafeBytes { buffer in try decoder.request(ProtobufReader(buffer), &sink) }
        } catch let error as OTLPError {
            throw error
        } catch let error as ProtobufError {
            throw DecodingBudget.error(error)
        } catch {
            throw OTLPError("\(error)")
        }
    }

    /// Reads a request in JSON and hands its records to a sink.
    /// - Throws: ``OTLPError`` that tells the byte, or the member, at fault; then what the sink has taken is part of a
    ///   request that is to be refused.
    package static func read<Sink: RecordSink>(json bytes: [UInt8], into sink: inout Sink) throws(OTLPError) {
        try JSONMessage.document(bytes).request(&sink)
    }
}
